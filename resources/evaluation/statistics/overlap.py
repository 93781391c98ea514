"""Overlap of training prompts with benchmark questions: exact matches and shared n-grams of words.

As in appendix C of "Language Models are Few-Shot Learners" (arXiv 2005.14165): 13-grams of lower-case words without
punctuation. The n-grams of training prompts are kept as 8-byte hashes; questions, some of which have millions of words,
are streamed.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from races.environments.seeding import key_of
from races.resources.extras import LazyPackage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyPackage("numpy", "report")

WORD = re.compile(r"[^\W_]+")
WORDS = 13  # in an n-gram
CHUNK_WORDS = 100_000  # of a text in memory at once

Keys: TypeAlias = "NDArray[np.uint64]"
Text: TypeAlias = tuple[str, str]  # an id and its text


@dataclass(frozen=True)
class Found:
    """The candidate overlaps of questions with a training set, by question id."""

    exact: dict[str, str] = field(default_factory=dict)  # the id of a prompt with the same words
    runs: dict[str, set[str]] = field(default_factory=dict)  # shared n-grams


@dataclass(frozen=True)
class _Prompts:
    runs: Keys  # sorted
    whole: Mapping[str, str]  # prompt id by the hash of all its words


class Overlap:
    """An index of the n-grams of training sets, in which benchmark questions are looked up.

    The hash of an n-gram is a polynomial over random numbers of its words, modulo 2**64. Hashes may collide, so
    `holders` compares the words themselves.
    """

    def __init__(self, words: int = WORDS) -> None:
        self.words = words
        self._numbers: dict[str, int] = {}  # of words in training prompts, from 1
        self._random = np.random.default_rng(int(key_of("overlap"), 16))
        self._codes: Keys = np.zeros(1, np.uint64)
        factor = int(key_of("overlap", "factor"), 16) | 1
        self._powers = [np.uint64(pow(factor, place, 2**64)) for place in range(words)]
        self._prompts: dict[str, _Prompts] = {}

    def add(self, training_set: str, prompts: Iterable[Text]) -> int:
        """Index the prompts of a training set; returns their number."""
        numbers: list[int] = []
        runs: list[Keys] = []
        whole: dict[str, str] = {}
        count = 0
        for name, text in prompts:
            count += 1
            for words in _chunks(text):
                numbers += [self._numbers.setdefault(word, len(self._numbers) + 1) for word in words]
            numbers.append(0)  # n-grams do not cross prompts
            whole.setdefault(_digest(_chunks(text)), name)
            if len(numbers) > CHUNK_WORDS:
                runs.append(self._keys(numbers)[0])
                numbers = []
        runs.append(self._keys(numbers)[0])
        self._prompts[training_set] = _Prompts(np.unique(np.concatenate(runs)), whole)
        return count

    def search(self, questions: Iterable[Text]) -> dict[str, Found]:
        """The candidate overlaps of questions with each training set."""
        found = {name: Found() for name in self._prompts}
        for question, text in questions:
            tail: list[str] = []
            for piece in _chunks(text):
                words = tail + piece
                for training_set, runs in self._seen(words):
                    found[training_set].runs.setdefault(question, set()).update(runs)
                tail = words[max(0, len(words) - self.words + 1) :]
            digest = _digest(_chunks(text))
            for training_set, prompts in self._prompts.items():
                if digest in prompts.whole:
                    found[training_set].exact[question] = prompts.whole[digest]
        return found

    def holders(self, runs: Iterable[str], prompts: Iterable[Text]) -> dict[str, str]:
        """The first prompt that contains each n-gram; n-grams that no prompt contains are omitted."""
        wanted, found = set(runs), dict[str, str]()
        for name, text in prompts if wanted else ():
            words = [word for piece in _chunks(text) for word in piece]
            for place in range(len(words) - self.words + 1):
                run = " ".join(words[place : place + self.words])
                if run in wanted:
                    found.setdefault(run, name)
        return found

    def _seen(self, words: list[str]) -> Iterator[tuple[str, set[str]]]:
        """The n-grams of these words that a training set seems to contain, for each such training set."""
        keys, places = self._keys([self._numbers.get(word, 0) for word in words])
        for name, prompts in self._prompts.items():
            if len(keys) and len(prompts.runs):
                nearest = np.searchsorted(prompts.runs, keys).clip(max=len(prompts.runs) - 1)
                hits = places[prompts.runs[nearest] == keys]
                if len(hits):
                    yield name, {" ".join(words[place : place + self.words]) for place in hits}

    def _keys(self, numbers: list[int]) -> "tuple[Keys, NDArray[np.int64]]":
        """The hash and the position of each n-gram without a number 0."""
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


def _chunks(text: str) -> Iterator[list[str]]:
    """The words of a text, in chunks."""
    words = (found[0] for found in WORD.finditer(text.lower()))
    while piece := list(islice(words, CHUNK_WORDS)):
        yield piece


def _digest(pieces: Iterable[list[str]]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for words in pieces:
        found.update("".join(f"{word} " for word in words).encode())
    return found.hexdigest()
