"""Trainings of networks and functions at hand, whatever optimisers they have."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of
from msconvert.troubleshooter.training import TrainingSettings, compare_training

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

COPIED = TrainingSettings(NetworkSettings(copy_weights=True))


def network() -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 4))


def batches(count: int = 12) -> list[tuple[np.ndarray, np.ndarray]]:
    numbers = np.random.default_rng(0)
    return [
        (numbers.standard_normal((8, 6)).astype(np.float32), numbers.integers(0, 4, 8))
        for _ in range(count)
    ]


def loss_of(net: Any, x: Any, y: Any) -> Any:
    return torch.nn.functional.cross_entropy(net(x), y)


def plain(net: Any, *, rate: float = 0.1, zeroed: bool = True, scale: float = 1.0) -> Any:
    optimizer = torch.optim.SGD(net.parameters(), rate)

    def step(x: Any, y: Any) -> Any:
        if zeroed:
            optimizer.zero_grad()
        loss = loss_of(net, x, y)
        (loss * scale).backward()
        optimizer.step()
        return loss

    return step


def scaled(net: Any) -> Any:
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(net, x, y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    return step


def averaged(net: Any, *, decay: float = 0.9) -> Any:
    """Its average is not told: it is found in what the step has at hand."""
    step = plain(net)
    average = torch.optim.swa_utils.AveragedModel(
        net, avg_fn=lambda old, new, count: decay * old + (1 - decay) * new
    )

    def both(x: Any, y: Any) -> Any:
        loss = step(x, y)
        average.update_parameters(net)
        return loss

    return both


def two(net: Any, *, betas: tuple[float, float] = (0.9, 0.999)) -> Any:
    first = torch.optim.SGD(net[0].parameters(), 0.1)
    rest = [*net[1].parameters(), *net[3].parameters()]
    second = torch.optim.Adam(rest, 1e-2, betas=betas)

    def step(x: Any, y: Any) -> Any:
        for optimizer in (first, second):
            optimizer.zero_grad()
        loss = loss_of(net, x, y)
        loss.backward()
        first.step()
        second.step()
        return loss

    return step


def searching(net: Any) -> Any:
    optimizer = torch.optim.LBFGS(net.parameters(), 0.1, max_iter=3)

    def step(x: Any, y: Any) -> Any:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = loss_of(net, x, y)
            loss.backward()
            return loss

        return optimizer.step(closure)

    return step


def whole(net: Any, batches: Any) -> None:
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(100):
        for x, y in batches:
            optimizer.zero_grad()
            loss_of(net, x, y).backward()
            optimizer.step()


SAME: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (plain, plain),
    (plain, scaled),
    (averaged, averaged),
    (two, two),
    (searching, searching),
    (whole, whole),
    (plain, whole),
    (partial(plain, rate=1e30), partial(plain, rate=1e30)),
]

OTHER: list[tuple[Callable[..., Any], Callable[..., Any], str, str]] = [
    (plain, partial(plain, rate=0.2), "rate", "learning-rate"),
    (plain, partial(plain, zeroed=False), "used gradient", "not-zeroed"),
    (plain, partial(plain, scale=128.0), "used gradient", "not-unscaled"),
    (plain, partial(plain, scale=-1.0), "used gradient", "direction"),
    (averaged, partial(averaged, decay=0.95), "average", "average-decay"),
    (two, partial(two, betas=(0.8, 0.999)), "state", "betas"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_trainings_are_the_same(one: Any, other: Any) -> None:
    torch.manual_seed(0)
    nets = network(), network()
    before = [{k: v.clone() for k, v in net.state_dict().items()} for net in nets]
    found = compare_training(*nets, one, other, COPIED, batches=batches())
    assert found.ok, str(found)
    for net, state in zip(nets, before, strict=True):
        assert all(torch.equal(v, state[k]) for k, v in net.state_dict().items())
        assert all(p.grad is None and p.requires_grad for p in net.parameters())


@pytest.mark.parametrize(("one", "other", "stage", "cause"), OTHER)
def test_others_are_named(one: Any, other: Any, stage: str, cause: str) -> None:
    torch.manual_seed(0)
    first = compare_training(network(), network(), one, other, COPIED, batches=batches()).first
    assert first is not None
    assert (first.stage, first.reasons[0].cause) == (stage, cause)


def test_a_large_network_is_sampled() -> None:
    """Of its million weights some thousand are kept of each batch, and a fault is still named."""
    torch.manual_seed(0)
    nets = [
        torch.nn.Sequential(torch.nn.Linear(6, 1000), torch.nn.Linear(1000, 1000),
                            torch.nn.Linear(1000, 4)) for _ in range(2)
    ]  # fmt: skip
    found = compare_training(*nets, plain, plain, COPIED, batches=batches(4))
    assert found.ok
    first = compare_training(
        *nets, plain, partial(plain, rate=0.11), COPIED, batches=batches(4)
    ).first
    assert first is not None
    assert first.reasons[0].cause == "learning-rate"


def test_single_parts_are_compared() -> None:
    torch.manual_seed(0)
    shapes = (shape_of("8,6"), shape_of("8:int64<4"))
    settings = TrainingSettings(
        NetworkSettings(copy_weights=True, shapes=shapes),
        loss=("nn.CrossEntropyLoss()", None),
        optimizer=("optim.AdamW(params, 1e-2)", "optim.AdamW(params, 1e-2, weight_decay=0.1)"),
    )
    first = compare_training(network(), network(), settings=settings).first
    assert first is not None
    assert first.reasons[0].text.startswith("agrees if weight_decay is 0.01 (here: 0.1)")


def test_a_function_at_hand_is_of_a_network_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("import torch\nclass Net(torch.nn.Sequential):\n    pass\n")
    with pytest.raises(MsconvertError, match="a function at hand trains a network") as caught:
        compare_training(str(file), network(), plain, plain, COPIED, batches=batches())
    assert caught.value.code == "MS407"
