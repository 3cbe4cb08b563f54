"""The file of MINDSPORE_DUMP_CONFIG: each bad value of each key is told with its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn, ops
from msconvert.runtime.dump.settings import DumpConfigError, read_settings
from msconvert.runtime.engine.failure import ElementTypeError

pytestmark = pytest.mark.usefixtures("warm")

GOOD: dict[str, Any] = {
    "dump_mode": 0, "path": "/tmp/dump", "net_name": "Net", "iteration": "all",
    "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0],
    "op_debug_mode": 0,
}  # fmt: skip

GONE = object()


def written(folder: Path, common: Any, e2e: Any = None) -> str:
    file = folder / "dump.json"
    whole = {"common_dump_settings": common, "e2e_dump_settings": {} if e2e is None else e2e}
    file.write_text(json.dumps(whole))
    return str(file)


def refused(folder: Path, common: Any, e2e: Any = None) -> DumpConfigError:
    with pytest.raises(DumpConfigError) as caught:
        read_settings(written(folder, common, e2e))
    error = caught.value
    assert error.code == "MS301"
    assert error.where.startswith(str(folder / "dump.json"))
    assert error.expected
    return error


BAD = {
    "dump_mode": [3, -1, "0", True, None, 0.0, [], GONE, 10**30],
    "path": [
        *("relative/x", "", "/a b", "/a.b", "/tmp/ä", "/a\0b", "/a\n", 3, None, ["/tmp"], GONE),
        *("~/x", "/tmp/*", "C:\\x"),
    ],
    "net_name": ["", "a/b", "..", "a b", "a.b", 3, None, GONE, "x" * 300, "\u202e"],
    "iteration": [
        *("", "x", "0-", "-1", "2-0", "0|", "|", "0||1", "0,1", "ALL", 1, None, [0], GONE),
        *("9" * 40, "0-" + "9" * 40, "0 - 2", "1.5", "0x1", "\u0661"),
    ],
    "saved_data": ["x", "", "Tensor", 3, None, ["tensor"]],
    "input_output": [3, -1, "0", None, True, 1.5, GONE],
    "kernels": ["MatMul", {}, [1], [None], [""], ["name-regex(()"], ["name-regex(*)"],
                [["MatMul"]], None, 3, GONE, ["name-regex(" + "(" * 5000 + ")"],
                ["name-regex(a{5000})"], ["name-regex((a)\\1)"], ["name-regex((?=a))"]],
    "support_device": ["0", [-1], [0.5], [True], ["0"], {}, None, 0, GONE],
    "op_debug_mode": [4, 5, -1, "0", None, True],
    "statistic_category": ["max", ["x"], [1], ["Max"], [None], {}, None, [["max"]]],
}  # fmt: skip

BAD_E2E = {
    "enable": ["true", 1, None, []],
    "trans_flag": ["x", 0, None],
    "sample_mode": [2, 7, "1", None, True],
    "sample_num": [0, -1, "3", 1.5, None, True],
    "stat_calc_mode": ["x", 1, None],
    "device_stat_precision_mode": ["x", "HIGH", 1],
    "save_kernel_args": ["yes", 1],
}


@pytest.mark.parametrize("key", BAD)
def test_bad_values(key: str, tmp_path: Path) -> None:
    for value in BAD[key]:
        common = {name: given for name, given in {**GOOD, key: value}.items() if given is not GONE}
        error = refused(tmp_path, common)
        assert error.where.endswith(f"common_dump_settings.{key}"), value


@pytest.mark.parametrize("key", BAD_E2E)
def test_bad_values_of_the_second_part(key: str, tmp_path: Path) -> None:
    for value in BAD_E2E[key]:
        error = refused(tmp_path, GOOD, {key: value})
        assert error.where.endswith(f"e2e_dump_settings.{key}"), value


@pytest.mark.parametrize("whole", [None, [], 3, "text", {}, {"e2e_dump_settings": {}}])
def test_parts_that_are_missing(whole: Any, tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps(whole))
    with pytest.raises(DumpConfigError, match="common_dump_settings"):
        read_settings(str(file))


@pytest.mark.parametrize("part", [None, [], 3, "text", True])
def test_parts_of_another_type(part: Any, tmp_path: Path) -> None:
    refused(tmp_path, part)
    if part is not None:
        refused(tmp_path, GOOD, part)


TEXTS = [b"", b"{", b"\xff\xfe", b"{'a': 1}", b"NaN", b"[" * 100_000, b"null\0", b'{"a": 1e999}',
         b"\x00" * 100]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_json(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    file.write_bytes(text)
    with pytest.raises(DumpConfigError) as caught:
        read_settings(str(file))
    assert caught.value.where == f"MINDSPORE_DUMP_CONFIG={file}"


def test_a_file_that_is_cut_anywhere(tmp_path: Path) -> None:
    file = Path(written(tmp_path, GOOD))
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        with pytest.raises(DumpConfigError):
            read_settings(str(file))


@pytest.mark.parametrize("kind", ["fifo", "zero", "folder", "none", "loop", "large", "locked-name"])
def test_what_is_no_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "large":
        with path.open("wb") as stream:
            stream.truncate(1 << 40)
    name = {"zero": "/dev/zero", "locked-name": "a" * 5000}.get(kind, str(path))
    with pytest.raises(DumpConfigError) as caught:
        read_settings(name)
    assert caught.value.got


def test_what_mindspore_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_settings(written(tmp_path, {**GOOD, "unknown": 1}, {"enable": False}))
    assert (found.folder, found.net, found.iterations) == ("/tmp/dump", "Net", None)
    less = {key: value for key, value in GOOD.items() if key not in ("saved_data", "op_debug_mode")}
    assert read_settings(written(tmp_path, less)).saved == "tensor"
    monkeypatch.setenv("MS_DIAGNOSTIC_DATA_PATH", "/tmp/diagnosis")
    for common in ({**GOOD, "path": ""}, {k: v for k, v in GOOD.items() if k != "path"}):
        assert read_settings(written(tmp_path, common)).folder == "/tmp/diagnosis/debug_dump"


RUNS = {"PyNative": "", "graph": "ms.set_context(mode=ms.GRAPH_MODE)\n"}


@pytest.mark.parametrize("mode", RUNS)
def test_a_script_ends_before_its_first_step(mode: str, tmp_path: Path) -> None:
    file = written(tmp_path, {**GOOD, "iteration": "2-0"})
    script = tmp_path / "script.py"
    script.write_text(
        f"import mindspore as ms\nfrom mindspore import nn, ops\n{RUNS[mode]}"
        "print('before')\nnn.ReLU()(ops.ones((2,)))\nprint('after')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "msconvert.runtime", str(script)],
        env={**os.environ, "MINDSPORE_DUMP_CONFIG": file},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == "before\n"
    assert "MS301" in done.stderr
    assert "common_dump_settings.iteration" in done.stderr
    assert "got:      2-0" in done.stderr
    assert "in the compiled graph" not in done.stderr, "the graph did not fail"


@pytest.mark.parametrize("target", [None, "net", 3, nn.ReLU, ops.MatMul(), ops.relu, [nn.ReLU()]])
def test_what_is_no_cell_cannot_be_marked(target: Any) -> None:
    with pytest.raises(ElementTypeError, match="MS304"):
        ms.set_dump(target)


@pytest.mark.parametrize("enabled", [None, 1, "True", 0, []])
def test_a_mark_is_true_or_false(enabled: Any) -> None:
    with pytest.raises(TypeError, match="enabled"):
        ms.set_dump(nn.ReLU(), enabled)


def test_the_error_is_msconverts() -> None:
    assert issubclass(DumpConfigError, MsconvertError)
    assert issubclass(DumpConfigError, RuntimeError)  # as MindSpore raises
