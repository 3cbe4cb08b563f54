"""Vocab: words and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import text_of
from ...engine.argument import check_range, check_type
from ...engine.failure import RefusedError, ShapeError
from ..dataset import Dataset
from ..node import Run, as_list

LARGEST = 1 << 30
"""Bytes of a file of words."""


class Vocab:
    """Words and their numbers, made by `from_list`, `from_dict`, `from_file` or `from_dataset`."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    @classmethod
    def of(cls, words: Iterable[str], special: Any, special_first: bool) -> Vocab:
        """The words in their order, with special ones before or behind them."""
        check_type("Vocab", "special_first", special_first, bool)
        if special is not None:
            check_type("Vocab", "special_tokens", special, list)
        extra, own = list(special or ()), list(words)
        every = [*extra, *own] if special_first else [*own, *extra]
        for word in every:
            check_type("Vocab", "a word", word, str)
        if len(set(every)) < len(every):
            got = next(word for word, count in Counter(every).items() if count > 1)
            raise ShapeError("Vocab", "a word is there twice", got=got)
        found = cls()
        found.numbers = {word: number for number, word in enumerate(every)}
        return found

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: Any = None, special_first: bool = True
    ) -> Vocab:
        """The words of a list."""
        check_type("Vocab", "word_list", word_list, list)
        return cls.of(word_list, special_tokens, special_first)

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """The words of a dictionary, with their numbers."""
        check_type("Vocab", "word_dict", word_dict, dict)
        found = cls()
        for word, number in word_dict.items():
            check_type("Vocab", "a word", word, str)
            check_range("Vocab", "a number", check_type("Vocab", "a number", number, int), 0)
            found.numbers[word] = number
        return found

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: Any = None,
        special_first: bool = True,
    ) -> Vocab:
        """The first part of each line of a file."""
        check_type("Vocab", "file_path", file_path, str)
        check_type("Vocab", "delimiter", delimiter, str)
        if vocab_size is not None:
            check_type("Vocab", "vocab_size", vocab_size, int)
            check_range("Vocab", "vocab_size", vocab_size, 1)
        try:
            lines = text_of(Path(file_path), LARGEST).splitlines()
        except (OSError, ValueError) as error:
            problem = "the file cannot be read"
            raise RefusedError("Vocab", problem, got=f"{file_path}: {error}") from error
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        return cls.of(words[:vocab_size], special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset: Dataset,
        columns: Any = None,
        freq_range: Any = None,
        top_k: int | None = None,
        special_tokens: Any = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words in columns of a data set, the most frequent first, then by the alphabet."""
        check_type("Vocab", "dataset", dataset, Dataset)
        names = as_list(columns) or dataset.get_col_names()
        places = dataset.node.places("Vocab", names)
        counts: Counter[str] = Counter()
        for row in dataset.node.tree().rows(Run()):
            for place in places:
                if row[place].dtype.kind != "U":
                    got = str(row[place].dtype)
                    raise RefusedError("Vocab", "a column is no text", got=got)
                counts.update(row[place].reshape(-1).tolist())
        least, most = freq_range or (None, None)
        kept = [
            word
            for word, count in counts.items()
            if (least is None or count >= least) and (most is None or count <= most)
        ]
        kept.sort(key=lambda word: (-counts[word], word))
        return cls.of(kept[:top_k], special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """The words and their numbers."""
        return dict(self.numbers)

    def tokens_to_ids(self, tokens: Any) -> Any:
        """The numbers of words, -1 for those that are not there."""
        if isinstance(tokens, str):
            return self.numbers.get(tokens, -1)
        check_type("Vocab", "tokens", tokens, list, np.ndarray)
        return [self.numbers.get(str(token), -1) for token in tokens]

    def ids_to_tokens(self, ids: Any) -> Any:
        """The words of numbers, the empty one for those that are not there."""
        words = {number: word for word, number in self.numbers.items()}
        if isinstance(ids, int) and not isinstance(ids, bool):
            check_range("Vocab", "ids", ids, 0)
            return words.get(ids, "")
        check_type("Vocab", "ids", ids, list, np.ndarray)
        return [words.get(int(number), "") for number in ids]
