"""Dumps: what is written, where, under which names, in both modes; beside MindSpore's own."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.formats.dumps import DUMP
from msconvert.formats.folder import read_folder

pytestmark = pytest.mark.usefixtures("warm")

SCRIPT = Path(__file__).with_name("network.py")
MODES = ("graph", "pynative")
LAYERS = ["fc1-Dense", "body-SequentialCell/0-ReLU", "body-SequentialCell/1-Dense",
          "body-SequentialCell/2-Tanh", "fc2-Dense"]  # fmt: skip


def config(folder: Path, common: dict[str, Any] | None = None, **e2e: Any) -> Path:
    """A file of settings that dumps everything to `folder`, but for what is said."""
    file = folder.with_name(f"{folder.name}.json")
    settings = {
        "dump_mode": 0, "path": str(folder), "net_name": "Net", "iteration": "all",
        "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0],
        "op_debug_mode": 0, **(common or {}),
    }  # fmt: skip
    whole = {"common_dump_settings": settings, "e2e_dump_settings": {"enable": True, **e2e}}
    file.write_text(json.dumps(whole))
    return file


def ran(
    file: Path | str, mode: str, what: str, before: Callable[[], None] | None = None,
    python: str = "",
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    runner = [python] if python else [sys.executable, "-m", "msconvert.runtime"]
    return subprocess.run(
        [*runner, str(SCRIPT), mode, what], env={**os.environ, "MINDSPORE_DUMP_CONFIG": str(file)},
        capture_output=True, text=True, timeout=900, check=False, preexec_fn=before,
        cwd=Path(file).parent,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "dump"


def dumped(
    folder: Path, mode: str, what: str = "call", common: dict[str, Any] | None = None, **e2e: Any
) -> list[Path]:
    """What a run has dumped, in the order of execution."""
    done = ran(config(folder, common, **e2e), mode, what)
    assert done.returncode == 0, done.stderr
    files = folder.glob("rank_0/Net/0/*/*.npy")
    return sorted(files, key=lambda file: (int(file.parent.name), moment_of(file)))


def moment_of(file: Path) -> int:
    found = DUMP.fullmatch(file.name)
    assert found is not None, file.name
    return int(found["time"])


def scopes(files: list[Path]) -> list[str]:
    """Operators by their names, each once."""
    names = [file.name.split(".")[1] for file in files if not file.name.startswith("Parameter.")]
    return [*dict.fromkeys(names)]


@pytest.mark.parametrize("mode", MODES)
def test_each_layer_is_dumped_in_order_with_its_tensors(mode: str, folder: Path) -> None:
    files = dumped(folder, mode)
    assert {file.parent.name for file in files} == {"0", "1"}
    first = [file for file in files if file.parent.name == "0"]
    places = ["Default_" + layer.replace("/", "_") for layer in LAYERS]
    assert [scope.rpartition("_")[0] for scope in scopes(first)] == places
    held = {file.name.split(".")[1]: np.load(file) for file in first if "Parameter" in file.name}
    (given,) = [
        np.load(file) for file in first if "fc1-Dense" in file.name and "input.0" in file.name
    ]
    (out,) = [np.load(file) for file in first if "fc1-Dense" in file.name and "output" in file.name]
    assert np.allclose(out, given @ held["fc1_weight"].T + held["fc1_bias"], atol=1e-6)
    assert np.array_equal(given, held["x"])
    order = (folder / "rank_0/execution_order/ms_execution_order_graph_0.csv").read_text()
    assert [line.rpartition("/")[0] for line in order.split()[1:]] == [
        "Default/" + x for x in LAYERS
    ]
    ran_in = folder / "rank_0/execution_order/ms_global_execution_order_graph_0.csv"
    assert ran_in.read_text().split() == ["0", "1"]


def test_both_modes_dump_the_same(tmp_path: Path) -> None:
    found = []
    for mode in MODES:
        dumped(tmp_path / mode, mode, "train", {"iteration": "1|3"})
        found.append({name: value.array() for name, value in read_folder(tmp_path / mode).items()})
    assert found[0].keys() == found[1].keys()
    assert any("Gradients_Default" in name for name in found[0])
    assert any("optimizer-Momentum" in name for name in found[0])
    assert {name.split("/")[3] for name in found[0]} == {"1", "3"}
    for name, array in found[0].items():
        assert np.allclose(array, found[1][name], atol=1e-6), name


@pytest.mark.parametrize("mode", MODES)
def test_parameters_are_those_after_the_step(mode: str, folder: Path) -> None:
    files = dumped(folder, mode, "train", {"iteration": "0-1"})

    def weight(iteration: str, start: str, end: str) -> Any:
        (found,) = [f for f in files if f.parent.name == iteration and f.name.startswith(start)
                    and end in f.name]  # fmt: skip
        return np.load(found)

    after = weight("0", "Parameter.fc2_weight", "output.0")
    used = "Dense.Default_network-WithLossCell__backbone-Net_fc2-Dense"
    assert np.array_equal(after, weight("1", used, "input.1"))
    assert not np.array_equal(after, weight("0", used, "input.1"))


@pytest.mark.parametrize(
    ("iteration", "expected"),
    [("0", "0"), ("1", "1"), ("0|2", "02"), ("1-3", "123"), ("0|2-9", "023"), ("all", "0123"),
     ("7", "")],
)  # fmt: skip
def test_iterations(iteration: str, expected: str, folder: Path) -> None:
    files = dumped(folder, "graph", "train", {"iteration": iteration})
    assert {file.parent.name for file in files} == set(expected)


@pytest.mark.parametrize(
    ("kernels", "expected"),
    [
        (["Default/fc1-Dense/Dense-op0"], {"fc1"}),
        (["tanh"], {"body"}),
        (["Dense"], {"fc1", "body", "fc2"}),
        (["name-regex(Default/fc2.+)"], {"fc2"}),
        (["name-regex(fc1|fc2)"], {"fc1", "fc2"}),
        (["name-regex(((.*)*)*x$)", "name-regex((([a-zA-Z]|[0-9/-])+)+fc1-Dense/)"], {"fc1"}),
        (["Nothing", "Default/fc2-Dense/Dense-op0"], {"fc2"}),
        ([], {"fc1", "body", "fc2"}),
    ],
)
def test_kernels(kernels: list[str], expected: set[str], folder: Path) -> None:
    files = dumped(folder, "graph", common={"dump_mode": 1, "kernels": kernels})
    found = {scope.removeprefix("Default_").split("-")[0] for scope in scopes(files)}
    assert found == expected


def test_a_kernel_that_there_is_not_is_told(folder: Path) -> None:
    done = ran(config(folder, {"dump_mode": 1, "kernels": ["Nothing"]}), "graph", "call")
    assert "no operator is what `kernels` asks for: nothing" in done.stderr


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("what", "expected"),
    [("marked", {"body"}), ("half marked", {"fc1", "fc2"}), ("call", set())],
)
def test_marked_cells(what: str, expected: set[str], mode: str, folder: Path) -> None:
    files = dumped(folder, mode, what, {"dump_mode": 2})
    assert {scope.removeprefix("Default_").split("-")[0] for scope in scopes(files)} == expected


@pytest.mark.parametrize(
    ("inout", "roles"), [(0, {"input", "output"}), (1, {"input"}), (2, {"output"})]
)
def test_inputs_and_outputs(inout: int, roles: set[str], folder: Path) -> None:
    files = dumped(folder, "pynative", common={"input_output": inout})
    assert {file.name.split(".")[5] for file in files} == roles


def test_only_what_is_not_finite_is_dumped_in_debug_mode_3(folder: Path) -> None:
    assert dumped(folder, "graph", "call", {"op_debug_mode": 3}) == []
    files = dumped(folder, "graph", "overflow", {"op_debug_mode": 3})
    assert files
    assert "fc1-Dense" in files[0].name


CATEGORIES = ["max", "min", "avg", "count", "negative zero count", "positive zero count",
              "nan count", "negative inf count", "positive inf count", "zero count", "md5",
              "l2norm", "hash"]  # fmt: skip


def test_statistics(folder: Path) -> None:
    dumped(folder, "graph", common={"saved_data": "full", "statistic_category": CATEGORIES})
    lines = (folder / "rank_0/Net/0/0/statistic.csv").read_text().splitlines()
    assert lines[0] == (
        "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,"
        "Min Value,Avg Value,Count,Negative Zero Count,Positive Zero Count,NaN Count,"
        "Negative Inf Count,Positive Inf Count,Zero Count,MD5,L2Norm Value,SHA1"
    )
    rows = list(csv.DictReader(lines))
    for row in rows:
        name = f"{row['Op Type']}.{row['Op Name']}.0.0.{row['Timestamp']}.{row['IO']}.{row['Slot']}"
        (file,) = (folder / "rank_0/Net/0/0").glob(f"{name}.*.npy")
        array = np.load(file)
        assert row["Shape"] == "(" + ",".join(map(str, array.shape)) + ")"
        assert float(row["Max Value"]) == pytest.approx(array.max(), rel=1e-6)
        assert float(row["L2Norm Value"]) == pytest.approx(np.linalg.norm(array), rel=1e-6)
        assert int(row["Count"]) == array.size
        assert int(row["Zero Count"]) == np.count_nonzero(array == 0)
    assert len(rows) == len(list((folder / "rank_0/Net/0/0").glob("*.npy")))


def test_statistics_alone_and_their_default_columns(folder: Path) -> None:
    assert dumped(folder, "graph", common={"saved_data": "statistic"}) == []
    head = (folder / "rank_0/Net/0/0/statistic.csv").read_text().splitlines()[0]
    assert head.endswith("Shape,Max Value,Min Value,L2Norm Value")


def test_samples_are_from_both_ends(folder: Path) -> None:
    files = dumped(folder, "graph", sample_mode=1, sample_num=4)
    assert {np.load(file).size for file in files} == {2, 3, 4}


def test_other_devices_have_nothing_here(folder: Path) -> None:
    done = ran(config(folder, {"support_device": [1, 2]}), "graph", "call")
    assert done.returncode == 0
    assert "support_device is 1, 2; here is device 0" in done.stderr
    assert not folder.exists()


# what cannot be written


def test_a_folder_that_cannot_be_written_to_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    for path in (taken, taken / "below", Path("/proc/dump"), Path("/dev/null/dump")):
        file = config(tmp_path / "dump", {"path": str(path)})
        done = ran(file, "graph", "train")
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.split()) == 4
        assert done.stderr.count("Nothing more is dumped") == 1, done.stderr


@pytest.mark.parametrize("room", [0, 100, 150, 200, 1000])
def test_a_full_disk_is_told_and_leaves_whole_files(room: int, tmp_path: Path) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    file = config(tmp_path / "dump", {"saved_data": "full"})
    done = ran(file, "pynative", "train", limited)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Nothing more is dumped") == 1, done.stderr
    for dump in tmp_path.glob("dump/rank_0/Net/0/*/*.npy"):
        np.load(dump)  # raises if it is cut


@pytest.mark.parametrize("most", [0, 1, 1000, 5000, 20_000])
@pytest.mark.parametrize("saved", ["tensor", "statistic", "full"])
def test_what_is_written_is_bounded(
    most: int, saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MSCONVERT_DUMP_MAX_BYTES", str(most))
    done = ran(config(tmp_path / "dump", {"saved_data": saved}), "graph", "train")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("MSCONVERT_DUMP_MAX_BYTES allows no more") == 1
    files = [*tmp_path.glob("dump/rank_0/Net/**/*.npy"), *tmp_path.glob("dump/**/statistic.csv")]
    assert sum(file.stat().st_size for file in files) <= most + 1000


def test_a_bound_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("x", "-1", "1.5", "1e9", "9" * 30, " 1"):
        monkeypatch.setenv("MSCONVERT_DUMP_MAX_BYTES", text)
        done = ran(config(tmp_path / "dump"), "graph", "call")
        assert done.returncode == 1
        assert "MS301 MSCONVERT_DUMP_MAX_BYTES: is no number of bytes" in done.stderr


# beside MindSpore's own


def shape_of(path: str) -> str:
    """A relative path with what differs from run to run, and between kernels, left out."""
    path = re.sub(r"\.\d{16}\.", ".TIME.", path)
    path = re.sub(r"/[A-Z]\w+\.(Gradients_)?Default(_[\w-]+)_\w+-op\d+\.", r"/OP.\1SCOPE\2.", path)
    return re.sub(r"(input|output)\.\d+\.DefaultFormat\.\w+", r"\1.N.DefaultFormat.TYPE", path)


def test_the_layout_is_that_of_mindspore(mindspore_python: Path, tmp_path: Path) -> None:
    found = []
    for name, python in (("own", ""), ("theirs", str(mindspore_python))):
        file = config(tmp_path / name, {"iteration": "0|1"})
        done = ran(file, "graph", "call", python=python)
        assert done.returncode == 0, done.stderr
        files = [str(p.relative_to(tmp_path / name)) for p in (tmp_path / name).rglob("*.*")]
        found.append({shape_of(path) for path in files if "/graphs/" not in f"/{path}"})
    assert found[0] == found[1]
    own, theirs = (read_folder(tmp_path / name) for name in ("own", "theirs"))
    for part in ("fc1", "body-SequentialCell_1", "body-SequentialCell_0", "fc2"):
        last = [
            [x.array() for name, x in side.items() if f"_{part}-" in name and ".output.0" in name]
            for side in (own, theirs)
        ]
        assert np.allclose(last[0][-1], last[1][-1], atol=1e-6), part
    for name in ("fc1_weight", "fc2_bias", "x"):
        full = f"rank_0/Net/0/0/Parameter.{name}.output.0"
        assert np.array_equal(own[full].array(), theirs[full].array())
