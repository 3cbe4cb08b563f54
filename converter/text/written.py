"""Functions and layers that are written into a script because MindSpore has none like them.

Their source stands in templates/onnx_functions.txt, in MindSpore's API; a script gets those that it
uses, and those that these use.
"""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Set
from functools import cache

FILE = "onnx_functions.txt"


def definitions(names: Set[str]) -> list[str]:
    """The source of all that a script which uses `names` needs, in the order of the file."""
    sources = written_sources()
    found = names & sources.keys()
    waiting = list(found)
    while waiting:
        for name in sorted(_called(sources[waiting.pop()]) & sources.keys() - found):
            found.add(name)
            waiting.append(name)
    return [text for name, text in sources.items() if name in found]


@cache
def written_sources() -> dict[str, str]:
    """Name -> source of each function and class that there is."""
    text = (importlib.resources.files("msconvert") / "templates" / FILE).read_text(encoding="utf-8")
    lines = text.splitlines()
    return {
        node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _called(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
