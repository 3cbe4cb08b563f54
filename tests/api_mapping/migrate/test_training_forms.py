"""Training steps of many forms: after three of them the weights are PyTorch's, or all stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.api_mapping.source.outcome import counts_of
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.facts.gradients import BACKWARD, GRADIENT, STEPS
from msconvert.api_mapping.table.target import Settings
from msconvert.tests.api_mapping.migrate.script_sides import Curves, arguments, convert, curves, run
from msconvert.tests.api_mapping.migrate.training_forms import CONVERTED, REFUSED, script
from msconvert.tests.api_mapping.scan.projects import scanned, uses
from msconvert.tests.sweep import chosen

pytestmark = pytest.mark.usefixtures("warm")

TOLERANCE = 1e-4
"""Of weights, most of them about 0.5; measured: 2e-7 on the runtime, 3e-5 on MindSpore's CPU."""

STEMS = {name: name.replace(" ", "_").replace("'", "").replace(",", "") for name in CONVERTED}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scripts run and leave their weights."""
    found = tmp_path_factory.mktemp("forms")
    names = {stem: ["weights"] for stem in STEMS.values()}
    (found / "names.json").write_text(json.dumps(names), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def scripts(folder: Path) -> Path:
    found = folder / "scripts"
    found.mkdir()
    for name, code in CONVERTED.items():
        (found / f"{STEMS[name]}.py").write_text(script(code), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def of_torch(folder: Path, scripts: Path) -> Curves:
    pytest.importorskip("torch", reason="PyTorch runs the originals")
    return run(folder, "torch", scripts)


@pytest.fixture(scope="module")
def of_runtime(folder: Path, scripts: Path, of_torch: Curves) -> Curves:
    return run(folder, "runtime", convert(scripts, "bundled", folder / "bundled"))


@pytest.fixture(scope="module")
def of_mindspore(
    request: pytest.FixtureRequest,
    folder: Path,
    scripts: Path,
    of_torch: Curves,
    run_mindspore: Callable[..., str],
) -> Curves:
    converted = convert(scripts, "mindspore", folder / "mindspore")
    some = {STEMS[name]: ["weights"] for name in chosen(request, "name", "test_mindspore")}
    (folder / "some.json").write_text(json.dumps(some), encoding="utf-8")
    return curves(run_mindspore(folder, *arguments(folder, "mindspore", converted, "some.json")))


def weights(found: Curves, name: str) -> list[float]:
    kept = found[STEMS[name]]
    assert not isinstance(kept, str), kept
    return kept["weights"]


@pytest.mark.parametrize("name", CONVERTED)
def test_runtime(name: str, of_torch: Curves, of_runtime: Curves) -> None:
    wanted = weights(of_torch, name)
    assert weights(of_runtime, name) == pytest.approx(wanted, abs=TOLERANCE)


@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("name", CONVERTED)
def test_mindspore(name: str, of_torch: Curves, of_mindspore: Curves) -> None:
    wanted = weights(of_torch, name)
    assert weights(of_mindspore, name) == pytest.approx(wanted, abs=TOLERANCE)


@pytest.mark.parametrize("name", CONVERTED)
def test_the_scan_leaves_nothing_of_the_step_open(name: str, scripts: Path) -> None:
    told = uses(scanned(f"{STEMS[name]}.py", cwd=scripts))
    steps = [use for use in told if use["api"] in STEPS | {GRADIENT}]
    assert {BACKWARD, "torch.autograd.backward"} & {use["api"] for use in steps}
    assert not [use for use in steps if use["verdict"] in ("missing", "unknown receiver")]
    assert not [use for use in steps if use.get("refusal")]


@pytest.mark.parametrize(("reason", "left", "code"), REFUSED.values(), ids=REFUSED)
def test_what_would_train_otherwise_stays(
    reason: str, left: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(script(code), encoding="utf-8")
    told = uses(scanned("train.py", cwd=tmp_path))
    found = [use["api"] for use in told if use.get("refusal") or use["verdict"] == "missing"]
    assert tuple(api.rpartition(".")[2] for api in found) == left
    (file,) = convert_paths([path], Settings()).files
    assert counts_of(file).left == len(left)
    text = (file.data or b"").decode()
    path.write_text(text, encoding="utf-8")
    (again,) = convert_paths([path], Settings()).files
    assert again.data is None
    lines = " ".join(line.strip("# ") for line in text.splitlines())
    assert (f"MS201 line: no training step of a known shape: {reason}" in lines) == bool(reason)
    assert "# MS201 line: " in text


CHAIN = """
def step_{0}(x, y):
    opt_g.zero_grad()
    hidden = G(x)
    if y is None:
        y = step_{1}(hidden.detach(), hidden)
    loss = (hidden - y).pow(2).mean()
    loss.backward()
    opt_g.step()
    return step_{1}(x, y)
"""


def test_many_functions_may_call_each_other(tmp_path: Path) -> None:
    code = "".join(CHAIN.format(n, n + 1) for n in range(150))
    (tmp_path / "train.py").write_text(script(code), encoding="utf-8")
    told = uses(scanned("train.py", cwd=tmp_path))
    assert [use["api"] for use in told].count(BACKWARD) == 150
