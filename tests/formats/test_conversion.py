"""Weight files converted: nothing lost, nothing half written, every tensor compared."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights, write_weights
from msconvert.formats.names.renaming import Added, Plan, Step, plan_of
from msconvert.formats.transfer import conversion
from msconvert.formats.transfer.conversion import Conversion, Written, format_of, open_weights

ITEMS = {
    "a.weight": np.arange(12, dtype="f4").reshape(3, 4),
    "n.weight": np.arange(3, dtype="f2"),
    "n.bias": np.ones(3, "f2"),
    "n.running_mean": np.zeros(3, "f4"),
    "n.running_var": np.ones(3, "f4"),
    "n.num_batches_tracked": np.array(7),
    "c.weight": np.arange(30, dtype="f8").reshape(2, 3, 5),
    "c.bias": np.array([True, False]),
}


def quiet(step: str) -> None:
    """Shows no progress."""


def convert(source: Path, target: Path, back: bool = False, force: bool = False) -> Written:
    found = open_weights(source)
    shapes = {name: value.shape for name, value in found.tensors().items()}
    return Conversion(found, plan_of(shapes, None, back=back), {}).write(target, force, quiet)


def arrays(path: Path) -> dict[str, np.ndarray]:
    return {name: value.array() for name, value in open_weights(path).tensors().items()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.pth"
    write_weights(path, [(n, v) for n, v in ITEMS.items() if n != "a.weight"], "pth")
    return path


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_there_and_back(tmp_path: Path, source: Path, format: str) -> None:
    there, back = tmp_path / f"there.{format}", tmp_path / "back.pth"
    assert convert(source, there) == Written(6, 2 * 6 + 4 * 6 + 240 + 2, (str(there),))
    found = arrays(there)
    assert set(found) == {
        *("n.gamma", "n.beta", "n.moving_mean", "n.moving_variance", "c.weight", "c.bias")
    }
    assert found["c.weight"].shape == (2, 3, 1, 5)
    assert found["n.gamma"].tobytes() == ITEMS["n.weight"].tobytes()
    with pytest.raises(MsconvertError, match=r"MS107 .*exists already"):
        convert(source, there)
    convert(source, there, force=True)
    shapes = {name: value.shape for name, value in found.items()}
    plan = plan_of(shapes, None, back=True)
    assert [question.name for question in plan.questions] == ["c.weight"]
    steps = (*plan.steps, Step("c.weight", "c.weight", (2, 3, 5), "given"))
    Conversion(open_weights(there), Plan(steps), {}).write(back, False, quiet)
    returned = arrays(back)
    for name in ("n.weight", "n.running_var", "c.weight", "c.bias"):
        assert returned[name].dtype == ITEMS[name].dtype
        assert returned[name].tobytes() == ITEMS[name].tobytes()


def test_constants_are_added_and_matrices_turned(tmp_path: Path) -> None:
    write_weights(tmp_path / "x.ckpt", [("w", ITEMS["a.weight"]), ("m", np.zeros(3, "f2"))], "ckpt")
    steps = (Step("w", "t", (4, 3), "map", turned=True), Step("m", "", (3,), "given"))
    plan = Plan(steps, added=(Added("g", "m", 1.0),))
    Conversion(open_weights(tmp_path / "x.ckpt"), plan, {}).write(tmp_path / "y.pth", False, quiet)
    found = arrays(tmp_path / "y.pth")
    assert found["t"].tolist() == ITEMS["a.weight"].T.tolist()
    assert (found["g"].dtype, found["g"].tolist()) == (np.float16, [1, 1, 1])
    assert set(found) == {"t", "g"}


def test_two_tensors_of_one_name_are_refused(tmp_path: Path, source: Path) -> None:
    steps = (Step("n.weight", "a", (3,), "given"),)
    plan = Plan(steps, added=(Added("a", "n.bias", 1.0),))
    with pytest.raises(MsconvertError, match=r"MS305 parameter 'a': the name occurs twice"):
        Conversion(open_weights(source), plan, {}).write(tmp_path / "x.ckpt", False, quiet)


def test_a_file_that_came_out_wrong_is_noticed_and_removed(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(target, items, format, **options):  # type: ignore[no-untyped-def]
        changed = [(name, value + 1 if name == "c.weight" else value) for name, value in items]
        write_weights(target, changed, format, **options)

    monkeypatch.setattr(conversion, "write_weights", wrong)
    with pytest.raises(MsconvertError, match=r"MS311 .*'c.weight' differs from 'c.weight'"):
        convert(source, tmp_path / "x.ckpt")

    def short(target, items, format, **options):  # type: ignore[no-untyped-def]
        write_weights(target, list(items)[:-1], format, **options)

    monkeypatch.setattr(conversion, "write_weights", short)
    with pytest.raises(MsconvertError, match=r"MS311 .*names in the written file are others"):
        convert(source, tmp_path / "x.ckpt")
    assert os.listdir(tmp_path) == ["model.pth"]


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.ones(2, "c8"), "MS305 .*complex64 elements"),
        (np.ones((0, 3), "f4"), "MS305 .*no elements"),
    ],
)
def test_what_a_ckpt_cannot_hold(tmp_path: Path, array: np.ndarray, problem: str) -> None:
    write_weights(tmp_path / "x.pth", [("a", np.ones(1)), ("b.x", array)], "pth")
    with pytest.raises(MsconvertError, match=problem):
        convert(tmp_path / "x.pth", tmp_path / "x.ckpt")
    assert os.listdir(tmp_path) == ["x.pth"]


def test_files_are_known_by_their_content(tmp_path: Path, source: Path) -> None:
    """A .ckpt of PyTorch Lightning is a zip archive."""
    lightning = tmp_path / "epoch=3.ckpt"
    lightning.write_bytes(source.read_bytes())
    assert list(open_weights(lightning)) == [name for name in ITEMS if name != "a.weight"]
    assert format_of("a.PTH.Tar") == "tar"
    with pytest.raises(MsconvertError, match=r"MS302 .*no such file"):
        open_weights(tmp_path / "missing.pth")


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """It goes block by block: 200 MB of tensors in less than 60 MB."""
    import tracemalloc

    row = np.broadcast_to(np.float32(1.5), (1 << 20, 5))
    path = tmp_path / "x.pth"
    write_weights(path, [(f"l.{number}.w", row) for number in range(10)], "pth")
    tracemalloc.start()
    for name in ("y.ckpt", "y.safetensors", "y.pth"):
        convert(path, tmp_path / name)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 60 << 20
    assert os.path.getsize(tmp_path / "y.ckpt") > 200_000_000
    assert read_weights(tmp_path / "y.ckpt").tensors()["l.9.w"].array()[-1, -1] == 1.5


def test_npz_is_no_file_of_pytorch(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", w=np.ones(3))
    assert open_weights(tmp_path / "x.npz").tensors()["w"].array().tolist() == [1, 1, 1]
