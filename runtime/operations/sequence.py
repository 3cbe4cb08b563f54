"""Sequences of symbols, on the host: distances, repeats, and those in a range."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.argument import check_int, check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.host import host
from ..engine.promotion import as_tensor
from ..engine.tensor import Tensor
from ..ops.shaping import sizes_of
from .operation import operation


def distance(a: list[Any], b: list[Any]) -> int:
    """How many insertions, deletions and replacements turn one into the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def sequences(indices: Array, values: Array) -> dict[tuple[int, ...], list[Any]]:
    """The values of each row of a sparse Tensor."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place), []).append(value)
    return found


@host("EditDistance")
def edit_distances(
    places: Array, values: Array, true_places: Array, truth: Array, *, shape: tuple[int, ...],
    normalize: int,
) -> Any:  # fmt: skip
    made = np.zeros(shape, np.float32)
    hypotheses, truths = sequences(places, values), sequences(true_places, truth)
    for place in np.ndindex(*shape):
        a, b = hypotheses.get(place, []), truths.get(place, [])
        made[place] = distance(a, b)
        if normalize:
            made[place] = made[place] / len(b) if b else np.inf if a else 0.0
    return made


@operation("EditDistance")
def edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    *,
    normalize: bool = True,
) -> Any:
    sizes = zip(sizes_of(hypothesis_shape), sizes_of(truth_shape), strict=True)
    shape = tuple(max(pair) for pair in sizes)[:-1]
    lists = (hypothesis_indices, hypothesis_values, truth_indices, truth_values)
    return edit_distances(*lists, shape=shape, normalize=int(normalize))


@host("NoRepeatNGram")
def without_repeats(states: Array, scores: Array, *, size: int) -> Any:
    """`scores` with the lowest number where a symbol would complete a run seen before."""
    made = scores.copy()
    lowest = np.finfo(np.float32).min
    for place in np.ndindex(*states.shape[:-1]):
        line = states[place].tolist()
        tail = line[len(line) - size + 1 :]
        for k in range(len(line) - size + 1):
            if line[k : k + size - 1] == tail:
                made[(*place, line[k + size - 1])] = lowest
    return made


def check_size(ngram_size: Any) -> None:
    check_int("NoRepeatNGram", "ngram_size", ngram_size, 1)


@operation("NoRepeatNGram", check_size)
def no_repeat_ngram(state_seq: Tensor, log_probs: Tensor, *, ngram_size: int = 1) -> Any:
    check_type("NoRepeatNGram", "state_seq", state_seq, Tensor)
    if state_seq.ndim != 3 or log_probs.ndim != 3:
        raise ShapeError("NoRepeatNGram", "needs three axes", got=str(state_seq.shape))
    return without_repeats(state_seq, log_probs, size=ngram_size)


@host("SubAndFilter", outputs=2, dynamic=(0,))
def in_range(x: Array, most: Array, offset: Array) -> Any:
    moved = x - offset
    kept = np.nonzero((moved >= 0) & (moved < most))[0]
    return moved[kept].astype(x.dtype), kept.astype(x.dtype)


@operation("SubAndFilter")
def sub_and_filter(input_x: Tensor, max_num: Any, offset: Any) -> Any:
    """The elements of [offset, offset + max_num), less the offset, and where they were."""
    return in_range(input_x, as_tensor(max_num), as_tensor(offset))
