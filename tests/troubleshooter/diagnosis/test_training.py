"""Causes in what training leaves: running statistics, gradients, an optimiser's steps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from msconvert.tests.troubleshooter.diagnosis.recorded import (
    Array,
    numbers,
    pair_of,
    stirred,
    torch,
    torch_record,
)
from msconvert.troubleshooter.compare.records import LayerPair, LayerRecord
from msconvert.troubleshooter.diagnosis import (
    StepRecord,
    diagnose,
    diagnose_gradients,
    diagnose_step,
)
from msconvert.troubleshooter.diagnosis.causes import optimizer, statistics
from msconvert.troubleshooter.diagnosis.gradients import CAUSES
from msconvert.troubleshooter.diagnosis.reading.optimizers import OPTIMIZERS

nn = torch.nn
X = numbers

# running statistics


def trained(module: Any, x: Array, *, training: bool = True, runs: int = 1) -> LayerRecord:
    record = torch_record(module, x, training=training)
    for _ in range(runs - 1):
        torch_record(module, x, training=training)
    after = {k: v.numpy().copy() for k, v in module.state_dict().items()}
    return replace(record, state_after=after)


def statistics_pair(change: Callable[[Any], Any], runs: int = 1) -> LayerPair:
    reference = stirred(nn.BatchNorm2d(4))
    candidate = change(copy.deepcopy(reference))
    x = X(2, 4, 3, 3)
    training = candidate is not None
    ours = trained(reference, x)
    theirs = trained(candidate or copy.deepcopy(stirred(nn.BatchNorm2d(4))), x,
                     training=training, runs=runs)  # fmt: skip
    return replace(pair_of(ours, theirs), parts_in="step")


def with_momentum(value: float) -> Callable[[Any], Any]:
    def change(module: Any) -> Any:
        module.momentum = value
        return module

    return change


STATISTICS = {
    "momentum": (with_momentum(0.9), 1, "is 0.1 (here: 0.9, which is 1 - momentum"),
    "momentum, another": (with_momentum(0.01), 1, "statistics is 0.1 (here: 0.01)"),
    "not-updated": (lambda module: None, 1, "updated (here: left as they were"),
    "updated-twice": (lambda module: module, 2, "updated once (here: updated twice)"),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_what_became_of_running_statistics(name: str) -> None:
    change, runs, text = STATISTICS[name]
    first, *_ = diagnose(statistics_pair(change, runs))
    assert (first.cause, first.agrees) == (name.partition(",")[0], True)
    assert text in first.text


def test_a_biased_running_variance() -> None:
    pair = statistics_pair(lambda module: module)
    assert diagnose(pair) == ()
    count = 2 * 3 * 3
    before, after = (side["running_var"] for side in (pair.candidate.parameters,
                                                     pair.candidate.state_after))  # fmt: skip
    moved = (after - 0.9 * before) * (count - 1) / count
    left = {**pair.candidate.state_after, "running_var": 0.9 * before + moved}
    (only,) = diagnose(replace(pair, candidate=replace(pair.candidate, state_after=left)))
    assert only.cause == "biased-running-variance"
    assert only.text == (
        "agrees if the running variance is made of the unbiased variance "
        "(here: the biased variance)"
    )


def test_every_cause_of_statistics_is_planted() -> None:
    tried = {name.partition(",")[0] for name in STATISTICS} | {"biased-running-variance"}
    assert tried == {cause.name for cause in statistics.CAUSES}


# gradients

OWN = {"weight": X(6, 4), "bias": X(6, seed=1)}

GRADIENTS: dict[str, tuple[Callable[[Array], Array | None], str]] = {
    "gradient-missing": (lambda g: None, "here: zero: cut off"),
    "gradient-sign": (lambda g: -g, "here: negated"),
    "gradient-batch": (lambda g: 8 * g, "here: times 8, the batch: its sum for its mean"),
    "gradient-twice": (lambda g: 2 * g, "here: times 2, as if accumulated twice"),
    "gradient-loss-scale": (lambda g: 1024 * g, "times 1024, a loss scale that is not taken back"),
    "gradient-scaled": (lambda g: 0.37 * g, "here: times 0.37"),
    "gradient-clipped": (lambda g: g.clip(-0.5, 0.5), "here: cut off at 0.5"),
    "gradient-transposed": (lambda g: g[::-1].copy(), "here: mirrored along axis 0"),
    "gradient-rounded": (lambda g: g.astype(np.float16), "here: rounded to float16"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_what_became_of_a_gradient(cause: str) -> None:
    change, text = GRADIENTS[cause]
    (only,) = diagnose_gradients(OWN, {k: change(g) for k, g in OWN.items()}, batch=8)
    assert only.cause == cause
    assert only.text.startswith("agrees if all gradients are as computed (here: ")
    assert text in only.text


def test_gradients_of_which_only_some_differ() -> None:
    theirs = {"weight": OWN["weight"], "bias": -OWN["bias"]}
    (only,) = diagnose_gradients(OWN, theirs)
    assert only.text == "agrees if the gradient of bias is as computed (here: negated)"


def test_nothing_is_told_of_gradients_that_agree_or_of_noise() -> None:
    assert diagnose_gradients(OWN, OWN) == ()
    assert diagnose_gradients(OWN, {k: X(*g.shape, seed=5) for k, g in OWN.items()}) == ()


def test_the_gradients_of_a_layer() -> None:
    record = torch_record(stirred(nn.Linear(4, 6)), X(8, 4))
    ours = replace(record, output_gradients=(X(8, 6),), input_gradients=(X(8, 4, seed=1),),
                   gradients=OWN)  # fmt: skip
    cut = replace(ours, input_gradients=(np.zeros((8, 4), np.float32),))
    pair = replace(pair_of(ours, cut), parts_in="backward")
    (only,) = diagnose(pair)
    assert only.cause == "gradient-missing"
    assert only.text.startswith("agrees if the gradient of its input is as computed (here: zero")
    scaled = replace(ours, output_gradients=(3 * X(8, 6),))
    (only,) = diagnose(replace(pair, candidate=scaled))
    assert "the gradient of its output is as computed (here: times 3)" in only.text


# steps

SHAPES = {"weight": (6, 4), "bias": (6,)}


@dataclass(frozen=True)
class Planted:
    """An optimiser with settings, and how the candidate's differs."""

    cause: str
    text: str
    kind: str
    options: dict[str, Any]
    other_kind: str
    other: dict[str, Any]
    change: Callable[[list[dict[str, Array]]], list[dict[str, Array]]] = list


def gradients_of(steps: int = 4) -> list[dict[str, Array]]:
    """Some of them so small that epsilon is seen."""
    scale = {"weight": 1.0, "bias": 1e-6}
    return [
        {k: scale[k] * X(*shape, seed=10 * n) for k, shape in SHAPES.items()}
        for n in range(1, steps + 1)
    ]


def stepped(kind: str, options: dict[str, Any], gradients: list[dict[str, Array]]) -> StepRecord:
    """With PyTorch's optimiser."""
    before = {k: X(*shape, seed=3) for k, shape in SHAPES.items()}
    held = {k: torch.from_numpy(v.astype(np.float64)).requires_grad_() for k, v in before.items()}
    decay = options.get("weight_decay", 0.0)
    groups: Any = list(held.values())
    own = {k: v for k, v in options.items() if k != "biases_decay"}
    if not options.get("biases_decay", True):
        groups = [{"params": [held["weight"]]}, {"params": [held["bias"]], "weight_decay": 0.0}]
    made = getattr(torch.optim, kind)(groups, **own) if decay or own else None
    for one in gradients:
        for name, gradient in one.items():
            held[name].grad = torch.from_numpy(gradient.astype(np.float64))
        made.step()
    after = {k: v.detach().numpy() for k, v in held.items()}
    return StepRecord(f"torch.optim.{kind}", own, before, tuple(gradients_of()), after)


SGD = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}
ADAM = {"lr": 0.01, "weight_decay": 0.1}
RMS = {"lr": 0.01}
FAST = {"lr": 0.01, "betas": (0.9, 0.3)}


def doubled(steps: list[dict[str, Array]]) -> list[dict[str, Array]]:
    return [step for one in steps for step in (one, one)]


def clipped(steps: list[dict[str, Array]]) -> list[dict[str, Array]]:
    norms = [np.sqrt(sum((g * g).sum() for g in one.values())) for one in steps]
    return [
        {k: g / max(n, 1.0) for k, g in one.items()} for one, n in zip(steps, norms, strict=True)
    ]


PLANTED = [
    Planted("learning-rate", "is 0.1 (here: 0.05)", "SGD", {"lr": 0.1}, "SGD", {"lr": 0.05}),
    Planted("weight-decay", "is 0.01 (here: 0)", "SGD", SGD, "SGD", {**SGD, "weight_decay": 0}),
    Planted("weight-decay", "decoupled, as in AdamW (here: L2, in the gradients)", "AdamW", ADAM,
            "Adam", ADAM),
    Planted("decayed-parameters", "all parameters (here: those of two axes or more)", "SGD", SGD,
            "SGD", {**SGD, "biases_decay": False}),
    Planted("optimizer-momentum", "is 0.9 (here: 0)", "SGD", SGD, "SGD", {**SGD, "momentum": 0}),
    Planted("nesterov", "is False (here: True)", "SGD", SGD, "SGD", {**SGD, "nesterov": True}),
    Planted("dampening", "is 0 (here: 0.9)", "SGD", SGD, "SGD", {**SGD, "dampening": 0.9}),
    Planted("betas", "(here: (0.9, 0.99))", "Adam", ADAM, "Adam", {**ADAM, "betas": (0.9, 0.99)}),
    Planted("optimizer-epsilon", "is 1e-08 (here: 1e-06)", "Adam", RMS, "Adam",
            {**RMS, "eps": 1e-6}),
    Planted("amsgrad", "is False (here: True)", "Adam", FAST, "Adam", {**FAST, "amsgrad": True}),
    Planted("smoothing", "is 0.99 (here: 0.9)", "RMSprop", RMS, "RMSprop", {**RMS, "alpha": 0.9}),
    Planted("smoothing", "centered is False", "RMSprop", RMS, "RMSprop", {**RMS, "centered": True}),
    Planted("direction", "(here: up, as if to maximise)", "SGD", SGD, "SGD",
            {**SGD, "maximize": True}),
    Planted("steps", "used once (here: used twice)", "SGD", SGD, "SGD", SGD, doubled),
    Planted("steps", "the last is missing", "Adam", ADAM, "Adam", ADAM, lambda steps: steps[:-1]),
    Planted("clipping", "clipped to a norm of 1", "SGD", SGD, "SGD", SGD, clipped),
    Planted("another-optimizer", "is SGD (here: Adam)", "SGD", {"lr": 0.1}, "Adam", {"lr": 0.1}),
    Planted("another-optimizer", "is Adam (here: RMSprop)", "Adam", RMS, "RMSprop", RMS),
    Planted("another-optimizer", "is RMSprop (here: Adagrad)", "RMSprop", RMS, "Adagrad", RMS),
]  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED, ids=lambda p: f"{p.kind}: {p.cause} {p.text}"[:60])
def test_why_a_step_is_another(planted: Planted) -> None:
    reference = stepped(planted.kind, planted.options, gradients_of())
    candidate = stepped(planted.other_kind, planted.other, planted.change(gradients_of()))
    first, *_ = diagnose_step(reference, candidate)
    assert first.cause == planted.cause, first.text
    assert planted.text in first.text
    assert first.agrees


def adam_otherwise(gradients: list[dict[str, Array]], form: str) -> dict[str, Array]:
    """Adam of lr 0.01 as others write it: without correction, epsilon elsewhere, no state."""
    after = {}
    for name, shape in SHAPES.items():
        p, m, v = X(*shape, seed=3).astype(np.float64), 0.0, 0.0
        for t, one in enumerate(gradients, 1):
            if form == "state-lost":
                t, m, v = 1, 0.0, 0.0
            g = one[name].astype(np.float64)
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            a, b = (1.0, 1.0) if form == "bias-correction" else (1 - 0.9**t, 1 - 0.999**t)
            root = np.sqrt(v / b) + 1e-8
            if form == "optimizer-epsilon":
                root = (np.sqrt(v) + 1e-8) / np.sqrt(b)
            p = p - 0.01 * (m / a) / root
        after[name] = p
    return after


@pytest.mark.parametrize("form", ["bias-correction", "optimizer-epsilon", "state-lost"])
def test_why_an_adam_is_another(form: str) -> None:
    reference = stepped("Adam", {"lr": 0.01}, gradients_of())
    candidate = replace(reference, after=adam_otherwise(gradients_of(), form))
    first, *_ = diagnose_step(reference, candidate)
    assert (first.cause, first.agrees) == (form, True)


def test_parameters_that_an_optimiser_does_not_have() -> None:
    reference = stepped("SGD", SGD, gradients_of())
    candidate = replace(reference, after={**reference.after, "bias": reference.before["bias"]})
    (only,) = diagnose_step(reference, candidate)
    assert only.text == "agrees if the optimiser has bias (here: left as they were)"
    still = replace(reference, after=reference.before)
    first, *_ = diagnose_step(reference, still)
    assert first.cause == "not-stepped"


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_nothing_is_told_of_steps_that_agree(kind: str) -> None:
    reference = stepped(kind, {"lr": 0.01, "weight_decay": 0.1}, gradients_of())
    assert diagnose_step(reference, reference) == ()
    rounded = {k: v.astype(np.float32) for k, v in reference.after.items()}
    assert diagnose_step(reference, replace(reference, after=rounded)) == ()


def test_an_optimiser_that_is_not_known_is_not_guessed_at() -> None:
    reference = replace(stepped("SGD", SGD, gradients_of()), kind="mine.Lion")
    (only,) = diagnose_step(reference, replace(reference, after=reference.before))
    assert (only.cause, only.agrees) == ("unmodelled", False)


def test_every_cause_of_a_step_is_planted() -> None:
    tried = {planted.cause for planted in PLANTED}
    alone = {"bias-correction", "optimizer-epsilon", "state-lost", "not-stepped"}
    assert tried | alone == {cause.name for cause in optimizer.CAUSES}
    assert {f"torch.optim.{planted.kind}" for planted in PLANTED} < OPTIMIZERS.keys()
