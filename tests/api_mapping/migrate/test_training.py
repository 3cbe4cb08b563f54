"""Training scripts as people write them: converted with no hand edit, they learn as before."""

from __future__ import annotations

import io
import json
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from msconvert.tests.api_mapping.migrate.script_sides import Curves, arguments, convert, curves, run
from msconvert.tests.sweep import chosen

pytestmark = pytest.mark.usefixtures("warm")

SCRIPTS = Path(__file__).parent / "scripts"
TOLERANCE = 1e-3
"""Of losses, most of them about 1; measured: 3e-5 on the runtime, 9e-5 on MindSpore's CPU."""

LISTS = {
    "canonical": ["losses"],
    "closure": ["losses"],
    "cycle_autoencoders": ["losses"],
    "distillation": ["losses"],
    "distributed": ["losses"],
    "gan": ["G_losses", "D_losses"],
    "gan_with_statistics": ["losses", "samples"],
    "gradient_accumulation": ["history"],
    "gradient_clipping": ["losses"],
    "gradients_that_last": ["method_losses", "epoch_losses", "closure_losses"],
    "language_model": ["losses"],
    "mixed_precision": ["train_losses"],
    "multi_task": ["all_losses"],
    "param_groups": ["losses"],
    "q_learning": ["losses"],
    "reference_training": ["losses"],
    "schedulers": ["curve"],
    "train_and_evaluate": ["history"],
    "trainer_class": ["losses"],
    "transfer_learning": ["losses"],
    "transformer_lm": ["losses"],
    "vae": ["losses"],
}
"""The scripts, and the lists in which they keep what they measure: losses, rates, norms."""

AT_ONCE = 4
"""Scripts that one process of MindSpore runs."""


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scripts run and leave their weights, with the names of their lists."""
    found = tmp_path_factory.mktemp("scripts")
    (found / "names.json").write_text(json.dumps(LISTS), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def bundled(folder: Path) -> Path:
    return convert(SCRIPTS, "bundled", folder / "bundled")


@pytest.fixture(scope="module")
def of_torch(folder: Path) -> Curves:
    pytest.importorskip("torch", reason="PyTorch runs the originals")
    return run(folder, "torch", SCRIPTS)


@pytest.fixture(scope="module")
def of_runtime(folder: Path, of_torch: Curves, bundled: Path) -> Curves:
    return run(folder, "runtime", bundled)


@pytest.fixture(scope="module")
def of_mindspore(
    request: pytest.FixtureRequest,
    folder: Path,
    of_torch: Curves,
    run_mindspore: Callable[..., str],
) -> Curves:
    """The curves of MindSpore, whose kernels of the CPU are slow: in several processes."""
    converted = convert(SCRIPTS, "mindspore", folder / "mindspore")
    names = chosen(request, "name", "test_mindspore")
    found: Curves = {}
    for start in range(0, len(names), AT_ONCE):
        some = {name: LISTS[name] for name in names[start : start + AT_ONCE]}
        (folder / "some.json").write_text(json.dumps(some), encoding="utf-8")
        given = arguments(folder, "mindspore", converted, "some.json")
        found |= curves(run_mindspore(folder, *given))
    return found


def check(found: Any, wanted: Any) -> None:
    """Asserts that a script measured what the original did, step by step."""
    assert not isinstance(found, str), found
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert len(values) >= 20
        assert found[name] == pytest.approx(values, abs=TOLERANCE), name


def test_every_script_is_tried() -> None:
    assert {path.stem for path in SCRIPTS.glob("*.py")} == LISTS.keys()


@pytest.mark.parametrize("name", LISTS)
def test_original(name: str, of_torch: Curves) -> None:
    found = of_torch[name]
    assert not isinstance(found, str), found
    first, *_, last = next(iter(found.values()))
    assert first != last


@pytest.mark.parametrize("name", LISTS)
def test_runtime(name: str, of_torch: Curves, of_runtime: Curves) -> None:
    check(of_runtime[name], of_torch[name])


@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("name", LISTS)
def test_mindspore(name: str, of_torch: Curves, of_mindspore: Curves) -> None:
    check(of_mindspore[name], of_torch[name])


@pytest.mark.parametrize("name", LISTS)
def test_comments_are_kept(name: str, bundled: Path) -> None:
    original = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    assert comments((bundled / f"{name}.py").read_text(encoding="utf-8")) == comments(original)


def test_nothing_changes_twice(bundled: Path, folder: Path) -> None:
    again = convert(bundled, "bundled", folder / "again")
    for path in bundled.glob("*.py"):
        assert (again / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
