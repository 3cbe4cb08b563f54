"""What a terminal is told of a conversion."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import printable
from ...reporting.report import Finding
from ..findings.model import Finding as Found
from ..findings.model import Remark
from ..findings.wording import counted, emptiness
from ..table.target import NO_GRADIENT, NOT_BUNDLED
from .outcome import Outcome
from .tree import FAILURES, Converted

FULL_PRECISION, NOTHING_WRITTEN = "MS236", "MS244"
SILENT = frozenset({FULL_PRECISION, NOT_BUNDLED, NO_GRADIENT, NOTHING_WRITTEN})
"""What is converted, and is something else than it was, or nothing, where it runs."""


def findings(outcome: Outcome) -> Iterator[str]:
    """Everything that somebody has to look at: failures, what stays, what is not known."""
    for refused in outcome.refused:
        yield Finding("MS107", refused.path, refused.problem, severity="error").text
    for file in outcome.failed:
        yield from (told(file, r) for r in file.scan.remarks if r.code in FAILURES)
    for file in outcome.tree.files:
        yield from (told(file, use) for use in file.left)
    for file in outcome.tree.files:
        yield from (told(file, use) for use in file.unknown)
    yield from (told(file, remark) for file, remark in silent(outcome))


def silent(outcome: Outcome) -> Iterator[tuple[Converted, Remark]]:
    """The remarks on code that was converted and does not do what it did."""
    for file in outcome.tree.files:
        remarks = (r for r in file.scan.remarks if r.code in SILENT and not r.ignored)
        yield from ((file, remark) for remark in remarks)


def told(file: Converted, found: Found) -> str:
    place = found.place
    where = f"{file.scan.path}:{f'cell {place.cell}:' if place.cell else ''}{place.line}"
    return Finding(found.code, where, found.message, found.advice).text


def numbers(outcome: Outcome) -> Iterator[str]:
    """How much was done."""
    files = len(outcome.changed), len(outcome.unchanged), len(outcome.failed)
    yield "Files: {} changed, {} unchanged, {} failed".format(*files)
    counts = outcome.counts
    held = f" (and {counted(counts.held, 'other')} on their lines)" if counts.held else ""
    unknown = f"{counts.unknown} of unknown receivers"
    yield f"Uses of PyTorch: {counts.converted} converted, {counts.left} left{held}, {unknown}"


def next_steps(outcome: Outcome) -> Iterator[str]:
    """What to do next."""
    if not outcome.tree.files:
        yield f"Nothing is converted: {emptiness(outcome.tree.excluded)}."
    elif not outcome.changed and not outcome.tree.modules:
        yield "Nothing changes: there is no PyTorch, or it is converted already."
    lost = {printable(refused.path) for refused in outcome.refused}
    for module in outcome.tree.modules:
        folder = printable(str(module.path.parent))
        if printable(str(module.path)) in lost:
            yield f"Rename {module.path.name} of {folder}: the code needs msconvert's, not written."
            continue
        yield f"Keep {module.path.name} with the code of {folder}: it has what MindSpore lacks."
    if outcome.marks:
        comments = counted(outcome.marks, "comment")
        what = "it stays PyTorch's, or may do something else"
        yield f"Look at the code below {comments} `# MS2xx line: ...`: {what}."
    if outcome.counts.unknown:
        yield "Annotate what msconvert does not know (MS206), and convert again."
    codes = {remark.code for _, remark in silent(outcome)}
    if NOT_BUNDLED in codes:
        yield "Convert with --target mindspore: the bundled runtime does not run all of it (MS237)."
    if NO_GRADIENT in codes:
        yield "Write products of complex tensors with real parts where they are trained (MS240)."
    if FULL_PRECISION in codes:
        yield "Choose a precision by ms.amp.auto_mixed_precision(net): autocast is gone (MS236)."
    if NOTHING_WRITTEN in codes:
        yield "Save with ms.save_checkpoint behind fit: the Trainer writes no files (MS244)."
    if outcome.failed:
        yield "Mend the files that could not be read; they are as they were."
    if outcome.changed and outcome.ok:
        yield "Compare both sides: msconvert verify ORIGINAL CONVERTED."
