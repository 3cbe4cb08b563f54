"""Classes -> the text of the script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from .classes import ModuleClass
from .expr import Call, Code, Expr, Tuple, expr, render
from .formatting import formatted
from .layers import LAYERS, shown_arguments
from .plan import Chain, Child, Held, Layer, Member, Optional
from .variables import Body, write_body


@dataclass(frozen=True)
class ClassText:
    """A class ready for the frame: its name, docstring, `__init__` and `construct`."""

    name: str
    doc: str
    arguments: str
    init: tuple[str, ...]
    parameters: str
    body: tuple[str, ...]


@dataclass(frozen=True)
class Header:
    """What the script's docstring and its `load` say."""

    title: str
    facts: tuple[str, ...]
    checkpoint: str
    example: str


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
    names: Mapping[ModuleClass, str],
    docs: Mapping[ModuleClass, str],
    inputs: Mapping[str, str],
    missing: Iterable[Missing],
    target: str,
) -> str:
    """The formatted source of the script, for one target ("bundled" or "mindspore")."""
    texts = [class_text(c, names, docs[c], inputs) for c in classes]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("msconvert", "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Python source, every value made by msconvert
    )
    source = environment.get_template("script.py.jinja").render(
        header=header, classes=texts, missing=list(missing), target=target
    )
    return formatted(source)


def class_text(
    module: ModuleClass, names: Mapping[ModuleClass, str], doc: str, inputs: Mapping[str, str]
) -> ClassText:
    """One class as text; `inputs` names the values that the reader knows from the model."""
    plan = module.plan
    body: Body = write_body(plan, inputs)
    stored = [a.name for a in module.arguments if any(f"self.{a.name}" in t for t in body.lines)]
    stored = [n for n in stored if n not in plan.members]
    init = [f"self.{name} = {name}" for name in stored]
    init += [f"self.{name} = {text}" for name, text in _members(plan.members, names)]
    shown = [
        a.name if a.default is None else f"{a.name}={render(a.default)}" for a in module.arguments
    ]
    return ClassText(
        names[module],
        doc,
        ", ".join(["self", *shown]),
        tuple(init),
        ", ".join(["self", *body.parameters]),
        body.lines,
    )


def _members(
    members: Mapping[str, Member], names: Mapping[ModuleClass, str]
) -> Iterable[tuple[str, str]]:
    """Attribute and constructor of each member; numbered ones gathered into lists."""
    lists: dict[str, dict[str, Any]] = {}
    order: dict[str, Member | None] = {}
    for attribute, member in members.items():
        head, *rest = attribute.split(".")
        order.setdefault(head, None if rest else member)
        if rest:
            into = lists.setdefault(head, {})
            for part in rest[:-1]:
                into = into.setdefault(part, {})
            into[rest[-1]] = member
    for head, lone in order.items():
        yield head, _list_text(lists[head], names) if lone is None else member_text(lone, names)


def _list_text(entries: Mapping[str, Any], names: Mapping[ModuleClass, str]) -> str:
    texts = {
        key: _list_text(value, names) if isinstance(value, dict) else member_text(value, names)
        for key, value in entries.items()
    }
    return f"nn.CellList([{', '.join(_filled(texts))}])"


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
        case Held(shape, dtype, trainable):
            zeros = f"ops.zeros({render(shape)}, ms.{dtype if dtype != 'bool' else 'bool_'})"
            return f"ms.Parameter({zeros}{'' if trainable else ', requires_grad=False'})"
        case Child(module, arguments):
            return f"{names[module]}({', '.join(_child_arguments(module, arguments))})"
        case Chain(elements):
            inner = _filled({name: member_text(e, names) for name, e in elements})
            return f"nn.SequentialCell({', '.join(inner)})"
        case Optional(inner_member, flag):
            return f"{member_text(inner_member, names)} if {render(flag)} else None"


def _layer_call(layer: Layer) -> Expr:
    positional, named = shown_arguments(layer.kind, layer.arguments)
    return Call(Code(f"nn.{layer.kind}"), tuple(positional), tuple(named))


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


__all__ = ["LAYERS", "ClassText", "Header", "Missing", "script_text", "zeros_text"]
