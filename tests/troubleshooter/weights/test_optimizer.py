"""The state of PyTorch's optimizers, loaded by those of the runtime and of the real MindSpore."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.formats.names.naming import SCALED
from msconvert.formats.names.optimizer_state import OPTIMIZERS, chosen, dealt
from msconvert.troubleshooter.weights import WeightSettings, convert_weights

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")

STEPS, BATCH = 4, 6
X = np.random.default_rng(0).standard_normal((STEPS + 1, BATCH, 3)).astype("f4")

MAKERS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "nn.Adam": lambda p: torch.optim.Adam(p, 0.01),
    "nn.AdamWeightDecay": lambda p: torch.optim.AdamW(p, 0.01),
    "nn.Momentum": lambda p: torch.optim.SGD(p, 0.01, momentum=0.9),
    "nn.SGD": lambda p: torch.optim.SGD(p, 0.01, momentum=0.8, nesterov=True),
    "experimental.Adam": lambda p: torch.optim.Adam(p, 0.01),
    "experimental.AdamW": lambda p: torch.optim.AdamW(p, 0.01, amsgrad=True),
    "experimental.SGD": lambda p: torch.optim.SGD(p, 0.01, momentum=0.9, dampening=0.5),
}

IN_MINDSPORE = """
import json
import numpy as np
import mindspore as ms
from mindspore import nn
from mindspore.experimental import optim

MAKERS = {
    "nn.Adam": lambda p: nn.Adam(p, 0.01),
    "nn.AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.01),
    "nn.Momentum": lambda p: nn.Momentum(p, 0.01, 0.9),
    "nn.SGD": lambda p: nn.SGD(p, 0.01, 0.8, nesterov=True),
    "experimental.Adam": lambda p: optim.Adam(p, 0.01),
    "experimental.AdamW": lambda p: optim.AdamW(p, 0.01, amsgrad=True),
    "experimental.SGD": lambda p: optim.SGD(p, 0.01, 0.9, dampening=0.5),
}
ms.set_context(mode=ms.PYNATIVE_MODE)
x = ms.Tensor(np.load("x.npy")[-1])
for kind, make in MAKERS.items():
    norm = nn.LayerNorm((4,), epsilon=1e-5)
    net = nn.SequentialCell(nn.BatchNorm1d(3), nn.Dense(3, 4), norm, nn.Dense(4, 2)).set_train()
    optimizer = make(net.trainable_params())
    held = ms.load_checkpoint(f"{kind}.ckpt")
    assert ms.load_param_into_net(net, held)[0] == [], kind
    missing, _ = ms.load_param_into_net(optimizer, held)
    gradients = ms.grad(lambda: (net(x) ** 2).mean(), None, optimizer.parameters)()
    optimizer(gradients)
    found = {name: p.asnumpy().tolist() for name, p in net.parameters_and_names()}
    print("FOUND" + json.dumps([kind, missing, found]))
"""


def network() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2)
    )


def trained(make: Callable[[Any], Any], net: Any, steps: range = range(STEPS)) -> Any:
    """The optimizer after these steps."""
    optimizer = make(net)
    for step in steps:
        advance(net, optimizer, step)
    return optimizer


def advance(net: Any, optimizer: Any, step: int) -> None:
    optimizer.zero_grad()
    (net(torch.from_numpy(X[step])) ** 2).mean().backward()
    optimizer.step()


def save(path: Path, net: Any, optimizer: Any) -> None:
    torch.save({"epoch": 1, "model": net.state_dict(), "optim": optimizer.state_dict()}, path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints of all optimizers, converted; `expected.json`: the parameters a step later."""
    found = tmp_path_factory.mktemp("optimizers")
    np.save(found / "x.npy", X)
    expected = {}
    for kind, make in MAKERS.items():
        net = network()
        optimizer = trained(lambda net, make=make: make(net.parameters()), net)
        save(found / f"{kind}.pth", net, optimizer)
        settings = WeightSettings(optimizer=kind)
        outcome = convert_weights(found / f"{kind}.pth", found / f"{kind}.ckpt", settings)
        assert outcome.is_done
        assert outcome.steps == (None if "SGD" in kind or "Momentum" in kind else STEPS)
        advance(net, optimizer, STEPS)
        expected[kind] = {name: p.detach().numpy() for name, p in net.named_parameters()}
    arrays = {f"{k}/{name}": p for k, held in expected.items() for name, p in held.items()}
    np.savez(found / "expected.npz", **arrays)
    return found


LEFT = {"learning_rate", "momentum", "global_step"}
"""What optimizers of MindSpore's are given when they are made, and the steps that SGD has not."""
NAMES = {f"{layer}.{old}": f"{layer}.{new}" for layer in (0, 2) for old, new in SCALED.items()}


def compare(folder: Path, printed: str) -> None:
    """The step that the loaded optimizers make is PyTorch's."""
    lines = [line for line in printed.splitlines() if line.startswith("FOUND")]
    assert len(lines) == len(OPTIMIZERS)
    expected = np.load(folder / "expected.npz")
    for line in lines:
        kind, missing, found = json.loads(line.removeprefix("FOUND"))
        unset = {name for name in missing if not name.startswith(("vhat", "max_exp_avg_sq"))}
        assert unset <= LEFT, kind
        if kind == "nn.AdamWeightDecay":  # it does not correct the bias of its moments
            continue
        for name in (f"{layer}.{last}" for layer in range(4) for last in SCALED):
            ours = np.array(found[NAMES.get(name, name)], "f4")
            np.testing.assert_allclose(
                ours, expected[f"{kind}/{name}"], rtol=2e-4, atol=2e-6, err_msg=f"{kind} {name}"
            )


def test_mindspore_goes_on_where_pytorch_stopped(
    folder: Path, run_mindspore: Callable[..., str]
) -> None:
    compare(folder, run_mindspore(folder, "-c", IN_MINDSPORE))


def test_the_runtime_does_too(folder: Path) -> None:
    program = f"from msconvert.runtime.alias import *\nanswer_mindspore()\n{IN_MINDSPORE}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    compare(folder, done.stdout)


# which parameter is which


def optimizer_of(path: Path) -> dict[str, np.ndarray]:
    """What is written besides the network, converted for nn.Adam."""
    outcome = convert_weights(
        path, path.with_suffix(".ckpt"), WeightSettings(optimizer="nn.Adam", force=True)
    )
    found = read_weights(path.with_suffix(".ckpt")).tensors()
    return {part.name: found[part.name].array() for part in outcome.conversion.more}


def groups_by_decay(net: Any) -> list[dict[str, Any]]:
    matrices = [p for p in net.parameters() if p.ndim > 1]
    return [
        {"params": matrices, "weight_decay": 0.1},
        {"params": [p for p in net.parameters() if p.ndim == 1]},
    ]


def frozen(net: Any) -> list[Any]:
    for p in net[:3].parameters():
        p.requires_grad_(False)
    return [p for p in net.parameters() if p.requires_grad]


@pytest.mark.parametrize(
    "given",
    [
        lambda net: net.parameters(),
        lambda net: net.named_parameters(),
        groups_by_decay,
        frozen,
        lambda net: [{"params": list(net.named_parameters())[::-1]}],
    ],
    ids=["parameters", "named", "groups", "frozen", "named, reversed"],
)
def test_numbers_find_their_names(tmp_path: Path, given: Callable[[Any], Any]) -> None:
    net = network()
    optimizer = trained(lambda net: torch.optim.Adam(given(net), 0.01), net)
    save(tmp_path / "c.pth", net, optimizer)
    found = optimizer_of(tmp_path / "c.pth")
    for name, parameter in net.named_parameters():
        if parameter in optimizer.state:
            new = NAMES.get(name, name)
            for theirs, ours in (("exp_avg", "moment1"), ("exp_avg_sq", "moment2")):
                assert np.array_equal(found[f"{ours}.{new}"], optimizer.state[parameter][theirs])
    assert len(found) == 3 + 2 * len(optimizer.state)
    assert found["global_step"].tolist() == [STEPS]
    assert found["beta1_power"] == np.float32(0.9**STEPS)


def test_shapes_follow_those_of_the_parameters(tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Conv1d(3, 4, 2), torch.nn.Flatten(), torch.nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    net(torch.randn(2, 3, 3)).sum().backward()
    optimizer.step()
    save(tmp_path / "c.pth", torch.nn.DataParallel(net), optimizer)
    found = optimizer_of(tmp_path / "c.pth")
    assert found["moment1.0.weight"].shape == (4, 3, 1, 2)
    assert np.array_equal(
        found["moment1.0.weight"][:, :, 0], optimizer.state[net[0].weight]["exp_avg"]
    )


@pytest.mark.parametrize(
    ("shapes", "groups", "expected"),
    [
        ([(2,), (3, 2), (3,)], [[(2,), (3, 2), (3,)]], [[0, 1, 2]]),
        ([(2,), (3, 2), (3,)], [[(3, 2)], [(2,), (3,)]], [[1], [0, 2]]),
        ([(2,), (3, 2), (3,)], [[(2,), (3, 2), None]], [[0, 1, 2]]),
        ([(2,), (2,)], [[(2,)], [(2,)]], None),
        ([(2,), (3,)], [[(3,), (2,)]], None),
        ([(2,), (3,)], [[None], [(3,)]], [[0], [1]]),
    ],
)
def test_groups_are_dealt_where_only_one_way_fits(
    shapes: list[Any], groups: list[Any], expected: list[Any] | None
) -> None:
    assert dealt(shapes, groups) == expected


@pytest.mark.parametrize(
    ("shapes", "wanted", "expected"),
    [
        ([(2,), (3,), (4,)], [(3,), (4,)], [[1, 2]]),
        ([(2,), (3,), (3,)], [(2,), (3,)], None),
        ([(2,), (3,), (2,)], [(2,), (3,)], [[0, 1]]),
        ([(2,), (3,)], [(4,)], None),
        ([(2,), (3,)], [None], None),
    ],
)
def test_parameters_are_chosen_where_only_one_way_fits(
    shapes: list[Any], wanted: list[Any], expected: list[Any] | None
) -> None:
    assert chosen(shapes, wanted) == expected


# what is refused


def plain() -> dict[str, Any]:
    net = network()
    optimizer = trained(lambda net: torch.optim.Adam(net.parameters(), 0.01), net)
    return {"model": net.state_dict(), "optim": optimizer.state_dict()}


def without_order(content: dict[str, Any]) -> None:
    content["model"]["shift"] = torch.ones(2)


def of_sgd(content: dict[str, Any]) -> None:
    net = network()
    sgd = trained(lambda net: torch.optim.SGD(net.parameters(), 0.01, momentum=0.9), net)
    content["optim"] = sgd.state_dict()


def set_in(content: dict[str, Any], number: int, **state: Any) -> None:
    content["optim"]["state"][number] |= state


def set_group(content: dict[str, Any], **group: Any) -> None:
    content["optim"]["param_groups"][0] |= group


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.pop("optim"), "the file holds no state of an optimizer"),
        (lambda c: c.update(second=c["optim"]), "several optimizers\\n.*got: +optim, second"),
        (without_order, "which of its parameters is which, the file does not say"),
        (of_sgd, "nn.Adam keeps no momentum_buffer\\n(.*\\n)*.*try: +--optimizer nn.Momentum"),
        (lambda c: c["optim"]["state"].clear(), "it keeps nothing for its parameters"),
        (lambda c: set_in(c, 0, step=7), "other numbers of steps.*\\n.*4 to 7"),
        (lambda c: set_in(c, 0, step="x"), "its number of steps is none"),
        (lambda c: set_in(c, 0, step=torch.ones(3)), "its number of steps is none"),
        (lambda c: set_in(c, 0, exp_avg_sq=torch.ones(9)), "of '0.weight' has another shape"),
        (lambda c: set_in(c, 0, exp_avg=3), "its exp_avg is no tensor"),
        (lambda c: set_group(c, betas="x"), "its betas are not two numbers from 0 to 1"),
        (lambda c: set_group(c, betas=("a", "b")), "its betas are not two numbers from 0 to 1"),
        (lambda c: set_group(c, betas=(0.9, 1e300)), "its betas are not two numbers from 0 to 1"),
        (lambda c: c["optim"]["param_groups"][0].pop("betas"), "its betas are not known"),
        (lambda c: c["optim"]["param_groups"].append({"params": [], "betas": (0, 0)}), "the same"),
        (lambda c: c["optim"]["state"][0].update({7: torch.ones(1)}), "is not that of torch.optim"),
        (lambda c: c["optim"]["state"].update({0: 7}), "is not that of torch.optim"),
        (lambda c: set_group(c, params=[0, 0]), "numbered twice, or not at all"),
        (lambda c: set_group(c, params="all"), "no list of them"),
        (lambda c: c["optim"]["state"].update(a={}), "is not that of torch.optim"),
        (lambda c: set_group(c, param_names=list("abcdefgh")), "'a' is not in the file"),
    ],
)
def test_what_cannot_be_told_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], told: str
) -> None:
    content = plain()
    change(content)
    torch.save(content, tmp_path / "c.pth")
    with pytest.raises(MsconvertError, match=f"MS313 (.*\\n)*.*{told}"):
        optimizer_of(tmp_path / "c.pth")
    assert not (tmp_path / "c.ckpt").exists()


def test_a_parameter_with_the_name_of_an_optimizers(tmp_path: Path) -> None:
    net = torch.nn.Module()
    net.global_step = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    net.global_step.sum().backward()
    optimizer.step()
    save(tmp_path / "c.pth", net, optimizer)
    with pytest.raises(MsconvertError, match=r"MS313 .*has the name of an optimizer's"):
        optimizer_of(tmp_path / "c.pth")


def test_one_of_several_is_named(tmp_path: Path) -> None:
    content = plain()
    torch.save(content | {"second": content["optim"]}, tmp_path / "c.pth")
    settings = WeightSettings(optimizer="nn.Adam", optimizer_key="second")
    outcome = convert_weights(tmp_path / "c.pth", tmp_path / "c.ckpt", settings)
    assert outcome.conversion.more[0].tensor.name == "second.state.0.exp_avg"
    settings = WeightSettings(optimizer="nn.Adam", optimizer_key="third", force=True)
    with pytest.raises(MsconvertError, match=r"MS313 .*no optimizer under 'third'"):
        convert_weights(tmp_path / "c.pth", tmp_path / "c.ckpt", settings)
    with pytest.raises(MsconvertError, match=r"no use .*the output is for PyTorch"):
        convert_weights(tmp_path / "c.pth", tmp_path / "d.pth", WeightSettings(optimizer="nn.SGD"))


def test_names_of_mint(tmp_path: Path) -> None:
    torch.save(plain(), tmp_path / "c.pth")
    settings = WeightSettings(optimizer="experimental.Adam", names="same")
    convert_weights(tmp_path / "c.pth", tmp_path / "c.ckpt", settings)
    found = read_weights(tmp_path / "c.ckpt")
    assert {"0.weight", "exp_avg.0.weight", "state_step"} <= set(found)


def test_a_file_without_end_is_searched_once(tmp_path: Path) -> None:
    """Lists of one list, wide and deep."""
    wide: list[Any] = [0] * 1000
    for _level in range(5):
        wide = [wide] * 1000
    content = plain() | {"wide": wide}
    torch.save(content, tmp_path / "c.pth")
    assert len(optimizer_of(tmp_path / "c.pth")) == 3 + 2 * 8
