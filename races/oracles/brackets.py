"""Hand-worked examples and independent oracles for environments/themes/words/brackets.py."""

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "nesting_depths": [('"(()())"', "[1,2,2]"), ('"((()))()"', "[1,2,3,1]"), ('""', "[]")],
    "matching_bracket_pairs": [('"(()())"', "[[0,5],[1,2],[3,4]]"), ('""', "[]")],
    "brackets_seen_from_behind": [('"(())()"', '"()(())"'), ('"(()())"', '"(()())"'), ('""', '""')],
    "first_pair_moved_back": [
        ('"(()())()"', '"()()(())"'),
        ('"()(())"', '"((()))"'),
        ('"()"', '"()"'),
        ('""', None),
    ],
    "brackets_from_bits": [
        ('"0110"', '"(())"'),
        ('"1001"', '"()()"'),
        ('"000"', '""'),
        ('"1111111111111"', None),
        ('"111111111111"', '"(((((((((((())))))))))))"'),
    ],
}


def is_balanced(text: str) -> bool:
    while "()" in text:
        text = text.replace("()", "")
    return text == ""


def nesting_depths(x: str, y: tuple[int, ...]) -> bool:
    opening = [i for i, bracket in enumerate(x) if bracket == "("]
    return list(y) == [x[: i + 1].count("(") - x[: i + 1].count(")") for i in opening]


def matching_bracket_pairs(x: str, y: tuple[tuple[int, int], ...]) -> bool:
    firsts = [first for first, _ in y]
    if firsts != sorted(firsts) or sorted(firsts + [last for _, last in y]) != list(range(len(x))):
        return False
    return all(x[a] == "(" and x[b] == ")" and is_balanced(x[a + 1 : b]) for a, b in y)


def brackets_seen_from_behind(x: str, y: str) -> bool:
    # The heights of the mountain range that the brackets draw, read from behind.
    def heights(text: str) -> list[int]:
        return [text[:i].count("(") - text[:i].count(")") for i in range(len(text) + 1)]

    return heights(y) == heights(x)[::-1]


def first_pair_moved_back(x: str, y: str) -> bool:
    # x is (u)v and y is u(v) for balanced u and v: try every way to read y so.
    splits = [(y[:i], y[i + 1 : -1]) for i in range(len(y)) if y[i] == "("]
    return any(is_balanced(u) and is_balanced(v) and x == f"({u}){v}" and y == f"{u}({v})" for u, v in splits)


def brackets_from_bits(x: str, y: str) -> bool:
    # A 0 is skipped exactly where the unrestricted height sinks below all earlier ones.
    height, lowest, kept = 0, 0, ""
    for bit in x:
        height += 1 if bit == "1" else -1
        kept += "(" if bit == "1" else ")" if height >= lowest else ""
        lowest = min(lowest, height)
    return y == kept + ")" * (height - lowest) and is_balanced(y)


ORACLES = {
    "nesting_depths": nesting_depths,
    "matching_bracket_pairs": matching_bracket_pairs,
    "brackets_seen_from_behind": brackets_seen_from_behind,
    "first_pair_moved_back": first_pair_moved_back,
    "brackets_from_bits": brackets_from_bits,
}
