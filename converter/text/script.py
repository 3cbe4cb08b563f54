"""Classes -> the text of the script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jinja2

from ..code.expr import Call, Code, Expr, FunctionName, Literal, Tuple, expr, walk
from ..code.layers import layer_class, shown_arguments
from ..code.source_text import render
from ..modules.arguments import Argument
from ..modules.classes import ModuleClass
from ..modules.plan import OWN, Chain, Child, Held, Layer, Member, Optional, layers_in
from .formatting import formatted
from .variables import Body, write_body
from .written import definitions

Doc = Callable[[ModuleClass, tuple[str, ...]], str]
"""The docstring of a class, given the names of its inputs."""


@dataclass(frozen=True)
class ClassText:
    """A class ready for the frame: its name, docstring, `__init__` and `construct`."""

    name: str
    base: str
    doc: str
    arguments: str
    init: tuple[str, ...]
    parameters: str = ""
    body: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wording:
    """What classes, their docstrings and the values that the reader knows are called.

    `ties` are the lines by which the network's tied weights become one.
    """

    names: Mapping[ModuleClass, str]
    doc: Doc
    inputs: Mapping[str, str]
    ties: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inside:
    """The classes of control flow: as texts in the order in which they are written, and whole."""

    texts: tuple[ClassText, ...]
    classes: tuple[ModuleClass, ...]


@dataclass(frozen=True)
class Header:
    """What the script's docstring and its `load` say."""

    title: str
    facts: tuple[str, ...]
    checkpoint: str
    example: str

    @property
    def format_argument(self) -> str:
        """What load_checkpoint must be told of the file: its default is MindSpore's own format."""
        return ', format="safetensors"' if self.checkpoint.endswith('.safetensors"') else ""


@dataclass(frozen=True)
class Missing:
    """A placeholder: its function's name, what it stands for, what is known of that, and the
    two lines that calling it raises, as literals.
    """

    name: str
    node: str
    facts: tuple[str, ...]
    message: str
    advice: str


def script_text(
    header: Header,
    classes: list[ModuleClass],
    wording: Wording,
    missing: Iterable[Missing],
    target: str,
    inside: Inside | None = None,
) -> str:
    """The formatted source of the script, for one target ("bundled" or "mindspore").

    `inside`: the classes of control flow.
    """
    inside = Inside((), ()) if inside is None else inside
    texts = [*inside.texts, *(class_text(c, wording) for c in classes)]
    texts[-1] = replace(texts[-1], init=(*texts[-1].init, *wording.ties))
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("msconvert", "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Python source, every value made by msconvert
    )
    source = environment.get_template("script.py.jinja").render(
        header=header,
        classes=texts,
        missing=list(missing),
        definitions=definitions(used_names([*inside.classes, *classes])),
        target=target,
    )
    return formatted(source)


def used_names(classes: Iterable[ModuleClass]) -> set[str]:
    """The functions that the classes call and the layers that they hold, MindSpore's among them."""
    plans = [module.plan for module in classes]
    parts = (part for plan in plans for line in plan.lines for part in walk(line.expr))
    called = {part.text for part in parts if isinstance(part, FunctionName)}
    members = (m for plan in plans for top in plan.members.values() for m in layers_in(top))
    for member in members:
        called |= {member.kind} if isinstance(member, Layer) else set()
        called |= {member.maker} if isinstance(member, Held) else set()
    return called


def class_text(module: ModuleClass, wording: Wording) -> ClassText:
    """One class as text."""
    plan, names, doc = module.plan, wording.names, wording.doc
    signature = ", ".join(["self", *(_declared(a) for a in module.arguments)])
    if module.blocks[0].sequential:
        elements = _filled({name: member_text(m, names) for name, m in plan.members.items()})
        made = f"super().__init__({', '.join(elements)})"
        return ClassText(
            names[module], "nn.SequentialCell", doc(module, ("x",)), signature, (made,)
        )
    said = module if module.base is None else module.base
    body: Body = write_body(plan, _given_names(said, wording.inputs))
    if module.base is not None:
        return ClassText(names[module], names[module.base], doc(module, body.parameters), "", ())
    read = set(re.findall(r"self\.(\w+)", "\n".join(body.lines)))
    stored = [a.name for a in module.arguments if a.name in read]
    init = tuple(f"self.{name} = {name}" for name in stored if name not in plan.members)
    init += tuple(line for lines in _members(plan.members, names) for line in lines)
    own = plan.members.get(OWN)
    base, given = ("nn.Cell", "") if own is None else _derived_from(own)
    return ClassText(
        names[module],
        base,
        doc(module, body.parameters),
        signature,
        (f"super().__init__({given})", *init) if init or given else (),
        ", ".join(["self", *body.parameters]),
        body.lines,
    )


def _derived_from(own: Member) -> tuple[str, str]:
    """The class of a layer that the module is, and its arguments."""
    assert isinstance(own, Layer)
    call = _layer_call(own)
    base = layer_class(own.kind)
    return base, render(call).removeprefix(f"{base}(").removesuffix(")")


def _given_names(module: ModuleClass, inputs: Mapping[str, str]) -> Mapping[str, str]:
    """Of the names that the reader knows, those that hold for every call of a class."""
    calls = zip(*(block.inputs for block in module.blocks), strict=False)
    same = {names[0] for names in calls if len({inputs.get(n) for n in names}) == 1}
    return {name: word for name, word in inputs.items() if name in same}


def _declared(argument: Argument) -> str:
    default = argument.default
    return argument.name if default is None else f"{argument.name}={render(default)}"


def _members(
    members: Mapping[str, Member], names: Mapping[ModuleClass, str]
) -> Iterable[list[str]]:
    """The lines that construct each member; numbered ones gathered into lists."""
    lists: dict[str, dict[str, Any]] = {}
    order: dict[str, Member | None] = {}
    for attribute, member in ((a, m) for a, m in members.items() if a != OWN):
        head, *rest = attribute.split(".")
        order.setdefault(head, None if rest else member)
        if rest:
            into = lists.setdefault(head, {})
            for part in rest[:-1]:
                into = into.setdefault(part, {})
            into[rest[-1]] = member
    for head, lone in order.items():
        if isinstance(lone, Optional):
            made = f"    self.{head} = {member_text(lone.member, names)}"
            yield [f"self.{head} = None", f"if {render(lone.flag)}:", made]
        else:
            text = _list_text(lists[head], names) if lone is None else member_text(lone, names)
            yield [f"self.{head} = {text}"]


def _list_text(entries: Mapping[str, Any], names: Mapping[ModuleClass, str]) -> str:
    texts = {
        key: _list_text(value, names) if isinstance(value, dict) else member_text(value, names)
        for key, value in entries.items()
    }
    elements = _filled(texts)
    if len(elements) == 1 and elements[0].startswith("*"):
        return f"nn.CellList({elements[0][1:]})"
    return f"nn.CellList([{', '.join(elements)}])"


def _filled(texts: Mapping[str, str]) -> list[str]:
    """The elements by number, with `nn.Identity()` where the exporter dropped one."""
    last = max(map(int, texts))
    return _repeated([texts.get(str(i), "nn.Identity()") for i in range(last + 1)])


def _repeated(texts: list[str]) -> list[str]:
    """Runs of equal elements as `*[Block(64) for _ in range(3)]`."""
    shown: list[str] = []
    i = 0
    while i < len(texts):
        n = 1
        while i + n < len(texts) and texts[i + n] == texts[i]:
            n += 1
        short = n > 2 and not texts[i].startswith("nn.")
        shown += [f"*[{texts[i]} for _ in range({n})]"] if short else texts[i : i + n]
        i += n
    return shown


def member_text(member: Member, names: Mapping[ModuleClass, str]) -> str:
    """The constructor call of a member."""
    match member:
        case Layer():
            return render(_layer_call(member))
        case Held(shape, dtype, _, Expr() as fill):
            return filled_text(shape, dtype, fill)
        case Held(shape, dtype, _, _, str(maker), arguments) if maker:
            return made_text(shape, dtype, maker, arguments)
        case Held(shape, dtype, trainable):
            zeros = f"ops.zeros({render(shape)}, ms.{dtype if dtype != 'bool' else 'bool_'})"
            return f"ms.Parameter({zeros}{'' if trainable else ', requires_grad=False'})"
        case Child(module, arguments):
            return f"{names[module]}({', '.join(_child_arguments(module, arguments))})"
        case Chain(elements):
            inner = _filled({name: member_text(e, names) for name, e in elements})
            return f"nn.SequentialCell({', '.join(inner)})"
        case Optional():
            raise TypeError("an optional member is no expression")


def filled_text(shape: Expr, dtype: str, fill: Expr) -> str:
    """`ops.zeros((2, 6), ms.float32)`, or the like for another number."""
    for number, maker in ((0.0, "ops.zeros"), (1.0, "ops.ones")):
        if fill == Literal(number):
            return f"{maker}({render(shape)}, ms.{dtype})"
    return f"ops.full({render(shape)}, {render(fill)}, dtype=ms.{dtype})"


def made_text(shape: Expr, dtype: str, maker: str, arguments: tuple[Expr, ...]) -> str:
    """`ops.arange(40)`, with the axes of one element that it has beside."""
    shown, rank = list(map(render, arguments)), 2
    if maker == "ops.arange":
        rank = 1
        start, end, step = shown
        shown = [end] if (start, step) == ("0", "1") else [start, end]
        shown += [step] if step != "1" else []
        shown += [] if dtype == "int64" else [f"dtype=ms.{dtype}"]
    made = f"{maker}({', '.join(shown)})"
    whole = isinstance(shape, Tuple) and len(shape.items) == rank
    return made if whole else f"{made}.reshape({render(shape)})"


def _layer_call(layer: Layer) -> Expr:
    positional, named = shown_arguments(layer.kind, layer.arguments)
    dtype = dict(named).get("dtype")
    if layer.kind == "Embedding" and dtype is not None:  # MindSpore makes its table of float32
        table = Call(Code("ops.zeros"), (Tuple(tuple(positional[:2])), dtype))
        named = [("embedding_table", table), *named]
    return Call(Code(layer_class(layer.kind)), tuple(positional), tuple(named))


def _child_arguments(module: ModuleClass, arguments: Iterable[tuple[str, Expr]]) -> list[str]:
    defaults = {a.name: a.default for a in module.arguments}
    shown = []
    for name, value in arguments:
        if defaults[name] is None:
            shown.append(render(value))
        elif value != defaults[name]:
            shown.append(f"{name}={render(value)}")
    return shown


def zeros_text(shape: Iterable[int], dtype: str) -> str:
    """`ops.zeros((1, 3, 224, 224), ms.float32)`: an example input."""
    sizes = expr(tuple(shape))
    assert isinstance(sizes, Tuple)
    return f"ops.zeros({render(sizes)}, ms.{dtype})"
