"""Tokenisers that cut by a pattern, and into the pieces of words that a vocabulary has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.argument import check_range, check_type
from ...engine.failure import RefusedError
from .patterns import pattern
from .tokens import SentenceOperation, TextOperation
from .vocabulary import Vocab


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
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def __call__(self, *values: Any) -> Any:
        """Pieces of words; of words with their offsets, those are the pieces' beginnings."""
        if len(values) == 3 and self.with_offsets:
            return self.placed(self.checked(values[0]), np.asarray(values[1]).tolist())
        return super().__call__(*values)

    def array(self, x: np.ndarray) -> Any:
        if x.ndim > 1:
            got, expected = f"shape {x.shape}", "words: shape () or (n,)"
            raise RefusedError(self.name, "it has too many axes", got=got, expected=expected)
        if self.with_offsets:
            return self.placed(x, [0] * x.size)
        return np.array(
            [piece for word in np.atleast_1d(x) for piece, _ in self.spans(str(word))] or [""]
        )

    def placed(self, words: np.ndarray, firsts: list[int]) -> Any:
        """The pieces, and the bytes where they begin and end."""
        found = []
        for word, first in zip(np.atleast_1d(words).tolist(), firsts, strict=True):
            found += [(piece, first + a, first + b) for piece, (a, b) in self.spans(word)]
        pieces, starts, ends = zip(*found or [("", 0, 0)], strict=True)
        return np.array(pieces), np.array(starts, np.uint32), np.array(ends, np.uint32)

    def spans(self, word: str) -> list[tuple[str, tuple[int, int]]]:
        """The pieces of a word, with the bytes where each begins and ends.

        The unknown token for no pieces, or the word if there is none.
        """
        size = len(word.encode())
        unknown = [(self.unknown or word, (0, size))]
        if size > self.most:
            return unknown
        found: list[tuple[str, tuple[int, int]]] = []
        start = 0
        while start < len(word):
            mark = self.suffix if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.words), None)
            if end is None:
                return unknown
            place = (len(word[:start].encode()), len(word[:end].encode()))
            found.append((mark + word[start:end], place))
            start = end
        return found
