"""Why a stage failed, in words: what, where, and what to try."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...numerics.verdict import Difference
from ..sides.child.messages import Failure
from ..sides.naming import Mapping
from ..sides.places import shown
from .outcome import Explanation, Stage

DOING: dict[Stage, str] = {
    "imports": "cannot be imported",
    "constructs": "cannot be constructed",
    "runs": "cannot be run",
    "equal": "cannot be run",
    "gradients": "has no gradients",
    "step": "cannot be trained",
}

ADVICE: dict[Stage, str] = {
    "equal": "compare eps, padding, axes and defaults of its layers; --call tries one class alone",
    "gradients": "look for values that are cut off (stop_gradient, asnumpy) or changed in place",
    "step": "compare momentum (MindSpore's is the weight of the old statistics) and what "
    "depends on `training`",
}

MOST = 5
"""So many names are listed."""


def of_syntax(file: Path, error: SyntaxError, *, original: bool) -> Explanation:
    line = f":{error.lineno}" if error.lineno else ""
    return Explanation(
        "MS405" if original else "MS402",
        f"{shown(str(file))}{line}",
        f"{'the original' if original else 'the file'} cannot be parsed: {error.msg}",
        got=(error.text or "").strip(),
    )


def of_failure(
    stage: Stage, name: str, file: str, failure: Failure, *, original: bool
) -> Explanation:
    """What one side raised; the original's failures are not the converted one's."""
    place = f"{shown(failure.file)}:{failure.line}" if failure.file else shown(file)
    subject = f"the original of {name}" if original else name
    return Explanation(
        "MS405" if original else "MS402",
        place,
        f"{subject} {DOING[stage]}: {failure.kind}: {failure.message}",
        got=failure.code,
        expected="" if original else "the original does",
        advice=advice_on(stage, failure, original=original),
        stack=failure.stack,
    )


def advice_on(stage: Stage, failure: Failure, *, original: bool) -> str:
    if failure.kind == "Timeout":
        return "--timeout SECONDS, or smaller inputs"
    if "No module named 'torch" in failure.message and not original:
        return "a line of it still imports PyTorch"
    if original and stage == "imports":
        return "give the Python that this project runs with: --python-torch PYTHON"
    if original:
        return "give it inputs and arguments that it takes: --shape, --inputs, --call"
    return ""


def of_mapping(name: str, file: str, mapping: Mapping) -> Explanation:
    """Parameters and buffers that do not fit."""
    kinds = {
        "missing": mapping.missing,
        "not in the original": mapping.unexpected,
        "other": mapping.wrong,
    }
    found = [f"{kind}: {listed(names)}" for kind, names in kinds.items() if names]
    return Explanation(
        "MS403",
        shown(file),
        f"the weights of {name} do not fit",
        got="; ".join(found),
        expected="each of the original's parameters and saved buffers once, and no other",
        advice="compare the layers' arguments (bias, affine, sizes) and the attributes' names",
    )


def listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def of_differences(
    stage: Stage, name: str, file: str, differences: Sequence[Difference]
) -> Explanation:
    """The gravest of the differences that are more than rounding."""
    wrong = [item for item in differences if not item.passed]
    worst = wrong[0]
    place = worst.name or "the output"
    got = worst.problem or f"{place} differs by {worst.absolute:.3g} ({worst.relative:.2g} of it)"
    if worst.problem:
        got = f"{place}: {worst.problem}"
    more = f"; {len(wrong)} of {len(differences)} values differ" if len(differences) > 1 else ""
    return Explanation(
        "MS404",
        shown(file),
        f"{name} is not {'' if stage == 'equal' else 'as '}{NOT[stage]}",
        got=f"{got}{more}",
        expected="" if worst.problem else f"at most {worst.allowed:.3g}, as rounding explains",
        advice=ADVICE[stage],
    )


NOT: dict[Stage, str] = {
    "equal": "equal in evaluation",
    "gradients": "the original in its gradients",
    "step": "the original after one training step",
}
