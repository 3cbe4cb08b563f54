"""A verification as text, as Markdown and as JSON."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...errors import printable
from .outcome import STAGES, CaseResult, Explanation, StageResult, Verification

SIGNS = {"passed": "✓", "failed": "✗", "skipped": "-"}
NOTES = """Parameters that were all zeros or ones had other numbers, dropout was off in training,
and random numbers were the same on both sides. Figures: the gravest difference of any tensor,
relative to its largest number.
"""


def heads(verification: Verification) -> list[str]:
    return ["network", *STAGES.values()]


def rows(verification: Verification) -> list[list[str]]:
    """For each case its name and a cell for each stage."""
    names = [named(case, verification) for case in verification.cases]
    return [
        [name, *(cell(case.stage(stage)) for stage in STAGES)]
        for name, case in zip(names, verification.cases, strict=True)
    ]


def named(case: CaseResult, verification: Verification) -> str:
    """The case, with its file if there are several."""
    files = {other.original for other in verification.cases}
    if len(files) == 1:
        return printable(case.name, 80)
    file = os.path.relpath(case.original, os.path.commonpath([os.path.dirname(f) for f in files]))
    return printable(f"{file}: {case.name}", 80)


def cell(result: StageResult) -> str:
    """✓, ✗ or -, with the gravest difference where numbers were compared.

    Tensors that are zero but for rounding do not count, unless they are why it failed.
    """
    counted = [d for d in result.differences if d.size > d.allowed or not d.passed]
    worst = counted[0] if counted else None
    is_number = worst is not None and not worst.problem and math.isfinite(worst.relative)
    figure = f" {worst.relative:.1e}" if worst is not None and is_number else ""
    return SIGNS[result.status] + figure


def summary(verification: Verification) -> str:
    count = len(verification.cases)
    equal = len([case for case in verification.cases if case.is_equal])
    if not count:
        return "Nothing was compared."
    if equal == count:
        return "Equal." if count == 1 else f"All {count} networks are equal."
    return "Not equal." if count == 1 else f"{equal} of {count} networks are equal."


def to_text(verification: Verification) -> str:
    """The table, what was left out, and the summary; explanations are findings of their own."""
    lines = aligned([heads(verification), *rows(verification)]) if verification.cases else []
    lines += [f"left out: {printable(text)}" for text in verification.left_out]
    remarks = {remark for case in verification.cases for remark in case.remarks}
    lines += [f"note: {printable(remark)}" for remark in sorted(remarks)]
    return "\n".join([*lines, summary(verification)]) + "\n"


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def explanations(verification: Verification) -> list[Explanation]:
    """Why each case is not equal: its first stage that failed or could not be judged."""
    found = []
    for case in verification.cases:
        stopped = case.first_failure or next((s for s in case.stages if s.explanation), None)
        if stopped is not None and stopped.explanation is not None:
            found.append(stopped.explanation)
    return found


def to_markdown(verification: Verification) -> str:
    """A page with the table and what is behind each cross."""
    table = [heads(verification), ["---"] * len(heads(verification)), *rows(verification)]
    lines = ["# Verification", "", summary(verification), ""]
    lines += [
        f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in table
    ]
    lines += ["", NOTES.rstrip()]
    for why in explanations(verification):
        lines += ["", "```text", why.text.replace("```", "'''"), "```"]
    if verification.left_out:
        lines += ["", *(f"- left out: {printable(text)}" for text in verification.left_out)]
    return "\n".join(lines) + "\n"


def to_json(verification: Verification) -> str:
    """All of it: every stage with every difference."""
    content = {"equal": verification.is_equal, **asdict(verification)}
    for case, shown in zip(verification.cases, content["cases"], strict=True):
        shown["equal"] = case.is_equal
    return json.dumps(finite(content), indent=2) + "\n"


def finite(value: Any) -> Any:
    """JSON has no infinity: it becomes text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value
