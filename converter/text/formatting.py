"""The emitted source as `ruff format` leaves it, at its default width and at 100 columns alike."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from ruff import find_ruff_bin

from ...errors import MsconvertError

WIDTH = 88
WIDER = 100

RUFF = find_ruff_bin()
"""Found once, at import: two threads at a time cannot ask Python 3.11's `sysconfig` first."""


def formatted(source: str) -> str:
    """`source` formatted by ruff; a statement that only fits the wider line is written one
    argument a line, so that neither width changes it.

    Raises: MS901 if the source is not valid Python.
    """
    narrow = _ruff(source, WIDTH)
    if _ruff(narrow, WIDER) == narrow:
        return narrow
    return _ruff(_exploded(narrow), WIDTH)


def _exploded(source: str) -> str:
    """`source` with a trailing comma in each call that the wider width would join to one line."""
    lines = source.splitlines()
    commas: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call | ast.Tuple | ast.List) or node.end_lineno is None:
            continue
        parts = (
            node.args + [k.value for k in node.keywords]
            if isinstance(node, ast.Call)
            else node.elts
        )
        first, last = node.lineno - 1, node.end_lineno - 1
        if not parts or last - first != 2 or lines[last - 1].rstrip().endswith(","):
            continue
        if parts[0].lineno != node.lineno + 1 or parts[-1].end_lineno != node.end_lineno - 1:
            continue  # a chain of methods, each on a line of its own
        joined = lines[first] + lines[first + 1].strip() + lines[last].strip()
        if len(joined) <= WIDER:
            commas.add(last - 1)
    return "\n".join(t + "," if i in commas else t for i, t in enumerate(lines)) + "\n"


def _ruff(source: str, width: int) -> str:
    command = [RUFF, "format", "--isolated", f"--line-length={width}", "-"]
    here = Path(RUFF).parent  # ruff asks for its folder, and the user's may be gone
    done = subprocess.run(
        command, input=source.encode(), capture_output=True, check=False, cwd=here
    )
    if done.returncode != 0:
        raise MsconvertError(
            "MS901",
            "script",
            "the emitted source is not valid Python",
            got=done.stderr.decode(errors="replace").strip(),
            advice="please report it with the model",
        )
    return done.stdout.decode()
