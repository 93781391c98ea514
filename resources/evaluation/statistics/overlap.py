"""Text that training prompts share with questions of benchmarks: the whole, or so many words in a row.

As in appendix C of "Language Models are Few-Shot Learners" (arXiv 2005.14165): words in lower case without punctuation,
13 in a row. The runs of words of training prompts are kept, 8 bytes each; questions, of which some have millions of
words, are read once and in pieces.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from races.environments.seeding import key_of

WORD = re.compile(r"[^\W_]+")
WORDS = 13
PIECE = 100_000  # words of a text in memory at once

Keys: TypeAlias = NDArray[np.uint64]
Text: TypeAlias = tuple[str, str]  # an id and its text


@dataclass(frozen=True)
class Found:
    """What questions seem to share with a training set: for a question a prompt with all its words, and runs."""

    exact: dict[str, str] = field(default_factory=dict)
    runs: dict[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Prompts:
    runs: Keys  # sorted
    whole: Mapping[str, str]  # a prompt's id by the hash of its words


class Overlap:
    """The words of training sets, to search benchmarks for.

    A run of words has as its key the sum of random numbers of its words, each times a power of an odd number, modulo
    2**64. Two runs may share a key by accident: `holders` compares words.
    """

    def __init__(self, words: int = WORDS) -> None:
        self.words = words
        self._numbers: dict[str, int] = {}  # of the words of training prompts, from 1
        self._random = np.random.default_rng(int(key_of("overlap"), 16))
        self._codes: Keys = np.zeros(1, np.uint64)
        factor = int(key_of("overlap", "factor"), 16) | 1
        self._powers = [np.uint64(pow(factor, place, 2**64)) for place in range(words)]
        self._prompts: dict[str, _Prompts] = {}

    def learn(self, training_set: str, prompts: Iterable[Text]) -> int:
        """Take in the prompts of a training set; how many there are."""
        numbers: list[int] = []
        runs: list[Keys] = []
        whole: dict[str, str] = {}
        count = 0
        for name, text in prompts:
            count += 1
            for words in _pieces(text):
                numbers += [self._numbers.setdefault(word, len(self._numbers) + 1) for word in words]
            numbers.append(0)  # no run goes on in the next prompt
            whole.setdefault(_digest(_pieces(text)), name)
            if len(numbers) > PIECE:
                runs.append(self._keys(numbers)[0])
                numbers = []
        runs.append(self._keys(numbers)[0])
        self._prompts[training_set] = _Prompts(np.unique(np.concatenate(runs)), whole)
        return count

    def search(self, questions: Iterable[Text]) -> dict[str, Found]:
        """What questions seem to share with each training set."""
        found = {name: Found() for name in self._prompts}
        for question, text in questions:
            tail: list[str] = []
            for piece in _pieces(text):
                words = tail + piece
                for training_set, runs in self._seen(words):
                    found[training_set].runs.setdefault(question, set()).update(runs)
                tail = words[max(0, len(words) - self.words + 1) :]
            digest = _digest(_pieces(text))
            for training_set, prompts in self._prompts.items():
                if digest in prompts.whole:
                    found[training_set].exact[question] = prompts.whole[digest]
        return found

    def holders(self, runs: Iterable[str], prompts: Iterable[Text]) -> dict[str, str]:
        """For each run of words the first prompt that has it; runs that none has are left out."""
        wanted, found = set(runs), dict[str, str]()
        for name, text in prompts if wanted else ():
            words = [word for piece in _pieces(text) for word in piece]
            for place in range(len(words) - self.words + 1):
                run = " ".join(words[place : place + self.words])
                if run in wanted:
                    found.setdefault(run, name)
        return found

    def _seen(self, words: list[str]) -> Iterator[tuple[str, set[str]]]:
        """The runs among these words that training sets seem to have, for each that has any."""
        keys, places = self._keys([self._numbers.get(word, 0) for word in words])
        for name, prompts in self._prompts.items():
            if len(keys) and len(prompts.runs):
                nearest = np.searchsorted(prompts.runs, keys).clip(max=len(prompts.runs) - 1)
                hits = places[prompts.runs[nearest] == keys]
                if len(hits):
                    yield name, {" ".join(words[place : place + self.words]) for place in hits}

    def _keys(self, numbers: list[int]) -> tuple[Keys, NDArray[np.int64]]:
        """The key and the place of each run without a number 0."""
        more = len(self._numbers) + 1 - len(self._codes)
        if more > 0:
            drawn = self._random.integers(0, 2**64, more, np.uint64)
            self._codes = np.concatenate([self._codes, drawn])
        row, length = np.array(numbers, np.int64), max(0, len(numbers) - self.words + 1)
        keys, known = np.zeros(length, np.uint64), np.ones(length, bool)
        for place, power in enumerate(self._powers):
            part = row[place : place + length]
            keys += self._codes[part] * power
            known &= part > 0
        return keys[known], np.flatnonzero(known)


def _pieces(text: str) -> Iterator[list[str]]:
    """The words of a text, so many at a time."""
    words = (found[0] for found in WORD.finditer(text.lower()))
    while piece := list(islice(words, PIECE)):
        yield piece


def _digest(pieces: Iterable[list[str]]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for words in pieces:
        found.update("".join(f"{word} " for word in words).encode())
    return found.hexdigest()
