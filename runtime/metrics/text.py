"""Metrics of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.failure import ElementTypeError, ShapeError
from .metric import Metric, rearrange_inputs


def is_list(given: Any) -> bool:
    return isinstance(given, (list, tuple))


class BleuScore(Metric):
    """How much of translations (lists of words) is in their references, up to `n_gram` words."""

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        check_range("BleuScore", "n_gram", check_type("BleuScore", "n_gram", n_gram, int), 1, 4)
        self.n_gram, self.smooth = n_gram, check_type("BleuScore", "smooth", smooth, bool)
        self.clear()

    def clear(self) -> None:
        self._numerator, self._denominator = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._trans_len, self._ref_len = 0, 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        translations, references = self.given(inputs, "the translations", "the references")
        for given in (translations, references, *(references if is_list(references) else ())):
            if not is_list(given):
                raise self.no_words(given)
        if len(translations) != len(references):
            raise ShapeError(
                "BleuScore.update", "there are not as many references as translations",
                got=f"{len(references)} and {len(translations)}",
                expected="a list of references for each translation",
            )  # fmt: skip
        for corpus in (translations, *references):
            if not all(isinstance(words, (list, tuple, str)) for words in corpus):
                raise self.no_words(corpus)
        for translation, known in zip(translations, references, strict=True):
            self.take(translation, known)
        self._is_update = True

    def no_words(self, given: Any) -> ElementTypeError:
        return ElementTypeError(
            "BleuScore.update", "a sentence is no list of words", got=repr(given)[:60],
            expected="translations [['a', 'b'], ...], references [[['a', 'b'], ...], ...]",
        )  # fmt: skip

    def take(self, translation: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        """Counts the runs of words of one translation, and those that a reference has."""
        own = len(translation)
        self._trans_len += own
        self._ref_len += min((len(r) for r in references), key=lambda n: abs(own - n))
        counts, known = self.runs(translation), Counter[tuple[str, ...]]()
        for reference in references:
            known |= self.runs(reference)
        for table, numbers in (
            (counts & known, self._numerator),
            (counts, self._denominator),
        ):
            for words, number in table.items():
                numbers[len(words) - 1] += number

    def runs(self, words: Sequence[str]) -> Counter[tuple[str, ...]]:
        """How often each run of 1 to `n_gram` words comes."""
        lengths = range(1, self.n_gram + 1)
        starts = range(len(words))
        return Counter(tuple(words[k : k + n]) for n in lengths for k in starts[: 1 - n or None])

    def eval(self) -> float:
        self.require_some(self._is_update)
        if self._numerator.min() == 0.0:
            return 0.0
        more = 1.0 if self.smooth else 0.0
        shares = (self._numerator + more) / (self._denominator + more)
        longer = self._trans_len > self._ref_len
        brevity = 1.0 if longer else np.exp(1 - self._ref_len / self._trans_len)
        return float(brevity * np.exp(np.log(shares).mean()))
