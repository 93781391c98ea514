"""Hand-worked examples and independent oracles for environments/themes/numbers/bits.py."""

from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "gray_code": [('"1011"', '"1110"'), ('"0"', '"0"'), ('"0111"', '"0100"')],
    "interleaved_halves": [('"1100010"', '"1011000"'), ('"0110"', '"0110"'), ('"1"', '"1"')],
    "flip_before_last_one": [('"01100"', '"10100"'), ('"1"', '"1"'), ('"000"', None)],
    "bit_run_lengths": [
        ('"0011101"', "[2,3,1,1]"),
        ('"1"', "[1]"),
        ('"010101010101010101010101010101010101010101010101"', None),
    ],
    "parity_bits": [("[3,8,8,0]", '"1000"'), ("[7]", '"1"'), ("[]", None)],
    "turn_marks": [('"URRD"', '"101"'), ('"LL"', '"0"'), ('"U"', None), ('""', None)],
}


def gray_code(x: str, y: str) -> bool:
    value = int(x, 2)
    return y == f"{value ^ value >> 1:0{len(x)}b}"


def interleaved_halves(x: str, y: str) -> bool:
    return len(x) == len(y) and y[::2] + y[1::2] == x


def flip_before_last_one(x: str, y: str) -> bool:
    # The rule negates a two's complement number of this width.
    return len(x) == len(y) and (int(x, 2) + int(y, 2)) % 2 ** len(x) == 0


def bit_run_lengths(x: str, y: tuple[int, ...]) -> bool:
    other = {"0": "1", "1": "0"}
    rebuilt, bit = "", x[0]
    for length in y:
        rebuilt, bit = rebuilt + bit * length, other[bit]
    return all(y) and rebuilt == x


def parity_bits(x: tuple[int, ...], y: str) -> bool:
    return len(x) == len(y) and all(
        (str(number)[-1] in "13579") == (bit == "1") for number, bit in zip(x, y, strict=True)
    )


def turn_marks(x: str, y: str) -> bool:
    # A 0 at place i says that moves i and i+1 are the same, so cutting at the 1s leaves runs of one direction.
    cuts = [0, *(i + 1 for i, bit in enumerate(y) if bit == "1"), len(x)]
    runs = [x[a:b] for a, b in pairwise(cuts)]
    uniform = all(len(set(run)) == 1 for run in runs)
    return len(y) == len(x) - 1 and uniform and all(a[0] != b[0] for a, b in pairwise(runs))


ORACLES = {
    "gray_code": gray_code,
    "interleaved_halves": interleaved_halves,
    "flip_before_last_one": flip_before_last_one,
    "bit_run_lengths": bit_run_lengths,
    "parity_bits": parity_bits,
    "turn_marks": turn_marks,
}
