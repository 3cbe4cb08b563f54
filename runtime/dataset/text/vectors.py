"""Vectors of words, read from the files in which they are given away, and looked up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import text_of
from ...engine.argument import check_range, check_type
from ...engine.failure import RefusedError
from .tokens import TextOperation

LARGEST = 1 << 34
"""Bytes of a file of vectors."""
Table = dict[str, np.ndarray]


class Vectors:
    """The vectors of words, one a line: the word, then its numbers."""

    names = re.compile(".*")
    expected = ""

    def __init__(self) -> None:
        self.table: Table = {}
        self.length = 0

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Vectors:
        """The first vectors of a file, or all of them. Raises: RuntimeError (MS304)"""
        where = cls.__name__
        check_type(where, "file_path", file_path, str)
        if max_vectors is not None:
            check_type(where, "max_vectors", max_vectors, int)
            check_range(where, "max_vectors", max_vectors, 0, 2**31 - 1)
        if not cls.names.fullmatch(Path(file_path).name):
            problem = "the file has another name"
            raise RefusedError(where, problem, got=file_path, expected=cls.expected)
        try:
            lines = text_of(Path(file_path), LARGEST).splitlines()
        except (OSError, ValueError) as error:
            problem = "the file cannot be read"
            raise RefusedError(where, problem, got=f"{file_path}: {error}") from error
        found = cls()
        rows = [line.rstrip(" ").split(" ") for line in lines]
        first = 1 if rows and len(rows[0]) == 2 else 0
        for row in rows[first:][: max_vectors or None]:
            found.add(row)
        if not found.table:
            raise RefusedError(where, "there are no vectors in it", got=file_path)
        return found

    def add(self, row: list[str]) -> None:
        """One line; of a word that comes twice the first counts."""
        where = type(self).__name__
        word, numbers = row[0], row[1:]
        self.length = self.length or len(numbers)
        if len(numbers) < 2 or len(numbers) != self.length:
            got, expected = f"{word!r}: {len(numbers)} numbers", f"{max(self.length, 2)}"
            raise RefusedError(where, "a vector is of another length", got=got, expected=expected)
        try:
            self.table.setdefault(word, np.array(numbers, np.float32))
        except ValueError as error:
            raise RefusedError(where, "it is no number", got=f"{word!r}: {error}") from error

    def of(self, word: str) -> np.ndarray | None:
        """The vector of a word; None if there is none."""
        return self.table.get(word)


class GloVe(Vectors):
    """Vectors as GloVe's files have them."""

    names = re.compile(r"glove\.6B\..*\.txt")
    expected = "glove.6B.*.txt"


class FastText(Vectors):
    """Vectors as fastText's files have them."""

    names = re.compile(r".*\.vec")
    expected = "*.vec"


class CharNGram(Vectors):
    """Vectors of pieces of words; a word's is the mean of those of its pieces."""

    def of(self, word: str) -> np.ndarray | None:
        letters = ["#BEGIN#", *word, "#END#"]
        pieces = [
            f"{n}gram-{''.join(letters[place : place + n])}"
            for n in (2, 3, 4)
            for place in range(len(letters) - n + 1)
        ]
        found = [self.table[piece] for piece in pieces if piece in self.table]
        return np.stack(found).mean(0, np.float32) if found else None


class ToVectors(TextOperation):
    """The vectors of words. Shapes: () -> (length,), n words in any shape -> (n, length)"""

    def __init__(
        self, vectors: Vectors, unk_init: list[float] | None = None, lower_case_backup: bool = False
    ) -> None:
        self.vectors = check_type(self.name, "vectors", vectors, Vectors)
        self.lower = check_type(self.name, "lower_case_backup", lower_case_backup, bool)
        if unk_init is not None:
            check_type(self.name, "unk_init", unk_init, list, tuple)
            for number in unk_init:
                check_type(self.name, "unk_init", number, int, float)
        self.unknown = np.array(unk_init or [0] * vectors.length, np.float32)

    def array(self, x: np.ndarray) -> Any:
        if self.unknown.shape != (self.vectors.length,):
            got, expected = f"{len(self.unknown)} numbers", f"{self.vectors.length}"
            problem = "unk_init is of another length than the vectors"
            raise RefusedError(self.name, problem, got=got, expected=expected)
        if x.size == 0:
            raise RefusedError(self.name, "there are no words")
        found = [self.vector(str(word)) for word in x.reshape(-1)]
        return found[0].copy() if x.ndim == 0 else np.stack(found)

    def vector(self, word: str) -> np.ndarray:
        found = self.vectors.of(word.lower() if self.lower else word)
        return self.unknown if found is None else found
