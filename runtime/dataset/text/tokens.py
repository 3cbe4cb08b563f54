"""Operations on text: cut into tokens, replaced, counted, made numbers of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from ...engine import dtype as mstype
from ...engine.argument import check_range, check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from ..transforms.arrays import numpy_type
from ..transforms.operation import TensorOperation
from .patterns import replacement, translated
from .vocabulary import Vocab


class NormalizeForm(IntEnum):
    """The forms of Unicode."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class TextOperation(TensorOperation):
    """An operation on arrays of text."""

    def checked(self, value: Any) -> np.ndarray:
        x = super().checked(value)
        if x.dtype.kind != "U":
            got = f"{x.dtype} of shape {x.shape}"
            raise RefusedError(self.name, "it is no text", got=got, expected="text")
        return x


class SentenceOperation(TextOperation):
    """An operation on one text, which becomes tokens."""

    def array(self, x: np.ndarray) -> Any:
        if x.ndim != 0:
            got = f"shape {x.shape}"
            raise RefusedError(self.name, "it is more than one text", got=got, expected="shape ()")
        spans = self.spans(x.item())
        tokens = np.array([token for token, _ in spans] or [""])
        if not self.with_offsets:
            return tokens
        starts = [start for _, start in spans] or [0]
        ends = [start + len(token.encode()) for token, start in spans] or [0]
        return tokens, np.array(starts, np.uint32), np.array(ends, np.uint32)

    with_offsets = False

    def spans(self, text: str) -> list[tuple[str, int]]:
        """The tokens, and at which byte of UTF-8 each begins."""
        raise NotImplementedError(self.name)


class WhitespaceTokenizer(SentenceOperation):
    """What stands between white space."""

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def spans(self, text: str) -> list[tuple[str, int]]:
        found = re.finditer(r"\S+", text)
        return [(part[0], len(text[: part.start()].encode())) for part in found]


class UnicodeCharTokenizer(SentenceOperation):
    """The characters."""

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = check_type(self.name, "with_offsets", with_offsets, bool)

    def spans(self, text: str) -> list[tuple[str, int]]:
        return [(character, len(text[:n].encode())) for n, character in enumerate(text)]


class CaseFold(TextOperation):
    """The text without the difference of large and small letters."""

    def array(self, x: np.ndarray) -> np.ndarray:
        return mapped(folded, x)


def folded(text: str) -> str:
    """The text without the difference of large and small letters, in one form of Unicode."""
    found = unicodedata.normalize("NFKC", text.casefold())
    return found if found.isascii() else INVISIBLE.sub("", found)


INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Characters that Unicode's case folding leaves out: they are not seen (Default_Ignorable)."""


class NormalizeUTF8(TextOperation):
    """The text in a form of Unicode."""

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        check_type(self.name, "normalize_form", normalize_form, NormalizeForm)
        self.form: Any = normalize_form.name

    def array(self, x: np.ndarray) -> np.ndarray:
        if self.form == "NONE":
            return x
        return mapped(lambda text: unicodedata.normalize(self.form, text), x)


class RegexReplace(TextOperation):
    """The text with what a pattern finds replaced."""

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        check_type(self.name, "pattern", pattern, str)
        check_type(self.name, "replace", replace, str)
        self.replace = replacement(replace)
        self.count = 0 if check_type(self.name, "replace_all", replace_all, bool) else 1
        try:
            self.pattern = re.compile(translated(pattern))
        except (re.error, ValueError) as error:
            problem = "the pattern cannot be read"
            raise RefusedError(self.name, problem, got=f"{pattern!r}: {error}") from error

    def array(self, x: np.ndarray) -> np.ndarray:
        return mapped(lambda text: self.pattern.sub(self.replace, text, self.count), x)


def mapped(function: Callable[[str], str], x: np.ndarray) -> np.ndarray:
    """Each text through a function."""
    found = [function(text) for text in x.reshape(-1).tolist()]
    return np.array(found).reshape(x.shape) if found else x


class FilterWikipediaXML(TextOperation):
    """The words of a page of Wikipedia's dump: small letters, numbers spelt out, no markup."""

    def array(self, x: np.ndarray) -> np.ndarray:
        return mapped(words_of_page, x)


def words_of_page(text: str) -> str:
    """What is left of a page; of `R`, as in MindSpore, nothing."""
    if "#redirect" in text.lower():
        return ""
    for pattern, replace in MARKUP:
        text = re.sub(pattern, replace, text)
    text = re.sub("[A-QS-Z]", lambda found: found[0].lower(), text.replace("R", ""))
    text = re.sub("[0-9]", lambda found: f" {DIGITS[int(found[0])]} ", text)
    text = re.sub("[^a-z\\n]+", " ", text).replace("\n ", "")
    return " ".join(re.sub(r"\n\s*\n", "n", text).split())


MARKUP = (("<.*>", ""), ("<[^>]*>", ""), ("&[^;]*;", " "))
"""What a page has beside its words, and what it becomes, one after another."""
DIGITS = "zero one two three four five six seven eight nine".split()


class Lookup(TextOperation):
    """The numbers of words; of those that are not there, that of `unknown_token`."""

    def __init__(
        self, vocab: Vocab, unknown_token: str | None = None, data_type: Any = mstype.int32
    ) -> None:
        self.vocab = check_type(self.name, "vocab", vocab, Vocab)
        self.kind = numpy_type(self.name, data_type)
        self.unknown: int | None = None
        if unknown_token is not None:
            check_type(self.name, "unknown_token", unknown_token, str)
            self.unknown = vocab.numbers.get(unknown_token, -1)

    def checked(self, value: Any) -> np.ndarray:
        if self.unknown == -1:
            raise RefusedError(self.name, "unknown_token is no word of vocab")
        return super().checked(value)

    def array(self, x: np.ndarray) -> np.ndarray:
        return np.array([self.number(word) for word in x.reshape(-1).tolist()], self.kind).reshape(
            x.shape
        )

    def number(self, word: str) -> int:
        found = self.vocab.numbers.get(word, self.unknown)
        if found is None:
            advice = "Lookup(vocab, unknown_token=...)"
            raise RefusedError(self.name, "a word is not in vocab", got=word, advice=advice)
        return int(found)


class ToNumber(TextOperation):
    """The numbers that texts spell."""

    def __init__(self, data_type: Any) -> None:
        self.kind = numpy_type(self.name, data_type)

    def array(self, x: np.ndarray) -> np.ndarray:
        convert = float if self.kind.kind == "f" else int
        try:
            found = [convert(text) for text in x.reshape(-1).tolist()]
            return np.array(found, self.kind).reshape(x.shape)
        except (ValueError, OverflowError) as error:
            got = f"{x.reshape(-1)[:3].tolist()} ({error})"
            raise RefusedError(
                self.name, "a text is no such number", got=got, expected=self.kind.name
            ) from error


class SlidingWindow(TensorOperation):
    """All stretches of a width along an axis. Shapes: (n,) -> (n - width + 1, width)"""

    def __init__(self, width: int, axis: int = 0) -> None:
        check_range(self.name, "width", check_type(self.name, "width", width, int), 1)
        self.width, self.axis = width, check_type(self.name, "axis", axis, int)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim != 1 or self.axis not in (0, -1):
            got = f"shape {x.shape}, axis {self.axis}"
            raise RefusedError(self.name, "it has another number of axes", got=got, expected="one")
        if len(x) < self.width:
            return np.zeros((0, 0), x.dtype)
        return np.lib.stride_tricks.sliding_window_view(x, self.width).copy()


class Truncate(TensorOperation):
    """The first tokens. Shapes: (n,) -> (at most max_seq_len,)"""

    def __init__(self, max_seq_len: int) -> None:
        check_type(self.name, "max_seq_len", max_seq_len, int)
        check_range(self.name, "max_seq_len", max_seq_len, 0)
        self.length = max_seq_len

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim not in (1, 2):
            got = f"shape {x.shape}"
            raise RefusedError(self.name, "it is no row of tokens", got=got, expected="(n,)")
        return x[..., : self.length].copy()


class TruncateSequencePair(TensorOperation):
    """Two rows of tokens, the longer cut until both have so many together."""

    def __init__(self, max_length: int) -> None:
        check_range(
            self.name, "max_length", check_type(self.name, "max_length", max_length, int), 1
        )
        self.length = max_length

    def __call__(self, *values: Any) -> Any:
        if len(values) != 2:
            got = f"{len(values)} columns"
            raise RefusedError(self.name, "it takes two columns", got=got, expected="two")
        first, second = map(self.checked, values)
        one, other = len(first), len(second)
        while one + other > self.length:
            if one > other:
                one -= 1
            else:
                other -= 1
        return first[:one].copy(), second[:other].copy()


class AddToken(TextOperation):
    """The tokens with one before or behind them."""

    def __init__(self, token: str, begin: bool = True) -> None:
        self.token = check_type(self.name, "token", token, str)
        self.begin = check_type(self.name, "begin", begin, bool)

    def array(self, x: np.ndarray) -> np.ndarray:
        extra = np.full((*x.shape[:-1], 1), self.token)
        return np.concatenate([extra, x] if self.begin else [x, extra], axis=-1)


class Ngram(TextOperation):
    """All runs of so many tokens, joined."""

    def __init__(
        self,
        n: int | list[int],
        left_pad: tuple[str, int] = ("", 0),
        right_pad: tuple[str, int] = ("", 0),
        separator: str = " ",
    ) -> None:
        self.lengths = [n] if isinstance(n, int) else n
        check_type(self.name, "n", self.lengths, list)
        if not self.lengths:
            raise ShapeError(self.name, "n is empty")
        for length in self.lengths:
            check_range(self.name, "n", check_type(self.name, "n", length, int), 1)
        for name, pad in (("left_pad", left_pad), ("right_pad", right_pad)):
            if not isinstance(pad, tuple) or len(pad) != 2:
                raise ShapeError(
                    self.name, f"{name} is of a wrong type", got=repr(pad), expected="(text, count)"
                )
        self.left, self.right = left_pad, right_pad
        self.separator = check_type(self.name, "separator", separator, str)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim != 1:
            got = f"shape {x.shape}"
            raise RefusedError(self.name, "it is no row of tokens", got=got, expected="(n,)")
        found = [run for length in self.lengths for run in self.runs(x.tolist(), length)]
        return np.array(found)

    def runs(self, tokens: list[str], length: int) -> list[str]:
        left = [self.left[0]] * min(self.left[1], length - 1)
        right = [self.right[0]] * min(self.right[1], length - 1)
        every = [*left, *tokens, *right]
        places = range(len(every) - length + 1)
        return [self.separator.join(every[n : n + length]) for n in places] or [""]


class PythonTokenizer(TensorOperation):
    """The tokens that a function makes of a text."""

    def __init__(self, tokenizer: Callable[[str], Any]) -> None:
        if not callable(tokenizer):
            got = repr(tokenizer)
            raise ElementTypeError("PythonTokenizer", "tokenizer cannot be called", got=got)
        self.tokenizer = tokenizer

    def array(self, x: np.ndarray) -> np.ndarray:
        text: Any = x.item() if x.ndim == 0 else x
        return np.array(self.tokenizer(text))


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Texts as bytes."""
    return np.char.encode(checked_array("to_bytes", array), encoding)


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Bytes as texts."""
    return np.char.decode(checked_array("to_str", array), encoding)


def checked_array(where: str, array: Any) -> np.ndarray:
    if not isinstance(array, np.ndarray):
        raise ElementTypeError(where, "it is no array", got=f"a {type(array).__name__}")
    return array
