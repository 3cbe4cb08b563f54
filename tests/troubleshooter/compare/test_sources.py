"""Weights from files, and what is told of networks that cannot be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from msconvert.errors import MsconvertError
from msconvert.tests.troubleshooter.compare.test_layers import CONVERTED, ORIGINAL, SETTINGS
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings

torch = pytest.importorskip("torch")

EVALUATED = replace(SETTINGS, mode="eval")
RENAMED = {"bn.weight": "bn.gamma", "bn.bias": "bn.beta"}
RENAMED |= {"running_mean": "moving_mean", "running_var": "moving_variance"}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for side, text in (("a", ORIGINAL), ("b", CONVERTED)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "net.py").write_text(text)
    return tmp_path / "a" / "net.py", tmp_path / "b" / "net.py"


def weights() -> dict[str, torch.Tensor]:
    names: dict = {}
    exec(ORIGINAL, names)
    torch.manual_seed(3)
    return {name: torch.rand_like(x) for name, x in names["Net"]().state_dict().items()
            if x.is_floating_point()}  # fmt: skip


def of_b(state: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    found = {}
    for name, x in state.items():
        for old, new in RENAMED.items():
            name = name.replace(old, new)
        found[name] = x.numpy()
    return found


def files(folder: Path, changed: str = "") -> NetworkSettings:
    """Both sides' weights; the tensor of this name is another one in B's."""
    state = weights()
    torch.save(state, folder / "a.pth")
    theirs = of_b(state)
    if changed:
        theirs[changed] = theirs[changed] * np.float32(1.5)
    save_file(theirs, folder / "b.safetensors")
    return replace(EVALUATED, weights_a=folder / "a.pth", weights_b=folder / "b.safetensors")


def test_weights_of_both(
    pair: tuple[Path, Path], comparer: NetworkComparer, tmp_path: Path
) -> None:
    found = comparer.compare(*pair, files(tmp_path))
    assert found.ok
    assert found.weights == ()


def test_a_checkpoint_with_a_mistake(
    pair: tuple[Path, Path], comparer: NetworkComparer, tmp_path: Path
) -> None:
    found = comparer.compare(*pair, files(tmp_path, "blocks.1.bn.gamma"))
    assert found.first_difference is not None
    assert found.first_difference.path == "blocks.1.bn"
    assert found.first_difference.note == "its weights differ: blocks.1.bn.weight"
    assert [item.name for item in found.weights] == ["blocks.1.bn.weight"]


def refused(
    comparer: NetworkComparer, a: Path | str, b: Path | str, settings: NetworkSettings = EVALUATED
) -> MsconvertError:
    with pytest.raises(MsconvertError) as found:
        comparer.compare(a, b, settings)
    return found.value


def test_weights_of_another_network(
    pair: tuple[Path, Path], comparer: NetworkComparer, tmp_path: Path
) -> None:
    settings = files(tmp_path)
    other = replace(settings, weights_a=settings.weights_b)
    found = refused(comparer, *pair, other)
    assert found.code == "MS403"
    assert "missing: blocks.0.bn.weight" in str(found)


def test_what_is_no_network(
    pair: tuple[Path, Path], comparer: NetworkComparer, tmp_path: Path
) -> None:
    a, b = pair
    assert refused(comparer, a, tmp_path / "none.py").code == "MS401"
    assert refused(comparer, a, b, replace(EVALUATED, shapes=())).code == "MS401"
    assert refused(comparer, a, b, replace(EVALUATED, call=None)).code == "MS401"
    assert refused(NetworkComparer(), a, b, replace(EVALUATED, python_a="none")).code == "MS401"


def test_whose_fault_an_error_is(pair: tuple[Path, Path], comparer: NetworkComparer) -> None:
    a, b = pair
    a.write_text(ORIGINAL.replace("return self.fc(", "raise KeyError('here') #"))
    found = refused(comparer, a, b)
    assert found.code == "MS405"
    assert "KeyError: 'here'" in str(found)
    a.write_text(ORIGINAL)
    b.write_text(CONVERTED.replace("self.fc = ", "self.fc = none"))
    assert refused(comparer, a, b).code == "MS402"


def test_against_the_real_mindspore(
    pair: tuple[Path, Path], comparer: NetworkComparer, mindspore_python: Path
) -> None:
    """The same network passes; another epsilon is found, with its cause."""
    a, b = pair
    b.write_text(CONVERTED.replace("msconvert.runtime", "mindspore"))
    settings = replace(EVALUATED, target="mindspore", python_b=str(mindspore_python))
    assert comparer.compare(a, b, settings).ok
    b.write_text(b.read_text().replace("Block(4, 1e-5)", "Block(4, 1e-3)"))
    first = comparer.compare(a, b, settings).first_difference
    assert first is not None
    assert first.path == "blocks.1.bn"
    assert first.hypotheses[0].text == "agrees if epsilon is 1e-05 (here: 0.001)"
