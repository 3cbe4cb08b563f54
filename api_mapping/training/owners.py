"""Whose gradients are cleared: the networks that optimisers were made for."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..analysis import FileAnalysis
from ..syntax.nodes import dotted
from .blocks import Block
from .events import Clear, Event, Events, Step

UNKNOWN: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Owners:
    """Knows the networks of the optimisers of one file, as far as it is plain."""

    analysis: FileAnalysis

    @cached_property
    def networks(self) -> Mapping[str, frozenset[str]]:
        """The networks whose parameters each optimiser is given; none where that is not plain."""
        found: dict[str, frozenset[str]] = {}
        for node in ast.walk(self.analysis.tree):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            if self.analysis.kind_of(node.value).tag == "optimizer":
                names = frozenset(listed(node.value))
                for target in map(dotted, node.targets):
                    found[target] = UNKNOWN if target in found else names
        return found

    def clears(self, clear: Clear, key: str) -> bool:
        """Whether a statement clears all gradients of an optimiser, as far as one can see."""
        if not clear.is_module:
            return dotted(clear.owner) == key or not dotted(clear.owner)
        cleared, own = dotted(clear.owner), self.networks.get(key, UNKNOWN)
        others = {name for other, names in self.networks.items() if other != key for name in names}
        return not own or cleared in own or cleared not in others

    def clearing(self, events: Events, block: Block, key: str) -> list[int]:
        """The places of the statements of a block that clear all gradients of an optimiser."""
        found = ((place, events.of(s)) for place, s in enumerate(block.statements))
        return [place for place, event in found if self.is_cleared_by(event, key)]

    def is_cleared_by(self, event: Event | None, key: str) -> bool:
        if isinstance(event, Step):
            return event.key == key and event.is_clearing
        return isinstance(event, Clear) and self.clears(event, key)

    def clear_some(self, clears: Collection[Clear], key: str) -> bool:
        """Whether statements clear some of the gradients of an optimiser, and not all."""
        if any(not clear.is_module and self.clears(clear, key) for clear in clears):
            return False
        own = self.networks.get(key, UNKNOWN)
        cleared = {dotted(clear.owner) for clear in clears if clear.is_module}
        has_part = any(name.startswith(f"{net}.") for name in cleared for net in own)
        return has_part or (bool(cleared & own) and not own <= cleared)

    def differ(self, network: str, keys: Iterable[str]) -> bool:
        """Whether optimisers train more, or less, than all of a network."""
        own = [self.networks.get(key, UNKNOWN) for key in keys]
        is_one = any(network in names and len(names) > 1 for names in own)
        return is_one or any(n.startswith(f"{network}.") for names in own for n in names)


def listed(call: ast.Call) -> Iterator[str]:
    """The networks whose parameters the arguments of a call list: `net` of `net.parameters()`."""
    calls = (node.func for node in ast.walk(call) if isinstance(node, ast.Call))
    for called in calls:
        if isinstance(called, ast.Attribute) and called.attr == "parameters":
            yield from filter(None, [dotted(called.value)])
