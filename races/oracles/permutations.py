"""Hand-worked examples and independent oracles for environments/themes/numbers/permutations.py."""

from math import factorial

from sympy.combinatorics import Permutation

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "inverse_permutation": [("[2, 0, 3, 1]", "[1, 3, 0, 2]"), ("[0]", "[0]")],
    "next_permutation": [
        ("[1, 3, 2, 0]", "[2, 0, 1, 3]"),
        ("[0, 1, 2]", "[0, 2, 1]"),
        ("[2, 1, 0]", "[0, 1, 2]"),
        ("[0]", "[0]"),
        ("[0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 10, 8]", "[0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11]"),
    ],
    "cycle_decomposition": [
        ("[2, 0, 1, 4, 3, 5]", "[[0, 2, 1], [3, 4], [5]]"),
        ("[3, 1, 0, 2]", "[[0, 3, 2], [1]]"),
        ("[0]", "[[0]]"),
    ],
    "lehmer_code": [("[3, 0, 4, 2, 1]", "[3, 0, 2, 1, 0]"), ("[0]", "[0]")],
    "list_after_swaps": [
        ("[[0, 2], [2, 4], [1, 0]]", "[1, 2, 4, 3, 0]"),
        ("[[2, 2]]", "[0, 1, 2]"),
        ("[]", None),
        ("[[0, 12]]", None),
        ("[[-1, 3]]", None),
        ("[[0, 11]]", "[11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]"),
    ],
}


def inverse_permutation(x: Ints, y: Ints) -> bool:
    return list(y) == (Permutation(list(x)) ** -1).array_form


def next_permutation(x: Ints, y: Ints) -> bool:
    """Ranks in lexicographic order count arrangements from 0."""
    return sorted(y) == sorted(x) and Permutation(list(y)).rank() == (Permutation(list(x)).rank() + 1) % factorial(
        len(x)
    )


def cycle_decomposition(x: Ints, y: tuple[Ints, ...]) -> bool:
    cycles = Permutation(list(x)).full_cyclic_form
    turned = [cycle[cycle.index(min(cycle)) :] + cycle[: cycle.index(min(cycle))] for cycle in cycles]
    return [list(cycle) for cycle in y] == sorted(turned)


def lehmer_code(x: Ints, y: Ints) -> bool:
    """Each count says which of the numbers not yet used comes next, the smallest having count 0."""
    unused = sorted(x)
    return len(y) == len(x) and all(
        count < len(unused) and unused.pop(count) == entry for entry, count in zip(x, y, strict=True)
    )


def list_after_swaps(x: tuple[tuple[int, int], ...], y: Ints) -> bool:
    """Follow what stands at each final position back to where it started."""
    for position, entry in enumerate(y):
        for first, second in reversed(x):
            position = {first: second, second: first}.get(position, position)
        if entry != position:
            return False
    return len(y) == 1 + max(map(max, x))


ORACLES = {
    "inverse_permutation": inverse_permutation,
    "next_permutation": next_permutation,
    "cycle_decomposition": cycle_decomposition,
    "lehmer_code": lehmer_code,
    "list_after_swaps": list_after_swaps,
}
