"""A function's source, found and rewritten once; the function with its own globals and closure."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import sysconfig
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from . import interface
from .jumps import UnsupportedError
from .rewriter import rewritten

PACKAGE = str(Path(__file__).parents[2])
LIBRARIES = (PACKAGE, str(Path(np.__file__).parent), sysconfig.get_path("stdlib"))
"""Where functions are nobody's own: they stay as they are."""

_made: WeakKeyDictionary[CodeType, CodeType | None] = WeakKeyDictionary()
"""The rewritten code of each function; None where it stays as it is."""


def own_form(fn: Any) -> Any:
    """`fn` with its control flow decided by the graph, as far as it is the user's own source."""
    if isinstance(fn, MethodType):
        made = own_form(fn.__func__)
        return fn if made is fn.__func__ else MethodType(made, fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(own_form(fn.func), *fn.args, **fn.keywords)
    if not isinstance(fn, FunctionType) or not is_own(fn.__code__):
        return fn
    if fn.__code__ not in _made:
        _made[fn.__code__] = code_of(fn)
    code = _made[fn.__code__]
    return fn if code is None else around(fn, code)


def is_own(code: CodeType) -> bool:
    """Whether it stands in a file of the user's, or of a package that uses MindSpore."""
    file = code.co_filename
    in_packages = "site-packages" in file and not file.startswith(LIBRARIES[:2])
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    return "_flow" not in code.co_freevars and (in_packages or not file.startswith(LIBRARIES))


def around(fn: FunctionType, code: CodeType) -> FunctionType:
    """A function of the new code that sees the variables which `fn` sees."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    cells["_flow"] = CellType(interface)
    made = FunctionType(
        code, fn.__globals__, fn.__name__, fn.__defaults__,
        tuple([cells[name] for name in code.co_freevars]),
    )  # fmt: skip
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
    return made


def code_of(fn: FunctionType) -> CodeType | None:
    """The rewritten code; None without source, or with what is left to Python."""
    code = fn.__code__
    text = "".join(linecache.getlines(code.co_filename, fn.__globals__))
    owner = fn.__qualname__.split(".")[-2:-1]
    try:
        tree, codes = parsed(text)
        if not any(code.co_code == one.co_code for one in codes.get(place_of(code), [])):
            return None  # the file is another one by now
        node = definition(tree, code)
        made = rewritten(node, "" if owner in ([], ["<locals>"]) else owner[0])
        return compiled(made, code)
    except (UnsupportedError, SyntaxError, ValueError, RecursionError):
        return None


@functools.lru_cache(maxsize=16)
def parsed(text: str) -> tuple[ast.Module, dict[tuple[str, int], list[CodeType]]]:
    """The tree of a file, and the codes of its functions by name and line."""
    codes: dict[tuple[str, int], list[CodeType]] = {}
    left = [compile(text, "<source>", "exec", dont_inherit=True)]
    while left:
        code = left.pop()
        codes.setdefault(place_of(code), []).append(code)
        left += [part for part in code.co_consts if isinstance(part, CodeType)]
    return ast.parse(text), codes


def place_of(code: CodeType) -> tuple[str, int]:
    return code.co_name, code.co_firstlineno


def definition(tree: ast.Module, code: CodeType) -> ast.FunctionDef:
    """A copy of the function of this code. Raises: UnsupportedError if it cannot be told."""
    if code.co_name == "<lambda>":
        return of_lambda(tree, code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
            if first == code.co_firstlineno:
                made = copy.deepcopy(node)
                made.decorator_list, made.returns = [], None
                return made
    raise UnsupportedError(code.co_name)


def of_lambda(tree: ast.Module, code: CodeType) -> ast.FunctionDef:
    """The lambda of which this is the code, as a function: that around all its instructions."""
    places = [(line, start) for line, _, start, _ in code.co_positions() if line and start]
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and all(begin(node.body) <= place <= end(node.body) for place in places)
    ]
    if not (found and places):
        raise UnsupportedError("a lambda that is not found")
    node = copy.deepcopy(found[-1])  # the innermost
    made = ast.FunctionDef("_flow_lambda", node.args, [ast.Return(node.body)], [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def begin(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def compiled(node: ast.FunctionDef, code: CodeType) -> CodeType:
    """The code of `node` in a function that has the free variables of `code`, and `_flow`."""
    free = ", ".join(dict.fromkeys([*code.co_freevars, "_flow"]))
    outer = ast.parse(f"def around({free}):\n    pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    node.name = "_flow_function"  # the name of the function itself may be a global one in it
    outer.body = [node]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    whole = compile(module, code.co_filename, "exec", flags=flags_of(code), dont_inherit=True)
    around_code = next(c for c in whole.co_consts if isinstance(c, CodeType))
    made = next(
        c for c in around_code.co_consts if isinstance(c, CodeType) and c.co_name == node.name
    )
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def flags_of(code: CodeType) -> int:
    """What the file imports from `__future__`."""
    every = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
    return sum(flag for flag in {*every} if flag & code.co_flags and flag > inspect.CO_NESTED)
