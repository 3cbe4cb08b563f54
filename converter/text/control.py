"""The classes of graphs inside nodes, and of the cells that call them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..code.control import Control
from ..code.expr import CellCall
from ..code.numbering import Names
from ..modules.classes import ModuleClass
from ..modules.modules import Structured
from ..modules.naming import name_classes
from .header import class_doc
from .script import ClassText, Inside, Wording, class_text


def controls_in(written: Structured) -> Iterator[Control]:
    """The control flow of a network, not of those inside it."""
    for statement in written.traced.statements:
        for part in statement.expr.tensors:
            if isinstance(part, CellCall) and part.cell.control is not None:
                yield part.cell.control


def names_inside(written: Structured) -> Iterator[str]:
    """The names of the cells that are all control flow, of every depth."""
    for control in controls_in(written):
        yield control.name
        for network in control.networks:
            yield from names_inside(network.written)


def texts_inside(written: Structured, taken: Names) -> Inside:
    """The classes of all control flow; those that others use come first."""
    texts: list[ClassText] = []
    inside: list[ModuleClass] = []
    for control in controls_in(written):
        members = []
        for network in control.networks:
            inner = texts_inside(network.written, taken)
            classes = network.written.classes
            word = "".join(part.capitalize() for part in network.member.split("_"))
            title = f"{control.name}{word}" if word == "Body" else word.removesuffix("Branch")
            names = name_classes(classes, title, taken)
            doc = partial(class_doc, graph=network.graph)
            wording = Wording(names, doc, {})
            texts += [*inner.texts, *(class_text(c, wording) for c in classes)]
            inside += [*inner.classes, *classes]
            members.append(f"self.{network.member} = {names[classes[-1]]}()")
        texts.append(_cell(control, members))
    return Inside(tuple(texts), tuple(inside))


def _cell(control: Control, members: list[str]) -> ClassText:
    parameters = ", ".join(["self", *control.parameters])
    init = ("super().__init__()", *members)
    return ClassText(control.name, "nn.Cell", control.doc, "self", init, parameters, control.lines)
