"""Files and folders against each other: what becomes of each pair, and of bad ones."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError, UsageError
from msconvert.formats import write_weights
from msconvert.tests.troubleshooter.diff.sides import STATUSES, write_sides
from msconvert.troubleshooter.diff import Comparison, Settings
from msconvert.troubleshooter.diff.opening import compare_paths
from msconvert.troubleshooter.measure import PROFILES, tolerance_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sides")
    write_sides(folder)
    return folder


def compare(a: Path, b: Path, **settings: object) -> Comparison:
    return compare_paths(a, b, Settings(**settings), None, lambda _step: None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found(folder: Path) -> Comparison:
    return compare(folder / "a", folder / "b", record=True)


def test_each_pair_has_its_status(found: Comparison) -> None:
    assert {row.a or row.b: row.status for row in found.rows} == STATUSES
    assert not found.ok
    assert [row.name for row in found.rows if row.ok] == ["empty", "mask", "noise", "same"]


def test_the_summary_and_the_order(found: Comparison) -> None:
    assert found.summary == (
        "12 of 16 differ: 1 unreadable, 1 nan, 1 inf, 1 shape, 2 missing, 5 mismatch, 1 dtype "
        "(1 empty); gravest: bad (unreadable)."
    )
    statuses = [row.status for row in found.by_gravity]
    assert statuses[:2] == ["unreadable", "nan"]
    assert statuses[-3:] == ["ok", "ok", "ok"]
    assert found.by_gravity[6].excess >= found.by_gravity[7].excess
    first = found.first_difference
    assert first is not None
    assert first.name == "bad"


def row_of(found: Comparison, name: str):  # type: ignore[no-untyped-def]
    (row,) = (row for row in found.rows if name in (row.a, row.b))
    return row


def test_differences_are_explained(found: Comparison) -> None:
    assert row_of(found, "channel").locus == "only channel 1 (axis 1)"
    assert row_of(found, "turned").relation == "equal after transpose (1, 0)"
    assert row_of(found, "nan").locus == "one element"
    assert "MS302" in row_of(found, "bad").problem
    assert compare_one(found, "channel").worst.index[1] == 1


def compare_one(found: Comparison, name: str):  # type: ignore[no-untyped-def]
    return row_of(found, name).metrics


def test_what_relates_other_shapes_is_told(tmp_path: Path) -> None:
    a = np.random.default_rng(0).standard_normal((6, 4)).astype("f4")
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", a.T)
    told = str(compare(tmp_path / "a.npy", tmp_path / "b.npy"))
    assert "shape [6, 4] against [4, 6]\n" in told
    assert told.splitlines()[-2].strip() == "equal after transpose (1, 0)"


def test_files_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for side in "ab":
        (tmp_path / side).mkdir()
        for i in (10, 2, 0, 1):
            np.save(tmp_path / side / f"{i}_x.npy", np.arange(5.0) + (side == "b") * (i > 1))
    found = compare(tmp_path / "a", tmp_path / "b")
    assert [row.a for row in found.rows] == ["0_x", "1_x", "2_x", "10_x"]
    assert found.first_difference is not None
    assert found.first_difference.a == "2_x"


def test_nothing_is_explained_that_need_not_be(folder: Path) -> None:
    found = compare(folder / "a", folder / "b", explain=0)
    assert not any(row.locus or row.relation for row in found.rows)


def test_small_gradients_are_seen(folder: Path) -> None:
    for profile in ("weights", "activations", "gradients"):
        found = compare(folder / "a", folder / "b", profile=profile)
        assert row_of(found, "gradient").status == "mismatch"
        assert row_of(found, "small").status == "mismatch"
    found = compare(folder / "a", folder / "b", profile="quantised")
    assert row_of(found, "gradient").status == "mismatch"
    assert row_of(found, "small").status == "ok"
    assert row_of(found, "whole").status == "ok"


def test_settings(folder: Path) -> None:
    a, b = folder / "a", folder / "b"
    assert row_of(compare(a, b, any_dtype=True), "type").status == "ok"
    assert row_of(compare(a, b, rtol=0.002), "small").status == "ok"
    assert row_of(compare(a, b, rtol=0.0, atol=0.0), "noise").status == "mismatch"
    assert row_of(compare(a, b, atol=1.0), "whole").status == "ok"
    patterns = {"*": (0.0, 0.0), "sma*": (0.01, 0.0)}
    found = compare(a, b, tolerances=patterns)
    assert row_of(found, "small").status == "ok"
    assert row_of(found, "noise").status == "mismatch"
    assert row_of(found, "small").tolerance.rtol == 0.01


def test_nan_in_the_same_places(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", [1.0, math.nan])
    np.save(tmp_path / "y.npy", [1.0, math.nan])
    np.save(tmp_path / "z.npy", [math.nan, 1.0])
    x, y, z = (tmp_path / f"{name}.npy" for name in "xyz")
    assert compare(x, y).rows[0].status == "nan"
    assert compare(x, y, equal_nan=True).ok
    assert compare(x, z, equal_nan=True).rows[0].status == "nan"


def test_two_files_of_one_array_are_a_pair_whatever_their_names(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3.0))
    np.save(tmp_path / "y.npy", np.arange(4.0))
    (row,) = compare(tmp_path / "x.npy", tmp_path / "y.npy").rows
    assert (row.a, row.b, row.how, row.status) == ("x", "y", "only", "shape")


NET = {
    "conv.weight": np.ones((4, 3, 1, 1), "f4"),
    "bn.weight": np.arange(4, dtype="f4"),
    "bn.bias": -np.arange(4, dtype="f4"),
    "bn.running_mean": np.zeros(4, "f4"),
    "bn.running_var": np.ones(4, "f4"),
    "bn.num_batches_tracked": np.array(3),
    "fc.weight": np.arange(12, dtype="f4").reshape(3, 4),
}
NAMES = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean"}
NAMES |= {"running_var": "moving_variance"}


def renamed(name: str) -> str:
    path, _, leaf = name.rpartition(".")
    return f"{path}.{NAMES.get(leaf, leaf)}" if path == "bn" else name


@pytest.fixture
def nets(tmp_path: Path) -> tuple[Path, Path]:
    """A .pth with PyTorch's names and a .ckpt with MindSpore's."""
    write_weights(tmp_path / "net.pth", NET.items(), "pth")
    theirs = [(renamed(n), a) for n, a in NET.items() if "tracked" not in n]
    write_weights(tmp_path / "net.ckpt", [*theirs, ("note", "a text")], "ckpt")
    return tmp_path / "net.pth", tmp_path / "net.ckpt"


def test_weights_of_both_frameworks(nets: tuple[Path, Path]) -> None:
    found = compare(*nets)
    assert found.settings.profile == "weights"
    assert [(row.name, row.status) for row in found.failing] == [("note", "missing")]
    assert row_of(found, "bn.gamma").a == "bn.weight"
    alone = row_of(found, "bn.num_batches_tracked")
    assert (alone.status, alone.how, alone.ok) == ("missing", "rule", True)
    assert found.by_gravity[-1] is alone
    assert "1 without counterpart by the naming rules" in found.summary


def test_a_file_that_cannot_be_read_at_all(nets: tuple[Path, Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.ckpt"
    bad.write_bytes(b"PK\x03\x04" + bytes(50))
    found = compare(nets[0], bad)
    assert [(row.status, row.a, row.b) for row in found.rows] == [("unreadable", None, "bad.ckpt")]
    assert not found.ok


def test_texts(tmp_path: Path) -> None:
    for name, text in (("x", "one"), ("y", "two")):
        items = [("a", np.ones(3, "f4")), ("note", text)]
        write_weights(tmp_path / f"{name}.ckpt", items, "ckpt")
    found = compare(tmp_path / "x.ckpt", tmp_path / "y.ckpt")
    assert [row.status for row in found.rows] == ["ok", "mismatch"]
    assert compare(tmp_path / "x.ckpt", tmp_path / "x.ckpt").ok


def test_what_is_not_there(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(UsageError, match=r"MS105 .*no such file or folder"):
        compare(tmp_path / "x.npy", tmp_path / "y.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"MS105 .*no tensors in it"):
        compare(tmp_path / "x.npy", tmp_path / "empty")


def test_nothing_but_empty_arrays_is_not_called_the_same(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((0, 3)))
    found = compare(tmp_path / "x.npy", tmp_path / "x.npy")
    assert (found.ok, found.summary) == (False, "Nothing was compared (1 empty).")


def test_a_map_by_hand(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", one=np.zeros(3), two=np.zeros(3))
    np.savez(tmp_path / "y.npz", eins=np.zeros(3), zwei=np.zeros(3))
    naming = {"one": "zwei", "two": "eins"}
    found = compare_paths(
        tmp_path / "x.npz", tmp_path / "y.npz", Settings(), naming, lambda _step: None
    )
    assert [(row.a, row.b, row.how) for row in found.rows] == [
        ("one", "zwei", "map"),
        ("two", "eins", "map"),
    ]
    with pytest.raises(MsconvertError, match="MS310"):
        compare_paths(
            tmp_path / "x.npz", tmp_path / "y.npz", Settings(), {"q": "r"}, lambda _step: None
        )


def test_the_documented_tolerances_are_those() -> None:
    page = (Path(__file__).parents[3] / "docs" / "diff.md").read_text(encoding="utf-8")
    types = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn")
    assert f"| profile | {' | '.join(types)} | integers |\n" in page
    for name, profile in PROFILES.items():
        figures = [f"{tolerance_of(name, dtype, dtype).rtol:.3g}" for dtype in types]
        assert f"| {name} | {' | '.join(figures)} | {profile.steps} steps |\n" in page


def test_further_names_are_those_of_weights(tmp_path: Path) -> None:
    varied = np.arange(50.0)
    np.savez(tmp_path / "x.npz", one=varied)
    np.savez(tmp_path / "y.npz", one=varied, two=varied)
    x, y = tmp_path / "x.npz", tmp_path / "y.npz"
    assert [(r.a, r.b) for r in compare(x, y).failing] == [(None, "two")]
    assert [(r.a, r.b) for r in compare(y, x).failing] == [("two", None)]
    found = compare(x, y, profile="weights")
    assert found.ok
    assert [(r.a, r.b, r.tied) for r in found.rows] == [("one", "one", ""), ("one", "two", "one")]


def test_weights_that_are_computed(tmp_path: Path) -> None:
    v, g = np.arange(1.0, 13).reshape(3, 4).astype("f4"), np.ones((3, 1), "f4")
    weight = v / np.linalg.norm(v, axis=1, keepdims=True)
    parts = [("fc.weight_g", g), ("fc.weight_v", v), ("fc.bias", g[:, 0])]
    write_weights(tmp_path / "x.pth", parts, "pth")
    write_weights(tmp_path / "y.ckpt", [("fc.weight", weight), ("fc.bias", g[:, 0])], "ckpt")
    found = compare(tmp_path / "x.pth", tmp_path / "y.ckpt")
    assert found.ok, str(found)
    row = row_of(found, "fc.weight")
    assert row.made == "a is computed (weight_norm) of fc.weight_v, fc.weight_g"
