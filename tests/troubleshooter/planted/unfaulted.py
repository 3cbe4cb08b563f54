"""Pairs of networks that do the same: nothing must be said of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.tests.api_mapping.migrate.test_models import KNOWN_GAPS, MODELS, NAMES
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings

from .fault import Mode, Reference, Target
from .networks import CLASSES
from .page import SAME, Pair, cell, sides
from .planting import Planter

BETWEEN: tuple[tuple[Reference, Target, Mode], ...] = (
    ("torch", "runtime", "both"),
    ("onnx", "runtime", "eval"),
    ("torch", "mindspore", "both"),
    ("onnx", "mindspore", "eval"),
)


@dataclass(frozen=True)
class Unfaulted:
    """One of the networks that faults are planted in, as it was converted."""

    network: str
    reference: Reference
    target: Target
    mode: Mode

    def pair(self, planter: Planter) -> Pair:
        found = planter.unfaulted(self.network, self.reference, self.target, self.mode)
        return Pair(self.network, sides(self.reference, self.target), self.mode, said(found))


UNFAULTED = tuple(
    Unfaulted(name, reference, target, mode)
    for reference, target, mode in BETWEEN
    for name in CLASSES
)


def with_graphs(planter: Planter) -> Iterator[Pair]:
    """Each network in PyTorch and its own ONNX file, each once as the reference."""
    for name in CLASSES:
        torch, onnx = [planter.workshop.converted(name, side) for side in ("torch", "onnx")]
        settings = NetworkSettings(
            call=torch.call, inputs=torch.inputs, weights_a=torch.weights, mode="eval"
        )
        found = planter.comparer.compare(torch.a, onnx.a, settings)
        yield Pair(name, sides("torch", "onnx"), "eval", said(found))


def of_models(comparer: NetworkComparer, folder: Path) -> Iterator[Pair]:
    """The models that are converted without a gap."""
    assert not write_tree(convert_paths((MODELS,), Settings()), folder)
    settings = NetworkSettings(mode="eval")
    for name in NAMES:
        if name not in KNOWN_GAPS:
            found = comparer.compare(MODELS / f"{name}.py", folder / f"{name}.py", settings)
            yield Pair(name, sides("torch", "runtime"), "eval", said(found))


def said(found: NetworkComparison) -> str:
    if found.ok:
        return SAME
    first = found.first_difference
    if first is not None:
        return cell(f"{first.path}: {first.verdict} {first.part} {first.note}")
    return cell(", ".join(item.name for item in found.whole if not item.ok))
