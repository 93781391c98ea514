"""Programs for a stack machine: written for a task, changed, and run."""

from collections import Counter
from functools import partial
from itertools import accumulate, compress
from operator import add, mul, sub
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment, values
from races.environments.types import Expr, Int, IntList, NatList, PairList, Poly, Program, Ragged, Tally

BIG = 1_000_000
LARGEST_PUSH = 999
MOST_INSTRUCTIONS = 40
LONGEST = 120  # characters of an expression
SIGNS = {"ADD": "+", "SUB": "-", "MUL": "*"}
ARITHMETIC = {"ADD": add, "SUB": sub, "MUL": mul}
NAMES = {"+": "ADD", "-": "SUB", "*": "MUL"}
CYCLED = {"ADD": "SUB", "SUB": "MUL", "MUL": "ADD"}
GROWTH = {"PUSH": 1, "LOADX": 1, "DUP": 1, "SWAP": 0, "ADD": -1, "SUB": -1, "MUL": -1}


def checked(lines: list[str]) -> tuple[str, ...]:
    """The program, unless it is longer than a program may be."""
    if len(lines) > MOST_INSTRUCTIONS:
        raise OutOfDomain(f"the program has more than {MOST_INSTRUCTIONS} instructions")
    return tuple(lines)


def check_constants(numbers: tuple[int, ...]) -> None:
    """Refuse what no PUSH can hold."""
    if any([abs(number) > LARGEST_PUSH for number in numbers]):
        raise OutOfDomain(f"PUSH takes numbers up to {LARGEST_PUSH} only")


def written_program(rng: Random, length: int, top: int) -> tuple[str, ...]:
    """A random program that leaves one number and has x and two different constants in it."""
    up, down = ["PUSH", "LOADX", "DUP"], ["ADD", "SUB", "MUL"]
    while True:
        lines, height = [f"PUSH {rng.randint(2, top)}", "LOADX"], 2
        while len(lines) < length:
            name = rng.choice(up if height == 1 else down if height == 4 else [*up, "SWAP", *down])
            if name != "SWAP" or lines[-1] not in ("SWAP", "DUP"):  # neither would do anything
                lines.append(f"PUSH {rng.randint(2, top)}" if name == "PUSH" else name)
                height += GROWTH[name]
        constants = {line for line in lines if line.startswith("PUSH")}
        if height == 1 and len(constants) >= 2 and lines.count("MUL") <= 2:
            return tuple(lines)


def medium_program(rng: Random, level: int) -> tuple[str, ...]:
    """A program with x and two different constants, because a change often concerns only these."""
    return written_program(rng, (6, 7, 8, 10, 13)[level - 1], (9, 9, 12, 15, 20)[level - 1])


@environment(grade="course")
def horner_program(polynomial: Poly) -> Program:
    """Write the stack program that evaluates the polynomial by Horner's rule: PUSH the leading coefficient; then, for
    each lower coefficient in turn down to the constant term, zeros included, write LOADX, MUL, PUSH this coefficient,
    ADD.
    """
    check_constants(polynomial)
    lines = [f"PUSH {polynomial[-1]}"]
    for coefficient in polynomial[-2::-1]:
        lines += ["LOADX", "MUL", f"PUSH {coefficient}", "ADD"]
    return checked(lines)


@environment()
def alternating_sum_program(numbers: IntList) -> Program:
    """Write the stack program for the first entry of the list minus the second plus the third minus the fourth and so
    on: PUSH the first entry; then, for each later entry in turn, PUSH this entry and write SUB and ADD alternately,
    starting with SUB.
    """
    if not numbers:
        raise OutOfDomain("an empty list has no first entry")
    check_constants(numbers)
    lines = [f"PUSH {numbers[0]}"]
    for place, number in enumerate(numbers[1:]):
        lines += [f"PUSH {number}", "ADD" if place % 2 else "SUB"]
    return checked(lines)


@environment(grade="course")
def sum_of_products_program(pairs: PairList) -> Program:
    """Write the stack program that multiplies the two numbers of each pair and adds up the products: for each pair in
    order PUSH its first number, PUSH its second number, write MUL and, from the second pair on, also ADD.
    """
    if not pairs:
        raise OutOfDomain("without any pair there is nothing to add up")
    lines: list[str] = []
    for pair in pairs:
        check_constants(pair)
        lines += [f"PUSH {pair[0]}", f"PUSH {pair[1]}", "MUL"] + ["ADD"] * bool(lines)
    return checked(lines)


def instructions(tree: Any) -> list[str]:
    """The instructions that put the value of an expression on the stack."""
    if type(tree) is not tuple:
        return ["LOADX" if tree == "x" else f"PUSH {tree}"]
    return [*instructions(tree[1]), *instructions(tree[2]), NAMES[tree[0]]]


@environment(grade="course")
def postfix_program(expression: Expr) -> Program:
    """Translate the expression into a stack program: write PUSH for a number and LOADX for x, and for every operation
    first the instructions for all of its left operand, then those for all of its right operand, then ADD, SUB or MUL.
    """
    lines = instructions(expression)
    if any([len(line) > 8 for line in lines]):
        raise OutOfDomain(f"PUSH takes numbers up to {LARGEST_PUSH} only")
    return checked(lines)


@environment(sample=medium_program, grade="course")
def cycled_operations(program: Program) -> Program:
    """Replace every ADD in the program by SUB, every SUB by MUL and every MUL by ADD, all at once. Leave the other
    instructions as they are.
    """
    return tuple([CYCLED.get(line, line) for line in program])


@environment(sample=medium_program, grade="course")
def constants_in_reverse_order(program: Program) -> Program:
    """Look at the numbers that stand behind PUSH in the program, from first to last. Write the same instructions again,
    but with these numbers in reverse order, so that the first PUSH gets the last number and so on.
    """
    constants = [line for line in program if line.startswith("PUSH")]
    return tuple([constants.pop() if line.startswith("PUSH") else line for line in program])


@environment(sample=medium_program, grade="course")
def program_at_x_squared(program: Program) -> Program:
    """Let the program use the square of x in place of x: write the three instructions LOADX, DUP, MUL for every LOADX.
    Leave the other instructions as they are.
    """
    lines: list[str] = []
    for line in program:
        lines += ["LOADX", "DUP", "MUL"] if line == "LOADX" else [line]
    return checked(lines)


def stacks(program: tuple[str, ...], x: int) -> list[tuple[int, ...]]:
    """The stack after each instruction, bottom first."""
    empty: tuple[int, ...] = ()
    return list(accumulate(program, partial(stack_after, x), initial=empty))[1:]


def stack_after(x: int, stack: tuple[int, ...], line: str) -> tuple[int, ...]:
    """What an instruction makes of a stack."""
    match line.split():
        case ["PUSH", number]:
            return (*stack, int(number))
        case ["LOADX"]:
            return (*stack, x)
        case ["DUP"]:
            return (*stack, stack[-1])
        case ["SWAP"]:
            return (*stack[:-2], stack[-1], stack[-2])
    result = ARITHMETIC[line](*stack[-2:])
    if abs(result) > BIG:
        raise OutOfDomain(f"a number on the stack goes beyond {BIG}")
    return (*stack[:-2], result)


@environment(sample=medium_program, grade="course")
def program_result(program: Program) -> Int:
    """Run the program on an empty stack with x = 2, where LOADX puts x on top, DUP a copy of the top number, and SUB
    replaces the two top numbers by the lower minus the upper one. Give the number that is on top at the end.
    """
    return stacks(program, 2)[-1][-1]


@environment(sample=medium_program, grade="course")
def stack_history(program: Program) -> Ragged:
    """Run the program on an empty stack; LOADX puts 3 on top, DUP a copy of the top number, and SUB replaces the two
    top numbers by the lower minus the upper one. After each ADD, SUB and MUL list all numbers on the stack from bottom
    to top.
    """
    history = tuple(compress(stacks(program, 3), map(ARITHMETIC.__contains__, program)))
    if sum(map(len, history)) > 150:
        raise OutOfDomain("the stacks hold more than 150 numbers altogether")
    return history


@environment(sample=medium_program, grade="course")
def stack_heights(program: Program) -> NatList:
    """Count the numbers on the stack after each instruction of the program, starting from an empty stack: PUSH, LOADX
    and DUP add a number, SWAP changes nothing, and ADD, SUB and MUL turn two numbers into one. List the counts.
    """
    height, heights = 0, []
    for line in program:
        height += GROWTH[line.split()[0]]
        heights.append(height)
    return tuple(heights)


@environment(sample=medium_program, grade="course")
def instruction_tally(program: Program) -> Tally:
    """Count how often each of the instructions PUSH, LOADX, DUP, SWAP, ADD, SUB and MUL occurs in the program. Give the
    tally with these names as keys; leave out those that do not occur, and count every PUSH whatever number follows it.
    """
    return values.tally(Counter([line.split()[0] for line in program]))


def joined(low: tuple[str, int, Any], top: tuple[str, int, Any], sign: str) -> tuple[str, int, Any]:
    """Two expressions joined; each is its text, how tightly its last operation binds, and its tree."""
    binds = 2 if sign == "*" else 1
    text = (f"({low[0]})" if low[1] < binds else low[0]) + sign + (f"({top[0]})" if top[1] <= binds else top[0])
    if len(text) > LONGEST:
        raise OutOfDomain(f"an expression has more than {LONGEST} characters")
    return text, binds, (sign, low[2], top[2])


@environment(sample=medium_program, grade="course")
def formula_of_program(program: Program) -> Expr:
    """Run the program with expressions instead of numbers: LOADX puts x on top; ADD, SUB and MUL join the two top
    expressions, each as a single operand, by +, - or *, the lower one on the left. Give the top expression at the end;
    calculate nothing.
    """
    if "-" in "".join(program):
        raise OutOfDomain("an expression has no negative numbers")
    stack: list[tuple[str, int, Any]] = []
    for line in program:
        match line.split():
            case ["DUP"]:
                stack.append(stack[-1])
            case ["SWAP"]:
                stack[-2:] = stack[-1], stack[-2]
            case ["LOADX"]:
                stack.append(("x", 3, "x"))
            case ["PUSH", number]:
                stack.append((number, 3, int(number)))
            case [name]:
                stack[-2:] = [joined(stack[-2], stack[-1], SIGNS[name])]
    return stack[-1][2]
