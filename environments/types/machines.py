"""Things that run: finite automata over 0 and 1, and programs for a stack machine."""

import re
from random import Random
from typing import Annotated, Any

from races.environments import values
from races.environments.types.base import Type, are_ints, freeze


class DfaType(Type[values.DFA]):
    """Deterministic finite automata with at most twelve states; the start state is 0."""

    def belongs(self, value: object) -> bool:
        if type(value) is not values.DFA or type(value.delta) is not tuple or not 1 <= len(value.delta) <= 12:
            return False
        last = len(value.delta) - 1
        if not all([are_ints(row, 0, last) and len(row) == 2 for row in value.delta]):
            return False
        return are_ints(value.accept, 0, last) and list(value.accept) == sorted(set(value.accept))

    def healthy(self, value: values.DFA) -> bool:
        met = value.reachable()
        return 3 <= len(value.delta) <= 8 and 0 < len(set(value.accept) & set(met)) < len(met)

    def sample(self, rng: Random, level: int) -> values.DFA:
        states = (3, 3, 4, 5, 6)[level - 1]
        while True:
            delta = tuple([(rng.randrange(states), rng.randrange(states)) for _ in range(states)])
            accept = tuple(sorted(rng.sample(range(states), rng.randint(1, states - 1))))
            value = values.DFA(delta, accept)
            if self.healthy(value) and len(value.reachable()) >= states - 1:
                return value

    def encode(self, value: values.DFA) -> dict[str, Any]:
        return {"delta": value.delta, "accept": value.accept}

    def decode(self, data: Any) -> values.DFA:
        if not isinstance(data, dict) or set(data) != {"delta", "accept"}:
            raise TypeError('expected an object with "delta" and "accept"')
        value = values.DFA(freeze(data["delta"]), tuple(sorted(freeze(data["accept"]))))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


_INSTRUCTION = re.compile(r"PUSH (0|-?[1-9][0-9]{0,2})|LOADX|DUP|SWAP|ADD|SUB|MUL")
NEEDS = {"PUSH": 0, "LOADX": 0, "DUP": 1, "SWAP": 2, "ADD": 2, "SUB": 2, "MUL": 2}
ADDS = {"PUSH": 1, "LOADX": 1, "DUP": 1, "SWAP": 0, "ADD": -1, "SUB": -1, "MUL": -1}


class ProgramType(Type[tuple[str, ...]]):
    """Programs for a stack machine that never lack an operand."""

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or not 1 <= len(value) <= 40:
            return False
        height = 0
        for line in value:
            if type(line) is not str or not _INSTRUCTION.fullmatch(line):
                return False
            name = line.split()[0]
            if height < NEEDS[name]:
                return False
            height += ADDS[name]
        return height >= 1

    def healthy(self, value: tuple[str, ...]) -> bool:
        return 4 <= len(value) <= 24

    def sample(self, rng: Random, level: int) -> tuple[str, ...]:
        """A program that leaves one number, with x in it from level 2 on."""
        length, top = (5, 7, 9, 11, 15)[level - 1], (9, 9, 12, 15, 20)[level - 1]
        while True:
            lines, height = [f"PUSH {rng.randint(2, top)}"], 1
            while len(lines) < length:
                names = [n for n in ("PUSH", "LOADX", "DUP", "SWAP", "ADD", "SUB", "MUL") if NEEDS[n] <= height]
                name = rng.choice(names)
                lines.append(f"PUSH {rng.randint(1, top)}" if name == "PUSH" else name)
                height += ADDS[name]
            if height == 1 and lines.count("MUL") <= 3 and ("LOADX" in lines or level == 1):
                return tuple(lines)


DFA = Annotated[
    values.DFA,
    DfaType(
        "DFA",
        'a finite automaton over 0 and 1 with the states 0, 1, ..., n-1 and the start state 0; row i of "delta" lists '
        'the states to which 0 and 1 lead from state i, and "accept" lists the accepting states',
        'a JSON object with "delta", the list of [state after 0, state after 1] for each state, and "accept", the list '
        "of accepting states in any order",
        (values.DFA(((1, 0), (1, 2), (0, 2)), (2,)), values.DFA(((0, 1), (1, 0)), (0,))),
    ),
]
Program = Annotated[
    tuple[str, ...],
    ProgramType(
        "Program",
        "a program for a stack machine, one instruction after another: PUSH n puts the number n on top of the stack, "
        "LOADX puts the variable x there, DUP a copy of the top, SWAP exchanges the two topmost numbers; ADD, SUB and "
        "MUL take the two topmost numbers off and put back their sum, the lower minus the top one, or their product",
        'a JSON array of instructions such as ["PUSH 3", "LOADX", "ADD"]',
        (("PUSH 3", "LOADX", "ADD"), ("LOADX", "DUP", "MUL", "PUSH 5", "SUB")),
    ),
]
