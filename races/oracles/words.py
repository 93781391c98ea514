"""Hand-worked examples and independent oracles for environments/themes/words/words.py."""

import re
from itertools import accumulate

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "swap_neighbouring_letters": [('"lamps"', '"alpms"'), ('"stone"', '"tsnoe"'), ('"a"', '"a"')],
    "pig_latin": [
        ('"string"', '"ingstray"'),
        ('"apple"', '"appleway"'),
        ('"rhythm"', '"rhythmay"'),
        ('"bcdfghjklmnpqrstvwxyza"', '"abcdfghjklmnpqrstvwxyzay"'),
        ('"abcdefghijklmnopqrstuvwx"', None),
    ],
    "cut_after_vowels": [
        ('"education"', '["e","du","ca","ti","o","n"]'),
        ('"tree"', '["tre","e"]'),
        ('"sky"', '["sky"]'),
    ],
    "swap_first_letters": [
        ('["lamp","stone","oak"]', '["samp","ltone","oak"]'),
        ('["a","bee"]', '["b","aee"]'),
        ("[]", "[]"),
    ],
    "sorted_by_last_letter": [
        ('["river","oak","tin","tiger"]', '["oak","tin","river","tiger"]'),
        ('["tiger","river"]', '["tiger","river"]'),
        ("[]", "[]"),
    ],
    "last_letters_joined": [('["lamp","oak","tin"]', '"pkn"'), ('["x"]', '"x"'), ("[]", None)],
}

Words = tuple[str, ...]


def swap_neighbouring_letters(x: str, y: str) -> bool:
    paired = len(x) // 2 * 2
    return y[0:paired:2] == x[1:paired:2] and y[1:paired:2] == x[0:paired:2] and y[paired:] == x[paired:]


def pig_latin(x: str, y: str) -> bool:
    match = re.fullmatch("([^aeiou]*)([aeiou].*)", x)
    if match is None:
        return y == f"{x}ay"
    return y == (f"{x}way" if not match[1] else f"{match[2]}{match[1]}ay")


def cut_after_vowels(x: str, y: Words) -> bool:
    vowels = set("aeiou")
    insides = [letter for piece in y for letter in piece[:-1]]
    return "".join(y) == x and all(y) and not vowels & set(insides) and {piece[-1] for piece in y[:-1]} <= vowels


def swap_first_letters(x: Words, y: Words) -> bool:
    heads = [word[0] for word in x]
    wanted = [heads[i ^ 1] if i ^ 1 < len(x) else heads[i] for i in range(len(x))]
    return [word[1:] for word in x] == [word[1:] for word in y] and [word[0] for word in y] == wanted


def sorted_by_last_letter(x: Words, y: Words) -> bool:
    piles: dict[str, list[str]] = {chr(code): [] for code in range(ord("a"), ord("z") + 1)}
    for word in x:
        piles[word[-1]].append(word)
    return list(y) == [word for pile in piles.values() for word in pile]


def last_letters_joined(x: Words, y: str) -> bool:
    whole, ends = "".join(x), accumulate(map(len, x))
    return y == "".join(whole[end - 1] for end in ends)


ORACLES = {
    "swap_neighbouring_letters": swap_neighbouring_letters,
    "pig_latin": pig_latin,
    "cut_after_vowels": cut_after_vowels,
    "swap_first_letters": swap_first_letters,
    "sorted_by_last_letter": sorted_by_last_letter,
    "last_letters_joined": last_letters_joined,
}
