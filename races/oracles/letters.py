"""Hand-worked examples and independent oracles for environments/themes/words/letters.py."""

import json
import re
from collections import Counter
from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "blocks_of_three_reversed": [('"abcdefgh"', '"cbafedhg"'), ('"ab"', '"ba"'), ('""', '""')],
    "commonest_character_last": [('"abcab"', '"bcbaa"'), ('"Aab"', '"abA"'), ('""', None)],
    "character_spans": [
        ('"abca"', "[[0,3],[1,1],[2,2]]"),
        ('"aA1a"', "[[0,3],[1,1],[2,2]]"),
        ('""', "[]"),
        ('"abcdefghijklmnopq"', None),
        ('"abcdefghijklmnop"', str([[i, i] for i in range(16)])),
    ],
    "counts_one_key_further": [
        ('{"lamp":3,"oak":1,"tin":7}', '{"lamp":7,"oak":3,"tin":1}'),
        ('{"a":5}', '{"a":5}'),
        ('{"a":1,"B":2}', '{"B":1,"a":2}'),
        ("{}", "{}"),
    ],
    "smallest_count_handed_on": [
        ('{"lamp":3,"oak":1,"tin":1}', '{"lamp":3,"tin":2}'),
        ('{"a":5,"b":2}', '{"a":7}'),
        ('{"a":5}', None),
        ('{"a":99999,"b":99999}', None),
    ],
    "key_lengths_and_counts": [('{"oak":1,"lamp":3}', "[[4,3],[3,1]]"), ('{"#":9}', "[[1,9]]"), ("{}", "[]")],
    "stock_list": [
        ('{"lamp":3,"oak":7,"tin":3}', '"7 oak, 3 lamp, 3 tin"'),
        ('{",":2}', '"2 ,"'),
        ("{}", None),
    ],
    "bar_chart_of_counts": [
        ('{"lamp":3,"oak":1}', '["###","#.."]'),
        ('{"a":2}', '["##"]'),
        ('{"a":17}', None),
        ('{"a":16}', '["################"]'),
    ],
    "cells_of_letters": [
        ('["b.a","#ab"]', "[[0,2],[1,1],[0,0],[1,2]]"),
        ('["z"]', "[[0,0]]"),
        ('[".#"]', "[]"),
        (json.dumps(["aaaaaaaa"] * 4), str([[r, c] for r in range(4) for c in range(8)])),
    ],
}

Counts = tuple[tuple[str, int], ...]
Pairs = tuple[tuple[int, int], ...]


def blocks_of_three_reversed(x: str, y: str) -> bool:
    """Where each character comes from: in a block that starts at s and ends before e, place p takes s + e - 1 - p."""
    starts = [place - place % 3 for place in range(len(x))]
    return list(y) == [x[s + min(s + 3, len(x)) - 1 - place] for place, s in enumerate(starts)]


def commonest_character_last(x: str, y: str) -> bool:
    moved = Counter(x).most_common(1)[0][0]  # equal counts stand in the order of first occurrence
    return list(y) == sorted(x, key=lambda each: each == moved)


def character_spans(x: str, y: Pairs) -> bool:
    order = sorted(set(x), key=x.find)
    mirrored = x[::-1]
    return list(y) == [(x.find(each), len(x) - 1 - mirrored.find(each)) for each in order]


def counts_one_key_further(x: Counts, y: Counts) -> bool:
    keys, new = sorted(dict(x)), dict(y)
    return sorted(new) == keys and all(new[keys[i]] == dict(x)[keys[i - 1]] for i in range(len(keys)))


def smallest_count_handed_on(x: Counts, y: Counts) -> bool:
    count, gone = min((count, key) for key, count in x)
    later = sorted(key for key, _ in x if key > gone) or sorted(key for key, _ in x)
    wanted = Counter(dict(x)) + Counter({later[0]: count})
    del wanted[gone]
    return dict(y) == dict(wanted)


def key_lengths_and_counts(x: Counts, y: Pairs) -> bool:
    return len(x) == len(y) and all(
        (len(key), dict(x)[key]) == pair for key, pair in zip(sorted(dict(x)), y, strict=True)
    )


def stock_list(x: Counts, y: str) -> bool:
    """The text read back: every entry once, in falling order of counts and rising order of keys."""
    words = y.split(" ")
    keys = [key[:-1] for key in words[1:-1:2]] + [words[-1]]
    read = list(zip(map(int, words[::2]), keys, strict=True))
    ordered = all((-a[0], a[1]) < (-b[0], b[1]) for a, b in pairwise(read))
    return ordered and {key: count for count, key in read} == dict(x) and all(w[-1] == "," for w in words[1:-1:2])


def bar_chart_of_counts(x: Counts, y: tuple[str, ...]) -> bool:
    bars = all(re.fullmatch(r"#+\.*", row) for row in y)
    full = any("." not in row for row in y) and len({len(row) for row in y}) == 1
    return bars and full and [row.count("#") for row in y] == [dict(x)[key] for key in sorted(dict(x))]


def cells_of_letters(x: tuple[str, ...], y: Pairs) -> bool:
    wanted = []
    for letter in "abcdefghijklmnopqrstuvwxyz":
        places = [match.start() for match in re.finditer(letter, "".join(x))]
        wanted += [divmod(place, len(x[0])) for place in places]
    return list(y) == wanted


ORACLES = {
    "blocks_of_three_reversed": blocks_of_three_reversed,
    "commonest_character_last": commonest_character_last,
    "character_spans": character_spans,
    "counts_one_key_further": counts_one_key_further,
    "smallest_count_handed_on": smallest_count_handed_on,
    "key_lengths_and_counts": key_lengths_and_counts,
    "stock_list": stock_list,
    "bar_chart_of_counts": bar_chart_of_counts,
    "cells_of_letters": cells_of_letters,
}
