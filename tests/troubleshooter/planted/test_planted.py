"""A few planted faults and pairs without one; benchmarks/planted.py plants all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the networks are written in PyTorch")

from msconvert.tests.troubleshooter.planted.fault import Fault
from msconvert.tests.troubleshooter.planted.networks import Workshop
from msconvert.tests.troubleshooter.planted.page import PAGE, expected, page, read
from msconvert.tests.troubleshooter.planted.planting import Planter
from msconvert.tests.troubleshooter.planted.table import FAULTS, ON_MINDSPORE
from msconvert.tests.troubleshooter.planted.unfaulted import UNFAULTED, Unfaulted
from msconvert.troubleshooter.compare import NetworkComparer

SAMPLE = (
    ("tabular", "torch", "epsilon 1e-3 for 1e-5"),
    ("tabular", "torch", "square weight transposed"),
    ("tabular", "torch", "no shortcut"),
    ("tabular", "torch", "bias never loaded"),
    ("tabular", "onnx", "SiLU for Mish"),
    ("tabular", "onnx", "bias off by 1e-3"),
    ("tagger", "torch", "padding forgotten"),
    ("tagger", "torch", "gates of the GRU in the order of ONNX: z, r, n"),
    ("tagger", "torch", "weights for another order of what is joined"),
    ("encoder", "torch", "both norms exchanged"),
    ("encoder", "torch", "GELU by tanh, MindSpore's default, for erf"),
    ("classifier", "torch", "padding forgotten"),
    ("classifier", "torch", "weights of two convolutions exchanged"),
)
"""The network, the reference and the fault of those that every run of the tests plants."""

SAMPLE_ON_MINDSPORE = ("square weight transposed", "another axis")
QUICK = ("tabular", "tagger")


def sample() -> list[Fault]:
    return [
        fault
        for fault in FAULTS
        if (fault.network, fault.reference, fault.meaning) in SAMPLE and fault.target == "runtime"
    ]


@pytest.fixture(scope="module")
def planter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planter]:
    with NetworkComparer() as comparer:
        yield Planter(Workshop(tmp_path_factory.mktemp("planted")), comparer, None)


@pytest.mark.parametrize("fault", sample(), ids=lambda fault: fault.key)
def test_layer_and_cause_are_named(fault: Fault, planter: Planter) -> None:
    found = planter.outcome(fault)
    assert found.layer == fault.layer, found
    assert found.is_cause_right, found


@pytest.mark.parametrize(
    "fault",
    [
        fault
        for fault in ON_MINDSPORE
        if fault.meaning in SAMPLE_ON_MINDSPORE and "tabular" in fault.key
    ],
    ids=lambda fault: fault.key,
)
def test_against_the_real_mindspore(fault: Fault, planter: Planter, mindspore_python: Path) -> None:
    on_it = Planter(planter.workshop, planter.comparer, mindspore_python)
    found = on_it.outcome(fault)
    assert found.is_cause_right, found


@pytest.mark.parametrize(
    "one",
    [one for one in UNFAULTED if one.network in QUICK and one.target == "runtime"],
    ids=str,
)
def test_nothing_is_said_of_a_pair_without_a_fault(one: Unfaulted, planter: Planter) -> None:
    assert one.pair(planter).is_right


def test_the_sample_is_of_the_table() -> None:
    assert len(sample()) == len(SAMPLE)


def test_the_page_is_of_these_faults_and_good_enough() -> None:
    """Issue 6: 60 faults, 20 of them on MindSpore; 95 % and 70 % right; 60 pairs, no alarm."""
    text = PAGE.read_text(encoding="utf-8")
    entries, pairs = read(text)
    assert page(entries, pairs) == text
    assert [astuple(one)[:5] for one in entries] == [expected(fault) for fault in FAULTS]
    assert len(entries) >= 60
    assert sum(one.sides.endswith("MindSpore") for one in entries) >= 20
    assert sum(one.is_layer_right for one in entries) >= 0.95 * len(entries)
    assert sum(one.is_cause_right for one in entries) >= 0.7 * len(entries)
    assert len(pairs) >= 60
    assert all(pair.is_right for pair in pairs)
