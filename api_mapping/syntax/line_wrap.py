"""Statements that became too long for their lines, split as ruff format splits them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from ruff import find_ruff_bin

from .edits import Edit

RUFF = find_ruff_bin()
"""Found once, at import: two threads at a time cannot ask Python 3.11's `sysconfig` first."""

WIDTH = 100
"""Columns that a line may have."""
STEP = 4
"""Columns of one indentation, as ruff writes it."""
INDENTATION = re.compile(r"[ \t\f]*")
BETWEEN = "\n# msconvert: the next statement\n"
SETTINGS = (f"line-length={WIDTH}", "format.quote-style='preserve'")


def wrapped(edits: Sequence[Edit], lines: Sequence[str]) -> list[Edit]:
    """Edits of whole statements of lines, those that are too long in more lines.

    What is put between lines, such as comments, stays as it is; so does what stands behind
    another statement, whose column is no indentation.
    """
    whole = ((n, edit) for n, edit in enumerate(edits) if edit.start != edit.end)
    long = [n for n, edit in whole if is_too_long(edit) and begins_line(edit, lines)]
    texts = split([(edits[n].text, edits[n].start[1]) for n in long]) if long else []
    new = dict(zip(long, texts, strict=True))
    return [Edit(e.start, e.end, new.get(n, e.text)) for n, e in enumerate(edits)]


def is_too_long(edit: Edit) -> bool:
    """Whether a line has too many columns, in a block whose indentation ruff would write."""
    indent = edit.start[1]
    lines = edit.text.split("\n")
    is_long = indent + len(lines[0]) > WIDTH or any(len(line) > WIDTH for line in lines[1:])
    return is_long and indent % STEP == 0


def begins_line(edit: Edit, lines: Sequence[str]) -> bool:
    line, column = edit.start
    return INDENTATION.match(lines[line - 1]).end() == column  # type: ignore[union-attr]


def split(statements: Sequence[tuple[str, int]]) -> list[str]:
    """Statements with their indentations, each in as many lines as it needs."""
    nested = BETWEEN.join(in_blocks(code, indent // STEP) for code, indent in statements)
    options = [word for setting in SETTINGS for word in ("--config", setting)]
    command = [RUFF, "format", "--isolated", *options, "-"]
    done = subprocess.run(command, input=nested, capture_output=True, text=True, check=False)
    found = done.stdout.split(BETWEEN.strip())
    if done.returncode or len(found) != len(statements):
        return [code for code, _ in statements]
    return [
        out_of_blocks(text, indent) for text, (_, indent) in zip(found, statements, strict=True)
    ]


def in_blocks(code: str, depth: int) -> str:
    """A statement in blocks, so that it has its indentation; its further lines have it already."""
    heads = "".join(f"{' ' * STEP * level}if 1:\n" for level in range(depth))
    return f"{heads}{' ' * STEP * depth}{code}"


def out_of_blocks(text: str, indent: int) -> str:
    lines = text.strip("\n").split("\n")[indent // STEP :]
    return "\n".join(lines).strip()
