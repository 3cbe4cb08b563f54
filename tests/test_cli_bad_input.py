"""Bad input at the command: one clear message, the right exit status, no file left.

The table is also docs/bad-input.md, with the messages as they come: pytest --renew-golden.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import onnx
import pytest

from msconvert.commands.main import main
from msconvert.tests import bad_models
from msconvert.tests.bad_models import saved
from msconvert.tests.privileges import without_privileges

ROOT = Path(__file__).parents[1]

Around = Callable[[Path], AbstractContextManager[None]]


@dataclass(frozen=True)
class Bad:
    """One bad input.

    `make` puts files into the folder; the command runs there with `flags`, within `around`.
    `phrase` stands in the message. `writes`: it is converted, with a finding.
    """

    name: str
    make: Callable[[Path], object]
    code: str
    status: int
    phrase: str
    flags: str = ""
    model: str = "model.onnx"
    around: Around = lambda folder: nullcontext()
    writes: bool = False

    def arguments(self) -> list[str]:
        model = ["--model_file", self.model] if self.model else []
        return [*model, *self.flags.split()]


def put(data: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "model.onnx").write_bytes(data)


def model(make: Callable[[], onnx.ModelProto]) -> Callable[[Path], object]:
    return lambda folder: saved(make(), folder)


def nothing(folder: Path) -> None:
    """No file at all."""


def outside(folder: Path) -> None:
    (folder / "inside").mkdir()
    (folder / "weights.bin").write_bytes(bytes(12))
    saved(bad_models.external("../weights.bin"), folder / "inside")


def with_file(name: str) -> Callable[[Path], object]:
    """A model that converts, and a file of the user's in the way."""

    def make(folder: Path) -> None:
        saved(bad_models.dense(), folder)
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")

    return make


@contextmanager
def small_files(folder: Path) -> Iterator[None]:
    """No file may grow beyond a kilobyte, as after `ulimit -f`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder takes no new files."""
    folder.chmod(0o555)
    try:
        with without_privileges():
            yield
    finally:
        folder.chmod(0o755)


whole = bad_models.dense().SerializeToString()
dense, relu = model(bad_models.dense), model(bad_models.relu)
CONVERTS = "100 % of"

TABLE = [
    Bad("missing file", nothing, "MS102", 2, "there is no such file"),
    Bad("a folder", lambda f: (f / "model.onnx").mkdir(), "MS102", 2, "it is a folder"),
    Bad("text, not ONNX", put(b"hello, I am no model\n"), "MS102", 1, "not an ONNX model"),
    Bad("a PNG image", put(b"\x89PNG\r\n\x1a\n" + bytes(40)), "MS102", 1, "a PNG image"),
    Bad("random bytes", put(bytes(range(256)) * 9), "MS102", 1, "not an ONNX model"),
    Bad("truncated", put(whole[: len(whole) // 2]), "MS102", 1, "cut off"),
    Bad("zero bytes", put(b""), "MS102", 1, "the file is empty"),
    Bad(
        "missing external data",
        model(lambda: bad_models.external("weights.bin")),
        "MS103",
        1,
        "weights.bin",
    ),
    Bad(
        "external data outside the model's folder",
        outside,
        "MS103",
        1,
        "outside",
        model="inside/model.onnx",
    ),
    Bad("a cycle", model(bad_models.cyclic), "MS104", 1, "cycle"),
    Bad("an opset newer than known", model(lambda: bad_models.relu(99)), "MS106", 1, "opset 99"),
    Bad("--shape of the wrong rank", dense, "MS105", 2, "has rank 2", "--shape 2,3,4"),
    Bad("--shape against a fixed size", dense, "MS105", 2, "fixed size", "--shape 2,5"),
    Bad("--shape with a size of zero", dense, "MS105", 2, "not positive", "--shape 0,3"),
    Bad("more shapes than inputs", dense, "MS105", 2, "not as many shapes", "--shape 2,3 2,3"),
    Bad("--shape that is no numbers", dense, "MS105", 2, "'2x3' is no shape", "--shape 2x3"),
    Bad("--shape without a value", dense, "MS105", 2, "--shape: it needs a value", "--shape"),
    Bad("unknown input node", dense, "MS105", 2, "'hidden'", "--input_nodes hiden"),
    Bad("unknown output node", dense, "MS105", 2, "'/act/Relu'", "--output_nodes /act/Rel"),
    Bad("no --model_file", nothing, "MS105", 2, "--model_file is missing", "--force", model=""),
    Bad("an unknown --target", dense, "MS105", 2, "'tensorflow'", "--target tensorflow"),
    Bad("an unknown --format", dense, "MS105", 2, "'pth'", "--format pth"),
    Bad("an unknown flag", dense, "MS105", 2, "--model_file", "--modelfile x"),
    Bad("the model without its flag", dense, "MS105", 2, "--model_file", "model.onnx", model=""),
    Bad("a read-only folder", dense, "MS107", 1, "no permission", around=read_only),
    Bad("a limit of sizes", dense, "MS107", 1, "files may not be that large", around=small_files),
    Bad(
        "the script exists",
        with_file("output/model.py"),
        "MS107",
        1,
        "model.py: the output exists already",
    ),
    Bad(
        "the report exists",
        with_file("said/report_of_model.txt"),
        "MS107",
        1,
        "report_of_model.txt: the output exists already",
        "--report said",
    ),
    Bad(
        "--output is a file",
        with_file("output"),
        "MS107",
        1,
        "its folder is a file",
    ),
    Bad(
        "--report is a file", with_file("said"), "MS107", 1, "its folder is a file", "--report said"
    ),
    Bad(
        "weights with NaN",
        model(lambda: bad_models.scaled(float("nan"))),
        "MS109",
        0,
        "the weight holds NaN",
        writes=True,
    ),
    Bad(
        "an operator that is not known",
        model(bad_models.unsupported),
        "MS101",
        1,
        "no handler for Swirl",
        writes=True,
    ),
    Bad("hostile names", model(bad_models.hostile), "", 0, CONVERTS, writes=True),
]


@dataclass(frozen=True)
class Outcome:
    """What the command did: exit status, both streams, the files that are new or changed."""

    status: int
    out: str
    err: str
    changed: set[str]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def outcome(
    bad: Bad, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
) -> Outcome:
    """Runs the command without verification: what is refused, is refused before."""
    folder.mkdir()
    bad.make(folder)
    before = files(folder)
    patch.chdir(folder)
    with bad.around(folder):
        status = main([*bad.arguments(), "--no-verify"])
    said = capsys.readouterr()
    after = files(folder)
    changed = {name for name in after | before if after.get(name) != before.get(name)}
    out, err = (text.replace(f"{folder}/", "") for text in said)
    return Outcome(status, out, err, changed)


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: bad.name)
def test_one_clear_message(
    bad: Bad,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    got = outcome(bad, tmp_path / "work", capsys, monkeypatch)
    assert got.status == bad.status
    assert bad.phrase in got.err + got.out
    assert "Traceback" not in got.err
    if bad.writes:
        assert {"output/model.py", "output/report_of_model.json"} <= got.changed
        return
    assert got.changed == set()
    assert got.out == ""
    first, *rest = got.err.rstrip("\n").split("\n")
    assert re.match(rf"{bad.code} \S", first)
    assert rest, "it says nothing but what is wrong"
    assert all(re.match(r"  (got: {6}|expected: |try: {6})\S", line) for line in rest)


PAGE_HEAD = """# Bad input

What the command says to each bad input that its tests know, and the exit status. Except where a
conversion is reported, no file is left, and files of the user's stay as they are.

Generated by `pytest tests/test_cli_bad_input.py --renew-golden`.

| input | exit status | message |
|---|---|---|
"""


def row(bad: Bad, got: Outcome) -> str:
    said = got.err.strip() or got.out.split("\n")[0]
    version = onnx.__version__
    said = said.replace(version, "the installed one")
    said = re.sub(r"(expected: 7 to|at) \d+$", r"\1 the newest known", said, flags=re.MULTILINE)
    lines = (" ".join(line.split()) for line in said.split("\n"))
    shown = "<br>".join(f"`{line}`".replace("|", "\\|") for line in lines)
    return f"| {bad.name} | {got.status} | {shown} |\n"


def test_the_page_shows_the_messages(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Callable[[Path, str], None],
) -> None:
    rows = [
        row(bad, outcome(bad, tmp_path / str(i), capsys, monkeypatch))
        for i, bad in enumerate(TABLE)
    ]
    golden(ROOT / "docs" / "bad-input.md", PAGE_HEAD + "".join(rows))
