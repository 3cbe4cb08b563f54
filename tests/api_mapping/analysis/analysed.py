"""Analyses small sources for the tests, and tells their uses in short."""

from __future__ import annotations

import textwrap
from pathlib import Path

from msconvert.api_mapping.analysis import FileAnalysis, Project, Use, find_sources


def analysed(folder: Path, text: str, name: str = "module.py", **others: str) -> FileAnalysis:
    """The analysis of `text`, with other files beside it: a__b="..." is a/b.py."""
    for other, content in {name.removesuffix(".py"): text, **others}.items():
        parts = other.replace("____init__", "/@").replace("__", "/")
        path = folder / (parts.replace("@", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content))
    sources, _ = find_sources([folder])
    return Project(sources, [folder]).analyse(folder / name)


def told(use: Use) -> str:
    """`line kind api`, with `?` where it is not certain."""
    sure = "" if use.certainty == "is" else " ?"
    return f"{use.line} {use.kind} {use.api.removeprefix('torch.')}{sure}"
