"""The dependencies in a pyproject.toml: by PEP 621 and PEP 735, and Poetry's."""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect
from collections.abc import Iterator, Sequence

from .renewal import NAME, Renewal, name_of

HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]\n]+?)[ \t]*\]\]?[ \t]*(?:#[^\n]*)?$", re.M)
KEY = re.compile(r"""^[ \t]*((?:[\w.-]|"[^"\n]*"|'[^'\n]*')+)[ \t]*=[ \t]*""", re.M)
TOKEN = re.compile(r"""(?P<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')|\#[^\n]*|(?P<bracket>[\[\]])""")
LISTS = {
    "project": re.compile(r"dependencies"),
    "project.optional-dependencies": re.compile(r".*"),
    "dependency-groups": re.compile(r".*"),
}
"""In which tables, under which keys, there are lists of requirements."""

POETRY = re.compile(r"tool\.poetry(\.group\.[^.]+)?\.(dev-)?dependencies")


def tables(text: str, renewal: Renewal) -> str:
    """The text for the new code; all but its dependencies stays. Raises: ValueError"""
    named = list(all_named(text))
    renewal.has_numpy = "numpy" in map(name_of, named)
    parts = [section(name, body, renewal) for name, body in sections(text)]
    new = "".join(parts)
    tomllib.loads(new)
    return new


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each table, with its header; "" begins the file."""
    lists = list(lists_in(text))
    headers = [found for found in HEADER.finditer(text) if not is_within(lists, found.start())]
    starts = [0, *(found.start() for found in headers), len(text)]
    names = ["", *(re.sub(r"[\s\"']", "", found[1]) for found in headers)]
    for number, name in enumerate(names):
        yield name, text[starts[number] : starts[number + 1]]


def lists_in(text: str) -> Iterator[tuple[int, int]]:
    """Where values that are lists begin and end: their lines may look like headers."""
    depth = start = 0
    for found in TOKEN.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found["bracket"] == "[" and (depth or "=" in line):
            start = start if depth else found.start()
            depth += 1
        elif found["bracket"] == "]" and depth:
            depth -= 1
            if not depth:
                yield start, found.end()


def is_within(lists: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a place is inside of one of the lists, which are in order."""
    number = bisect(lists, (place, len(lists))) - 1
    return number >= 0 and lists[number][0] < place < lists[number][1]


def section(name: str, body: str, renewal: Renewal) -> str:
    """A table with its dependencies anew."""
    if POETRY.fullmatch(name):
        return "".join(poetry(line, renewal) for line in body.splitlines(keepends=True))
    wanted = LISTS.get(name)
    if wanted is None:
        return body
    for key in reversed([k for k in KEY.finditer(body) if wanted.fullmatch(k[1].strip("\"'"))]):
        end = end_of_list(body, key.end())
        if end is not None:
            body = body[: key.end()] + renewed_list(body[key.end() : end], renewal) + body[end:]
    return body


def end_of_list(text: str, start: int) -> int | None:
    """The place behind the list that begins there; None if none does."""
    depth = 0
    for found in TOKEN.finditer(text, start):
        if not depth and found.start() != start:
            return None
        depth += {"[": 1, "]": -1}.get(found["bracket"] or "", 0)
        if not depth:
            return found.end() if found["bracket"] else None
    return None


def renewed_list(text: str, renewal: Renewal) -> str:
    """A list of requirements; comments and lines stay."""
    for found in reversed([token for token in TOKEN.finditer(text) if token["string"]]):
        old = tomllib.loads(f"x = {found['string']}")["x"]
        new = renewal.of(old)
        if new is None:
            text = without(text, found.start(), found.end())
        elif new != old:
            every = (new, *renewal.beside(new))
            texts = ", ".join(json.dumps(part, ensure_ascii=False) for part in every)
            text = text[: found.start()] + texts + text[found.end() :]
    return text


def without(text: str, start: int, end: int) -> str:
    """The list without one of its texts: its line where nothing else is on it, else its comma."""
    line = text.rfind("\n", 0, start) + 1
    rest = re.match(r"[ \t]*,?[ \t]*(#[^\n]*)?\n", text[end:])
    if rest is not None and line and not text[line:start].strip():
        return text[:line] + text[end + rest.end() :]
    behind = re.match(r"[ \t]*,[ \t]*", text[end:])
    if behind is not None:
        return text[:start] + text[end + behind.end() :]
    before = re.search(r",?[ \t]*$", text[:start])
    return text[: before.start() if before is not None else start] + text[end:]


def poetry(line: str, renewal: Renewal) -> str:
    """One of Poetry's lines as another, or none."""
    key = KEY.match(line)
    name = key[1].strip("\"'") if key is not None else ""
    new = renewal.of(name) if name else name
    if new == name:
        return line
    end = line[len(line.rstrip("\r\n")) :]
    return f"{poetry_line(new)}{end}" if new else ""


def poetry_line(requirement: str) -> str:
    """`mindspore = ">=2.10"`."""
    found = NAME.fullmatch(requirement)
    return f'{found[1]} = "{found[3] or "*"}"' if found is not None else requirement


def all_named(text: str) -> Iterator[str]:
    """Every requirement in the file, and what it is built with. Raises: ValueError"""
    content = tomllib.loads(text)
    project, build = table(content, "project"), table(content, "build-system")
    groups = table(content, "dependency-groups").values()
    optional = table(project, "optional-dependencies").values()
    for entries in (project.get("dependencies"), build.get("requires"), *optional, *groups):
        yield from (e for e in entries if isinstance(e, str)) if isinstance(entries, list) else ()
    settings = table(table(content, "tool"), "poetry")
    inner = [part for part in table(settings, "group").values() if isinstance(part, dict)]
    for part in (settings, *inner):
        yield from table(part, "dependencies")
        yield from table(part, "dev-dependencies")


def table(content: dict[str, object], name: str) -> dict[str, object]:
    found = content.get(name)
    return found if isinstance(found, dict) else {}
