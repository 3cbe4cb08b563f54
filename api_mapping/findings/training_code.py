"""What becomes of uses in training code: the source converter writes a step anew as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis import FileAnalysis, Use
from ..rewriting.suggestion import Suggestion
from ..table import registry
from ..table.facts.gradients import BACKWARD, DIFFERENTIATION, GRADIENT, STEPS
from .model import Standing

if TYPE_CHECKING:
    from ..training.rewriting import Training


DIFFERENTIATED_BY_HAND = "by hand: grads = ms.grad(function, positions)(*inputs)"
UNSEEN = "no training step of a known shape: "


def training_of(analysis: FileAnalysis) -> Training | None:
    """The training code of a file; None in the many files that have none."""
    if not any(map(is_telling, analysis.uses)):
        return None
    from ..training.rewriting import Training  # what few projects need loads slowly

    return Training(analysis)


def is_telling(use: Use) -> bool:
    """Whether a use says that a file has training code: nothing but a loss has `backward`."""
    if use.api == DIFFERENTIATION:
        return use.kind == "call"
    return use.api in STEPS and (use.certainty == "is" or use.api == BACKWARD)


def in_training(
    training: Training, use: Use, standing: Standing, found: Suggestion
) -> tuple[Standing, Suggestion]:
    """The verdict on a use: of a step of known shape, or of one that stays as it is.

    What it is of need not be known for that: the step tells.
    """
    if use.api in (GRADIENT, DIFFERENTIATION) and id(use.node) in training.rewritten:
        return Standing.COMPOSITE, Suggestion(found.row)
    if use.api == DIFFERENTIATION and training.differentiations.refusal:
        told = f"{training.differentiations.refusal}; {DIFFERENTIATED_BY_HAND}"
        return standing, Suggestion(found.row, refusal=told)
    if use.api not in STEPS or use.kind != "call":
        return standing, found
    if standing is Standing.UNKNOWN and id(use.node) in training.consumed:
        standing = Standing(registry.find(use.api)[found.row].verdict.value)
    is_missing = standing is Standing.MISSING
    if (reason := training.kept.get(id(use.node))) is not None:
        return standing, found if is_missing else Suggestion(found.row, refusal=UNSEEN + reason)
    if (is_missing or found.refusal) and id(use.node) in training.consumed:
        return Standing.COMPOSITE, Suggestion(found.row)
    return standing, found
