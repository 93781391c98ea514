"""Finite automata over 0 and 1: built from other things, changed, run and described."""

from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DFA, BitString, DiGraph, IntSet, NatList, RootedTree, SmallNat, type_of

MOST_STATES = 12


def number_of_few_bits(rng: Random, level: int) -> int:
    """From two bits on, since each is a state."""
    return rng.randint((2, 2, 3, 5, 16)[level - 1], (15, 34, 44, 56, 60)[level - 1])


@environment(sample=number_of_few_bits, grade="course")
def final_bits_automaton(number: SmallNat) -> DFA:
    """Let w be the number in base two, without leading zeros. Build the automaton that accepts exactly the bit strings
    that end with w. State i means that the longest beginning of w with which the bits read so far end has length i;
    state 0 means there is none.
    """
    bits, rows, back = f"{number:b}", [[0, 0]], 0  # back: where the bits read so far lead without the first of them
    for length, bit in enumerate(map(int, bits), start=1):
        after_back = rows[back][bit]
        rows[-1][bit] = length
        back = after_back
        rows.append(list(rows[back]))
    return values.DFA(tuple([(zero, one) for zero, one in rows]), (len(bits),))


def few_bits(rng: Random, level: int) -> str:
    """At most eight bits, so that the automaton stays small."""
    return "".join([rng.choice("01") for _ in range((4, 5, 6, 7, 8)[level - 1] - rng.randint(0, 1))])


@environment(sample=few_bits, grade="course")
def subsequence_automaton(bits: BitString) -> DFA:
    """Build the automaton that finds the bits of the bit string one after another, with any bits in between. State i
    means that its first i bits have been found; a bit other than the next one wanted changes nothing. Only the last
    state is accepting; it is never left.
    """
    if len(bits) >= MOST_STATES:
        raise OutOfDomain(f"there are more than {MOST_STATES} states")
    last = len(bits)
    rows = [(i + 1, i) if bit == "0" else (i, i + 1) for i, bit in enumerate(bits)]
    return values.DFA((*rows, (last, last)), (last,))


def graph_to_walk(rng: Random, level: int) -> values.DiGraph:
    """Graphs of up to eight vertices, with a way out of vertex 0, where the automaton starts."""
    n = (4, 5, 6, 7, 8)[level - 1]
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    while True:
        graph = values.digraph(n, rng.sample(pairs, rng.randint(n, n + n // 2 + 1)))
        if len(graph.successors()[0]) >= 2:
            return graph


@environment(sample=graph_to_walk, grade="course")
def outermost_successors_automaton(graph: DiGraph) -> DFA:
    """Turn the directed graph into an automaton whose states are its vertices. From each state, 0 leads along an arc to
    the smallest possible vertex and 1 to the largest; without outgoing arcs both lead back to the state itself.
    Accepting are the vertices with at most one incoming arc.
    """
    near = [row or [v] for v, row in enumerate(graph.successors())]
    accept = [v for v, before in enumerate(graph.predecessors()) if len(before) <= 1]
    return values.DFA(tuple([(min(row), max(row)) for row in near]), tuple(accept))


def small_tree(rng: Random, level: int) -> tuple[int, ...]:
    """Trees with at most nine vertices, since each becomes a state."""
    n = (4, 5, 6, 7, 8)[level - 1] + rng.randint(0, 1)
    return (-1, *[rng.randrange(max(0, v - 3), v) for v in range(1, n)])


@environment(sample=small_tree, grade="course")
def tree_walking_automaton(parents: RootedTree) -> DFA:
    """Turn the tree into an automaton whose states are its vertices, those without children accepting. 0 leads to the
    smallest child or, without children, changes nothing; 1 leads to the next larger child of the same parent or, after
    the last, to the parent, and changes nothing at the root.
    """
    n = len(parents)
    if n > MOST_STATES:
        raise OutOfDomain(f"there are more than {MOST_STATES} states")
    down: dict[int, int] = {}
    across = {0: 0}
    for v in range(n - 1, 0, -1):  # downwards, so that the last child met is the next larger one
        across[v] = down.get(parents[v], parents[v])
        down[parents[v]] = v
    rows = [(down.get(v, v), across[v]) for v in range(n)]
    return values.DFA(tuple(rows), tuple([v for v in range(n) if v not in down]))


@environment(grade="course")
def complement_automaton(automaton: DFA) -> DFA:
    """Change the automaton so that it accepts exactly the strings that it does not accept now: make every accepting
    state non-accepting and every other state accepting. Leave everything else as it is.
    """
    accept = [state for state in range(len(automaton.delta)) if state not in automaton.accept]
    return values.DFA(automaton.delta, tuple(accept))


@environment(grade="course")
def exchanged_symbols_automaton(automaton: DFA) -> DFA:
    """Exchange the roles of 0 and 1 in the automaton: let 0 lead from each state where 1 leads now, and 1 where 0 leads
    now. Leave the accepting states as they are.
    """
    return values.DFA(tuple([(one, zero) for zero, one in automaton.delta]), automaton.accept)


def oddly_numbered(rng: Random, level: int) -> values.DFA:
    """Automata that leave the start for a state other than 1, because a well-numbered one stays as it is."""
    states = (3, 4, 5, 6, 7)[level - 1]
    while True:
        delta = [(rng.randrange(states), rng.randrange(states)) for _ in range(states)]
        delta[0] = rng.randrange(2, states), rng.randrange(states)
        accept = tuple(sorted(rng.sample(range(states), rng.randint(1, states - 1))))
        value = values.DFA(tuple(delta), accept)
        if type_of(DFA).healthy(value) and len(value.reachable()) >= 3:
            return value


@environment(sample=oddly_numbered, grade="course")
def breadth_first_state_numbers(automaton: DFA) -> DFA:
    """Search the automaton breadth first from its start state 0, looking from each state first where 0 leads, then
    where 1 leads. Number the states 0, 1, 2, ... in the order in which they are first met, remove those never met, and
    write the automaton with the new numbers.
    """
    met = [0]
    for state in met:
        met += [after for after in dict.fromkeys(automaton.delta[state]) if after not in met]
    delta = [(met.index(automaton.delta[state][0]), met.index(automaton.delta[state][1])) for state in met]
    return values.DFA(tuple(delta), tuple([new for new, old in enumerate(met) if old in automaton.accept]))


def accepting_elsewhere(rng: Random, level: int) -> values.DFA:
    """Automata with an accepting state that does not behave like the start, because otherwise nothing changes."""
    while True:
        value: values.DFA = type_of(DFA).sample(rng, level)
        if any([value.delta[state] != value.delta[0] for state in value.accept]):
            return value


@environment(sample=accepting_elsewhere, grade="course")
def restart_after_acceptance(automaton: DFA) -> DFA:
    """Change the automaton so that it starts afresh after it has come to an accepting state: let 0 lead from every
    accepting state to where 0 leads from state 0, and 1 to where 1 leads from state 0. Leave everything else as it is.
    """
    rows = [automaton.delta[0] if s in automaton.accept else row for s, row in enumerate(automaton.delta)]
    return values.DFA(tuple(rows), automaton.accept)


@environment(grade="course")
def accepting_before_a_zero(automaton: DFA) -> DFA:
    """Change the automaton so that it accepts a string exactly when the present automaton accepts this string with one
    more 0 at its end: make exactly those states accepting from which 0 leads to a state that is accepting now. Leave
    everything else as it is.
    """
    accept = [state for state, row in enumerate(automaton.delta) if row[0] in automaton.accept]
    return values.DFA(automaton.delta, tuple(accept))


@environment(grade="course")
def accepted_counts_by_length(automaton: DFA) -> NatList:
    """For each of the lengths 1, 2, 3 and 4, count the strings of 0s and 1s of this length that the automaton, started
    in state 0, accepts. List the four counts.
    """
    accepted = [int(state in automaton.accept) for state in range(len(automaton.delta))]  # strings accepted from there
    counts = []
    for _ in range(4):
        accepted = [accepted[zero] + accepted[one] for zero, one in automaton.delta]
        counts.append(accepted[0])
    return tuple(counts)


@environment()
def transition_digraph(automaton: DFA) -> DiGraph:
    """Draw the automaton as a directed graph whose vertices are its states: an arc leads from one state to a different
    one if 0 or 1 leads from the first to the second.
    """
    return values.digraph(
        len(automaton.delta), [(state, after) for state, row in enumerate(automaton.delta) for after in row]
    )


@environment(grade="course")
def acceptance_of_three_bits(automaton: DFA) -> BitString:
    """For each string of three bits in increasing order, from 000 and 001 up to 111, start the automaton in state 0,
    let it read the string from left to right, and write 1 if it ends in an accepting state, otherwise 0. Give all eight
    bits as one string.
    """
    return "".join([str(int(automaton.accepts(f"{number:03b}"))) for number in range(8)])


@environment(grade="course")
def accepted_numbers(automaton: DFA) -> IntSet:
    """Write each of the numbers from 1 to 15 in base two, without leading zeros, and let the automaton read it from its
    highest bit on, starting in state 0 each time. Collect the numbers after which the automaton is in an accepting
    state.
    """
    return tuple([number for number in range(1, 16) if automaton.accepts(f"{number:b}")])
