"""The files that say what a project depends on, for its new code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..api_mapping.table.target import Target
from ..formats.storage.opening import text_of
from .renewal import GONE, NEW, NUMPY, Renewal, name_of
from .tables import all_named, tables

MAX_BYTES = 1 << 18

FOUND_AT = re.compile(r"\s*(-f|-i|--find-links|--index-url|--extra-index-url)[ =].*pytorch", re.I)
OTHERS = frozenset(
    "setup.py setup.cfg environment.yml environment.yaml conda.yaml Pipfile Dockerfile poetry.lock "
    "uv.lock pdm.lock Pipfile.lock".split()
)
"""Files that say what a project needs, and are not rewritten."""

CONFIGURATION = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".sh")
NAMED = re.compile(r"^[^#\n]*(\btorch(vision|audio)?\.[a-z]\w|\btorchrun\b)", re.M)
"""An API of PyTorch's in a configuration or a script of a shell: `_target_: torch.optim.Adam`."""

TORCH = re.compile(r"^[^#\n]*\b(torch|torchvision|torchaudio|pytorch)\b(?!\w|[.]\w)", re.M)


@dataclass(frozen=True)
class Changed:
    """A file with dependencies, from the project's folder: what was written, what is to be done."""

    path: Path
    changes: tuple[str, ...] = ()
    problem: str = ""


def renewed(path: Path, place: Path, shown: Path, target: Target, keep: bool) -> Changed | None:
    """Rewrites the copy of a file with dependencies at `place`; None if there is nothing to do.

    With `keep` it stays, as some code could not be converted and still imports PyTorch.
    """
    kind = kind_of(path)
    if kind is None or place.is_symlink() or not place.is_file():
        return None
    try:
        text = text_of(path, MAX_BYTES)
        if kind == "configuration":
            told = "it names PyTorch's API: change it by hand"
            return Changed(shown, problem=told) if NAMED.search(text) else None
        if kind == "other" or keep:
            why = "code that is not converted needs it" if keep else "change it by hand"
            told = f"it names PyTorch: {why}"
            return Changed(shown, problem=told) if TORCH.search(text) else None
        renewal = Renewal(target)
        new = (lines if kind == "lines" else tables)(text, renewal)
        is_left = left_in(new, kind)
    except (OSError, ValueError, RecursionError) as error:  # no UTF-8, or no TOML
        return Changed(shown, problem=f"it cannot be read: {error}")
    if renewal.changes:
        place.write_text(new, encoding="utf-8", newline="")
    problem = "PyTorch is still named in it: change it by hand" if is_left else ""
    changes = tuple(renewal.changes)
    return Changed(shown, changes, problem) if changes or problem else None


def left_in(text: str, kind: str) -> bool:
    """Whether a file still asks for PyTorch, in a form that is not rewritten."""
    if kind == "lines":
        bodies = [parts_of(line)[0] for line in logical_lines(text)]
        named = {name_of(body) for body in bodies}
        at_address = any("://" in body and "torch" in body for body in bodies)
        return at_address or bool(named & {"torch", "pytorch", *GONE})
    return bool(set(map(name_of, all_named(text))) & {"torch", *GONE})


def kind_of(path: Path) -> str | None:
    """What a file is; None if it says nothing of PyTorch's.

    "lines" of pip's files, "tables" of pyproject.toml; "other" and "configuration" are only told.
    """
    name = path.name.lower()
    is_pip = name.endswith((".txt", ".in")) and ("require" in name or path.parent.name in PIP)
    if is_pip or name == "constraints.txt":
        return "lines"
    if name == "pyproject.toml":
        return "tables"
    if path.name in OTHERS:
        return "other"
    return "configuration" if path.suffix in CONFIGURATION and is_small(path) else None


def is_small(path: Path) -> bool:
    """Whether a file is written by hand; what a program has written is data."""
    return path.stat().st_size <= MAX_BYTES


PIP = ("requirements", "reqs")
"""Folders whose text files are of pip's."""


def lines(text: str, renewal: Renewal) -> str:
    """A requirements.txt; comments, options and the order stay."""
    found: list[str] = []
    for line in logical_lines(text):
        body, comment = parts_of(line)
        if FOUND_AT.match(body):
            renewal.changes.append(f"{body.strip()} goes")
            continue
        is_option = body.strip().startswith("-") or not body.strip()
        new = body if is_option else renewal.of(without_hashes(body))
        if new in (body, without_hashes(body)):
            found.append(line)
        elif new:
            found.append(f"{new}{comment}")
    if renewal.has_new and renewal.beside(NEW[renewal.target]):
        found.append(f"{NUMPY}  # MindSpore is built against it")
    end = "\r\n" if "\r\n" in text else "\n"
    return end.join(found) + (end if text.endswith("\n") else "")


def logical_lines(text: str) -> Iterator[str]:
    """Lines, with those that a backslash continues as one."""
    waiting = ""
    for line in text.splitlines():
        waiting += line
        if not line.endswith("\\"):
            yield waiting
            waiting = ""
        else:
            waiting += "\n"
    if waiting:
        yield waiting.removesuffix("\n")


def parts_of(line: str) -> tuple[str, str]:
    """A line and its comment, with the space before it."""
    found = re.search(r"(^|\s+)#", line)
    return (line[: found.start()], line[found.start() :]) if found else (line, "")


def without_hashes(body: str) -> str:
    """A requirement without the hashes of its files."""
    return re.sub(r"\\?\n?\s*--hash[= ]\S+", "", body).rstrip()
