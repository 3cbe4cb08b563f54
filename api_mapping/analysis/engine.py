"""The state of one analysis: which functions run, and which must run again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..table.kinds import (
    COLLATED,
    MODULE,
    NEVER,
    NONE,
    TENSOR,
    UNKNOWN,
    Kind,
    dict_of,
    join,
    join_all,
    widened,
)
from . import classes
from .definitions import Class, Function, Module
from .evaluation import scopes, statements
from .evaluation.attributes import resolve_attribute
from .evaluation.layers import layer_attribute
from .evaluation.optimizer_state import STATE, keep
from .files.outline import Chunk
from .frame import NOWHERE, Frame
from .modules import Modules, Reopened
from .thin import bound_of, is_kept_as_text, setters_of

NO_CUT = 1_000
"""Deeper than all functions that run."""
MAX_DEPTH = 8
"""Functions of the analysed module that run while another waits for what they return."""
MAX_FOREIGN_DEPTH = 2
"""The same for functions of other modules."""
MAX_RUNS = 4
"""Times that a function is run before its calls are taken as telling nothing."""


class Engine(Modules):
    """Runs the functions of the analysed module, and of others those that it asks for."""

    depth = 0
    foreign_depth = 0
    floor = 0
    foreign_floor = 0
    """How deep it was where the name of a module began that is being bound."""
    cut_at = NO_CUT
    """The least depth that a question which was left open depends on: it was too deep, or came
    back to what was running there."""
    is_cut_outside = False
    """Whether a question was left open as it was too deep in other modules."""

    def result_of(self, frame: Frame, function: Function) -> Kind:
        """What a call of the function gives, by its annotation or its body."""
        self.sign(function)
        declared = function.declared
        if function.is_other:
            return declared if declared and function.is_other == "open" else UNKNOWN
        if declared is not None and not is_general(declared):
            return declared
        if frame.function is not None and frame.module is function.module:
            function.callers.add(frame.function)
        if function.asked_at >= 0 and function.asked_in != self.analysed:
            function.asked_in = self.analysed
            if function.asked_at != self.foreign_depth - self.foreign_floor:
                function.forget_runs()
        if function.returned is None:
            if not self.may_run(function):
                self.cut(function)
                return UNKNOWN if declared is None else declared
            self.run(function)
        found = function.returned or UNKNOWN
        if declared is not None:
            return found if found.tag == declared.tag else declared
        return found

    def sign(self, function: Function) -> None:
        """Makes sure that decorators, annotations and defaults of the function are known."""
        if not function.is_signed and function.outer is not None:
            scopes.sign(function.outer, function)

    def may_run(self, function: Function) -> bool:
        if function.state == "running" or self.is_too_deep:
            return False
        depth = self.foreign_depth - self.foreign_floor
        return function.module is self.active or depth < MAX_FOREIGN_DEPTH

    @property
    def is_too_deep(self) -> bool:
        return self.depth - self.floor >= MAX_DEPTH

    def cut(self, function: Function) -> None:
        """Notes a question that is left open: what waits for it may be another elsewhere.

        Where a function comes back to itself, that is so for what began before it only; where
        it stands too deep in other modules, only for who asks from another depth in them.
        """
        if function.state == "running":
            self.cut_at = min(self.cut_at, function.depth)
        elif self.is_too_deep:
            self.cut_at = 0
        else:
            self.is_cut_outside = True

    def run(self, function: Function) -> None:
        """Runs the body with what is known now; callers run again if the result is another."""
        if function.state == "running":
            return
        self.sign(function)
        foreign = function.module is not self.active
        function.state = "running"
        function.runs += 1
        self.depth += 1
        self.foreign_depth += foreign
        self.dirty.pop(function, None)
        function.depth = self.depth
        cut_before, self.cut_at = self.cut_at, NO_CUT
        outside_before, self.is_cut_outside = self.is_cut_outside, False
        before = tensors_found(function)
        frame = Frame(self, function.module, function.outer)
        try:
            returned = scopes.run_function(frame, function, statements.run_block)
        except RecursionError:
            frame.recorder.too_deep.append(function.node)
            returned = UNKNOWN
        finally:
            self.depth -= 1
            self.foreign_depth -= foreign
            frame.recorder = NOWHERE
            function.state = "done"
            if foreign and is_kept_as_text(function):
                function.node.body = []
        if foreign and self.cut_at < function.depth:
            self.unsure.append(function)
        elif foreign and self.is_cut_outside:
            function.asked_at = self.foreign_depth - self.foreign_floor
            function.asked_in = self.analysed
        self.cut_at = min(self.cut_at, cut_before)
        self.is_cut_outside |= outside_before
        old, function.returned = function.returned, returned
        if tensors_found(function) != before:
            if foreign and function.runs == 1:
                self.run(function)
                return
            self.changed(function)
        if old is not None and old != returned:
            for caller in function.callers:
                self.changed(caller)

    def changed(self, function: Function, by_call: bool = False) -> None:
        """Notes that the function must run again: more is known of what it has to do with.

        After another call of it only if that tells something else of its parameters.
        """
        if function.runs and function.module is self.active:
            self.dirty[function] = self.dirty.get(function, True) and by_call

    def escape(self, kind: Kind) -> None:
        """Notes that a value left what is followed: calls of it are no longer all seen."""
        if kind.tag in ("function", "bound") and not kind.target.escapes:
            kind.target.escapes = True
            self.changed(kind.target, by_call=True)

    def listen(self, paths: Iterable[Path]) -> None:
        """Notes how files call the functions of the analysed module."""
        for path in paths:
            try:
                for function in self.hear(path):
                    self.run(function)
            except RecursionError:  # a call may be missed
                for function in self.active.functions if self.active is not None else ():
                    function.escapes = True
            if self.witness is not None:
                self.recorders.pop(self.witness, None)
            self.witness = None

    def settle(self, module: Module) -> None:
        """Runs all functions of the module until nothing more is learnt.

        Those that stand last come first: they call those before them, and tell what they are given.
        """
        for cls in reversed(module.classes):
            self.prepare(cls)
        for function in reversed(module.functions):
            if not function.runs:
                self.run(function)
        while self.dirty:
            for function in sorted(self.dirty, key=line_of, reverse=True):
                if function in self.dirty:
                    self.run_again(function, self.dirty.pop(function))

    def run_again(self, function: Function, by_call: bool) -> None:
        """Runs it with what is known by now, unless that tells nothing new or it ran too often."""
        if function.runs > MAX_RUNS or (by_call and scopes.is_as_before(function)):
            return
        if function.runs == MAX_RUNS:
            function.escapes = True
        self.run(function)

    # classes

    def attribute(self, cls: Class, name: str) -> Kind | None:
        """What the attribute of an instance is, by all assignments to it; None if there is none."""
        found = NEVER
        for base in classes.own_line(cls):
            if base.state == "new":
                self.prepare(base)
            if name in base.lazy and base.frame is not None:
                self.run_lazily(base, name)
            if name in base.annotated:
                return base.annotated[name]
            held = base.attributes if base.state != "new" else base.sliced
            if base.state == "new":
                if name not in held:
                    held[name] = self.slice_of(base, name)
                if (base, name) in self.slicing:
                    self.cut_at = 0
            if name in held and held[name] is not NEVER:
                found = join(found, held[name])
            elif name in base.names and found is NEVER:
                found = base.names[name]
        return None if found is NEVER else found

    def run_lazily(self, cls: Class, name: str) -> None:
        """Runs the statements of a class body that bind the name."""
        waiting = cls.lazy.pop(name)
        with self.reopening(Reopened(name, waiting, cls.lazy, (cls.names, cls.frame.env), set())):
            statements.run_block(cls.frame, waiting)
        if name in cls.frame.env:
            cls.names[name] = cls.frame.env[name]

    def run_bindings(self, module: Module, name: str, waiting: list[ast.stmt | Chunk]) -> None:
        bound = (module.names, module.frame.env)
        with self.reopening(Reopened(name, waiting, module.bindings, bound, module.run)):
            super().run_bindings(module, name, waiting)

    @contextmanager
    def reopening(self, name: Reopened) -> Iterator[None]:
        """Binds a name meanwhile as if nothing waited for it: so it is the same for all who ask.

        Only where it comes back to a function that waits, the name is bound anew for others.
        """
        cut_before, self.cut_at = self.cut_at, NO_CUT
        outside_before = self.is_cut_outside
        floors = self.floor, self.foreign_floor
        self.floor, self.foreign_floor = self.depth, self.foreign_depth
        yield
        if self.cut_at <= self.floor:
            self.unsure.append(name)
        self.floor, self.foreign_floor = floors
        self.cut_at = min(self.cut_at, cut_before)
        self.is_cut_outside = outside_before

    def slice_of(self, cls: Class, name: str) -> Kind:
        """The attribute by its assignments alone, for a class whose methods are not run."""
        cls.sliced[name] = UNKNOWN  # while it is looked for
        found = NEVER
        if self.is_too_deep:
            self.cut_at = 0
            self.unsure.append(cls)
            return UNKNOWN
        cut_before, self.cut_at = self.cut_at, NO_CUT
        outside_before, self.is_cut_outside = self.is_cut_outside, False
        self.slicing.add((cls, name))
        self.depth += 1
        for function in setters_of(cls, name):
            for owner, attribute, assigned in bound_of(function).attributes:
                if attribute == name and owner == scopes.first_parameter(function):
                    found = join(found, self._assigned(function, assigned))
        self.depth -= 1
        self.slicing.discard((cls, name))
        if self.cut_at < NO_CUT or self.is_cut_outside:
            self.unsure.append(cls)
        self.cut_at = min(self.cut_at, cut_before)
        self.is_cut_outside |= outside_before
        return found

    def _assigned(self, function: Function, assigned: ast.expr | None) -> Kind:
        if assigned is None:
            return UNKNOWN
        self.sign(function)
        frame = Frame(self, function.module, function.outer)
        scopes.enter(frame, function)
        kind = self.value(frame, assigned)
        return TENSOR if classes.is_registration(assigned) else kind

    def prepare(self, cls: Class) -> None:
        """Runs the methods that give instances of a class of this module their attributes."""
        if cls.state != "new" or cls.module is not self.active:
            return
        for base in classes.own_line(cls):
            if base is not cls:
                self.prepare(base)
        cls.state = "running"
        writers = [f for f in cls.methods.values() if writes_attributes(f)]
        writers.sort(key=lambda function: function.name != "__init__")
        for function in writers:
            self.run(function)
        cls.state = "done"

    def store(self, frame: Frame, target: ast.expr, kind: Kind) -> None:
        """An assignment to an attribute or an item."""
        if isinstance(target, ast.Attribute):
            receiver = self.resolve(frame, target.value)
            cls = receiver.target
            if isinstance(cls, Class) and not layer_attribute(receiver, target.attr):
                self.set_attribute(frame, cls, target.attr, kind, target)
                if target.attr == "forward" and classes.is_module(cls):
                    frame.mention(target, "torch.nn.Module.forward", "attribute", target.value)
                buffer = None if kind.tag == "none" else classes.buffer(cls, target.attr)
                frame.recorder.kinds[target] = buffer or kind
                return
            found = resolve_attribute(frame, target)
            if found.tag == "api":
                frame.mention(target, found.name, "attribute")
        elif isinstance(target, ast.Subscript):
            frame.recorder.kinds[target] = UNKNOWN  # it is seen, and not read
            container = self.value(frame, target.value)
            key = self.value(frame, target.slice)
            if container.name == STATE:
                keep(frame, container, target.slice, kind, target)
            elif container.tag == "dict" and len(container.parts) == 2:
                merged = dict_of(join(container.parts[0], key), join(container.parts[1], kind))
                self.rebind(frame, target.value, merged)
            elif container.tag == "list":
                held = join(container.parts[0] if container.parts else NEVER, kind)
                self.rebind(frame, target.value, Kind("list", container.name, (held,)))

    def set_attribute(
        self, frame: Frame, cls: Class, name: str, kind: Kind, place: ast.AST | None = None
    ) -> None:
        """Takes an assignment to an attribute of instances of a class of this module.

        What a later run finds at the same place, when more is known, counts instead.
        """
        if cls.module is not self.active:
            return
        old = cls.attributes.get(name)
        placed = cls.placed.setdefault(name, {})
        kind = widened(kind, placed.get(place))
        placed[place] = join(placed[place], kind) if place is None and None in placed else kind
        new = join_all(placed.values())
        cls.attributes[name] = UNKNOWN if new.tag == "unknown" else new
        if cls.attributes[name] == old:
            return
        for reader, seen in cls.readers.get(name, {}).items():
            is_other = reader is not frame.function and writes_attributes(reader)
            if seen.is_unknown:
                is_news = not new.is_unknown
            else:  # what a function makes of it itself comes behind what it has read
                is_news = seen is NONE or cls.state == "done" or is_other
            if is_news:
                self.changed(reader)

    def rebind(self, frame: Frame, node: ast.expr, kind: Kind) -> None:
        """Takes a container's new kind after something was put into it."""
        if isinstance(node, ast.Name):
            if node.id in frame.env:
                frame.bind(node.id, kind)
            else:
                frame.rebind_outside(node.id, kind)
        elif isinstance(node, ast.Attribute):
            receiver = frame.recorder.kinds.get(node.value, UNKNOWN)
            if isinstance(receiver.target, Class):
                self.set_attribute(frame, receiver.target, node.attr, kind)

    def sample_of(self, frame: Frame, dataset: Kind) -> Kind:
        """What one element of a data set is."""
        if isinstance(dataset.target, Class):
            function = classes.method(dataset.target, "__getitem__")
            return UNKNOWN if function is None else self.result_of(frame, function)
        if dataset.tag in ("dataset", "list", "tuple") and dataset.parts:
            found = join_all(dataset.parts)
            return UNKNOWN if found is NEVER else found
        return UNKNOWN


def line_of(function: Function) -> int:
    return function.node.lineno


def tensors_found(function: Function) -> set[str]:
    """The parameters that their use shows to be tensors, to hold some, or to be modules."""
    shown = TENSOR, MODULE, COLLATED
    return {name for name, kind in function.found.items() if kind in shown}


def is_general(declared: Kind) -> bool:
    """Whether the annotation says less than the body: nn.Module, list, tuple, dict."""
    if declared.tag == "module":
        return declared.name == "torch.nn.Module" and declared.target is None
    return bool(declared.parts) and any(part.tag == "unknown" for part in declared.parts)


def writes_attributes(function: Function) -> bool:
    """Whether the method assigns to attributes of its first parameter."""
    if function.name == "__init__":
        return True
    first = scopes.first_parameter(function)
    return any(owner == first for owner, _, _ in bound_of(function).attributes)
