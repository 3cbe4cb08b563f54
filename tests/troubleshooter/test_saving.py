"""Tensors and gradients saved from within programs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert import compare
from msconvert.errors import MsconvertError
from msconvert.runtime import Tensor, grad
from msconvert.troubleshooter import fix_random, save, save_grad
from msconvert.troubleshooter.legacy import saving

A = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture(autouse=True)
def numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "NUMBERS", count())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_names_and_numbers(tmp_path: Path) -> None:
    assert save(tmp_path / "conv", A) == [str(tmp_path / "0_conv.npy")]
    save(tmp_path / "conv.npy", A, suffix="torch")
    save(tmp_path / "out", {"x": A, "y": [A, Tensor(A)]}, auto_id=False)
    save(f"{tmp_path}/", [A])
    assert names(tmp_path) == [
        *("0_conv.npy", "1_conv_torch.npy", "2_tensor_0.npy"),
        *("out_x.npy", "out_y_0.npy", "out_y_1.npy"),
    ]
    assert np.array_equal(np.load(tmp_path / "out_y_1.npy"), A)


def test_both_frameworks(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    made = torch.from_numpy(A).to(torch.bfloat16)
    save(tmp_path / "a" / "x", made, auto_id=False)
    save(tmp_path / "b" / "x", Tensor(A).astype("bfloat16"), auto_id=False)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found.ok
    assert found.rows[0].kind_a.dtype == "bfloat16"  # type: ignore[union-attr]
    assert compare(tmp_path / "a" / "x.npy", A.astype(ml_dtypes.bfloat16)).ok


def test_hostile_names_stay_in_the_folder(tmp_path: Path) -> None:
    save(tmp_path / "in" / "x", {"../../out": A, "a/b": A, "": A}, auto_id=False)
    assert names(tmp_path) == ["in"]
    assert names(tmp_path / "in") == ["x.npy", "x_______out.npy", "x_a_b.npy"]


def test_what_is_no_tensor(tmp_path: Path) -> None:
    with pytest.raises(MsconvertError, match="MS105"):
        save(tmp_path / "x", {"a": A, "b": object()})
    assert names(tmp_path) == []


def test_printed_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert save(str(tmp_path / "x"), {"a": A}, "torch", output_mode="print") == []
    assert capsys.readouterr().out == f"{tmp_path}/x_a_torch {A}\n"
    with pytest.raises(MsconvertError, match=r"MS105 .*there is no such output_mode"):
        save(tmp_path / "x", A, output_mode="csv")
    with pytest.raises(TypeError, match="auto_id goes by its name"):
        save(tmp_path / "x", A, False)  # type: ignore[arg-type]  # as it once was
    assert names(tmp_path) == []


def test_gradients_of_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(A).requires_grad_()
    y = save_grad(tmp_path / "y", x * 2, suffix="grad")
    (y**2).sum().backward()
    assert np.array_equal(np.load(tmp_path / "0_y_grad.npy"), 4 * A)


def test_gradients_of_the_runtime(tmp_path: Path) -> None:
    def loss(x: Tensor) -> Tensor:
        y = save_grad(tmp_path / "y", x * 2)
        return (y**2).sum()

    assert np.array_equal(grad(loss)(Tensor(A)).asnumpy(), 8 * A)
    assert np.array_equal(np.load(tmp_path / "0_y_backward.npy"), 4 * A)
    with pytest.raises(TypeError, match="a tensor was expected, not int"):
        save_grad(tmp_path / "z", 5)


@pytest.fixture
def seeded() -> Iterator[None]:
    """The state of all random numbers is as before, afterwards."""
    torch = pytest.importorskip("torch")
    before = torch.are_deterministic_algorithms_enabled()
    yield
    torch.use_deterministic_algorithms(before)


@pytest.mark.usefixtures("seeded")
def test_random_numbers_come_again() -> None:
    torch = pytest.importorskip("torch")

    def drawn() -> tuple[float, ...]:
        fix_random(3)
        return random.random(), float(np.random.rand()), float(torch.rand(1))

    assert drawn() == drawn()
