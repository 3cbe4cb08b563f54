"""Decoding what connectionist temporal classification has learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.argument import check_tensors, check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.host import host
from ..engine.tensor import Tensor
from .registry import op


@host("CTCGreedyDecoder", outputs=4, dynamic=(0,))
def decode(x: Array, lengths: Array, *, merge_repeated: int) -> Any:
    """The best class of each step, without repeats and blanks, as a sparse matrix."""
    if (lengths > x.shape[0]).any():
        raise RuntimeError("CTCGreedyDecoder: a sequence is longer than the input")
    best, blank = x.argmax(2), x.shape[2] - 1
    indices: list[tuple[int, int]] = []
    values: list[int] = []
    for row, length in enumerate(lengths.tolist()):
        line = best[:length, row]
        again = np.concatenate([[False], line[1:] == line[:-1]]) & bool(merge_repeated)
        kept = line[(line != blank) & ~again].tolist()
        indices += [(row, k) for k in range(len(kept))]
        values += kept
    widest = max([k + 1 for _, k in indices], default=0)
    steps = np.arange(x.shape[0])[:, None] < lengths
    likely = -np.where(steps, x.max(2), 0).sum(0, dtype=x.dtype)[:, None]
    pairs = np.array(indices, np.int64).reshape(-1, 2)
    shape = np.array([x.shape[1], widest], np.int64)
    return pairs, np.array(values, np.int64), shape, likely


def greedy(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool) -> Any:
    """Indices (k, 2), values (k), the shape of the matrix, and minus the sums of the largest."""
    check_tensors("ctc_greedy_decoder", inputs=inputs, sequence_length=sequence_length)
    check_type("ctc_greedy_decoder", "merge_repeated", merge_repeated, bool)
    if inputs.ndim != 3 or sequence_length.shape != inputs.shape[1:2]:
        got = f"{inputs.shape}, {sequence_length.shape}"
        raise ShapeError("ctc_greedy_decoder", "needs (t, n, c) and (n)", got=got)
    return decode(inputs, sequence_length, merge_repeated=int(merge_repeated))


@op
def ctc_greedy_decoder(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True) -> Any:
    """The best class of each step of (t, n, c); the last class is the blank."""
    return greedy(inputs, sequence_length, merge_repeated)
