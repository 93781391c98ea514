"""Hand-worked examples and independent oracles for environments/themes/words/texts.py."""

import json
from itertools import groupby

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "reversed_word_order": [
        ('"Come here, please."', '"please. here, Come"'),
        ('"lamp"', '"lamp"'),
    ],
    "capitals_for_every_third_word": [
        ('"come here, my friend."', '"come here, MY friend."'),
        ('"I saw 3b & it\'s ok"', '"I saw 3B & it\'s OK"'),
        ('"lamp"', '"lamp"'),
    ],
    "long_words_last": [
        ('"A strange dog followed me, quickly."', '"A dog me, strange followed quickly."'),
        ('"lovely, day lovely"', '"day lovely lovely,"'),
        ('"lamp"', '"lamp"'),
    ],
    "lowercase_words": [
        ("\"Don't stop, Bob-2 can't!\"", '["don","t","stop","bob","can","t"]'),
        ('"12 & 7"', "[]"),
        ('"a a a a a a a a a a a a a a a a a a a a a a a a a"', None),
        ('"abcdefghijklmnopqrstuvwxy"', None),
        ('"' + " ".join("A" * 24) + '"', json.dumps(["a"] * 24)),
    ],
    "word_enumeration": [
        ('["lamp","oak","tin"]', '"lamp, oak and tin"'),
        ('["lamp","oak"]', '"lamp and oak"'),
        ('["a","and","b"]', '"a, and and b"'),
        ('["lamp"]', '"lamp"'),
        ("[]", None),
    ],
}

Words = tuple[str, ...]


def reversed_word_order(x: str, y: str) -> bool:
    # Read from behind, the words stand in reverse order and each is spelled backwards.
    return x[::-1].split(" ") == [word[::-1] for word in y.split(" ")]


def capitals_for_every_third_word(x: str, y: str) -> bool:
    # Count spaces character by character: two of them lie before the third word, five before the sixth.
    if len(x) != len(y):
        return False
    return all(
        b == (a.upper() if x.count(" ", 0, i) % 3 == 2 else a) for i, (a, b) in enumerate(zip(x, y, strict=True))
    )


def long_words_last(x: str, y: str) -> bool:
    words = x.split(" ")
    short, long = [w for w in words if len(w) <= 6], [w for w in words if len(w) > 6]
    return y.split(" ") == short + long


def lowercase_words(x: str, y: Words) -> bool:
    runs = ["".join(run) for letters, run in groupby(x, str.isalpha) if letters]
    return [run.lower() for run in runs] == list(y)


def word_enumeration(x: Words, y: str) -> bool:
    head, between, last = y.rpartition(" and ")
    return x == ((*head.split(", "), last) if between else (y,))


ORACLES = {
    "reversed_word_order": reversed_word_order,
    "capitals_for_every_third_word": capitals_for_every_third_word,
    "long_words_last": long_words_last,
    "lowercase_words": lowercase_words,
    "word_enumeration": word_enumeration,
}
