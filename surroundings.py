"""What msconvert finds where it runs: packages, Pythons, MindSpore, room. Nothing is imported.

Packages are known by their metadata; another Python is asked in a process of its own, without its
environment variables, and only if it is called `python`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from .errors import MsconvertError, printable

State = Literal["ok", "advice", "missing"]

VARIABLE = "MSCONVERT_MINDSPORE_PYTHON"
CACHED = "mindspore-*/bin/python"
"""What tests/make_mindspore_env.sh makes, in the cache's folder of msconvert."""

OLDEST, OLDEST_SPOKEN = (3, 11), "3.11"
ANSWER_S, LONGEST = 20, 1 << 16
ROOM = {"temporary files": 1 << 30, "the cache": 3 << 30}
"""What comparing takes at most of the disk, and what an environment with MindSpore takes."""

ASK = """
import sys
from importlib.metadata import PackageNotFoundError, version
print("python", sys.version.split()[0])
for name in sys.argv[1:]:
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
"""
ASKED = ("mindspore", "numpy", "torch", "torchvision")

READING = frozenset(("click", "rich", "jinja2", "libcst"))
NEEDS: dict[str, frozenset[str]] = {
    "scan": READING,
    "source": READING | {"ruff"},
    "convert": frozenset(("click", "rich", "numpy", "onnx", "onnxruntime", "ruff", "jinja2")),
    "weights": frozenset(("click", "numpy", "ml_dtypes", "safetensors", "libcst")),
    "diff": frozenset(("click", "rich", "numpy", "ml_dtypes", "safetensors")),
    "verify": frozenset(("click", "numpy", "onnxruntime", "torch")),
    "compare": frozenset(("click", "numpy", "scipy", "onnxruntime", "torch")),
    "migrate": READING | {"ruff", "numpy", "ml_dtypes", "onnxruntime", "torch"},
    "mindspore": frozenset({"mindspore"}),
}
"""The packages that a command needs; "mindspore" is --target mindspore of any of them."""

USERS = "torch", "torchvision", "mindspore"
"""Packages that are the user's, and no dependency of msconvert's."""
OTHERS = frozenset({*USERS, "msconvert"})
NOT_LISTED = frozenset(("dev", "scan", "mindspore"))
"""Extras of which the packages are others', or listed without them."""
REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)")


@dataclass(frozen=True)
class Line:
    """Something that was looked at: what it is, whether it is well, what to do if not."""

    name: str
    state: State
    text: str
    advice: str = ""


@dataclass(frozen=True)
class Interpreter:
    """A Python and the versions of what it has; `problem` if it does not answer."""

    path: Path
    versions: dict[str, str]
    problem: str = ""


def looked_at(commands: Iterable[str] = ()) -> list[Line]:
    """Everything, a line each; "missing" is what the commands, or without any msconvert, need."""
    needed = set().union(*(NEEDS[name] for name in commands))
    elsewhere = [interpreter(path) for path in mindspore_pythons()]
    lines = [
        own_python(),
        *pythons(),
        *(dependency(text, needed) for text in requirements(needed)),
        *(users(name, needed, elsewhere) for name in USERS),
        *numpy_for_mindspore(),
        *(environment(found) for found in elsewhere),
        *room(),
    ]
    return [told(line, needs_mindspore="mindspore" in needed) for line in lines]


def told(line: Line, *, needs_mindspore: bool) -> Line:
    """The line without advice where all is well; MindSpore that is not asked for stops nobody."""
    if line.state == "missing" and "MindSpore" in line.name and not needs_mindspore:
        return replace(line, state="advice")
    return replace(line, advice="") if line.state == "ok" else line


def own_python() -> Line:
    here = ".".join(map(str, sys.version_info[:3]))
    state: State = "ok" if sys.version_info >= OLDEST else "missing"
    return Line("Python", state, f"{here}, {sys.executable}", f"Python {OLDEST_SPOKEN} or newer")


def pythons() -> Iterator[Line]:
    """The Pythons on the path that could have an environment made."""
    names = [f"python3.{minor}" for minor in range(9, 16)]
    found = {name: path for name in names if (path := shutil.which(name)) is not None}
    if found:
        yield Line(
            "Pythons", "ok", ", ".join(f"{name[6:]} ({path})" for name, path in found.items())
        )


# packages of this Python


def installed(name: str) -> str | None:
    """The version of a package by its metadata; None if it is not there."""
    with suppress(PackageNotFoundError, ValueError, OSError):
        found = version(name)
        return str(found) if found else "?"
    return None


def requirements(needed: Collection[str]) -> list[str]:
    """What msconvert says it needs, and what else the commands do."""
    own = own_requirements()
    known = {name_of(text).lower() for text in own}
    return own + sorted(name for name in needed if name not in {*known, *USERS})


def own_requirements() -> list[str]:
    """What msconvert says it needs, with its extras; nothing where it is not installed."""
    with suppress(PackageNotFoundError, ValueError, OSError):
        every = [text for text in requires("msconvert") or () if REQUIREMENT.match(text)]
        own = [text for text in every if extra_of(text) not in NOT_LISTED]
        return [text for text in own if name_of(text) not in OTHERS]
    return []


def name_of(requirement: str) -> str:
    found = REQUIREMENT.match(requirement)
    return found[1] if found else ""


def extra_of(requirement: str) -> str:
    found = re.search(r"""extra *== *["']([\w-]+)""", requirement)
    return found[1] if found else ""


def dependency(requirement: str, needed: Collection[str]) -> Line:
    """Whether a package that msconvert names is there, and new enough."""
    name = name_of(requirement)
    lowest = next(iter(re.findall(r">=\s*([\d.]+)", requirement.partition(";")[0])), "")
    extra = extra_of(requirement)
    have, wanted = installed(name), f"{name} {lowest} or newer" if lowest else name
    is_needed = name.lower() in needed if needed else not extra
    advice = f"pip install {installable(requirement)}"
    if have is None:
        state: State = "missing" if is_needed else "advice"
        return Line(name, state, f"not there{f' (extra {extra})' if extra else ''}", advice)
    if numbers(have) < numbers(lowest):
        return Line(name, "missing" if is_needed else "advice", f"{have}, not {wanted}", advice)
    return Line(name, "ok", have)


def installable(requirement: str) -> str:
    """The requirement as one word of a shell."""
    return f'"{requirement.partition(";")[0].strip()}"'


def numbers(text: str) -> tuple[int, ...]:
    """2.4.1 as (2, 4, 1), without what stands behind the numbers."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")[:4]) if found else ()


def users(name: str, needed: Iterable[str], elsewhere: Iterable[Interpreter]) -> Line:
    """A package of the user's, in this Python or, of MindSpore, in another one."""
    have = installed(name)
    if have is not None:
        return Line(name, "ok", have)
    if name == "mindspore" and any("mindspore" in found.versions for found in elsewhere):
        return Line(name, "ok", "not in this Python, and in the one below")
    state: State = "missing" if name in needed else "advice"
    return Line(name, state, "not in this Python", ADVICE[name])


ADVICE = {
    "torch": 'verify, compare and migrate run the original: pip install "msconvert[torch]"',
    "torchvision": "only projects that use it need it",
    "mindspore": "only --target mindspore needs it: in a checkout, bash "
    'tests/make_mindspore_env.sh; or pip install "msconvert[mindspore]" in an own environment',
}


def numpy_for_mindspore() -> Iterator[Line]:
    """Whether this Python's NumPy is one that its MindSpore can be used with."""
    have, mindspore = installed("numpy"), installed("mindspore")
    if have is not None and mindspore is not None:
        yield numpy_line("NumPy for MindSpore", have)


def numpy_line(name: str, have: str) -> Line:
    if () < numbers(have) < (2,):
        return Line(name, "ok", have)
    return Line(
        name, "missing", f"{have or 'none'}: MindSpore needs one below 2", 'pip install "numpy<2"'
    )


DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml"}
"""Packages whose modules have other names."""


def unmet(error: Exception) -> MsconvertError | None:
    """MS903 for an import of what msconvert, or a command of it, needs and is not there."""
    if not isinstance(error, ModuleNotFoundError):
        return None
    module = (error.name or "").partition(".")[0]
    name = DISTRIBUTIONS.get(module, module)
    every = {*set().union(*NEEDS.values()), *DISTRIBUTIONS.values(), *USERS}
    if name not in every:
        return None
    advice = f"pip install {name}; msconvert doctor says what else is missing"
    return MsconvertError("MS903", name, "it is not installed, and needed for this", advice=advice)


# other Pythons


def mindspore_pythons() -> list[Path]:
    """Where MindSpore may be: the Python that the variable names, those of the cache."""
    named = os.environ.get(VARIABLE)
    found = [Path(named)] if named else []
    with suppress(OSError, ValueError, RuntimeError, NotImplementedError):
        found += sorted(cache().glob(CACHED), reverse=True)
    return found


def cache() -> Path:
    """The folder of msconvert in the user's cache. Raises: RuntimeError if there is no home"""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "msconvert"


def mindspore_python() -> str | None:
    """The first of them that is there; None if none is."""
    return next((str(path) for path in mindspore_pythons() if is_python(path)), None)


def is_python(path: Path) -> bool:
    """Whether a program may be asked as Python is: it is called so, and can be started."""
    try:
        named = re.fullmatch(r"python[\d.]*(\.exe)?", path.name) is not None
        return named and path.is_file() and os.access(path, os.X_OK)
    except (OSError, ValueError):
        return False


def interpreter(path: Path) -> Interpreter:
    """What another Python says that it has; only its metadata are read."""
    if not is_python(path):
        return Interpreter(path, {}, "there is no such Python")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    command = [str(path), "-I", "-c", ASK, *ASKED]
    try:
        text = answer(command, kept).decode(errors="replace")
    except (OSError, ValueError) as error:
        return Interpreter(path, {}, f"it cannot be started ({type(error).__name__})")
    pairs = [line.split(" ", 1) for line in text.splitlines() if line.count(" ") == 1]
    found = {name: value for name, value in pairs if name in ("python", *ASKED)}
    if numbers(found.get("python", "")) < (3,):
        return Interpreter(path, {}, "it does not answer as Python does")
    return Interpreter(path, found)


def answer(command: list[str], variables: dict[str, str]) -> bytes:
    """The first of what a program prints; it is ended when that is read, or it takes too long."""
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(
        command, env=variables, cwd="/", stdin=nothing, stdout=pipe, stderr=nothing
    ) as process:
        timer = threading.Timer(ANSWER_S, process.kill)
        timer.start()
        assert process.stdout is not None
        text = process.stdout.read(LONGEST)
        timer.cancel()
        process.kill()
    return text


def environment(found: Interpreter) -> Line:
    """An environment with MindSpore, and whether its NumPy is right."""
    name, place = "MindSpore's environment", printable(str(found.path))
    if found.problem:
        advice = f"unset {VARIABLE}, or remove the environment and make it again"
        return Line(name, "missing", f"{place}: {found.problem}", advice)
    have, array = found.versions.get("mindspore"), found.versions.get("numpy", "")
    if have is None:
        return Line(name, "missing", f"{place} has no mindspore", "pip install mindspore there")
    line = numpy_line(name, array)
    text = f"{place}: mindspore {have}, Python {found.versions.get('python')}, NumPy {line.text}"
    return Line(name, line.state, text, line.advice)


# room


def room() -> Iterator[Line]:
    """How much is free where msconvert writes."""
    places: dict[str, Callable[[], str | Path]] = {
        "this folder": os.getcwd,
        "temporary files": tempfile.gettempdir,
        "the cache": cache,
    }
    for name, place in places.items():
        title = f"room for {name}" if name != "this folder" else "room in this folder"
        try:
            folder = standing(Path(place()))
            free = shutil.disk_usage(folder).free
        except (OSError, ValueError, RuntimeError) as error:
            yield Line(
                title, "advice", f"cannot be told ({type(error).__name__})", "set TMPDIR, HOME"
            )
            continue
        is_enough = free >= ROOM.get(name, 1 << 28)
        text = f"{free / 1e9:.1f} GB free, {printable(str(folder))}"
        yield Line(title, "ok" if is_enough else "advice", text, "make room")


def standing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    folder = folder.absolute()
    return next((path for path in (folder, *folder.parents) if path.is_dir()), Path("/"))
