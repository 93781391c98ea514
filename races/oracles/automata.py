"""Hand-worked examples and independent oracles for environments/themes/logic/automata.py."""

import json
from itertools import product

import networkx as nx

from races.environments.values import DFA, DiGraph

_ODD_ONES = '{"delta":[[0,1],[1,0]],"accept":[1]}'
_ONE_STATE = '{"delta":[[0,0]],"accept":[0]}'

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "final_bits_automaton": [
        ("5", '{"delta":[[0,1],[2,1],[0,3],[2,1]],"accept":[3]}'),
        ("0", '{"delta":[[1,0],[1,0]],"accept":[1]}'),
        ("3", '{"delta":[[0,1],[0,2],[0,2]],"accept":[2]}'),
    ],
    "subsequence_automaton": [
        ('"01"', '{"delta":[[1,0],[1,2],[2,2]],"accept":[2]}'),
        ('"1"', '{"delta":[[0,1],[1,1]],"accept":[1]}'),
        ('"000000000000"', None),
    ],
    "outermost_successors_automaton": [
        (
            '{"n":4,"arcs":[[0,3],[1,3],[3,1],[3,2]]}',
            '{"delta":[[3,3],[3,3],[2,2],[1,2]],"accept":[0,1,2]}',
        ),
        ('{"n":1,"arcs":[]}', _ONE_STATE),
    ],
    "tree_walking_automaton": [
        ("[-1,0,0,1]", '{"delta":[[1,0],[3,2],[2,0],[3,1]],"accept":[2,3]}'),
        ("[-1]", _ONE_STATE),
        ("[-1,0,0,0,0,0,0,0,0,0,0,0,0]", None),
        (
            str([-1] + [0] * 11),
            json.dumps({"delta": [[1, 0], *([i, (i + 1) % 12] for i in range(1, 12))], "accept": list(range(1, 12))}),
        ),
    ],
    "complement_automaton": [
        ('{"delta":[[1,0],[1,0]],"accept":[1]}', '{"delta":[[1,0],[1,0]],"accept":[0]}'),
        ('{"delta":[[1,0],[1,0]],"accept":[]}', '{"delta":[[1,0],[1,0]],"accept":[0,1]}'),
    ],
    "exchanged_symbols_automaton": [
        ('{"delta":[[1,0],[2,1],[0,2]],"accept":[2]}', '{"delta":[[0,1],[1,2],[2,0]],"accept":[2]}'),
        (_ONE_STATE, _ONE_STATE),
    ],
    "breadth_first_state_numbers": [
        ('{"delta":[[2,0],[1,1],[2,1]],"accept":[1]}', '{"delta":[[1,0],[1,2],[2,2]],"accept":[2]}'),
        ('{"delta":[[0,0],[0,1]],"accept":[0,1]}', _ONE_STATE),
    ],
    "restart_after_acceptance": [
        ('{"delta":[[1,0],[2,1],[0,2]],"accept":[2]}', '{"delta":[[1,0],[2,1],[1,0]],"accept":[2]}'),
        ('{"delta":[[1,0],[2,1],[0,2]],"accept":[0]}', '{"delta":[[1,0],[2,1],[0,2]],"accept":[0]}'),
    ],
    "accepting_before_a_zero": [
        ('{"delta":[[1,0],[2,1],[0,2]],"accept":[2]}', '{"delta":[[1,0],[2,1],[0,2]],"accept":[1]}'),
        ('{"delta":[[0,1],[0,1]],"accept":[1]}', '{"delta":[[0,1],[0,1]],"accept":[]}'),
    ],
    "accepted_counts_by_length": [(_ODD_ONES, "[1,2,4,8]"), (_ONE_STATE, "[2,4,8,16]")],
    "transition_digraph": [
        ('{"delta":[[1,0],[1,2],[0,0]],"accept":[0]}', '{"n":3,"arcs":[[0,1],[1,2],[2,0]]}'),
        (_ONE_STATE, '{"n":1,"arcs":[]}'),
    ],
    "acceptance_of_three_bits": [(_ODD_ONES, '"01101001"'), (_ONE_STATE, '"11111111"')],
    "accepted_numbers": [
        ('{"delta":[[0,1],[0,1]],"accept":[1]}', "[1,3,5,7,9,11,13,15]"),
        (_ODD_ONES, "[1,2,4,7,8,11,13,14]"),
        ('{"delta":[[0,0]],"accept":[]}', "[]"),
    ],
}


def strings(longest: int) -> list[str]:
    """All bit strings up to a length."""
    return ["".join(bits) for length in range(longest + 1) for bits in product("01", repeat=length)]


def final_state(automaton: DFA, bits: str) -> int:
    """Where the automaton ends, by recursion from the back."""
    return automaton.delta[final_state(automaton, bits[:-1])][int(bits[-1])] if bits else 0


def accepts(automaton: DFA, bits: str) -> bool:
    return final_state(automaton, bits) in automaton.accept


def final_bits_automaton(x: int, y: DFA) -> bool:
    """Read w itself and every way to leave it; compare with all beginnings of w."""
    w = f"{x:b}"
    texts = [w[:i] + bit for i in range(len(w) + 1) for bit in "01"] + strings(5)
    states = [max(i for i in range(len(w) + 1) if text[len(text) - i :] == w[:i]) for text in texts if text]
    reached = [final_state(y, text) for text in texts if text]
    return len(y.delta) == len(w) + 1 and reached == states and y.accept == (len(w),)


def subsequence_automaton(x: str, y: DFA) -> bool:
    """Read the bit string off the automaton again."""
    *rows, final = y.delta
    moves = [[after - state for after in row] for state, row in enumerate(rows)]
    last = len(rows)
    read = "".join(str(move.index(1)) for move in moves)
    return all(sorted(move) == [0, 1] for move in moves) and read == x and final == (last, last) and y.accept == (last,)


def outermost_successors_automaton(x: DiGraph, y: DFA) -> bool:
    graph = nx.DiGraph(x.arcs)
    graph.add_nodes_from(range(x.n))
    for vertex, (low, high) in enumerate(y.delta):
        after = sorted(graph.successors(vertex))
        if [low, high] != ([after[0], after[-1]] if after else [vertex] * 2):
            return False
    return len(y.delta) == x.n and [v for v in range(x.n) if graph.in_degree(v) < 2] == list(y.accept)


def tree_walking_automaton(x: tuple[int, ...], y: DFA) -> bool:
    """Check each transition by what it must mean in the tree."""
    n = len(x)
    for v, (down, across) in enumerate(y.delta):
        children = [c for c in range(1, n) if x[c] == v]
        siblings = [s for s in range(v + 1, n) if v > 0 and x[s] == x[v]]
        if down != min(children, default=v) or across != min(siblings, default=max(x[v], 0)):
            return False
    return len(y.delta) == n and set(y.accept) == set(range(n)) - set(x)


def complement_automaton(x: DFA, y: DFA) -> bool:
    disjoint = not set(x.accept) & set(y.accept)
    return x.delta == y.delta and disjoint and len(x.accept) + len(y.accept) == len(x.delta)


def exchanged_symbols_automaton(x: DFA, y: DFA) -> bool:
    flipped = str.maketrans("01", "10")
    same = all(final_state(x, bits) == final_state(y, bits.translate(flipped)) for bits in strings(5))
    return same and [row[::-1] for row in y.delta] == list(x.delta) and x.accept == y.accept


def breadth_first_state_numbers(x: DFA, y: DFA) -> bool:
    """The order of breadth-first search is that of the first strings, by length and then alphabet, to the states."""
    arcs = nx.DiGraph([(state, after) for state, row in enumerate(x.delta) for after in row])
    count, order, length = len(nx.descendants(arcs, 0) | {0}), {0: 0}, 1
    while len(order) < count:
        for bits in product("01", repeat=length):
            order.setdefault(final_state(x, "".join(bits)), len(order))
        length += 1
    arrows = {(order[s], bit, order[x.delta[s][bit]]) for s in order for bit in (0, 1)}
    told = {(s, bit, row[bit]) for s, row in enumerate(y.delta) for bit in (0, 1)}
    return arrows == told and {order[s] for s in x.accept if s in order} == set(y.accept)


def restart_after_acceptance(x: DFA, y: DFA) -> bool:
    """Run the old automaton, put back to the start before every bit that follows an accepting state."""
    for bits in strings(6):
        state = 0
        for bit in bits:
            state = x.delta[0 if state in x.accept else state][int(bit)]
        if state != final_state(y, bits):
            return False
    kept = [y.delta[s] == (x.delta[0] if s in x.accept else x.delta[s]) for s in range(len(x.delta))]
    return all(kept) and len(y.delta) == len(x.delta) and x.accept == y.accept


def accepting_before_a_zero(x: DFA, y: DFA) -> bool:
    same = all(accepts(x, bits + "0") == accepts(y, bits) for bits in strings(6))
    there = {s for s in range(len(x.delta)) if {x.delta[s][0]} <= set(x.accept)}
    return same and x.delta == y.delta and there == set(y.accept)


def accepted_counts_by_length(x: DFA, y: tuple[int, ...]) -> bool:
    return y == tuple(sum(accepts(x, bits) for bits in strings(4) if len(bits) == length) for length in (1, 2, 3, 4))


def transition_digraph(x: DFA, y: DiGraph) -> bool:
    n = len(x.delta)
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v and v in x.delta[u]]
    return y.n == n and list(y.arcs) == pairs


def acceptance_of_three_bits(x: DFA, y: str) -> bool:
    """The leaves of the tree of all runs, from left to right."""
    states = [0]
    for _ in range(3):
        states = [after for state in states for after in x.delta[state]]
    return [bit == "1" for bit in y] == [state in x.accept for state in states]


def accepted_numbers(x: DFA, y: tuple[int, ...]) -> bool:
    """The state of a number comes from that of its half."""
    states = [0, x.delta[0][1]]
    for number in range(2, 16):
        states.append(x.delta[states[number // 2]][number % 2])
    return y == tuple(number for number in range(1, 16) if states[number] in x.accept)


ORACLES = {
    "final_bits_automaton": final_bits_automaton,
    "subsequence_automaton": subsequence_automaton,
    "outermost_successors_automaton": outermost_successors_automaton,
    "tree_walking_automaton": tree_walking_automaton,
    "complement_automaton": complement_automaton,
    "exchanged_symbols_automaton": exchanged_symbols_automaton,
    "breadth_first_state_numbers": breadth_first_state_numbers,
    "restart_after_acceptance": restart_after_acceptance,
    "accepting_before_a_zero": accepting_before_a_zero,
    "accepted_counts_by_length": accepted_counts_by_length,
    "transition_digraph": transition_digraph,
    "acceptance_of_three_bits": acceptance_of_three_bits,
    "accepted_numbers": accepted_numbers,
}
