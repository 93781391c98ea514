"""Hand-worked examples and independent oracles for environments/themes/lists/tallies.py."""

from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "character_tally": [
        ('"aBba"', '{"B":1,"a":2,"b":1}'),
        ('""', "{}"),
        ('"abcdefghijklmnopqrstuvwxyzA"', None),
    ],
    "word_counts": [
        ('"The cat, the dog: THE end!"', '{"cat":1,"dog":1,"end":1,"the":3}'),
        ('"it\'s s-2"', '{"it":1,"s":2}'),
        ('"42"', "{}"),
        ('"abcdefghijklmnopqrstuvwxy"', None),
    ],
    "keys_by_falling_count": [
        ('{"lamp":3,"oak":5,"bee":3}', '["oak","bee","lamp"]'),
        ("{}", "[]"),
        ('{"A":1}', None),
        ('{"two-part":1,"oak":2}', None),
    ],
    "running_totals_of_counts": [
        ('{"lamp":3,"oak":1,"tin":7}', "[3,4,11]"),
        ('{"10":2,"9":5}', "[2,7]"),
        ("{}", "[]"),
        (
            '{"a":99999,"b":99999,"c":99999,"d":99999,"e":99999,"f":99999,"g":99999,"h":99999,"i":99999,"j":99999,"k":99999}',
            None,
        ),
    ],
}

Counts = tuple[tuple[str, int], ...]


def character_tally(x: str, y: Counts) -> bool:
    return dict(y) == {character: x.count(character) for character in x}


def word_counts(x: str, y: Counts) -> bool:
    words = "".join(character.lower() if character.isalpha() else " " for character in x).split()
    return {word for word, _ in y} == set(words) and all(words.count(word) == count for word, count in y)


def keys_by_falling_count(x: Counts, y: tuple[str, ...]) -> bool:
    counts = dict(x)
    ordered = all(counts[a] > counts[b] or (counts[a] == counts[b] and a < b) for a, b in pairwise(y))
    return set(y) == set(counts) and len(y) == len(counts) and ordered


def running_totals_of_counts(x: Counts, y: tuple[int, ...]) -> bool:
    keys = sorted(key for key, _ in x)
    before = [0, *y]
    return {key: after - start for key, start, after in zip(keys, before, y, strict=False)} == dict(x) and len(
        y
    ) == len(x)


ORACLES = {
    "character_tally": character_tally,
    "word_counts": word_counts,
    "keys_by_falling_count": keys_by_falling_count,
    "running_totals_of_counts": running_totals_of_counts,
}
