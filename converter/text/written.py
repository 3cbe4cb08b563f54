"""Functions that are written into a script because no function of MindSpore says the same.

Their source stands in templates/onnx_functions.txt, in MindSpore's API; a script gets those that it
calls, and those that these call.
"""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Iterable
from functools import cache

from ..code.expr import Expr, FunctionName, walk

FILE = "onnx_functions.txt"


def functions_called(expressions: Iterable[Expr]) -> list[str]:
    """The source of every function that the expressions need, in the order of the file."""
    found = {p.text for e in expressions for p in walk(e) if isinstance(p, FunctionName)}
    sources = function_sources() if found else {}
    waiting = list(found)
    while waiting:
        for name in sorted(_called(sources[waiting.pop()]) & sources.keys() - found):
            found.add(name)
            waiting.append(name)
    return [text for name, text in sources.items() if name in found]


@cache
def function_sources() -> dict[str, str]:
    """Name -> source of each function that there is."""
    text = (importlib.resources.files("msconvert") / "templates" / FILE).read_text(encoding="utf-8")
    return {
        node.name: ast.get_source_segment(text, node) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }


def _called(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
