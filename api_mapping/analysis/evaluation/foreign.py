"""What the functions of Python and of other libraries give."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ...table.kinds import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NEVER,
    NONE,
    NUMBER,
    NUMBERS,
    NUMPY,
    OTHER,
    STR,
    TENSOR,
    UNKNOWN,
    Kind,
    dict_of,
    join_all,
    list_of,
    tuple_of,
)
from ..frame import Frame
from .annotations import CLOSED_LIBRARIES
from .elements import SEQUENCE_TAGS, element_of
from .named_tuples import class_of_tuples

if TYPE_CHECKING:
    from .calls import Arguments

GENERIC = frozenset(
    """
    copy functools itertools collections operator pickle typing concurrent multiprocessing queue
    contextlib dataclasses random types weakref importlib unittest heapq asyncio threading inspect
    abc enum argparse shelve marshal runpy ctypes builtins
    """.split()
)
"""Parts of the standard library that hand on what they are given, whatever it is."""

TQDM = ("", "auto.", "autonotebook.", "notebook.", "rich.", "std.")
"""The modules in which tqdm has its bars."""

NAMED: dict[str, Kind] = {
    **dict.fromkeys((f"builtins.{n}" for n in "len id hash ord".split()), INT),
    **dict.fromkeys(
        (f"builtins.{n}" for n in "str repr format input ascii chr bin hex".split()), STR
    ),
    **dict.fromkeys(
        (f"builtins.{n}" for n in "isinstance issubclass callable bool hasattr all any".split()),
        BOOL,
    ),
    "builtins.print": NONE,
    "builtins.delattr": NONE,
    "builtins.open": OTHER,
    "builtins.int": INT,
    "builtins.float": FLOAT,
    "builtins.bytes": BYTES,
    "builtins.complex": NUMBER,
    "builtins.type": UNKNOWN,
    "builtins.range": Kind("list", "range", (INT,)),
    "builtins.object": OTHER,
    "collections.defaultdict": dict_of(UNKNOWN, UNKNOWN),
    "collections.Counter": dict_of(UNKNOWN, INT),
    "itertools.count": Kind("iterator", "", (INT,)),
    "random.random": FLOAT,
    "random.randint": INT,
    "random.uniform": FLOAT,
    "random.gauss": FLOAT,
    "random.seed": NONE,
    "random.shuffle": NONE,
    "random.randrange": INT,
    "os.path.join": STR,
    "os.path.exists": BOOL,
    "os.environ.get": STR,
    "os.listdir": list_of(STR),
    "os.getenv": STR,
    "os.cpu_count": INT,
    "time.time": FLOAT,
    "time.perf_counter": FLOAT,
    "copy.deepcopy": UNKNOWN,
    **{f"tqdm.{part}trange": Kind("list", "range", (INT,)) for part in TQDM},
}
FIRST = frozenset("copy.deepcopy copy.copy builtins.reversed builtins.iter".split())
"""Functions that give, or go through, their first argument."""
BARS = frozenset({"tqdm", "rich.progress.track", *(f"tqdm.{part}tqdm" for part in TQDM)})
"""Classes that go through their first argument and show how far they are: they have its elements,
and methods of their own."""
LISTS = frozenset(
    """
    builtins.list builtins.tuple builtins.sorted builtins.filter builtins.frozenset builtins.set
    collections.deque itertools.cycle itertools.islice
    """.split()
)


def result(frame: Frame, name: str, arguments: Arguments) -> Kind:
    """What a call of the library's function gives: unknown where it may be PyTorch's."""
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(frame, arguments)
    if name in FIRST:
        return arguments.get(0, "iterable") or UNKNOWN
    if name in BARS:
        return _bar(arguments.get(0, "iterable") or UNKNOWN)
    if name in LISTS:
        return _listed(name, arguments)
    if name in NAMED:
        return NAMED[name]
    return of_library(name)


def of_library(name: str) -> Kind:
    """By the library alone."""
    library, _, rest = name.partition(".")
    if library == "numpy":
        return OTHER if rest.startswith("random.seed") else NUMPY
    if library in CLOSED_LIBRARIES:
        return OTHER
    if library == "math":
        return INT if rest in ("floor", "ceil", "gcd", "comb", "factorial", "isqrt") else FLOAT
    if library == "builtins" and rest[:1].isupper():
        return OTHER  # exceptions
    if library in GENERIC or library not in sys.stdlib_module_names:
        return UNKNOWN
    return OTHER


def _bar(given: Kind) -> Kind:
    """A progress bar around a value."""
    plain = given.is_unknown or given.tag in SEQUENCE_TAGS
    return given if plain else Kind("iterator", "", (element_of(given),))


def _listed(name: str, arguments: Arguments) -> Kind:
    held = arguments.get(0)
    element = NEVER if held is None else element_of(held)
    if name == "builtins.tuple" and held is not None and held.tag in ("tuple", "shape"):
        return held if held.tag == "tuple" else Kind("list", "tuple", (INT,))
    if name in ("builtins.set", "builtins.frozenset"):
        return Kind("set", "", (element,))
    return Kind("list", "tuple" if name == "builtins.tuple" else "", (element,))


def _enumerate(frame: Frame, arguments: Arguments) -> Kind:
    return Kind("iterator", "", (tuple_of((INT, element_of(arguments.get(0) or UNKNOWN))),))


def _zip(frame: Frame, arguments: Arguments) -> Kind:
    if arguments.starred:
        return UNKNOWN
    return Kind("iterator", "", (tuple_of(map(element_of, arguments.positional)),))


def _map(frame: Frame, arguments: Arguments) -> Kind:
    called = arguments.get(0) or UNKNOWN
    held = UNKNOWN
    if called.tag == "lambda":
        held = _applied(frame, arguments) or called.parts[0]
    elif called.tag == "foreign" and called.name in NAMED:
        held = NAMED[called.name]
    elif called.tag == "function":
        held = frame.engine.result_of(frame, called.target)
    return Kind("iterator", "", (held,))


def _filter(frame: Frame, arguments: Arguments) -> Kind:
    _applied(frame, arguments)
    return Kind("iterator", "", (element_of(arguments.get(1) or UNKNOWN),))


def _applied(frame: Frame, arguments: Arguments) -> Kind | None:
    """What the lambda of a map or filter gives for the elements; None if it is no lambda."""
    function = arguments.node.args[0] if arguments.node.args else None
    if not isinstance(function, ast.Lambda) or arguments.starred:
        return None
    return of_lambda(frame, function, map(element_of, arguments.positional[1:]))


def of_lambda(frame: Frame, function: ast.Lambda, given: Iterable[Kind]) -> Kind:
    """What a lambda gives whose parameters are of these kinds."""
    entry = frame.env
    names = [argument.arg for argument in function.args.args]
    frame.env = entry | dict(zip(names, given, strict=False))
    for node in ast.walk(function.body):
        frame.forget(node)  # it was seen with parameters of which nothing was known
    found = frame.engine.value(frame, function.body)
    frame.env = entry
    return found


def _next(frame: Frame, arguments: Arguments) -> Kind:
    return element_of(arguments.get(0) or UNKNOWN)


def _dict(frame: Frame, arguments: Arguments) -> Kind:
    given = arguments.get(0)
    if given is None and not arguments.starred:
        return dict_of(STR, join_all(arguments.by_name.values()))
    if given is not None and given.tag == "dict" and not arguments.by_name:
        return given
    return dict_of(UNKNOWN, UNKNOWN)


def _ordered(frame: Frame, arguments: Arguments) -> Kind:
    given = arguments.get(0)
    if given is None:
        return dict_of(NEVER, NEVER) if not arguments.starred else dict_of(UNKNOWN, UNKNOWN)
    element = element_of(given)
    if given.tag != "dict" and element.tag == "tuple" and len(element.parts) == 2:
        return dict_of(*element.parts)
    return given if given.tag == "dict" else dict_of(UNKNOWN, UNKNOWN)


def _sum(frame: Frame, arguments: Arguments) -> Kind:
    element = element_of(arguments.get(0) or UNKNOWN)
    is_number = element.tag == "numpy" or element.tag in NUMBERS
    if element.is_tensor or (is_number and arguments.count == 1):
        return element if element.tag != "bool" else INT
    return UNKNOWN


def _extreme(frame: Frame, arguments: Arguments) -> Kind:
    if len(arguments.positional) > 1:
        found = join_all(arguments.positional)
    else:
        found = element_of(arguments.get(0) or UNKNOWN)
    return found if found.is_mixed or found.tag in NUMBERS | {"numpy", "tensor", "str"} else UNKNOWN


def _same_number(frame: Frame, arguments: Arguments) -> Kind:
    given = arguments.get(0) or UNKNOWN
    if given.is_tensor:
        return TENSOR
    return given if given.tag in NUMBERS | {"numpy"} else UNKNOWN


def _partial(frame: Frame, arguments: Arguments) -> Kind:
    begun = "begun" if len(arguments.positional) > 1 else ""
    return Kind("partial", begun, (arguments.get(0) or UNKNOWN,))


def _chain(frame: Frame, arguments: Arguments) -> Kind:
    if arguments.starred:
        return UNKNOWN
    return Kind("iterator", "", (join_all(map(element_of, arguments.positional)),))


def _pow(frame: Frame, arguments: Arguments) -> Kind:
    return NUMBER if all(k.tag in NUMBERS for k in arguments.positional) else UNKNOWN


def _choice(frame: Frame, arguments: Arguments) -> Kind:
    return element_of(arguments.get(0) or UNKNOWN)


_HANDLERS: dict[str, Callable[[Frame, Arguments], Kind]] = {
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.next": _next,
    "builtins.dict": _dict,
    "collections.OrderedDict": _ordered,
    "collections.namedtuple": class_of_tuples,
    "builtins.sum": _sum,
    "builtins.max": _extreme,
    "builtins.min": _extreme,
    "builtins.abs": _same_number,
    "builtins.round": _same_number,
    "builtins.pow": _pow,
    "functools.partial": _partial,
    "itertools.chain": _chain,
    "random.choice": _choice,
}
