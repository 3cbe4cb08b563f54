"""The front of a conversion: the graph of a file prepared and recomposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import MsconvertError
from .graph.graph import Derivation, Graph
from .graph.prepare import Prepared, prepare
from .guard import guard
from .recompose import Recomposed, recompose
from .recompose.unfolding import unfolded


@dataclass(frozen=True)
class Model:
    """A model in its three forms: as the file has it, prepared, and with layers recomposed."""

    original: Graph
    prepared: Prepared
    recomposed: Recomposed

    @property
    def graph(self) -> Graph:
        """What is converted."""
        return self.recomposed.graph


def model_of(
    original: Graph,
    where: str,
    shapes: Sequence[Sequence[int]] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Model:
    """The model between `inputs` and `outputs`, ready to be written; `where` is its file.

    Raises: MS104 to MS106, see `prepare`
    """
    with guard(lambda reason: _malformed(where, reason)):
        prepared = prepare(original, shapes, inputs, outputs)
    recomposed = recompose(prepared.graph)
    derived = dict(recomposed.graph.derived)
    for name, made in recomposed.derived.items():
        before = derived.get(made.source, Derivation((made.source,), ()))
        derived[name] = Derivation(before.weights, (*before.ops, made.how))
    graph = unfolded(replace(recomposed.graph, derived=derived))
    return Model(original, prepared, replace(recomposed, graph=graph))


def _malformed(where: str, reason: str) -> MsconvertError:
    problem, advice = "the graph does not fit together", "export the model again"
    return MsconvertError("MS104", where, problem, got=reason, advice=advice)
