"""Connectionist temporal classification."""

from __future__ import annotations

import math

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant, rank_of
from ..engine.tensor import Tensor
from .arithmetic import add, clamp, div, exp, less, logical_and, mul, neg, not_equal, sub, where
from .loss import check_reduction, reduced
from .reduction import logsumexp, mean, sum
from .registry import op
from .shaping import concat, expand_dims, gather_elements, reshape, split, stack, transpose, unstack
from .state import stop_gradient

NOTHING = -1e30
"""The logarithm of a probability of 0: finite, so that gradients are."""


@op
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """-log of the probability of `targets`, and the logarithms of its partial sums.

    The gradient is that of the logits, as if log_probs came from log_softmax.
    Shapes: log_probs (t, n, c), targets (n, s), lengths (n) -> (n) or (), (n, t, 2 * s + 1)
    """
    check_type("ctc_loss", "blank", blank, int)
    check_type("ctc_loss", "zero_infinity", zero_infinity, bool)
    check_reduction("ctc_loss", check_type("ctc_loss", "reduction", reduction, str))
    check_tensors("ctc_loss", log_probs=log_probs, targets=targets)
    if log_probs.ndim != 3 or targets.ndim != 2 or targets.shape[0] != log_probs.shape[1]:
        got = f"{log_probs.shape}, {targets.shape}"
        raise ShapeError("ctc_loss", "needs (t, n, c) and (n, s)", got=got)
    lattice = Lattice(log_probs, targets, target_lengths, blank)
    steps = constant(np.arange(log_probs.shape[0])[:, None], dtypes.int64)
    counted = less(steps, convert(input_lengths, dtypes.int64))
    alphas = lattice.alphas(counted)
    loss = add(neg(lattice.total(alphas[-1])), of_logits(log_probs, counted))
    reachable = less(loss, -NOTHING / 2)
    loss = where(reachable, loss, 0.0 if zero_infinity else math.inf)
    every = where(expand_dims(transpose(counted, (1, 0)), -1), stack(alphas, 1), NOTHING)
    every = where(less(every, NOTHING / 2), -math.inf, every)
    if reduction == "mean":
        lengths = clamp(convert(target_lengths, dtypes.float32), 1.0)
        single = mean(div(convert(loss, dtypes.float32), lengths))
        return convert(single, loss.dtype), every
    return reduced(loss, reduction), every


def of_logits(log_probs: Tensor, counted: Tensor) -> Tensor:
    """Zero, whose gradient is exp(log_probs) at the steps that count: log_softmax's part."""
    whole = sum(where(expand_dims(counted, -1), exp(log_probs), 0.0), (0, 2))
    return sub(whole, stop_gradient(whole))


class Lattice:
    """The states blank, label, blank, label, ..., blank of each target."""

    def __init__(self, log_probs: Tensor, targets: Tensor, lengths: Tensor, blank: int) -> None:
        if rank_of(log_probs.dtype) != 2:
            raise ShapeError("ctc_loss", "log_probs must be of floats", got=log_probs.dtype.name)
        self.log_probs = log_probs
        batch, size = targets.shape
        ends = mul(reshape(convert(lengths, dtypes.int64), (-1, 1)), 2)
        places = constant(np.arange(2 * size + 1)[None], dtypes.int64)
        self.alive = less(places, add(ends, 1))
        self.last = logical_and(self.alive, less(sub(ends, 2), places))
        self.first = less(places, 2)
        labels = expand_dims(convert(targets, dtypes.int64), -1)
        blanks = mul(labels, 0) + blank
        pairs = reshape(concat((blanks, labels), -1), (batch, 2 * size))
        self.states = concat((pairs, constant(np.full((batch, 1), blank), dtypes.int64)), 1)
        self.states = where(self.alive, self.states, blank)
        another = not_equal(self.states, self.shifted(self.states, 2, blank))
        skips = logical_and(not_equal(self.states, blank), another)
        self.skips = logical_and(skips, less(1, places))

    @staticmethod
    def shifted(x: Tensor, by: int, fill: float) -> Tensor:
        """`x` moved by so many states towards the end."""
        batch, count = x.shape
        before = constant(np.full((batch, by), fill), x.dtype)
        return split(concat((before, x), 1), [count, by], 1)[0]

    def alphas(self, counted: Tensor) -> list[Tensor]:
        """The partial sums after each step; they stay as they are after the last that counts."""
        steps = unstack(self.log_probs, 0)
        emitted = [gather_elements(step, 1, self.states) for step in steps]
        found = [where(logical_and(self.first, self.alive), emitted[0], NOTHING)]
        for step, counts in zip(emitted[1:], unstack(counted, 0)[1:], strict=True):
            stay = found[-1]
            skip = where(self.skips, self.shifted(stay, 2, NOTHING), NOTHING)
            paths = stack((stay, self.shifted(stay, 1, NOTHING), skip), 0)
            moved = clamp(add(logsumexp(paths, 0), step), NOTHING)
            goes_on = logical_and(expand_dims(counts, -1), self.alive)
            found.append(where(goes_on, moved, stay))
        return found

    def total(self, alpha: Tensor) -> Tensor:
        """The logarithm of the probability of the last two states together."""
        return logsumexp(where(self.last, alpha, NOTHING), 1)
