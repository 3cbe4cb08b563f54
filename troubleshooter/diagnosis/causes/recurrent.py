"""Causes in LSTM, GRU and RNN."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..layers.layer import Array, Layer, Outputs
from ..layers.recurrent import GATES, Recurrence, Recurrent, Step
from .case import Case, Cause, Fact, Trial

Whole = Recurrent | Step


def each(layer: Whole, change: Callable[[Recurrence], Recurrence]) -> Whole:
    """`layer` with all of its recurrences changed."""
    if isinstance(layer, Step):
        return replace(layer, recurrence=change(layer.recurrence))
    changed = tuple(tuple(change(one) for one in directions) for directions in layer.layers)
    return replace(layer, layers=changed)


def reordered(recurrence: Recurrence, order: tuple[int, ...]) -> Recurrence:
    """With the gates' rows in another order."""

    def rows(array: Array | None) -> Array | None:
        if array is None:
            return None
        parts = np.split(array, len(order))
        return np.concatenate([parts[k] for k in order])

    w_ih, w_hh = rows(recurrence.w_ih), rows(recurrence.w_hh)
    if w_ih is None or w_hh is None:
        return recurrence
    b_ih, b_hh = rows(recurrence.b_ih), rows(recurrence.b_hh)
    return replace(recurrence, w_ih=w_ih, w_hh=w_hh, b_ih=b_ih, b_hh=b_hh)


def gates(layer: Whole, case: Case) -> Iterator[Trial]:
    letters = GATES[layer.mode]
    for order in itertools.permutations(range(len(letters))):
        if list(order) != sorted(order):
            taken = ", ".join(letters[k] for k in order)
            fact = Fact("the order of the gates is", ", ".join(letters), taken)
            yield case.varied(fact, each(layer, partial(reordered, order=order)))


def biases(layer: Whole, case: Case) -> Iterator[Trial]:
    ways: dict[Fact, Callable[[Recurrence], Recurrence]] = {
        Fact("bias_ih and bias_hh are", "both added", "neither"): lambda one: replace(
            one, b_ih=None, b_hh=None
        ),
        Fact("bias_ih and bias_hh are", "both added", "bias_ih alone"): lambda one: replace(
            one, b_hh=None
        ),
        Fact("bias_ih and bias_hh are", "both added", "bias_hh alone"): lambda one: replace(
            one, b_ih=None
        ),
        Fact("bias_ih and bias_hh are", "in order", "exchanged"): lambda one: replace(
            one, b_ih=one.b_hh, b_hh=one.b_ih
        ),
        Fact("bias_ih and bias_hh are", "each their own", "bias_ih for both"): lambda one: replace(
            one, b_hh=one.b_ih
        ),
    }
    for fact, change in ways.items():
        yield case.varied(fact, each(layer, change))


def reset_gate(layer: Whole, case: Case) -> Iterator[Trial]:
    if layer.mode == "GRU":
        ways = (
            "behind the state's product, linear_before_reset=1",
            "before the state's product, linear_before_reset=0",
        )
        own, other = ways[layer.reset_first], ways[not layer.reset_first]
        fact = Fact("the reset gate works", own, other)
        yield case.varied(fact, replace(layer, reset_first=not layer.reset_first))


def nonlinearity(layer: Whole, case: Case) -> Iterator[Trial]:
    if layer.mode == "RNN":
        names = ("tanh", "relu")
        fact = Fact("the nonlinearity is", names[layer.relu], names[not layer.relu])
        yield case.varied(fact, replace(layer, relu=not layer.relu))


def forget_bias(layer: Whole, case: Case) -> Iterator[Trial]:
    if layer.mode == "LSTM":
        fact = Fact("what is added to the forget gate is", "nothing", "1, TensorFlow's forget_bias")
        yield case.varied(fact, replace(layer, forget_bias=layer.forget_bias + 1))


def layout(layer: Recurrent, case: Case) -> Iterator[Trial]:
    names = ("steps first, batch_first=False", "batches first, batch_first=True")
    own, other = names[layer.batch_first], names[not layer.batch_first]
    fact = Fact("the input has", own, other)
    yield case.varied(fact, replace(layer, batch_first=not layer.batch_first))


def directions(layer: Recurrent, case: Case) -> Iterator[Trial]:
    fact = Fact("the sequence is", "read in its order", "read from its end")
    yield case.varied(fact, replace(layer, backwards=not layer.backwards))
    if len(layer.layers[0]) == 2:
        fact = Fact("the first half of the output is", "forwards", "backwards")
        changed = tuple((second, first) for first, second in layer.layers)
        yield case.varied(fact, replace(layer, layers=changed))
        fact = Fact("both directions have", "weights of their own", "the forward ones")
        changed = tuple((first, first) for first, _ in layer.layers)
        yield case.varied(fact, replace(layer, layers=changed))
        fact = Fact("the backward direction reads", "from the end", "from the start")
        yield Trial(fact, both_forwards(layer, case.inputs))


def both_forwards(layer: Recurrent, inputs: Outputs) -> Callable[[], Outputs]:
    """Of a single layer: both directions read from the start."""

    def compute() -> Outputs:
        parts = [
            replace(layer, layers=((one,),)).outputs(inputs[0], *(s[k : k + 1] for s in inputs[1:]))
            for k, one in enumerate(layer.layers[0])
        ]
        return (
            np.concatenate([part[0] for part in parts], -1),
            *(np.concatenate(states) for states in zip(*(part[1:] for part in parts), strict=True)),
        )

    return compute


def initial_state(layer: Whole, case: Case) -> Iterator[Trial]:
    if len(case.inputs) > 1:
        fact = Fact("the initial states are", "those given", "zeros")
        zeros = [np.zeros(s.shape) for s in case.inputs[1:]]
        yield case.fed(fact, case.inputs[0], *zeros)
    if len(case.inputs) > 2:
        fact = Fact("the initial states are", "h, c", "exchanged")
        yield case.fed(fact, case.inputs[0], case.inputs[2], case.inputs[1])


WHOLE: tuple[type[Layer], ...] = (Recurrent, Step)

CAUSES = (
    Cause("gates", "the gates' weights in another order", WHOLE, gates, in_weights=True),
    Cause(
        "recurrent-biases",
        "one of both biases missing, or both exchanged",
        WHOLE,
        biases,
        in_weights=True,
    ),
    Cause(
        "reset-gate",
        "GRU's reset gate before the product, or after it",
        WHOLE,
        reset_gate,
        ("reset_first",),
    ),
    Cause("nonlinearity", "relu for tanh", WHOLE, nonlinearity, ("relu",)),
    Cause("forget-bias", "1 added to the forget gate", WHOLE, forget_bias),
    Cause(
        "batch-first",
        "batches first for steps first, or the other way round",
        (Recurrent,),
        layout,
        ("batch_first",),
    ),
    Cause(
        "directions", "directions exchanged, or read from the other end", (Recurrent,), directions
    ),
    Cause("initial-state", "initial states of zeros, or exchanged", WHOLE, initial_state),
)
