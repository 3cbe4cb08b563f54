"""What a conversion of weights decided and did, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...formats.element_types import type_name_of
from .convert import Outcome, tied_of

if TYPE_CHECKING:
    from .fit import Fit


def to_json(outcome: Outcome) -> str:
    """Every tensor with its new name, what was added and asked, and what the network takes."""
    source, plan = outcome.conversion.source, outcome.conversion.plan
    written, around = outcome.written, outcome.conversion.texts
    facts = {
        "ok": outcome.is_done,
        "source": source.path,
        "key": getattr(source, "key", ""),
        "prefix": getattr(source, "prefix", ""),
        "output": outcome.output if written is not None else None,
        "files": list(written.files) if written is not None else [],
        "bytes": written.bytes if written is not None else 0,
        "root": plan.root,
        "tensors": list(tensors(outcome)),
        "added": [{"name": a.name, "value": a.value} for a in plan.added],
        "computed": {name: list(parts) for name, parts in source.computed.items()},
        "tied": tied_of(source),
        "optimizer": {
            "steps": outcome.steps,
            "tensors": [] if around else [part.name for part in outcome.conversion.more],
        },
        "around": [part.name for part in outcome.conversion.more] if around else [],
        "questions": [
            {"name": q.name, "layers": list(q.layers), "reason": q.reason} for q in plan.questions
        ],
        "not_taken": list(outcome.absent if around else source.others),
        "network": None if outcome.fit is None else fit_facts(outcome.fit),
    }
    return json.dumps(facts, indent=2)


def tensors(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """What becomes of each tensor of the source."""
    held = outcome.conversion.source.tensors()
    for step in outcome.conversion.plan.steps:
        kind = outcome.conversion.types.get(step.new)
        yield {
            "from": step.old,
            "name": step.new or None,
            "shape": list(step.shape),
            "type": held[step.old].type_name if kind is None else type_name_of(kind),
            "by": step.how,
            "layer": step.layer,
        }


def fit_facts(fit: Fit) -> dict[str, Any]:
    return {
        "call": fit.call,
        "framework": fit.framework,
        "loaded": list(fit.loaded),
        "missing": list(fit.missing),
        "unexpected": list(fit.unexpected),
        "shape": [
            {"name": s.name, "shape": list(s.shape), "network": list(s.network)} for s in fit.shapes
        ],
        "differing": list(fit.differing),
        "cast": list(fit.cast),
    }
