"""Tokenisers of sentences: by the scripts of characters, as BERT's, and with pieces of words."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import RefusedError
from .patterns import pattern
from .pieces import RegexTokenizer, WordpieceTokenizer
from .scripts import script
from .tokens import NormalizeForm, SentenceOperation, folded
from .vocabulary import Vocab


class UnicodeScriptTokenizer(SentenceOperation):
    """What is written in one script, white space by itself or left out."""

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        self.keeps = check_type(self.name, "keep_whitespace", keep_whitespace, bool)
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def spans(self, text: str) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        first = 0
        kinds = [(script(one), one.isspace()) for one in text]
        for place in range(1, len(text) + 1):
            if place < len(text) and kinds[place] == kinds[first]:
                continue
            if self.keeps or not kinds[first][1]:
                found.append((text[first:place], len(text[:first].encode())))
            first = place
        return found


SINGLE = (
    r"[!-/]|[:-@]|[\[-`]|[{-~]|[\p{P}]|[\x{4E00}-\x{9FFF}]|[\x{3400}-\x{4DBF}]"
    r"|[\x{20000}-\x{2A6DF}]|[\x{2A700}-\x{2B73F}]|[\x{2B740}-\x{2B81F}]|[\x{2B820}-\x{2CEAF}]"
    r"|[\x{F900}-\x{FAFF}]|[\x{2F800}-\x{2FA1F}]"
)
"""Characters that are tokens by themselves: signs, and those of Chinese."""
UNUSED = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused\d+\]|"
"""Words of BERT's vocabulary that stand for something else."""
WHOLE = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]"


class BasicTokenizer(SentenceOperation):
    """Words, signs and characters of Chinese, after the text was made plain."""

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        self.lower = check_type(self.name, "lower_case", lower_case, bool)
        check_type(self.name, "keep_whitespace", keep_whitespace, bool)
        check_type(self.name, "normalization_form", normalization_form, NormalizeForm)
        check_type(self.name, "preserve_unused_token", preserve_unused_token, bool)
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)
        self.form: Any = normalization_form.name
        unused = UNUSED if preserve_unused_token else ""
        delimiter = rf"\s+|{SINGLE}"
        self.cut = RegexTokenizer(
            unused + delimiter, unused + (delimiter if keep_whitespace else SINGLE)
        )
        self.whole = pattern(self.name, "a word", WHOLE) if preserve_unused_token else None

    def spans(self, text: str) -> list[tuple[str, int]]:
        plain = "".join(
            " " if unicodedata.category(one) in ("Cc", "Cf") else one for one in self.plain(text)
        )
        return self.cut.spans(plain)

    def plain(self, text: str) -> str:
        """The text in small letters without accents, or in a form of Unicode's."""
        if not self.lower:
            return text if self.form == "NONE" else unicodedata.normalize(self.form, text)
        parts, last = [], 0
        for found in () if self.whole is None else self.whole.finditer(text):
            parts += [folded(text[last : found.start()]), found[0]]
            last = found.end()
        apart = unicodedata.normalize("NFD", "".join([*parts, folded(text[last:])]))
        return "".join(one for one in apart if unicodedata.category(one) != "Mn")


class BertTokenizer(SentenceOperation):
    """The pieces of the words that a BasicTokenizer finds."""

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        options = (lower_case, keep_whitespace, normalization_form, preserve_unused_token)
        self.words = BasicTokenizer(*options, with_offsets=True)
        self.pieces = WordpieceTokenizer(
            vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets=True
        )
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def array(self, x: np.ndarray) -> Any:
        if x.ndim != 0:
            got = f"shape {x.shape}"
            raise RefusedError(self.name, "it is more than one text", got=got, expected="shape ()")
        found = self.pieces(*self.words(x))
        return found if self.with_offsets else found[0]
