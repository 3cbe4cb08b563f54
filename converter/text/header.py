"""What the script says of itself: its docstring, the docstrings of its classes, its example."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from ...reporting.report import Finding
from ..code.numbering import Names
from ..graph.graph import Dim, Graph
from ..modules.blocks import Block
from ..modules.classes import ModuleClass
from .script import Header, zeros_text

EXAMPLE_SIZE = 1
LONGEST_EXAMPLE = 84
"""Characters of the last line; of a longer one the call is a line of its own."""


def safe_text(text: str, limit: int = 60) -> str:
    """`text` as it may stand in a docstring: printable ASCII without quotes and backslashes."""
    kept = "".join(c if " " <= c <= "~" and c not in '"\\' else "?" for c in text[: limit + 1])
    return kept if len(text) <= limit else kept[: limit - 3] + "..."


def title_of(stem: str) -> str:
    """A class name from a file's name: "resnet-18.v1" -> "Resnet18V1"."""
    words = re.findall(r"[A-Za-z0-9]+", stem)
    name = "".join(w[:1].upper() + w[1:] for w in words)[:40]
    return name if name[:1].isalpha() else f"Net{name}"


def shape_text(shape: tuple[Dim, ...] | None) -> str:
    """`(batch, 3, 224, 224)`; a size without a name is `?`."""
    if shape is None:
        return "(of any rank)"
    sizes = [str(d) if isinstance(d, int) else _dim_name(d) for d in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


SIZE_NAME = re.compile(r"[A-Za-z0-9_]+( ?[-+*] ?[A-Za-z0-9_]+)*", re.ASCII)
"""What is shown of a size: a name, or sums and products of names."""


def _dim_name(dim: str | None) -> str:
    word = dim or "?"
    return word if len(word) <= 20 and SIZE_NAME.fullmatch(word) else "?"


def header(
    graph: Graph, source: str, title: str, files: tuple[str, str], findings: Iterable[Finding]
) -> Header:
    """The docstring and load() of a script; `files` are the checkpoint ("" if none) and the map."""
    checkpoint, weight_map = files
    opset = graph.opsets.get("", 0)
    made = f", made by {safe_text(graph.producer)}" if graph.producer else ""
    facts = [*_values("Inputs: ", graph.inputs, graph), *_values("Outputs:", graph.outputs, graph)]
    if checkpoint:
        facts.append(f"Weights: {checkpoint}, named as in {weight_map}.")
    facts += _notes(findings)
    first = f"{title}, converted from {safe_text(source)} (opset {opset}{made})."
    lines = [line for fact in facts for line in textwrap.wrap(fact, 88, subsequent_indent=" " * 9)]
    title_lines = "\n".join(textwrap.wrap(first, 84))
    return Header(title_lines, tuple(lines), json.dumps(checkpoint), _example(graph))


def _values(label: str, names: list[str], graph: Graph) -> list[str]:
    """`image  float32 (batch, 3, 224, 224)`; values of one kind that follow each other share it."""
    lead = " " * len(label)
    alike = groupby(names, key=lambda name: _kind_text(name, graph))
    told = [f"{', '.join(map(safe_text, group))}  {kind}" for kind, group in alike]
    return [f"{lead if i else label} {text}" for i, text in enumerate(told)]


def value_text(name: str, graph: Graph) -> str:
    """`image  float32 (batch, 3, 224, 224)`."""
    return f"{safe_text(name)}  {_kind_text(name, graph)}"


def _kind_text(name: str, graph: Graph) -> str:
    known = graph.type_of(name)
    kind = known.dtype.name if known.dtype is not None else "of unknown type"
    return f"{kind} {shape_text(known.shape)}"


def _notes(findings: Iterable[Finding]) -> list[str]:
    texts = list(dict.fromkeys(safe_text(f.message, 400) for f in findings))[:4]
    return [f"Note:    {line}" for line in texts]


def _example(graph: Graph) -> str:
    """One forward: `print(load()(ops.zeros(...)).shape)`."""
    zeros = []
    for name in graph.inputs:
        known = graph.type_of(name)
        sizes = [d if isinstance(d, int) else EXAMPLE_SIZE for d in known.shape or ()]
        dtype = known.dtype.name if known.dtype is not None else "float32"
        zeros.append(zeros_text(sizes, "bool_" if dtype == "bool" else dtype))
    call = f"load()({', '.join(zeros)})"
    if len(graph.outputs) == 1:
        return f"print({call}.shape)"
    line = f"print([y.shape for y in {call}])"
    if len(line) <= LONGEST_EXAMPLE:
        return line
    return f"outputs = {call}\n    print([y.shape for y in outputs])"


def class_doc(module: ModuleClass, names: tuple[str, ...], graph: Graph) -> str:
    """`x, y (1, 64, h, w) -> (1, 128, h, w)`; sizes that differ between calls are letters."""
    letters = _Letters(module)
    block = module.blocks[0]
    shapes = [letters.shape(i, graph, inputs=True) for i in range(len(block.inputs))]
    if module.plan.variadic:
        shapes, names = shapes[:1], ("features",)
    alike = groupby(zip(names, shapes, strict=True), key=itemgetter(1))
    ins = [f"{', '.join(name for name, _ in group)} {shape}" for shape, group in alike]
    outs = [letters.shape(i, graph, inputs=False) for i in range(len(block.outputs))]
    return wrapped(f"{', '.join(ins) or 'nothing'} -> {', '.join(outs)}.")


LONGEST_DOC = 90
"""Characters of the line of a class's docstring, between its quotes."""


def wrapped(doc: str) -> str:
    """The docstring of a class: on one line, or on several that part no shape."""
    if len(doc) <= LONGEST_DOC:
        return doc
    whole = re.sub(r"(\w+ )?\([^()]*\)|-> ", lambda part: part[0].replace(" ", "\0"), doc)
    lines = textwrap.wrap(whole, LONGEST_DOC, break_long_words=False, break_on_hyphens=False)
    indent = "\n    "
    return indent.join(lines).replace("\0", " ") + indent


class _Letters:
    """Names for the sizes that differ between the calls of a class."""

    def __init__(self, module: ModuleClass) -> None:
        self._blocks: list[Block] = module.blocks
        self._letters: dict[tuple[int, tuple[Dim, ...]], str] = {}
        self._names = Names(first=2)
        self._arguments = {
            tuple(getattr(a.values[b.path], "value", None) for b in module.blocks): a.name
            for a in module.arguments
        }

    def shape(self, index: int, graph: Graph, *, inputs: bool) -> str:
        """The shape of one input or output over all calls."""
        shapes = [
            graph.type_of((b.inputs if inputs else b.outputs)[index]).shape for b in self._blocks
        ]
        ranks = {None if s is None else len(s) for s in shapes}
        if len(ranks) != 1 or None in ranks:
            return "(...)"
        columns = list(zip(*(s for s in shapes if s is not None), strict=True))
        return f"({', '.join(self._size(c, i, len(columns)) for i, c in enumerate(columns))})"

    def _size(self, column: tuple[Dim, ...], axis: int, rank: int) -> str:
        if len(set(column)) == 1:
            return str(column[0]) if isinstance(column[0], int) else _dim_name(column[0])
        if column in self._arguments:
            return self._arguments[column]
        if (axis, column) not in self._letters:
            letter = "nchw"[axis] if rank == 4 else "d"
            self._letters[axis, column] = self._names.take(letter)
        return self._letters[axis, column]
