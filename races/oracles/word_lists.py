"""Hand-worked examples and independent oracles for environments/themes/words/word_lists.py."""

import re
from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "blended_words": [
        ('["lamp","stone","oak"]', '["lane","stok","oamp"]'),
        ('["a","bee"]', '["ae","be"]'),
        ('["stone"]', '["stone"]'),
        ("[]", "[]"),
    ],
    "lengths_in_reverse_order": [
        ('["lamp","stone","oak"]', '["lam","pston","eoak"]'),
        ('["a","bee"]', '["abe","e"]'),
        ("[]", "[]"),
    ],
    "vowel_table": [('["oak","sky"]', "[[1,0,0,1,0],[0,0,0,0,0]]"), ('["queue"]', "[[0,1,0,0,1]]"), ("[]", None)],
    "right_aligned_words": [
        ('["oak","stone"]', '["..oak","stone"]'),
        ('["a"]', '["a"]'),
        ('["abcdefghijklmnopq"]', None),
        ("[]", None),
    ],
    "word_numbers_by_length": [
        ('["oak","stone","tin"]', "[[0,2],[1]]"),
        ('["stone","oak","oak"]', "[[1,2],[0]]"),
        ("[]", "[]"),
    ],
    "letters_by_initial": [
        ('["tin","oak","tower"]', '{"o":3,"t":8}'),
        ('["tin","tin"]', '{"t":6}'),
        ("[]", "{}"),
    ],
    "intervals_of_words": [
        ('["oak","stone"]', "[[0,2],[4,8]]"),
        ('["a","b"]', "[[0,0],[2,2]]"),
        ("[" + ",".join(['"a"'] * 17) + "]", None),
    ],
}

Words = tuple[str, ...]
Rows = tuple[tuple[int, ...], ...]


def blended_words(x: Words, y: Words) -> bool:
    """Every new word ends as the next old word does and begins as its own old word does."""

    def right(own: str, following: str, new: str) -> bool:
        head, tail = -(-len(own) // 2), len(following) // 2
        return len(new) == head + tail and own.startswith(new[:head]) and following.endswith(new[head:])

    return len(x) == len(y) and all(map(right, x, x[1:] + x[:1], y))


def lengths_in_reverse_order(x: Words, y: Words) -> bool:
    return "".join(y) == "".join(x) and [len(word) for word in y] == [len(word) for word in x][::-1]


def vowel_table(x: Words, y: Rows) -> bool:
    occurring = [{"aeiou"[column] for column, entry in enumerate(row) if entry} for row in y]
    return {len(row) for row in y} == {5} and occurring == [set(word) & set("aeiou") for word in x]


def right_aligned_words(x: Words, y: Words) -> bool:
    columns_used = any("." not in row for row in y)
    return {len(row) for row in y} == {len(y[0])} and columns_used and [row.lstrip(".") for row in y] == list(x)


def word_numbers_by_length(x: Words, y: Rows) -> bool:
    numbers = [number for row in y for number in row]
    sizes = [{len(x[number]) for number in row} for row in y]
    rising = all(first < second for row in y for first, second in pairwise(row))
    ordered = all(max(first) < min(second) for first, second in pairwise(sizes))
    return sorted(numbers) == list(range(len(x))) and rising and ordered and all(len(size) == 1 for size in sizes)


def letters_by_initial(x: Words, y: tuple[tuple[str, int], ...]) -> bool:
    sums = {initial: len("".join([word for word in x if word.startswith(initial)])) for initial in "".join(x)}
    return list(y) == sorted((initial, total) for initial, total in sums.items() if total)


def intervals_of_words(x: Words, y: Rows) -> bool:
    return list(y) == [(match.start(), match.end() - 1) for match in re.finditer("[a-z]+", " ".join(x))]


ORACLES = {
    "blended_words": blended_words,
    "lengths_in_reverse_order": lengths_in_reverse_order,
    "vowel_table": vowel_table,
    "right_aligned_words": right_aligned_words,
    "word_numbers_by_length": word_numbers_by_length,
    "letters_by_initial": letters_by_initial,
    "intervals_of_words": intervals_of_words,
}
