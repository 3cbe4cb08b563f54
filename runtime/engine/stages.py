"""A graph with host calls: sessions of ONNX Runtime, with functions on arrays in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from onnx import NodeProto

from .dtype import Array
from .reference import HostNode, read_by
from .session import model_of, open_session
from .trace import Trace

Node = NodeProto | HostNode


@dataclass(frozen=True, eq=False)
class Stage:
    """One session (None if nothing is to compute), and the calls that follow it."""

    session: Any
    inputs: list[str]
    outputs: list[str]
    calls: list[HostNode]

    def run(self, values: dict[str, Array]) -> None:
        """Adds what this stage computes to `values`."""
        if self.session is not None:
            feed = {name: values[name] for name in self.inputs}
            made = self.session.run(self.outputs, feed)
            values.update(zip(self.outputs, made, strict=True))
        for node in self.calls:
            given = [values[name] if name else None for name in node.input]
            values.update(zip(node.output, node.function(*given), strict=True))


class Stages:
    """Runs as `onnxruntime.InferenceSession` does, stage by stage.

    A call belongs to the first stage after which its inputs are there, a node to the stage after
    the last call that it depends on.
    """

    def __init__(self, trace: Trace, nodes: list[Node], outputs: list[str], fed: set[str]) -> None:
        self.constants = trace.constants
        self.stages = [
            self.stage(trace, inside, later, outputs, fed) for inside, later in divided(nodes)
        ]

    def stage(
        self,
        trace: Trace,
        inside: list[Node],
        later: list[Node],
        outputs: list[str],
        fed: set[str],
    ) -> Stage:
        nodes = [node for node in inside if isinstance(node, NodeProto)]
        calls = [node for node in inside if isinstance(node, HostNode)]
        made = {name for node in nodes for name in node.output}
        wanted = made & ({*outputs} | names_read([*calls, *later]))
        targets = sorted(wanted)
        sources = names_read(nodes) - made
        given = {s.name: s for s in trace.inputs} | trace.symbols
        inputs = [given[name] for name in sorted(sources & given.keys())]
        own = fed & sources
        graph, large = trace.graph(nodes, inputs, targets, own)
        session = None
        if nodes:
            session = open_session(model_of(graph), threads=0, optimise=True, weights=large)
        return Stage(session, [*[s.name for s in inputs], *own], targets, calls)

    def run(self, outputs: list[str], feed: dict[str, Array]) -> list[Array]:
        values = self.constants | feed
        for stage in self.stages:
            stage.run(values)
        return [values[name] for name in outputs]


def names_read(nodes: Iterable[Node]) -> set[str]:
    return {name for node in nodes for name in read_by(node) if name}


def divided(nodes: list[Node]) -> Iterator[tuple[list[Node], list[Node]]]:
    """The nodes of each stage in turn, and those of all later stages."""
    stage_of: dict[str, int] = {}
    placed: list[list[Node]] = []
    for node in nodes:
        stage = max((stage_of.get(name, 0) for name in read_by(node)), default=0)
        after = stage + isinstance(node, HostNode)
        stage_of.update(dict.fromkeys(node.output, after))
        placed += [[] for _ in range(after + 1 - len(placed))]
        placed[stage].append(node)
    for k, inside in enumerate(placed):
        yield inside, [node for later in placed[k + 1 :] for node in later]
