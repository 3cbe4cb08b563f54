"""What a project says of its networks: how each is made, and what it is called with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..api_mapping.analysis.files.reading import MAX_BYTES
from ..api_mapping.source.state_map import strings_in
from ..api_mapping.source.tree import Converted, Tree
from ..api_mapping.syntax.nodes import dotted
from ..formats.storage.opening import bytes_of

MAKERS = frozenset(("randn", "rand", "ones", "zeros", "empty", "randn_like", "normal"))
"""Functions of PyTorch's that make a tensor of the sizes that they are given."""

SIZES = re.compile(r"[(\[]\s*((?:[A-Za-z]|\d{1,5})(?:\s*,\s*\d{1,5}){1,4})\s*[)\]]")
"""`(2, 3, 32, 32)` or `(N, 3, 32, 32)` in a docstring or comment."""

BATCH = 2
MOST_CALLS, MOST_SHAPES, MOST_ELEMENTS = 3, 8, 1 << 22
TARGETS = frozenset(("target", "targets", "label", "labels", "y", "y_true", "gt", "true"))
"""What the second operand of a loss is called."""
OF_LOSSES: tuple[Inputs, ...] = (
    ("4,5", "4:int64<5"),
    ("4,5", "4,5"),
    ("2,5,8,8", "2,8,8:int64<5"),
    ("2,1,8,8", "2,1,8,8"),
)
"""Logits and labels, or predictions and what they should be, of rows and of images."""
LIKELY = (32, 28, 64, 224)
"""Sides of images that networks are often made for."""

Inputs = tuple[str, ...]
"""The shape of each input as `msconvert verify --shape` takes it."""


@dataclass(frozen=True)
class Network:
    """A class of the project's that derives from nn.Module.

    `file`: from the project's folder. `calls` make it. `takers`: for each tensor that it must be
    given, the attribute of the network that takes it first, "" if that is not to be seen.
    `inputs`: what it may be called with; what the project says comes before what its first
    layer lets guess. `parts`: keys of the classes that it may be made of; `bases`: of those that
    it extends.
    """

    key: str
    file: Path
    name: str
    calls: tuple[str, ...]
    takers: tuple[str, ...]
    inputs: tuple[Inputs, ...]
    parts: tuple[str, ...]
    bases: tuple[str, ...]

    @property
    def short(self) -> str:
        """`net.Block`: how a running program calls it, but for the packages that it is in."""
        return f"{self.file.stem}.{self.name}"


def networks_in(tree: Tree, project: Path) -> list[Network]:
    """The networks of the converted files, in the order of the files."""
    top = project.absolute()
    sources = {file.path.absolute(): parsed(file) for file in tree.files}
    trees = {path: found for path, found in sources.items() if found is not None}
    found = []
    for file in tree.files:
        for key, entry in file.weights.entries.items() if file.weights is not None else ():
            path, _, name = key.rpartition(":")
            own = trees.get(Path(path))
            node = class_in(own, name)
            calls = () if node is None else tuple(calls_of(node, trees.values()))
            inputs = () if own is None or node is None else tuple(inputs_of(node, own, trees))
            parts = tuple(part for part in strings_in(entry) if ":" in part)
            place = Path(path).relative_to(top)
            takers = tuple(takers_of(node)) if node is not None else ()
            bases = tuple(entry.bases)
            found.append(Network(key, place, name, calls, takers, inputs, parts, bases))
    return found


def parsed(file: Converted) -> ast.Module | None:
    """The original's syntax tree; None of notebooks, and of what cannot be parsed."""
    if file.path.suffix != ".py":
        return None
    try:
        return ast.parse(file.before or bytes_of(file.path, MAX_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def class_in(tree: ast.Module | None, name: str) -> ast.ClassDef | None:
    """A class at the top of a module: what other files can name."""
    body = tree.body if tree is not None else []
    found = (node for node in body if isinstance(node, ast.ClassDef) and node.name == name)
    return next(found, None)


# how it is made


def calls_of(node: ast.ClassDef, trees: Iterable[ast.Module]) -> Iterator[str]:
    """Expressions that make it: without arguments, and with plain values as the project does."""
    found: dict[str, None] = {}
    if not needed(node):
        found[f"{node.name}()"] = None
    for call in (c for tree in trees for c in ast.walk(tree) if isinstance(c, ast.Call)):
        last = call.func.attr if isinstance(call.func, ast.Attribute) else None
        last = call.func.id if isinstance(call.func, ast.Name) else last
        if last == node.name and all(map(is_plain, arguments_of(call))):
            text = ast.unparse(ast.Call(ast.Name(node.name), call.args, call.keywords))
            found[text] = None
    yield from list(found)[:MOST_CALLS]


def needed(node: ast.ClassDef) -> list[str]:
    """The arguments of its constructor that have no default."""
    return without_default(method(node, "__init__"))


def without_default(function: ast.FunctionDef | None) -> list[str]:
    """The names of the arguments that must be given, but for `self`."""
    if function is None:
        return []
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args]
    plain = every[: len(every) - len(arguments.defaults)]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [a.arg for a in plain[1:]] + [a.arg for a, default in pairs if default is None]


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    found = (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(found, None)


def arguments_of(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def is_plain(node: ast.expr) -> bool:
    """Whether an argument is written out, so that it is the same wherever it is evaluated."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


# what it is called with


def inputs_of(
    node: ast.ClassDef, own: ast.Module, trees: Mapping[Path, ast.Module]
) -> Iterator[Inputs]:
    """What the network may be called with, the likeliest first; each once."""
    names = operands_of(node)
    count = max(1, len(names))
    found: dict[Inputs, None] = {}
    for tree in (own, *(other for other in trees.values() if other is not own)):
        found |= dict.fromkeys(made_in(tree, count))
    if count == 1:
        texts = [ast.get_docstring(part) for part in (node, method(node, "forward"), own) if part]
        found |= dict.fromkeys((text,) for text in sizes_in(" ".join(filter(None, texts))))
        found |= dict.fromkeys((text,) for text in guesses(node))
    if count == 2 and names[1] in TARGETS:
        found |= dict.fromkeys(OF_LOSSES)
    possible = (inputs for inputs in found if all(map(is_small, inputs)))
    yield from list(possible)[:MOST_SHAPES]


def operands_of(node: ast.ClassDef) -> list[str]:
    """The names of the tensors that it must be called with."""
    return without_default(method(node, "forward"))


def takers_of(node: ast.ClassDef) -> Iterator[str]:
    """For each operand, the attribute that is called with it first: `layer` of self.layer(x)."""
    forward = method(node, "forward")
    calls = [n for n in ast.walk(forward) if isinstance(n, ast.Call) and n.args] if forward else []
    calls.sort(key=lambda call: (call.end_lineno, call.end_col_offset))  # the inner ones first
    for name in operands_of(node):
        given = (call for call in calls if dotted(call.args[0]) == name)
        called = (dotted(call.func) for call in given)
        paths = (path.removeprefix("self.") for path in called if path.startswith("self."))
        yield next(paths, "")


def made_in(tree: ast.Module, count: int) -> Iterator[Inputs]:
    """The tensors that a file makes of sizes that are written out, so many together."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        inner = tuple(made_of(node) for node in call.args)
        if len(inner) == count and all(inner):
            yield tuple(filter(None, inner))
    every = [text for node in ast.walk(tree) if (text := made_of(node)) is not None]
    if count == 1:
        yield from ((text,) for text in every)
    yield from (tuple(every[n : n + count]) for n in range(len(every) - count + 1))


def made_of(node: ast.AST) -> str | None:
    """`2,3,32,32` of `torch.randn(2, 3, 32, 32)`; `2,16:int64<100` of `torch.randint(...)`."""
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "randint" and len(node.args) >= 2 and (sizes := sizes_of(node.args[-1:])):
        below = node.args[-2]
        is_known = isinstance(below, ast.Constant) and isinstance(below.value, int)
        return f"{sizes}:int64<{below.value}" if is_known else f"{sizes}:int64"  # type: ignore
    return sizes_of(node.args) if name in MAKERS else None


def sizes_of(arguments: Sequence[ast.expr]) -> str | None:
    """Sizes that are written out, also in one tuple."""
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple | ast.List):
        arguments = arguments[0].elts
    values = [a.value for a in arguments if isinstance(a, ast.Constant)]
    numbers = [str(v) for v in values if type(v) is int and v > 0]
    return ",".join(numbers) if numbers and len(numbers) == len(arguments) else None


def sizes_in(text: str) -> Iterator[str]:
    """The shapes that a text speaks of; a letter is the number of examples."""
    for found in SIZES.finditer(text):
        first, *rest = [part.strip() for part in found[1].split(",")]
        yield ",".join([first if first.isdigit() else str(BATCH), *rest])


def is_small(shape: str) -> bool:
    """Whether a network can be called with it in seconds."""
    size = 1
    for part in re.split("[:<]", shape)[0].split(","):
        size *= int(part)
    return 0 < size <= MOST_ELEMENTS


def guesses(node: ast.ClassDef) -> Iterator[str]:
    """Shapes that fit the first layer. Whether they are right says the original, which is run."""
    known = defaults_of(method(node, "__init__"))
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        layer = getattr(call.func, "attr", getattr(call.func, "id", ""))
        first = call.args[0] if call.args else None
        value = known.get(first.id) if isinstance(first, ast.Name) else first
        size = value.value if isinstance(value, ast.Constant) else None
        if type(size) is int and layer in FITTING:
            yield from fitting(layer, size)
            return


def fitting(layer: str, size: int) -> Iterator[str]:
    """Shapes that a layer takes, by its first argument; none of a layer that is not known."""
    yield from (shape.format(n=size, b=BATCH) for shape in FITTING.get(layer, ()))


def defaults_of(function: ast.FunctionDef | None) -> dict[str, ast.expr]:
    """The defaults of a function's arguments."""
    if function is None:
        return {}
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    defaults = function.args.defaults
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


FITTING = {
    "Conv1d": ("{b},{n},64",),
    "Conv2d": tuple(f"{{b}},{{n}},{side},{side}" for side in LIKELY),
    "Conv3d": ("{b},{n},16,16,16",),
    "ConvTranspose2d": ("{b},{n},1,1", "{b},{n},8,8"),
    "Linear": ("{b},{n}", "{b},8,{n}"),
    "Embedding": ("{b},8:int64<{n}", "{b}:int64<{n}"),
    "EmbeddingBag": ("{b},8:int64<{n}",),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), ("{b},8,{n}", "8,{b},{n}")),
    "BatchNorm1d": ("{b},{n}",),
    "BatchNorm2d": ("{b},{n},16,16",),
    "LayerNorm": ("{b},{n}",),
}
"""Inputs that fit layers, by their first argument."""
