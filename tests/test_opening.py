"""Whatever input names is opened in one way: what is no file of a bounded size is refused at once.

Each kind of file that a command reads, and each thing that can be in its place.
"""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from msconvert.api_mapping.analysis.files.sources import search
from msconvert.child_process import Bounds, confined
from msconvert.commands.main import main
from msconvert.errors import MsconvertError
from msconvert.formats.storage import opening

ROOT = Path(__file__).parents[1]
TB = 1 << 40

READERS = frozenset(
    {
        *("open", "fdopen", "read_text", "read_bytes", "fromfile", "memmap", "open_memmap"),
        *("loadtxt", "genfromtxt", "ZipFile", "TarFile", "getline", "getlines", "FileIO"),
        *("open_code", "safe_open", "load_file", "load_model", "load_external_data_for_model"),
    }
)
"""Names of functions that read a file, whoever's they are."""

LOADERS = frozenset(
    f"{module}.{name}"
    for module in ("np", "numpy", "onnx", "json", "tomllib", "pickle", "torch", "marshal")
    for name in ("load", "loads")
) - {"tomllib.loads"}
"""And those with names that others have, too; JSON because it may be nested without end."""

ALLOWED = {
    # functions of ours with such names, and what opens a descriptor of `opening`
    "api_mapping/analysis/modules.py": {"read_text"},
    "api_mapping/analysis/files/reading.py": {"read_text"},
    "troubleshooter/legacy/losses.py": {"os.fdopen"},
    "formats/records/tfrecord.py": {"os.fdopen"},
    "runtime/dataset/sources/text_files.py": {"os.fdopen"},
    "runtime/mindrecord/converters.py": {"os.fdopen"},
    "runtime/dataset/vision/codec.py": {"image.open"},  # Pillow's, of bytes that have been read
    "formats/storage/marks.py": {"json.loads"},  # a line of a mark, of a bounded length
    # what is written, and read again by whoever has written it
    "commands/outputs.py": {"os.open"},  # of what takes all
    "formats/records/mindrecord_writer.py": {"open"},
    "formats/storage/atomic.py": {"os.open", "self.open"},
    "formats/storage/journal.py": {"os.open"},
    "formats/transfer/proof.py": {"open"},
    "formats/ckpt.py": {"transaction.open"},
    "formats/transfer/conversion.py": {"transaction.open"},
    "formats/pytorch/pth_writer.py": {"transaction.open"},
    "formats/safetensors.py": {"transaction.open", "safe_open"},  # it has been mapped before
    "converter/convert.py": {"transaction.open"},
    "runtime/export.py": {"transaction.open"},
    "runtime/dataset/serialization/pipelines.py": {"transaction.open"},
    "commands/compare.py": {"transaction.open"},
    "api_mapping/source/output.py": {"files.open"},
    "migration/checkpoints.py": {"open"},
    "migration/as_json.py": {"json.loads"},  # another report of ours
    "troubleshooter/legacy/saving.py": {"files.open"},
    "converter/proof/run_script.py": {"np.load"},  # in a confined child
    "converter/proof/verify.py": {"np.load", "onnx.load"},  # the model has been opened before
    "converter/proof/original.py": {"onnx.load", "onnx.load_external_data_for_model"},
    # what is of this process, or of the system
    "commands/main.py": {"os.open", "os.fdopen"},
    "child_process.py": {"open", "pickle.loads"},
    "troubleshooter/sides/processes.py": {"open"},
    "troubleshooter/sides/workers.py": {"open", "read_text"},
    "runtime/engine/failure.py": {"linecache.getline"},  # of a module that has been imported
    "runtime/engine/compiler.py": {"self.open"},
    "runtime/engine/flow/source.py": {"linecache.getlines"},  # the same
    "runtime/profiler/interface.py": {"json.loads"},  # what this process has written
    "runtime/profiler/recorder.py": {
        *("json.loads", "path.read_text", "Path('/proc/self/statm').read_text"),  # ONNX Runtime's
    },
    "runtime/summary/event_file.py": {"os.open"},
    "runtime/dump/files.py": {"path.open"},
    # msconvert's own
    "converter/text/written.py": {"read_text"},
    "api_mapping/source/compat_module.py": {"file.read_text"},
    "api_mapping/table/bundled.py": {"FILE.read_text", "json.loads"},
    # the child of a comparison, which has no msconvert: its parent looks before
    "troubleshooter/sides/child": {
        *("open", "os.open", "os.fdopen", "onnx.load", "zipfile.ZipFile", "json.loads"),
        *("self.graph.open", "load_file", "Path(f'{path}.npz').open"),
        "linecache.getline",  # of modules that have been imported and run
    },
}
"""What reads without `formats.storage.opening`, and why that is right."""


def called(tree: ast.AST) -> Iterator[str]:
    """The functions named as one of READERS that are called, as they are written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            whole = ast.unparse(node.func)
            name = whole.rpartition(".")[2]
            if whole in LOADERS or name in READERS:
                yield whole if whole.isascii() and len(whole) < 40 else name


SHIPPED = [
    *ROOT.glob("*.py"),
    *(
        path
        for part in (
            *("converter", "formats", "runtime", "api_mapping", "troubleshooter", "migration"),
        )
        for path in (ROOT / part).rglob("*.py")
    ),
]


def test_no_other_reader_is_in_the_product() -> None:
    found: dict[str, set[str]] = {}
    for path in SHIPPED:
        name = path.relative_to(ROOT).as_posix()
        key = next((known for known in ALLOWED if name.startswith(known)), name)
        if name != "formats/storage/opening.py":
            new = set(called(ast.parse(path.read_text(encoding="utf-8"))))
            found.setdefault(key, set()).update(new)
    others = {key: names - ALLOWED.get(key, set()) for key, names in found.items()}
    assert {key: names for key, names in others.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("open(path)", 1),
        ("os.open(path, 0)", 1),
        ("path.read_bytes()", 1),
        ("(a / b / 'a name that is long enough to be cut').read_text()", 1),
        ("np.load(path)", 1),
        ("json.load(stream)", 1),
        ("zipfile.ZipFile(path)", 1),
        ("reader.load(tensor)", 0),
        ("opened(path)", 0),
        ("tomllib.loads(text)", 0),
    ],
)
def test_the_check_sees_readers_and_nothing_else(source: str, count: int) -> None:
    assert len(list(called(ast.parse(source)))) == count


# what may be in the place of a file

Make = Callable[[Path], None]


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 30)


def socket_at(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)  # a path in full may be too long for a socket
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


THINGS: dict[str, Make] = {
    "pipe": lambda path: os.mkfifo(path),
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "null": lambda path: path.symlink_to("/dev/null"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": lambda path: path.mkdir(),
    "socket": socket_at,
    "5 GB of nothing": sparse,
    "itself": lambda path: path.symlink_to(path),
    "a map of memory": lambda path: path.symlink_to("/proc/self/mem"),
    "not UTF-8": lambda path: path.write_bytes(b'{"\xff": 1}'),
    "brackets": lambda path: path.write_bytes(b"[" * 1_000_000),
    "objects": lambda path: path.write_bytes(b'{"a":' * 100_000),
}
IS_FILE = ("5 GB of nothing", "a map of memory", "not UTF-8", "brackets", "objects")
NO_TEXT = ("not UTF-8", "brackets", "objects")


def text(path: Path) -> None:
    path.write_text("import torch\ntorch.abs(1)\n")


def array(path: Path) -> None:
    np.save(path, np.ones(3))


WEIGHTS = "MS105|MS302|MS305|MS102|not a regular file|it is a folder|cannot be read|is empty"
USES: dict[str, tuple[str, str, str]] = {
    "settings": ("scan FILE", "pyproject.toml", "MS210"),
    "baseline of the settings": ("scan net.py", "kept.json", "MS211"),
    "baseline": ("scan net.py --baseline FILE", "known.json", "MS211"),
    "source to scan": ("scan FILE", "x.py", "MS209|not be read"),
    "notebook to scan": ("scan FILE", "x.ipynb", "MS209|not be read"),
    "source": ("source FILE --output out --force", "y.py", "MS209|not be read|no file"),
    "map": ("weights a.npz --map FILE -o o.ckpt", "map.json", "MS310"),
    "source as a map": ("weights a.npz --map FILE -o o.ckpt", "map.py", "MS310|MS209"),
    "names": ("diff a.npy a.npy --map FILE", "names.json", "MS310"),
    "results": ("diff --from FILE", "results.json", "MS406"),
    "index": ("diff a.npy FILE", "x.index.json", WEIGHTS),
    "index of weights": ("weights FILE -o o.ckpt", "y.index.json", WEIGHTS),
    **{
        f"{kind} of {command}": (f"{command} {ends}", f"x.{kind}", WEIGHTS)
        for command, ends in (("diff", "a.npy FILE"), ("weights", "FILE -o o.ckpt"))
        for kind in ("pth", "ckpt", "safetensors", "npz", "npy", "onnx")
    },
    "model": ("--model_file FILE", "x.onnx", "MS102"),
    "compared": ("compare FILE net.py", "x.onnx", "MS401|MS405"),
    "verified": ("verify FILE net.py", "z.py", "MS4"),
}
"""A command for each thing that is read, the name of the file, and what a refusal says."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    text(tmp_path / "net.py")
    array(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    monkeypatch.chdir(tmp_path)
    return tmp_path


MAIN = """
import resource, sys
from msconvert.commands import main as cli
from msconvert.child_process import _data_bytes
import numpy
data = 0
for line in open("/proc/self/status"):
    if line.startswith("VmData:"):
        data = int(line.split()[1]) << 10
resource.setrlimit(resource.RLIMIT_DATA, (data + (1 << 30),) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
for arguments in sys.argv[1:]:
    print(arguments, "->", flush=True)
    print("status", cli.main(arguments.split()), flush=True)
"""


@pytest.mark.parametrize("use", USES)
def test_what_is_no_file_is_refused_in_little_memory(use: str, here: Path) -> None:
    command, name, phrase = USES[use]
    commands = []
    for number, (kind, make) in enumerate(THINGS.items()):
        if kind == "folder" and command.startswith(("scan", "source")):  # which take one
            continue
        if kind in NO_TEXT and not name.endswith((".json", ".toml")):
            continue
        if kind not in IS_FILE and name.endswith(".toml"):  # a project without settings
            continue
        folder = here / str(number)
        folder.mkdir()
        make(folder / name)
        if use == "source" and kind == "5 GB of nothing":
            os.truncate(folder / name, 5 << 28)  # more than the memory, too, and it is copied
        if name == "kept.json":
            (folder / "pyproject.toml").write_text('[tool.msconvert]\nbaseline = "kept.json"\n')
        text(folder / "net.py")
        commands.append(command.replace("FILE", f"{number}/{name}"))
        if name in ("pyproject.toml", "kept.json"):
            commands[-1] = f"scan {number}/net.py"
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *commands],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout
    said = re.findall(r"->\n(.*?)\nstatus ([0-9])\n", done.stdout, re.DOTALL)
    assert len(said) == len(commands), done.stdout
    for told, status in said:
        assert status != "0", told
        assert re.search(phrase, told), told
        assert not re.search("MS901|Traceback", told), told


GLOBS: dict[str, tuple[list[str], str]] = {
    "20,000 globs": (["*"] * 20_000, "too many globs"),
    "1,001 globs": ([f"a{i}" for i in range(1001)], "too many globs"),
    "a long one": (["a" * 1001], "too many characters"),
    "a million characters": (["*a" * 500_000], "too many characters"),
    "one of many is long": ([*("b" for _ in range(900)), "c*" * 600], "too many characters"),
    "many long ones": (["d" * 900] * 1200, "too many globs"),
}


@pytest.mark.parametrize("name", GLOBS)
def test_globs_are_bounded_in_number_and_length(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    globs, phrase = GLOBS[name]
    (here / "pyproject.toml").write_text(f"[tool.msconvert]\nexclude = {json.dumps(globs)}\n")
    assert main(["scan", "net.py"]) == 2
    error = capsys.readouterr().err
    assert "MS210" in error
    assert phrase in error


def test_a_thousand_globs_are_held_against_many_files_in_little_time(here: Path) -> None:
    for number in range(300):
        (here / f"f{number}.py").touch()
    globs = [f"*x{i}*y*z{i}*" for i in range(999)] + ["f2*"]
    found = confined(lambda tell: len(search([here], globs).found), Bounds(1 << 30, 20))
    assert found == 301 - 111


# what a file says

JSON_NUMBERS = ("1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1" * 50, "1" * 5000)


@pytest.mark.parametrize("number", JSON_NUMBERS, ids=lambda text: text[:10])
def test_numbers_in_json_are_finite_and_bounded(number: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(f'[{{"a": {number}}}]')
    with pytest.raises(ValueError, match="number"):
        opening.json_of(tmp_path / "x.json", 10_000)
    opened = opening.json_in(b"[1, 2.5, -3, 1e300, 18446744073709551615]")
    assert opened == [1, 2.5, -3, 1e300, (1 << 64) - 1]


@pytest.mark.parametrize("levels", [98, 99, 100, 101, 900, 100_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_json_is_nested_so_deep_at_most(pair: tuple[str, str], levels: int) -> None:
    data = (pair[0] * levels + "1" + pair[1] * levels).encode()
    if levels <= opening.MOST_LEVELS:
        assert opening.json_in(data)
        return
    with pytest.raises(ValueError, match="nested"):
        opening.json_in(data)


def test_a_file_is_read_up_to_its_bound_and_no_further(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert opening.bytes_of(tmp_path / "x", 5) == b"12345"
    with pytest.raises(opening.UnopenedError, match="5 bytes, at most 4"):
        opening.bytes_of(tmp_path / "x", 4)
    with pytest.raises(opening.UnopenedError, match="at most 10"):  # it says that it is empty
        opening.bytes_of("/proc/self/maps", 10)
    for name in ("a\0b", "a/\0"):
        with pytest.raises(opening.UnopenedError, match="name"):
            opening.bytes_of(name, 10)


def test_json_of_many_values_is_not_parsed(tmp_path: Path) -> None:
    work = [b"[" + b"[]," * 21_000_000, b"{}," * 21_000_000, b"," * 30_000_000]
    for data in work:
        with pytest.raises(MsconvertError, match="too many values"):
            confined(lambda tell, data=data: refused(data), Bounds(200 << 20, 20))


def refused(data: bytes) -> None:
    try:
        opening.json_in(data)
    except ValueError as error:
        raise MsconvertError("MS302", "", str(error)) from error
