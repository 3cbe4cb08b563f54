"""The command: flags, streams, exit statuses, names of files, and nothing half written."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import msconvert
from msconvert.commands import main as cli
from msconvert.converter import convert as steps
from msconvert.converter import model as reading
from msconvert.converter.guard import guard
from msconvert.errors import MsconvertError
from msconvert.tests import bad_models
from msconvert.tests.bad_models import saved

FILES = [
    "model.ckpt",
    "model.py",
    "report_of_model.json",
    "report_of_model.txt",
    "weight_map_of_model.json",
]


def run(*arguments: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "msconvert", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1", **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Every file and folder below, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a model of two layers in it."""
    saved(bad_models.dense(), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_model_is_converted_and_compared(folder: Path) -> None:
    done = run("--model_file", "model.onnx", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("model.onnx: 100 % of 3 nodes converted (3 verified)\n")
    assert re.search(r"^  y +pynative .* ok$", done.stdout, re.MULTILINE)
    assert re.search(r"^  y +graph .* ok$", done.stdout, re.MULTILINE)
    assert "They agree." in done.stdout
    assert sorted(path.name for path in (folder / "output").iterdir()) == FILES
    script = subprocess.run(
        [sys.executable, "output/model.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert script.stdout == "(2, 3)\n"


def test_the_report_goes_where_it_is_told(folder: Path) -> None:
    flags = ["--output", "new/deep", "--report", "told", "--no-verify", "--format", "safetensors"]
    assert cli.main(["--model_file", "model.onnx", *flags]) == 0
    assert {name for name in files(folder) if "." in name} == {
        "model.onnx",
        "new/deep/model.py",
        "new/deep/model.safetensors",
        "new/deep/weight_map_of_model.json",
        "told/report_of_model.txt",
        "told/report_of_model.json",
    }


def test_a_script_for_mindspore_is_compared_on_the_bundled_runtime(folder: Path) -> None:
    done = run("--model_file", "model.onnx", "--target", "mindspore", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "They agree." in done.stdout
    theirs = (folder / "output" / "model.py").read_text()
    assert "import mindspore as ms" in theirs
    run("--model_file", "model.onnx", "--output", "bundled", "--no-verify", cwd=folder)
    ours = (folder / "bundled" / "model.py").read_text()
    changed = [a for a, b in zip(theirs.split("\n"), ours.split("\n"), strict=True) if a != b]
    assert changed == ["import mindspore as ms", "from mindspore import nn, ops"]


def test_json_is_all_that_stands_on_stdout(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--model_file", "model.onnx", "--no-verify", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((folder / "output" / "report_of_model.json").read_text())
    assert (told["ok"], told["rate"], told["verification"]) == (True, 1.0, None)
    assert [node["status"] for node in told["nodes"]] == ["converted"] * 3


def test_the_same_model_gives_the_same_bytes(folder: Path) -> None:
    for name in ("first", "second"):
        flags = ["--output", name, "--report", "told", "--no-verify", "--force"]
        assert cli.main(["--model_file", "model.onnx", *flags]) == 0
    assert files(folder / "first") == files(folder / "second")


def test_what_exists_is_replaced_with_force_only(folder: Path) -> None:
    assert cli.main(["--model_file", "model.onnx", "--no-verify"]) == 0
    (folder / "output" / "model.py").write_text("changed by hand")
    before = files(folder)
    assert cli.main(["--model_file", "model.onnx", "--no-verify"]) == 1
    assert files(folder) == before
    assert cli.main(["--model_file", "model.onnx", "--no-verify", "--force"]) == 0
    assert "class " in (folder / "output" / "model.py").read_text()


@pytest.mark.parametrize(
    ("typed", "spread"),
    [
        (["--shape", "1,2", "3"], ["--shape=1,2", "--shape=3"]),
        (["--shape", "-1,2", "--force"], ["--shape=-1,2", "--force"]),
        (["--shape=1,2", "3"], ["--shape=1,2", "3"]),
        (
            ["--input_nodes", "a", "b", "--shape", "1"],
            ["--input_nodes=a", "--input_nodes=b", "--shape=1"],
        ),
        (["--output", "a", "demo"], ["--output", "a", "demo"]),
        ([], []),
    ],
)
def test_flags_take_several_values(typed: list[str], spread: list[str]) -> None:
    assert list(cli.spread(typed)) == spread


@pytest.mark.parametrize(
    ("flags", "shapes", "inputs"),
    [
        ("--shape 1,3,8,8 1,10", [(1, 3, 8, 8), (1, 10)], None),
        ("--shape 1,3,8,8 --shape 1,10", [(1, 3, 8, 8), (1, 10)], None),
        ("--shape -1,3 --input_nodes a b", [(-1, 3)], ["a", "b"]),
        ("--input_nodes a,b --input_nodes c", None, ["a", "b", "c"]),
        ("--input_nodes=a,b", None, ["a", "b"]),
        (r"--input_nodes a\,b", None, ["a,b"]),
        ("", None, None),
    ],
)
def test_flags_become_options(
    flags: str, shapes: object, inputs: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[steps.Options] = []

    def caught(options: steps.Options, progress: object) -> None:
        seen.append(options)
        raise MsconvertError("MS102", "model.onnx", "enough")

    monkeypatch.setattr(steps, "convert", caught)
    assert cli.main(["--model_file", "m.onnx", *flags.split()]) == 1
    assert (seen[0].shapes, seen[0].input_nodes) == (shapes, inputs)
    assert (seen[0].output, seen[0].report, seen[0].verify) == (Path("output"), None, True)


def test_help_comes_at_once_and_says_where_things_go(tmp_path: Path) -> None:
    alone, asked = run(cwd=tmp_path), run("--help", cwd=tmp_path)
    assert (alone.returncode, alone.stderr, alone.stdout) == (0, "", asked.stdout)
    for text in ("resnet50.ckpt", "report_of_resnet50.txt", "Exit status", "Default: ./output"):
        assert text in asked.stdout
    assert run("--version", cwd=tmp_path).stdout == f"msconvert, version {msconvert.__version__}\n"


def test_nodes_that_are_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved(bad_models.unsupported(), folder)
    assert cli.main(["--model_file", "model.onnx"]) == 1
    told = capsys.readouterr()
    assert "model.onnx: MS101 my.domain::Swirl '/swirl/Swirl': no handler for Swirl" in told.err
    assert "66.6 % of 3 nodes converted (2 converted, 1 left to do)" in told.out
    assert "Not compared with the original: the script raises at the 1 node" in told.out
    report = (folder / "output" / "report_of_model.txt").read_text()
    assert "Left to do:\n  my.domain::Swirl '/swirl/Swirl': no handler for Swirl" in report
    done = subprocess.run(
        [sys.executable, "output/model.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "NotImplementedError: MS101 model.onnx: my.domain::Swirl '/swirl/Swirl'" in done.stderr
    assert "try: write this function" in done.stderr
    assert "With:  angle=3.0" in (folder / "output" / "model.py").read_text()


def test_numbers_that_differ_end_in_status_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = steps.write_weights
    monkeypatch.setattr(
        steps, "write_weights", lambda to, w, kind: write(to, [(n, a * 2) for n, a in w], kind)
    )
    assert cli.main(["--model_file", "model.onnx"]) == 1
    told = capsys.readouterr()
    assert "DIFFERS" in told.out
    assert "They DIFFER" in (folder / "output" / "report_of_model.txt").read_text()
    assert "model.onnx: MS108 " in told.err


NAMES = {
    "my model;rm -rf.onnx": "my_model_rm_rf",
    "class.onnx": "class_model",
    "numpy.onnx": "numpy_model",
    "json.onnx": "json_model",
    ".onnx": "onnx_model",
    "über.onnx": "uber",
    "50.onnx": "net_50",
    "模型.onnx": "model",
    "resnet-50.v1.onnx": "resnet_50_v1",
    "--force.onnx": "force",
    "no ending": "no_ending",
    "__init__.onnx": "init",
}


@pytest.mark.parametrize("name", NAMES)
def test_scripts_have_names_that_python_can_import(name: str, folder: Path) -> None:
    saved(bad_models.dense(), folder, name)
    assert cli.main([f"--model_file={name}", "--no-verify"]) == 0
    stem = NAMES[name]
    assert f"{stem}.py" in files(folder / "output")
    done = subprocess.run(
        [sys.executable, "-c", f"import {stem}; {stem}.load()"],
        cwd=folder / "output",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_hostile_names_become_a_harmless_script(folder: Path) -> None:
    saved(bad_models.hostile(), folder)
    done = run("--model_file", "model.onnx", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    script = folder / "output" / "model.py"
    assert len(script.read_bytes()) < 20_000
    assert script.read_bytes().isascii()
    subprocess.run([sys.executable, script], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    assert [name for name in files(folder) if "executed" in name] == []
    told = (folder / "output" / "report_of_model.txt").read_text()
    assert all(line.isprintable() for line in told.split("\n"))


FAULTS = [
    "load",
    "prepare",
    "recompose",
    "structured",
    "parameters",
    "script_text",
    "weight_map",
    "write_weights",
    "verify",
    "_report",
]
"""The steps of a conversion, in order."""

READING = ("prepare", "recompose")
"""Those of them in `converter.model`."""


@pytest.mark.parametrize("step", FAULTS)
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MsconvertError("MS104", "model.onnx", "planted"), 1, "MS104 model.onnx: planted"),
        (NameError("planted"), 1, "MS901 msconvert: this is a defect"),
        (OSError(28, "No space left on device"), 1, "MS107"),
        (KeyboardInterrupt(), 130, "interrupted: nothing is left half written"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failing_step_leaves_nothing(
    step: str,
    force: bool,
    error: BaseException,
    status: int,
    said: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if force:
        (folder / "output").mkdir()
        for name in FILES:
            (folder / "output" / name).write_text(f"an earlier {name}")
    before = files(folder)

    def broken(*arguments: object, **more: object) -> None:
        raise error

    monkeypatch.setattr(reading if step in READING else steps, step, broken)
    assert cli.main(["--model_file", "model.onnx", *(["--force"] if force else [])]) == status
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err
    assert told.out == ""
    assert files(folder) == before


class Interrupting:
    """Ctrl-C while a class is made, as an import does: Python 3.11 raises a RuntimeError of it."""

    def __set_name__(self, owner: type, name: str) -> None:
        raise KeyboardInterrupt


def test_an_interrupted_import_is_no_defect(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "prepare", lambda *a: type("Made", (), {"name": Interrupting()}))
    assert cli.main(["--model_file", "model.onnx"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted: nothing is left half written"
    assert not (folder / "output").exists()


def broken_import(reason: BaseException) -> None:
    """An extension whose initialisation a signal cuts off: it raises an error of an error of it."""
    try:
        try:
            raise reason
        except BaseException as error:
            raise ImportError("initialization failed") from error
    except ImportError:
        raise ImportError("numpy failed to import")  # noqa: B904  # as C++ code does


@pytest.mark.parametrize(
    ("reason", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted: nothing is left half written"),
        (SystemExit(128 + signal.SIGTERM), 128 + signal.SIGTERM, ""),
        (SystemExit(1), 1, "MS901"),
        (ValueError(), 1, "MS901"),
    ],
    ids=["SIGINT", "SIGTERM", "an exit", "an error"],
)
def test_a_signal_in_the_import_of_an_extension_is_no_defect(
    reason: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cli.command, "main", lambda *a, **k: broken_import(reason))
    assert cli.main([]) == status
    told = capsys.readouterr().err
    assert (said in told) if said else told == ""


HELD = """
import os, signal, sys
from msconvert.commands import main
number, came = signal.Signals(int(sys.argv[1])), []
signal.signal(number, lambda number, frame: came.append(number))
with main.signals_held():
    os.kill(os.getpid(), number)
    assert came == []
assert came == [number]
os.kill(os.getpid(), number)
assert came == [number, number]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_until_extensions_are_imported(number: signal.Signals) -> None:
    """In a process of one thread, as the command is: others of a test's own would be asked."""
    done = subprocess.run(
        [sys.executable, "-c", HELD, str(int(number))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("reason", [KeyboardInterrupt(), SystemExit(128 + signal.SIGTERM)])
def test_nor_is_it_malformed_data(reason: BaseException) -> None:
    with pytest.raises(ImportError), guard(lambda text: MsconvertError("MS104", "m", text)):
        broken_import(reason)


def test_a_defect_shows_its_traceback_when_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "prepare", lambda *a: planted)  # noqa: F821  # is the defect
    monkeypatch.setenv("MSCONVERT_DEBUG", "1")
    assert cli.main(["--model_file", "model.onnx"]) == 1
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "got:      NameError at test_cli.py:" in told


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_interrupted_while_it_compares(
    number: int, status: int, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The script is run in another process; both end, and nothing is left."""
    before = files(folder)
    begun = tmp_path_factory.mktemp("signs") / "begun"
    code = (
        "import signal, sys, time, msconvert.converter.proof.verify as v\n"
        "from msconvert.commands import main as c\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background\n"
        f"v.run_script = lambda *a: (open({str(begun)!r}, 'w').close(), time.sleep(900))\n"
        "sys.exit(c.main(['--model_file', 'model.onnx']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 900
        while not begun.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
            assert process.poll() is None
            time.sleep(0.05)
        assert list(folder.glob("output/.msconvert-*/model.ckpt"))
        process.send_signal(number)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(timeout=900) == status
    assert "Traceback" not in said
    assert files(folder) == before


def test_a_reader_that_has_gone(folder: Path) -> None:
    command = f"{sys.executable} -m msconvert --model_file model.onnx --no-verify --json | true"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert done.stderr == ""


def on_terminal(arguments: Sequence[str], cwd: Path, prelude: str) -> str:
    """What a terminal as stderr gets of the command."""
    pty = pytest.importorskip("pty", reason="no terminals here")
    main_end, other_end = pty.openpty()
    start = f"import sys; from msconvert.commands import main as c\n{prelude}\n"
    code = f"{start}sys.exit(c.main({list(arguments)!r}))"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        stderr=other_end,
        stdout=subprocess.DEVNULL,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(other_end)
    said = b""
    while True:
        try:
            part = os.read(main_end, 4096)
        except OSError:
            part = b""
        if not part:
            os.close(main_end)
            return said.decode()
        said += part


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (100.0, False)])
def test_progress_is_shown_only_if_it_takes_long(
    patience: float, shown: bool, folder: Path
) -> None:
    prelude = f"import msconvert.reporting.progress as p; p.PATIENCE_S = {patience}"
    said = on_terminal(["--model_file", "model.onnx"], folder, prelude)
    assert ("comparing with ONNX Runtime" in said) == shown


def test_public_names_are_there_and_load_nothing_before_they_are_used() -> None:
    code = (
        "import sys, msconvert; print(sorted(m for m in sys.modules if m.startswith('msconvert')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['msconvert']\n"
    found = [getattr(msconvert, name) for name in msconvert.__all__]
    assert msconvert.convert in found
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = msconvert.absent
    assert set(msconvert.__all__) <= set(dir(msconvert))


def test_convert_as_a_function(folder: Path) -> None:
    steps_seen: list[str] = []
    see: Callable[[str], None] = steps_seen.append
    report = msconvert.convert(msconvert.Options(Path("model.onnx"), verify=False), see)
    assert report.ok
    assert steps_seen[0] == "reading the model"
    assert [Path(name).name for name in report.files] == [
        "model.py",
        "model.ckpt",
        "weight_map_of_model.json",
        "report_of_model.txt",
        "report_of_model.json",
    ]


@pytest.mark.parametrize("words", [["api", "nn.Linear"], ["scan", "nothing.py"], ["scan"]])
def test_a_program_that_calls_it_keeps_its_signals(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    cli.main(words)
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_output_is_told_and_the_files_stand(folder: Path) -> None:
    code = (
        "import sys; from msconvert.commands import main as c; "
        "sys.exit(c.main(['--model_file', 'model.onnx']))"
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "MS107 standard output: the result cannot be printed" in done.stderr
    assert "defect" not in done.stderr
    assert (folder / "output" / "model.py").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_defect(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\nx = torch.neg(torch.ones(2))\n" * 5000)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "msconvert", "source", "net.py"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "MS107" in done.stderr
    assert "MS901" not in done.stderr


@pytest.mark.sweep(each=("command", "closed"))
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&-"])
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("scan net.py", 0),
        ("scan net.py --json", 0),
        ("scan nothing.py", 1),
        ("scan", 2),
        ("api nn.Linear", 0),
        ("api nn.Linear --json", 0),
        ("source net.py", 0),
        ("--help", 0),
    ],
)
def test_outputs_that_are_closed(command: str, status: int, closed: str, tmp_path: Path) -> None:
    """What is not closed has what it has else, and no file is mistaken for what is."""
    (tmp_path / "net.py").write_text("import torch\nx = torch.zeros(2)\n")
    command = f"{shlex.quote(sys.executable)} -m msconvert {command}"
    plain, done = (
        subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True)
        for text in (command, f"{command} {closed}")
    )
    assert (done.returncode, plain.returncode) == (status, status), done.stderr
    assert done.stdout == ("" if ">&-" in closed.replace("2>&-", "") else plain.stdout)
    assert done.stderr == ("" if "2>&-" in closed else plain.stderr)
    assert (tmp_path / "net.py").read_text() == "import torch\nx = torch.zeros(2)\n"
