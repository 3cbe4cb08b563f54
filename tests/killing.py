"""Commands killed at each call that names a file: `python -m msconvert.tests.killing STEP CASE...`.

One process imports everything and forks once for each point. At it, the old files are there, the
command begins, and ends by SIGKILL just before or just after its n-th call that makes, renames or
removes a name. Then a reader runs, which must find all files old or all new, and nothing else. What
is wrong is printed, and how many points there were.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from msconvert.commands.main import main
from msconvert.errors import MsconvertError
from msconvert.formats.storage import recovery
from msconvert.formats.storage.atomic import Transaction

NAMING = ("open", "mkdir", "link", "symlink", "rename", "replace", "unlink", "remove", "rmdir")
Action = Callable[[], object]
Content = dict[str, bytes]
LIMIT = 2000
"""More calls than any of the commands makes."""


@dataclass(frozen=True)
class Case:
    """What is there before (made by `before`), the command, and who looks at it afterwards.

    They run in an empty folder. `aside`: files that the reader itself makes. `also`: what would
    make the files as they may be as well.
    """

    before: Action
    command: Action
    reader: Action
    aside: tuple[str, ...] = ()
    also: Action | None = None


@dataclass
class Found:
    """How often the files were old and new, what was wrong, and what was said."""

    points: int = 0
    states: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)


def msconvert(*arguments: str) -> Action:
    def run() -> None:
        status = main(list(arguments))
        assert status in (0, 1), f"{arguments}: {status}"

    return run


# a process that is killed


def killed_at(number: int, *, after: bool) -> None:
    """Lets this process die at its call of this number."""
    calls = itertools.count(1)
    for name in NAMING:
        setattr(os, name, counted(getattr(os, name), name, calls, number, after))


def counted(
    real: Callable[..., Any], name: str, calls: Iterator[int], number: int, after: bool
) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        names = name != "open" or (len(arguments) > 1 and arguments[1] & os.O_CREAT)
        if not (names and any(map(is_here, arguments))):
            return real(*arguments, **options)
        is_last = next(calls) == number
        if is_last and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return real(*arguments, **options)
        finally:
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)

    return call


def is_here(path: Any) -> bool:
    """Whether a path leads to something below the folder in which the command runs."""
    if not isinstance(path, str | os.PathLike):
        return False
    return Path(os.path.abspath(path)).is_relative_to(Path.cwd())


def forked(action: Action, *, quiet: bool = True) -> int:
    """Runs it in a process of its own; its exit status, negative for a signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        if quiet:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
        action()
        status = 0
    finally:  # whatever has happened: the parent goes on, and not this process
        os._exit(status)


# what is left


def content(folder: Path, aside: tuple[str, ...]) -> Content:
    """Every file, link and empty folder; what the reader makes is left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name in aside or "__pycache__" in name:
            continue
        if path.is_symlink():
            found[name] = b"-> " + os.readlink(path).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name] = b"folder"
    return found


@contextmanager
def emptied(folder: Path) -> Iterator[None]:
    folder.mkdir()
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(folder)


def swept(case: Case, folder: Path, *, step: int = 1) -> Found:
    """Every `step`-th point of a command; those with `after` are between those without."""
    found = Found()
    sides = {}
    for name, command in (("new", case.command), ("newer", case.also)):
        if command is None:
            continue
        with emptied(folder / "x"):
            assert forked(case.before) == 0
            sides["old"] = content(Path(), case.aside)
            assert forked(command) == 0
            sides[name] = content(Path(), case.aside)
    assert sides["old"] != sides["new"], "the command changes nothing"
    for number, after in itertools.product(range(1, LIMIT, step), (False, True)):
        if after and step > 1 and number % (2 * step) > step:
            continue
        with emptied(folder / "x"):
            if not one_point(case, number, after, sides, found):
                return found
    raise AssertionError("it makes calls without an end")


def one_point(
    case: Case, number: int, after: bool, sides: dict[str, Content], found: Found
) -> bool:
    """Whether the process was killed; else it was done before this point."""

    def dies() -> None:
        killed_at(number, after=after)
        case.command()

    assert forked(case.before) == 0
    if forked(dies) != -signal.SIGKILL:
        return False
    found.points += 1
    place = f"{'after' if after else 'before'} call {number}"
    said = Path(f"{Path.cwd()}.said")
    status = forked(lambda: read(case.reader, said))
    lines = said.read_text().splitlines() if said.exists() else []
    found.told.update(line.split(": ")[2] for line in lines)
    there = content(Path(), case.aside)
    state = next((name for name, side in sides.items() if side == there), "torn")
    found.states[state] += 1
    if state == "torn" or status != 0:
        new = sides["new"]
        differing = sorted(n for n in there.keys() | new.keys() if there.get(n) != new.get(n))
        found.wrong.append(f"{place}: {state}, reader's status {status}, not new: {differing}")
    return True


def read(reader: Action, said: Path) -> None:
    recovery.SEEN.clear()
    handler = logging.FileHandler(said, mode="w")
    logging.getLogger("msconvert.formats").addHandler(handler)
    reader()
    handler.flush()


# the commands


def weights_of(seed: int) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(seed)
    return {f"layer{i}.weight": numbers.standard_normal((8, 8)).astype("f4") for i in range(6)}


def write_file(path: str, seed: int) -> None:
    from msconvert.formats import write_weights

    write_weights(path, weights_of(seed).items(), "safetensors", force=True)


def writer(path: str = "other/note.txt") -> Action:
    """A later run that writes something else there."""

    def run() -> None:
        recovery.settle_below(".")
        with Transaction(force=True) as files:
            files.write_text(path, "x")

    return run


def both(*actions: Action) -> Action:
    def run() -> None:
        for action in actions:
            action()

    return run


def weights_case(output: str, *more: str) -> Case:
    def command(seed: int) -> Action:
        arguments = (
            "weights",
            "a.safetensors",
            "-o",
            f"out/{output}",
            "--names",
            "same",
            "--force",
        )
        return both(lambda: write_source(seed), msconvert(*arguments, *more))

    def write_source(seed: int) -> None:
        os.makedirs("../in", exist_ok=True)
        write_file(f"../in/{seed}.safetensors", seed)
        if not os.path.lexists("a.safetensors"):
            os.symlink("../in/1.safetensors", "a.safetensors")

    def read_all() -> None:
        from msconvert.formats import read_weights

        names = sorted(Path("out").glob("[!.]*.json")) or sorted(Path("out").glob("[!.]*"))
        for name in names:
            found = read_weights(name)
            for tensor in found.tensors().values():
                tensor.array()

    def second() -> None:
        arguments = ("weights", "../in/2.safetensors", "-o", f"out/{output}")
        msconvert(*arguments, "--names", "same", "--force", *more)()

    return Case(both(command(1), lambda: write_file("../in/2.safetensors", 2)), second, read_all)


def model(seed: int, nodes: int) -> None:
    import onnx

    from msconvert.tests.converter.hand_graphs import graph, node

    weights = {
        f"w{i}": np.random.default_rng((seed, i)).standard_normal((3, 3)).astype("f4")
        for i in range(nodes)
    }
    names = ["x", *(f"v{i}" for i in range(nodes - 1)), "y"]
    made = [node("MatMul", f"{names[i]} w{i}", names[i + 1]) for i in range(nodes)]
    os.makedirs(f"../model{seed}", exist_ok=True)
    onnx.save(graph(made, weights=weights), f"../model{seed}/net.onnx")


def convert(seed: int, *more: str) -> Action:
    flags = ("--no-verify", "--force", "--output", "out", *more)
    command = msconvert("--model_file", f"../model{seed}/net.onnx", *flags)
    return both(lambda: model(seed, seed), in_one_process, command)


def in_one_process() -> None:
    """The process that writes is this one, so that what is killed has no parent that cleans up."""
    from msconvert.converter import convert

    convert.confined = lambda work, _bounds, tell: work(tell)


def load() -> None:
    from msconvert.runtime import load_checkpoint

    if os.path.exists("out/net.ckpt"):
        load_checkpoint("out/net.ckpt")
    else:
        recovery.settle(".")


def demo() -> None:
    """As it is, but for the run of the script, which takes long."""
    from msconvert.converter import convert

    convert._verified = lambda *_arguments: convert.Verification(())
    in_one_process()
    msconvert("demo", "--output", "out")()


def compared(text: str) -> Action:
    """The command's own writing of a comparison that says this."""

    def run() -> None:
        from msconvert.commands import compare as cli_compare
        from msconvert.troubleshooter import compare
        from msconvert.troubleshooter.compare import as_text

        compare.compare_networks = lambda *_arguments: SimpleNamespace(ok=True)
        as_text.to_text = lambda *_arguments, **_options: text
        for kind in ("json", "html"):
            cli_compare.MAKERS[kind] = lambda _found: text
        reports(("compare", "a.py", "b.py"), ("json", "html"))()

    return run


PROJECT = {
    "net.py": "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 3)\n\n"
    "    def forward(self, x):\n        return torch.relu(self.fc(x))\n",
    "parts/__init__.py": "",
    "parts/loss.py": "import torch.nn.functional as F\n\nloss = F.mse_loss\nrelu = F.relu\n",
    "parts/deep/text.txt": "no source",
    "use.py": "import torch\nfrom net import Net\n\nprint(torch.abs(Net()(torch.ones(2, 3))))\n",
}


def project() -> None:
    for name, text in PROJECT.items():
        path = Path("project", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.symlink("net.py", "project/link.py")


def with_weights(before: Action) -> Action:
    """The same project with a checkpoint and what it depends on."""

    def run() -> None:
        from msconvert.formats.pytorch.pth_writer import write_pth

        before()
        weights = {"fc.weight": np.ones((3, 3), "f4"), "fc.bias": np.zeros(3, "f4")}
        write_pth("project/net.pth", weights.items())
        Path("project/requirements.txt").write_text("torch\n")

    return run


def former_output() -> None:
    project()
    for name in ("net.py", "parts/loss.py", "own/notes.txt"):
        path = Path("converted", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old")


def save(seed: int) -> Action:
    def run() -> None:
        from msconvert.runtime import Tensor, save_checkpoint

        save_checkpoint({name: Tensor(x) for name, x in weights_of(seed).items()}, "saved/net.ckpt")

    return run


def load_saved() -> None:
    from msconvert.runtime import load_checkpoint

    load_checkpoint("saved/net.ckpt")


def exported(size: int) -> Action:
    def run() -> None:
        from msconvert.runtime import Tensor, nn
        from msconvert.runtime.export import Options, write_model

        net = nn.SequentialCell(nn.Dense(4, size), nn.ReLU(), nn.Dense(size, 4))
        write_model("net.onnx", net, (Tensor(np.ones((2, 4), "f4")),), Options(), limit=0)

    return run


def read_model() -> None:
    from msconvert.formats import read_weights

    read_weights("net.onnx")


def reports(command: tuple[str, ...], kinds: tuple[str, ...]) -> Action:
    flags = [f"--{kind}=reports/{kind}" for kind in kinds]
    return msconvert(*command, *flags, "--force")


def two_files() -> None:
    for number, name in enumerate("abc"):
        write_file(f"{name}.safetensors", number)


def files(*names: str, text: str, folders: tuple[str, ...] = ()) -> Action:
    """Files of a transaction alone, which has parts in several folders and makes some of them."""

    def run() -> None:
        with Transaction(force=True) as transaction:
            for number, name in enumerate(names):
                transaction.write_text(name, f"{text} {number}")
            for folder in folders:
                transaction.folder(folder)

    return run


def fails(action: Action) -> Action:
    """The same, whose last renaming fails: it is taken back."""

    def run() -> None:
        real, calls = os.replace, itertools.count()

        def replace(source: str, target: str) -> None:
            if next(calls) == 2:
                raise OSError(5, "Input/output error")
            real(source, target)

        os.replace = replace  # type: ignore[assignment]
        try:
            action()
        except MsconvertError:
            Path("done").touch()

    return run


ROWS = ("a/x", "a/y", "b/z")
CASES = {
    "one file": Case(
        files("a/x", text="old"), files("a/x", text="new"), writer("a/note"), ("a/note",)
    ),
    "three files": Case(
        files(*ROWS, text="old"), files(*ROWS, text="new"), writer(), ("other/note.txt",)
    ),
    "new folders": Case(
        files("a/x", text="old"),
        files("a/x", "a/n/m/y", "c/d/z", "c/e", text="new"),
        writer(),
        ("other/note.txt",),
    ),
    "taken back": Case(
        files(*ROWS[:2], text="old"),
        fails(files(*ROWS, text="new")),
        writer(),
        ("other/note.txt",),
        files(*ROWS, text="new"),
    ),
    "convert": Case(convert(1), convert(2), load),
    "convert, first": Case(lambda: None, convert(2), both(load, writer()), ("other/note.txt",)),
    "convert, report": Case(convert(1, "--report", "told"), convert(2, "--report", "told"), load),
    "demo": Case(lambda: None, demo, both(load, writer()), ("other/note.txt",)),
    "compare": Case(compared("old"), compared("new"), writer("reports/note"), ("reports/note",)),
    "weights": weights_case("w.ckpt"),
    "weights, shards": weights_case("w.safetensors", "--shard-size", "600"),
    "source": Case(
        project, msconvert("source", "project", "--output", "converted"), msconvert("scan", ".")
    ),
    "source, force": Case(
        former_output,
        msconvert("source", "project", "--output", "converted", "--force"),
        msconvert("scan", "converted"),
    ),
    "source, write": Case(
        project, msconvert("source", "project", "--write"), msconvert("scan", "project")
    ),
    "migrate": Case(
        with_weights(project),
        msconvert("migrate", "project", "--output", "converted", "--no-verify"),
        msconvert("scan", "."),
    ),
    "migrate, force": Case(
        with_weights(former_output),
        msconvert("migrate", "project", "--output", "converted", "--no-verify", "--force"),
        msconvert("scan", "converted"),
    ),
    "scan": Case(
        both(project, reports(("scan", "project/use.py"), ("json", "html", "csv"))),
        reports(("scan", "project"), ("json", "html", "csv")),
        writer("reports/note"),
        ("reports/note",),
    ),
    "diff": Case(
        both(two_files, reports(("diff", "a.safetensors", "b.safetensors"), ("json", "csv"))),
        reports(("diff", "a.safetensors", "c.safetensors"), ("json", "csv")),
        msconvert("diff", "--from", "reports/json"),
    ),
    "save_checkpoint": Case(save(1), save(2), load_saved),
    "export": Case(exported(3), exported(5), read_model),
}


def import_all() -> None:
    """Imports what the commands need, once and not at each point."""
    for name in (
        "commands.diff",
        "commands.scan",
        "commands.source",
        "commands.weights",
        "commands.compare",
        "converter.convert",
        *MORE,
    ):
        import_module(f"msconvert.{name}")
    import_module("msconvert.api_mapping.table.registry").rules()


MORE = (
    *(
        "runtime.export",
        "troubleshooter.weights.as_text",
        "troubleshooter.diff.interface",
        "troubleshooter.compare.as_text",
    ),
    *("api_mapping.source.tree", "api_mapping.source.as_text", "api_mapping.source.output"),
    *("api_mapping.scan.as_html", "api_mapping.scan.as_text", "formats.names.optimizer_state"),
)


def run(names: list[str], step: int) -> Iterator[tuple[str, Found]]:
    import_all()
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            yield name, swept(CASES[name], Path(folder), step=step)


if __name__ == "__main__":
    step, *wanted = sys.argv[1:] or ["1"]
    for name, found in run(wanted or list(CASES), int(step)):
        facts = {"points": found.points, **found.states, "wrong": found.wrong, "told": found.told}
        sys.stdout.write(json.dumps({"case": name, **facts}) + "\n")
        sys.stdout.flush()
