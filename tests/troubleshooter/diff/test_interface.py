"""`compare` and `compare_checkpoints` for Python: arrays, tensors, networks, paths."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import msconvert
from msconvert import compare, compare_checkpoints
from msconvert.errors import UsageError
from msconvert.formats import write_weights
from msconvert.troubleshooter.diff import Settings

A = np.random.default_rng(0).standard_normal((3, 4)).astype("f4")


def test_arrays() -> None:
    found = compare(A, A + np.float32(1))
    assert (found.ok, [row.name for row in found.rows]) == (False, ["value"])
    assert found.first_difference is found.rows[0]
    assert found.rows[0].relation == "" or "adding" in found.rows[0].relation
    assert compare(A, A.copy()).ok
    assert compare(A, A * 1.001, 1e-2).ok
    assert json.loads(found.to_json())["rows"][0]["status"] == "mismatch"
    assert str(found).splitlines()[-1] == found.summary


def test_lists_and_dicts_by_their_places() -> None:
    found = compare({"x": A, "y": [A, {"z": A}]}, {"x": A, "y": [A, {"z": A + 1}]})
    assert [(row.name, row.status) for row in found.rows] == [
        ("x", "ok"),
        ("y.0", "ok"),
        ("y.1.z", "mismatch"),
    ]
    assert [row.status for row in compare([A, A[0]], [A]).rows] == ["ok", "missing"]
    assert compare([1.0, 2.0], [1.0, 2.0]).rows[0].kind_a.shape == (2,)  # type: ignore[union-attr]
    assert compare({"note": "a", "x": A}, {"note": "b", "x": A}).rows[1].status == "mismatch"


def test_tensors_and_networks_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    made = torch.from_numpy(A).requires_grad_()
    assert compare(made, A).ok
    assert compare(made.T, A.T).ok
    half = made.to(torch.bfloat16)
    found = compare(half, A.astype(ml_dtypes.bfloat16))
    assert found.ok
    assert found.rows[0].kind_a.dtype == "bfloat16"  # type: ignore[union-attr]
    assert compare(made.to(torch.float8_e4m3fn), A.astype(ml_dtypes.float8_e4m3fn)).ok
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    found = compare(net, net)
    assert found.ok
    assert found.rows[0].name == "0.weight"


def test_tensors_and_networks_of_the_runtime() -> None:
    from msconvert.runtime import Tensor, nn

    assert compare(Tensor(A), A).ok
    assert compare(Tensor(A).astype("bfloat16"), A.astype(ml_dtypes.bfloat16)).ok
    net = nn.Dense(3, 4)
    assert compare(net, {"weight": net.weight, "bias": net.bias}).ok


def test_paths(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", A)
    assert compare(tmp_path / "a.npy", str(tmp_path / "a.npy")).ok
    assert compare(tmp_path / "a.npy", A).ok
    assert compare({"a": A}, tmp_path).ok
    for ending in ("pth", "ckpt"):
        write_weights(tmp_path / f"n.{ending}", [("w", A)], ending)
    found = compare_checkpoints(tmp_path / "n.pth", tmp_path / "n.ckpt")
    assert (found.ok, found.settings.profile) == (True, "weights")


def test_settings_and_names() -> None:
    assert compare(A, A.astype("f8"), settings=Settings(any_dtype=True)).ok
    assert not compare(A, A * 1.001, profile="gradients").ok
    assert compare(A, A * 1.001, profile="quantised").ok
    found = compare({"x": A, "y": A}, {"u": A, "v": A}, naming={"x": "v", "y": "u"})
    assert [(row.a, row.b) for row in found.rows] == [("x", "v"), ("y", "u")]


def deep() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value", [None, [], {}, object(), np.array([object()]), deep(), "none.npy"]
)
def test_what_is_no_tensor(value: object) -> None:
    with pytest.raises(UsageError, match="MS105"):
        compare(value, A)


def test_the_names_are_offered() -> None:
    import msconvert.troubleshooter as ts

    for name in ts.PLACES:
        assert getattr(ts, name) is not None
    assert {"compare", "compare_checkpoints", "Comparison"} <= set(msconvert.__all__)
    with pytest.raises(AttributeError):
        ts.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rtol": -1.0}, "no tolerance"),
        ({"atol": float("nan")}, "no tolerance"),
        ({"rtol": "1e-3"}, "no tolerance"),
        ({"profile": "loose"}, "there is no such profile"),
    ],
)
def test_settings_that_are_none(given: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=rf"MS105 .*{told}"):
        compare(A, A, **given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"MS105 .*no tolerance"):
        Settings(tolerances={"*": (1e-3, -1.0)})


TYPES = ("?", "i1", "u8", "f2", "f4", ">f8", "c8", "bfloat16", "float8_e4m3fn", "int4", "U3", "S3")


@pytest.mark.parametrize("left", TYPES)
def test_any_two_types_are_compared(left: str) -> None:
    def made(name: str, seed: int) -> np.ndarray:
        numbers = np.random.default_rng(seed).integers(0, 5, (6, 7))
        if name[0] in "US":
            return numbers.astype("U3").astype(name)
        return numbers.astype(getattr(ml_dtypes, name, name))

    for right in TYPES:
        found = compare(made(left, 0), made(right, 1))
        texts = (left[0] in "US", right[0] in "US")
        whole = {left[0], right[0]} <= set("?iu") and "int4" not in (left, right)
        if texts[0] != texts[1]:
            assert found.rows[0].status == "dtype"
        else:
            metrics = found.rows[0].metrics
            assert metrics is not None
            assert found.rows[0].status == "mismatch"
            assert 0 < metrics.equal < metrics.size
            assert isinstance(metrics.max_abs, int) or not whole
        assert str(found)
        assert found.to_json()
