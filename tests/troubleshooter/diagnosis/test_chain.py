"""One change in functions that follow each other, where only what they should give is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from msconvert.troubleshooter.compare.operators.kinds import kind_of
from msconvert.troubleshooter.compare.records import FunctionRecord
from msconvert.troubleshooter.diagnosis.functions.chain import Chain, Link
from msconvert.troubleshooter.diagnosis.functions.model import MODELS
from msconvert.troubleshooter.diagnosis.functions.reading import call_of

Array = np.ndarray[Any, Any]
Written = tuple[str, tuple[Any, ...], dict[str, Any]]

PLACES = np.arange(6.0)
GRID = PLACES[:, None] - PLACES[None, :]
COUNTS = np.arange(1.0, 5.0)
SHARES = np.linspace(0.2, 0.9, 24).reshape(2, 3, 4)


def chain_of(steps: Sequence[Written], wanted: Array) -> Chain:
    """Operands that are texts are what earlier steps, "#0" the first, have given."""
    results: list[Array] = []
    links: list[Link] = []
    for kind, operands, options in steps:
        arrays: list[Array] = []
        names: list[str] = []
        told: dict[str, Any] = {}
        for i, operand in enumerate(operands):
            told[str(i)] = operand
            if isinstance(operand, (str, np.ndarray)):
                names.append(operand if isinstance(operand, str) else f"given {i}")
                is_step = isinstance(operand, str)
                arrays.append(results[int(operand[1:])] if is_step else operand)
                told[str(i)] = f"#{len(arrays) - 1}"
        empty = FunctionRecord(
            kind, "msconvert.runtime", {**told, **options}, tuple(arrays), (), kind
        )
        result = np.asarray(call_of(empty).compute())
        record = FunctionRecord(
            kind, "msconvert.runtime", {**told, **options}, tuple(arrays), (result,), kind
        )
        links.append(Link(record, tuple(names), f"#{len(results)}"))
        results.append(result)
    return Chain(links, wanted, {})


SLOPES: tuple[Written, ...] = (("mul", (COUNTS, -2.0), {}), ("rpow", ("#0", 2.0), {}))
WINDOW: tuple[Written, ...] = (
    ("ge", (GRID, 0), {}),
    ("le", (GRID, 3), {}),
    ("and", ("#0", "#1"), {}),
    ("invert", ("#2",), {}),
    ("masked_fill", (-np.abs(GRID), "#3", -1e9), {}),
)
SEEN = (GRID >= 0) & (GRID < 3)

CHAINS: tuple[tuple[tuple[Written, ...], Array, int, str, str], ...] = (
    (SLOPES, 2.0 ** (-1.0 * COUNTS), 0, "function-constant", "the factor is -1 (here: -2)"),
    (SLOPES, 2.0 ** (-1.37 * COUNTS), 0, "function-constant", "the factor is -1.37 (here: -2)"),
    (SLOPES, 3.0 ** (-2.0 * COUNTS), 1, "function-constant", "the base is 3 (here: 2)"),
    (SLOPES, -(2.0 ** (-2.0 * COUNTS)), 1, "operator-missing", "neg of `rpow` is done"),
    (WINDOW, np.where(SEEN, -np.abs(GRID), -1e9), 1, "operator-other", "it is lt (here: le"),
    ((("softmax", (SHARES,), {"axis": 1}), ("log", ("#0",), {})),
     np.log(np.exp(SHARES) / np.exp(SHARES).sum(2, keepdims=True)),
     0, "function-axis", "axis is 2 (here: 1)"),
    ((("div", (SHARES[:, 1:], SHARES[:, :-1]), {}), ("cumprod", ("#0",), {"axis": 1})),
     np.cumprod(SHARES[:, :-1] / SHARES[:, 1:], 1), 0, "function-order", "2 1 (here: 1 2)"),
    ((("exp", (SHARES,), {}), ("sqrt", ("#0",), {}), ("cos", ("#1",), {})),
     np.cos(np.exp(SHARES)), 1, "operator-extra", "sqrt is not done"),
    ((("getitem", (SHARES,), {"index": ("slice", 1, None, None)}), ("exp", ("#0",), {})),
     np.exp(SHARES[:-1]), 0, "function-index", ":-1 (here: 1:)"),
    ((("sin", (SHARES,), {}), ("getitem", ("#0",), {"index": 0})),
     np.cos(SHARES)[0], 0, "operator-other", "it is cos (here: sin"),
)  # fmt: skip
"""The functions, what they should give, the one that must change, and what is said of it."""


@pytest.mark.parametrize(
    ("steps", "wanted", "number", "cause", "text"), CHAINS, ids=[row[4] for row in CHAINS]
)
def test_the_one_change_is_found(
    steps: tuple[Written, ...], wanted: Array, number: int, cause: str, text: str
) -> None:
    changed = chain_of(steps, wanted.astype(np.float32)).changed()
    assert changed is not None
    assert changed.number == number
    assert changed.hypothesis.cause == cause
    assert text in changed.hypothesis.text


@pytest.mark.parametrize("wanted", [NOISE := np.random.RandomState(0).randn(4), NOISE[:3]])
def test_nothing_is_said_of_what_no_change_gives(wanted: Array) -> None:
    assert chain_of(SLOPES, wanted).changed() is None


def test_what_a_mask_fills_in_is_not_what_numbers_are_measured_by() -> None:
    """Beside -1e9 any change of the others would be rounding."""
    wanted = np.where(SEEN, -np.abs(GRID), -1e9)
    assert not chain_of(WINDOW, wanted).fits(np.where(SEEN, -2 * np.abs(GRID), -1e9))


def test_what_is_tried_has_models() -> None:
    from msconvert.troubleshooter.diagnosis.functions import chain

    for kind in (*chain.LACKED, *chain.JOINING):
        assert kind_of(kind) == kind in MODELS
