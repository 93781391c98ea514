"""Characters of strings, tallies and grids: moving them about, and where and how often they occur."""

from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import CellList, CharGrid, IntervalList, PairList, Str, Tally, Text
from races.environments.types.lexicon import SHORT_WORDS


@environment()
def blocks_of_three_reversed(text: Str) -> Str:
    """Cut the string from the left into blocks of three characters; one or two characters left over at the end form a
    block as well. Write every block backwards, and keep the order of the blocks.
    """
    return "".join([text[start : start + 3][::-1] for start in range(0, len(text), 3)])


def few_characters(rng: Random, level: int) -> str:
    """Strings in which characters occur again, the last of them not the commonest."""
    characters = rng.sample("abcdkxyzABKX0257#*+?", (3, 4, 4, 5, 6)[level - 1])
    return "".join([rng.choice(characters) for _ in range((6, 8, 10, 13, 16)[level - 1])])


@environment(sample=few_characters)
def commonest_character_last(text: Str) -> Str:
    """Find the character that occurs most often in the string, on ties the one of them that occurs first. Move all its
    occurrences to the end and keep the order of the other characters. Capital and lowercase letters are different.
    """
    if not text:
        raise OutOfDomain("the string has no character")
    commonest = max(text, key=text.count)
    return text.replace(commonest, "") + commonest * text.count(commonest)


@environment(sample=few_characters)
def character_spans(text: Str) -> IntervalList:
    """For each different character of the string, in the order of their first occurrences, give the interval from the
    place of its first to the place of its last occurrence, which may be the same place. Count places from 0. Capital
    and lowercase letters are different.
    """
    characters = list(dict.fromkeys(text))
    if len(characters) > 16:
        raise OutOfDomain("there are more than 16 different characters")
    return tuple([(text.index(each), text.rindex(each)) for each in characters])


@environment()
def counts_one_key_further(counts: Tally) -> Tally:
    """Take the keys of the tally in ASCII order. Give each key the count that belonged to the key just before it, and
    the first key the count that belonged to the last key.
    """
    keys, numbers = [key for key, _ in counts], [number for _, number in counts]
    return tuple(zip(keys, numbers[-1:] + numbers[:-1], strict=True))


@environment()
def smallest_count_handed_on(counts: Tally) -> Tally:
    """Find the key with the smallest count, on ties the first of them in ASCII order. Add its count to the count of the
    next key in ASCII order, or of the very first key if none comes after it. Then delete the key found.
    """
    if len(counts) < 2:
        raise OutOfDomain("there is no other key to take the count")
    place = min(range(len(counts)), key=lambda each: counts[each][1])
    heir = counts[(place + 1) % len(counts)][0]
    left = dict(counts)
    left[heir] += left.pop(counts[place][0])
    if left[heir] > 99_999:
        raise OutOfDomain("a count goes beyond 99999")
    return values.tally(left)


@environment()
def key_lengths_and_counts(counts: Tally) -> PairList:
    """Go through the keys of the tally in ASCII order, and give for each key the pair of the number of its characters
    and its count.
    """
    return tuple([(len(key), number) for key, number in counts])


@environment()
def stock_list(counts: Tally) -> Text:
    """Order the keys of the tally from the highest to the lowest count, those with equal counts in ASCII order. Write
    for each key its count in digits, a space and the key, all in one line, with a comma and a space between one key
    and the next count.
    """
    ordered = sorted(counts, key=lambda pair: -pair[1])
    line = ", ".join([f"{number} {key}" for key, number in ordered])
    if not 1 <= len(line) <= 240 or len(counts) > 20:
        raise OutOfDomain("the text would be empty, or have more than 240 characters or more than 40 words")
    return line


def small_counts(rng: Random, level: int) -> tuple[tuple[str, int], ...]:
    """Tallies whose counts can be drawn, some of them different."""
    while True:
        keys = sorted(rng.sample(SHORT_WORDS, (3, 4, 5, 6, 8)[level - 1]))
        drawn = tuple([(key, rng.randint(1, level + 5)) for key in keys])
        if len({number for _, number in drawn}) > 1:
            return drawn


@environment(sample=small_counts)
def bar_chart_of_counts(counts: Tally) -> CharGrid:
    """Draw a grid with one row for each key of the tally, in ASCII order, and as many columns as the largest count
    says. Each row begins with as many # signs as the count of its key says, and dots fill the rest.
    """
    width = max([number for _, number in counts], default=0)
    if not 1 <= len(counts) <= 12 or width > 16:
        raise OutOfDomain("the grid would not have 1 to 12 rows and at most 16 columns")
    return tuple([("#" * number).ljust(width, ".") for _, number in counts])


def grid_with_some_letters(rng: Random, level: int) -> tuple[str, ...]:
    """Grids of dots and # signs with a few letters, several of them equal."""
    rows, columns = (3, 4, 4, 5, 6)[level - 1], (3, 4, 5, 6, 7)[level - 1] + rng.randint(0, 2)
    cells = [rng.choice("...#") for _ in range(rows * columns)]
    letters = rng.sample("abcdefghkmnprst", (2, 3, 3, 4, 5)[level - 1])
    for place in rng.sample(range(rows * columns), (4, 5, 7, 9, 11)[level - 1]):
        cells[place] = rng.choice(letters)
    return tuple(["".join(cells[row * columns : (row + 1) * columns]) for row in range(rows)])


@environment(sample=grid_with_some_letters)
def cells_of_letters(grid: CharGrid) -> CellList:
    """List the cells of the grid that hold letters, for each its row and its column counted from 0: first the cells
    with an a, then those with a b, and so on; those with the same letter row by row from the top, each row from the
    left.
    """
    found = [(each, r, c) for r, row in enumerate(grid) for c, each in enumerate(row) if each not in ".#"]
    if len(found) > 32:
        raise OutOfDomain("there are more than 32 letters")
    return tuple([(r, c) for _, r, c in sorted(found)])
