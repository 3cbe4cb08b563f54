"""A rule: the pattern, and a function that checks it and says what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.graph import Dim, Node, ValueType
from .edit import Array, Derived, Editor
from .pattern import Found, Pattern
from .scope import speaker

MSCONVERT = "msconvert"
"""The domain of what has no ONNX operator."""


NO_FIT = ""
"""The reason of a refusal that is not worth telling: the pattern alone could not say it."""


class Refused(Exception):
    """Why a pattern that fits must stay as it is."""


@dataclass(frozen=True)
class Same:
    """A rule's result: the matched value equals this one; `why` is for the report."""

    value: str
    why: str


Result = Node | Same | list[Node]
Rewrite = Callable[["Match"], Result]


@dataclass(frozen=True)
class Rule:
    """`rewrite` is called for each fit of `pattern`; it raises Refused, or gives what is put there.

    The last node given makes the matched value. Its docstring is the rule's one-line description.
    """

    name: str
    pattern: Pattern
    rewrite: Rewrite


def rule(pattern: Pattern) -> Callable[[Rewrite], Rule]:
    """Decorator: makes a function over a Match the rewrite of `pattern`."""
    return lambda rewrite: Rule(rewrite.__name__, pattern, rewrite)


@dataclass
class Match:
    """One fit of a pattern: what rules ask and what they build with."""

    graph: Editor
    found: Found
    root: Node
    constants: dict[str, tuple[Array, Derived | None]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.found.values[name]

    def call(self, name: str) -> Node:
        return self.found.calls[name]

    def number(self, name: str) -> float:
        return self.found.numbers[name]

    def array(self, name: str) -> Array:
        """The constant bound to `name`."""
        array = self.graph.constant(self[name])
        self.require(array is not None, f"{name} is not constant")
        assert array is not None
        return array

    @property
    def out(self) -> str:
        return self.root.outputs[0]

    @property
    def nodes(self) -> list[Node]:
        """The matched nodes, each once, the root last."""
        others = dict.fromkeys(node for node in self.found.nodes if node is not self.root)
        return [*sorted(others, key=self.graph.place), self.root]

    def require(self, condition: bool, reason: str) -> None:
        """Raises: Refused with the reason unless the condition holds."""
        if not condition:
            raise Refused(reason)

    def shape(self, value: str) -> tuple[Dim, ...]:
        """Raises: Refused if not even the rank is known."""
        shape = self.graph.type_of(value).shape
        if shape is None:
            raise Refused(f"the rank of {value} is not known")
        return shape

    def dtype(self, value: str) -> np.dtype[Any]:
        dtype = self.graph.type_of(value).dtype
        if dtype is None:
            raise Refused(f"the element type of {value} is not known")
        return dtype

    def axes(self, node: Node, of: str = "") -> tuple[int, ...]:
        """The axes of a node, counted from the front of `of` (its first input), in order.

        Raises: Refused if they are computed, or the rank is not known
        """
        rank = len(self.shape(of or node.inputs[0]))
        axes = self.graph.argument(node, "axes")
        if isinstance(axes, str):
            raise Refused("the axes are computed")
        self.require(node.op != "Squeeze" or axes is not None, "every axis of size 1 is squeezed")
        if axes is None or axes.size == 0:
            self.require(not node.attrs.get("noop_with_empty_axes", 0), "it reduces nothing")
            return tuple(range(rank))
        return tuple(sorted(int(axis) % rank for axis in axes.reshape(-1)))

    def reduced(self, *names: str) -> tuple[int, ...]:
        """The axes, the same for all, that the named nodes reduce and keep as size 1."""
        calls = [self.call(name) for name in names]
        keep = all(node.attrs.get("keepdims", 1) == 1 for node in calls)
        self.require(keep, "a reduced axis is not kept")
        axes = {self.axes(node) for node in calls}
        self.require(len(axes) == 1, "it reduces over different axes")
        return axes.pop()

    def constant(self, hint: str, array: Array, derived: Derived | None = None) -> str:
        """The name of a new constant; `derived` if it comes from one of the file's."""
        name = self.graph.fresh(hint)
        self.constants[name] = (array, derived)
        return name

    def value(self, hint: str, known: ValueType) -> str:
        """The name of a new value between the nodes that a rule makes."""
        name = self.graph.fresh(hint)
        self.graph.graph.types[name] = known
        return name

    def reshaped(self, name: str, shape: tuple[int, ...]) -> str:
        """The constant bound to `name`, in another shape."""
        array = self.array(name)
        if array.shape == shape:
            return self[name]
        how = Derived(self[name], f"reshaped to {shape}")
        return self.constant(f"{self[name]}_flat", array.reshape(shape), how)

    def node(self, op: str, version: int, inputs: Sequence[str], **attrs: Any) -> Node:
        """A node that makes the matched value, named after the module that says it best."""
        domain = MSCONVERT if op == "Dense" else ""
        return self.like(op, inputs, [self.out], attrs=attrs, version=version, domain=domain)

    def like(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        of: Sequence[Node] = (),
        **fields: Any,
    ) -> Node:
        """A node with any outputs; name, metadata and origin of `of`, by default all matched."""
        of = of or self.nodes
        name, metadata = speaker(of)
        origin = tuple(dict.fromkeys(label for node in of for label in node.origin))
        ins, outs = list(inputs), list(outputs)
        return Node(op, ins, outs, name=name, metadata=dict(metadata), origin=origin, **fields)

    def again(
        self, node: Node, inputs: Sequence[str], outputs: Sequence[str], of: Sequence[Node] = ()
    ) -> Node:
        """A node like `node` with other inputs and outputs, its attributes kept."""
        fields = {"attrs": dict(node.attrs), "version": node.version, "domain": node.domain}
        return self.like(node.op, inputs, outputs, of, **fields)
