"""Tokenisers that cut by a pattern, and into the pieces of words that a vocabulary has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...engine.argument import check_range, check_type
from ...engine.failure import MissingNameError, RefusedError, ShapeError
from .tokens import SentenceOperation, TextOperation
from .vocabulary import Vocab


def pattern(where: str, name: str, given: Any) -> re.Pattern[str]:
    """Raises: TypeError or ValueError (MS304) for what is no pattern of Python's."""
    check_type(where, name, given, str)
    try:
        return re.compile(given)
    except re.error as error:
        got = f"{given!r}: {error}"
        raise ShapeError(where, f"{name} is no pattern", got=got) from error


class RegexTokenizer(SentenceOperation):
    """What stands between delimiters, and those delimiters that match a second pattern."""

    def __init__(
        self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False
    ) -> None:
        self.delimiter = pattern(self.name, "delim_pattern", delim_pattern)
        self.kept = pattern(self.name, "keep_delim_pattern", keep_delim_pattern)
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def spans(self, text: str) -> list[tuple[str, int]]:
        found, last = [], 0
        for match in self.delimiter.finditer(text):
            if match.start() == match.end():
                continue
            found.append((text[last : match.start()], last))
            if self.kept.pattern and self.kept.fullmatch(match[0]):
                found.append((match[0], match.start()))
            last = match.end()
        found.append((text[last:], last))
        return [(token, len(text[:start].encode())) for token, start in found if token]


class WordpieceTokenizer(TextOperation):
    """The longest pieces of each word that a vocabulary has, from its beginning on."""

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ) -> None:
        check_type(self.name, "vocab", vocab, Vocab)
        self.words = vocab.vocab()
        self.suffix = check_type(self.name, "suffix_indicator", suffix_indicator, str)
        self.most = check_type(self.name, "max_bytes_per_token", max_bytes_per_token, int)
        check_range(self.name, "max_bytes_per_token", max_bytes_per_token, 0, 2**31 - 1)
        self.unknown = check_type(self.name, "unknown_token", unknown_token, str)
        if check_type(self.name, "with_offsets", with_offsets, bool):
            problem = "the runtime has nothing for with_offsets"
            raise MissingNameError(f"mindspore.dataset.text.{self.name}", problem)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim > 1:
            got, expected = f"shape {x.shape}", "words: shape () or (n,)"
            raise RefusedError(self.name, "it has too many axes", got=got, expected=expected)
        words = [str(word) for word in np.atleast_1d(x)]
        return np.array([piece for word in words for piece in self.pieces(word)] or [""])

    def pieces(self, word: str) -> list[str]:
        """The pieces of a word; the unknown token, or the word if there is none, for no pieces."""
        unknown = [self.unknown or word]
        if len(word.encode()) > self.most:
            return unknown
        found: list[str] = []
        start = 0
        while start < len(word):
            mark = self.suffix if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.words), None)
            if end is None:
                return unknown
            found.append(mark + word[start:end])
            start = end
        return found
