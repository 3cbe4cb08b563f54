"""What a project depends on: PyTorch's packages become MindSpore's, or msconvert, or go."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..api_mapping.table.target import Target
from ..formats.storage.opening import text_of

MAX_BYTES = 1 << 20

NEW = {Target.BUNDLED: "msconvert", Target.MINDSPORE: "mindspore>=2.10"}
"""What converted code imports; the version is the one that the table of APIs was compared with."""

NUMPY = "numpy<2"
"""MindSpore is built against it."""

GONE = {
    "torchvision": "what the code used of it is MindSpore's now",
    "torchaudio": "MindSpore has mindspore.dataset.audio",
    "triton": "it comes with PyTorch",
    "pytorch-triton": "it comes with PyTorch",
}
"""Packages that go with PyTorch, and why."""

NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*(.*)", re.S)
FOUND_AT = re.compile(r"\s*(-f|-i|--find-links|--index-url|--extra-index-url)[ =].*pytorch", re.I)
OTHERS = frozenset(
    "setup.py setup.cfg environment.yml environment.yaml conda.yaml Pipfile Dockerfile poetry.lock "
    "uv.lock pdm.lock Pipfile.lock".split()
)
"""Files that say what a project needs, and are not rewritten."""

TORCH = re.compile(r"^[^#\n]*\b(torch|torchvision|torchaudio|pytorch)\b(?!\w|[.]\w)", re.M)
TABLES = ("dependencies", "dev-dependencies")


@dataclass(frozen=True)
class Changed:
    """A file with dependencies, from the project's folder: what was written, what is to be done."""

    path: Path
    changes: tuple[str, ...] = ()
    problem: str = ""


@dataclass
class Renewal:
    """The dependencies of one file for a target; `changes` says what was done."""

    target: Target
    changes: list[str] = field(default_factory=list)
    has_numpy: bool = False
    has_new: bool = False

    def of(self, text: str) -> str | None:
        """The requirement in MindSpore's world; None if it goes, itself if nothing changes."""
        found = NAME.fullmatch(text)
        if found is None:
            return text
        name = name_of(text)
        if name == "torch":
            return self.told(text, None if self.has_new else self.new(found[3]))
        if name in GONE:
            return self.told(text, None, GONE[name])
        if name == "numpy" and self.target is Target.MINDSPORE:
            self.has_numpy = True
            return self.told(text, self.bounded(found[3]))
        return text

    def beside(self, new: str) -> tuple[str, ...]:
        """What comes with MindSpore where nothing says it."""
        is_alone = new.startswith("mindspore") and not self.has_numpy
        if is_alone:
            self.changes.append(f"{NUMPY} is added")
        return (NUMPY,) if is_alone else ()

    def new(self, rest: str) -> str:
        """What takes PyTorch's place, with its marker."""
        self.has_new = True
        _, given, marker = rest.partition(";")
        return f"{NEW[self.target]}; {marker.strip()}" if given else NEW[self.target]

    def bounded(self, rest: str) -> str:
        """NumPy as MindSpore needs it; a lower bound below 2 stays."""
        version, given, marker = rest.partition(";")
        parts = [part.strip() for part in version.strip(" ()").split(",") if part.strip()]
        below = [p for p in parts if re.fullmatch(r"(>=|==|~=|>)\s*1(\.\d+)*(\.\*)?", p)]
        pinned = any(p.startswith(("==", "~=")) for p in below)
        bound = ",".join(below if pinned else [*below, "<2"])
        return f"numpy{bound}; {marker.strip()}" if given else f"numpy{bound}"

    def told(self, old: str, new: str | None, why: str = "") -> str | None:
        old = old.strip()
        if new != old:
            reason = f" ({why})" if why else ""
            self.changes.append(f"{old} -> {new}" if new else f"{old} goes{reason}")
        return new


def name_of(requirement: str) -> str:
    """The name of a package as all its spellings have it."""
    found = NAME.fullmatch(requirement)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found is not None else ""


def renewed(path: Path, place: Path, shown: Path, target: Target, keep: bool) -> Changed | None:
    """Rewrites the copy of a file with dependencies at `place`; None if there is nothing to do.

    With `keep`, PyTorch stays beside what is new, as some code still imports it.
    """
    kind = kind_of(path)
    if kind is None or place.is_symlink() or not place.is_file():
        return None
    try:
        text = text_of(path, MAX_BYTES)
        if kind == "other":
            told = "it names PyTorch: change it by hand"
            return Changed(shown, problem=told) if TORCH.search(text) else None
        renewal = Renewal(target)
        new = (lines if kind == "lines" else tables)(text, renewal, keep)
    except (OSError, ValueError) as error:  # of text in no UTF-8, or TOML that is none
        return Changed(shown, problem=f"it cannot be read: {error}")
    if new != text:
        place.write_text(new, encoding="utf-8", newline="")
    problem = "PyTorch is still named in it: change it by hand" if left_in(new, kind) else ""
    problem = "" if keep else problem
    changes = tuple(renewal.changes)
    return Changed(shown, changes, problem) if changes or problem else None


def left_in(text: str, kind: str) -> bool:
    """Whether a file still asks for PyTorch, in a form that is not rewritten."""
    if kind == "lines":
        bodies = (parts_of(line)[0] for line in logical_lines(text))
        return any(TORCH.search(body.replace("-", " ")) for body in bodies)
    content = tomllib.loads(text)
    names = {*map(name_of, requirements_in(content)), *map(name_of, poetry_names(content))}
    return bool(names & {"torch", *GONE})


def kind_of(path: Path) -> str | None:
    """ "lines" of pip's files, "tables" of pyproject.toml, "other" of what is only told."""
    name = path.name.lower()
    is_pip = name.endswith((".txt", ".in")) and ("require" in name or path.parent.name in PIP)
    if is_pip or name == "constraints.txt":
        return "lines"
    if name == "pyproject.toml":
        return "tables"
    return "other" if path.name in OTHERS else None


PIP = ("requirements", "reqs")
"""Folders whose text files are of pip's."""


def lines(text: str, renewal: Renewal, keep: bool) -> str:
    """A requirements.txt; comments, options and the order stay."""
    found: list[str] = []
    for line in logical_lines(text):
        body, comment = parts_of(line)
        if FOUND_AT.match(body) and not keep:
            renewal.changes.append(f"{body.strip()} goes")
            continue
        is_option = body.strip().startswith("-") or not body.strip()
        new = body if is_option else renewal.of(without_hashes(body))
        if new == body or new == without_hashes(body):
            found.append(line)
            continue
        found += [line] if keep and new else []
        found += [f"{new}{comment}"] if new else [line] if keep else []
    if renewal.has_new and renewal.beside(NEW[renewal.target]):
        found.append(f"{NUMPY}  # MindSpore is built against it")
    end = "\r\n" if "\r\n" in text else "\n"
    return end.join(found) + (end if text.endswith("\n") or not text else "")


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


def tables(text: str, renewal: Renewal, keep: bool) -> str:
    """A pyproject.toml; only the texts of dependencies change. Raises: ValueError"""
    content = tomllib.loads(text)
    names = sorted(set(requirements_in(content)), key=len, reverse=True)
    renewal.has_numpy = any(name_of(name) == "numpy" for name in names)
    for name in names:
        new = renewal.of(name)
        if new != name:
            text = replaced(text, name, (new, *renewal.beside(new)) if new else (), keep)
    for name in poetry_names(content):
        text = poetry(text, name, renewal, keep)
    tomllib.loads(text)
    return text


def replaced(text: str, old: str, new: tuple[str, ...], keep: bool) -> str:
    """The text with a quoted requirement as others, or without it and its comma."""
    quoted = rf"[\"']{re.escape(old)}[\"']"
    if new or keep:
        every = (old, *new) if keep else new
        texts = ", ".join(json.dumps(part, ensure_ascii=False) for part in every)
        return re.sub(quoted, lambda found: texts, text)
    whole_line = rf"^[ \t]*{quoted}[ \t]*,?[ \t]*(#[^\n]*)?\n"
    return re.sub(rf"{whole_line}|{quoted}[ \t]*,[ \t]*|,?[ \t]*{quoted}", "", text, flags=re.M)


def requirements_in(content: dict[str, object]) -> Iterator[str]:
    """The dependencies by PEP 621 and PEP 735."""
    project = content.get("project")
    lists: list[object] = []
    if isinstance(project, dict):
        optional = project.get("optional-dependencies")
        lists += [project.get("dependencies")]
        lists += list(optional.values()) if isinstance(optional, dict) else []
    groups = content.get("dependency-groups")
    lists += list(groups.values()) if isinstance(groups, dict) else []
    for entries in lists:
        if isinstance(entries, list):
            yield from (entry for entry in entries if isinstance(entry, str))


def poetry_names(content: dict[str, object]) -> list[str]:
    """The names of Poetry's dependencies."""
    tool = content.get("tool")
    settings = tool.get("poetry") if isinstance(tool, dict) else None
    if not isinstance(settings, dict):
        return []
    groups = settings.get("group")
    every = [settings, *(groups.values() if isinstance(groups, dict) else [])]
    found = [part.get(name) for part in every if isinstance(part, dict) for name in TABLES]
    return list(dict.fromkeys(name for table in found if isinstance(table, dict) for name in table))


def poetry(text: str, name: str, renewal: Renewal, keep: bool) -> str:
    """The text with one of Poetry's lines as another, or without it."""
    new = renewal.of(name)
    if new == name:
        return text
    line = re.compile(rf"^(?P<old>[\"']?{re.escape(name)}[\"']?[ \t]*=[^\n]*)$", re.M)
    wanted = poetry_line(new) if new else ""

    def put(found: re.Match[str]) -> str:
        return "\n".join(filter(None, (found["old"], wanted))) if keep else wanted

    return line.sub(put, text)


def poetry_line(requirement: str) -> str:
    """`mindspore = ">=2.10"`."""
    found = NAME.fullmatch(requirement)
    assert found is not None
    return f'{found[1]} = "{found[3] or "*"}"'
