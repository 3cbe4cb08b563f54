"""What a conversion of weights did, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...errors import MsconvertError, printable
from ...formats.names.renaming import Question, Step
from ...formats.stored import Checkpoint, StoredTensor
from ...formats.transfer.conversion import Conversion
from .convert import Outcome, tied_of

if TYPE_CHECKING:
    from .fit import Fit

MOST_QUESTIONS = 10
EXAMPLES_SHOWN = 3
TITLES = {"map": "renamed", "structure": "renamed", "given": "as told"}
FRAMEWORKS = {"torch": "PyTorch", "mindspore": "MindSpore", "msconvert.runtime": "the runtime"}


def asked(where: str, questions: Iterable[Question]) -> Iterator[MsconvertError]:
    """What has no new name, and the ways out: an MS310 for each reason."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for question in questions:
        groups.setdefault((question.layers, question.reason), []).append(question.name)
    for (layers, reason), found in groups.items():
        yield question_of(where, layers, reason, found)


def question_of(
    where: str, layers: tuple[str, ...], reason: str, found: list[str]
) -> MsconvertError:
    """The MS310 error about parameters that have no new name, for one reason."""
    several = f" and {len(found) - 1} more" if len(found) > 1 else ""
    shown = ", ".join(found[:MOST_QUESTIONS])
    if reason:
        problem = f"'{found[0]}'{several} has no new name: {reason}"
        advice = "--rename OLD=NEW, or --drop GLOB; nothing is written before"
        return MsconvertError("MS310", where, problem, got=shown, advice=advice)
    path = found[0].rpartition(".")[0]
    return MsconvertError(
        "MS310",
        where,
        f"'{found[0]}'{several} could be of {' or '.join(layers)}, which are renamed differently",
        got=shown,
        advice=f"--map FILE, or --layer '{path}={layers[-1]}', or --rename OLD=NEW; "
        "nothing is written before",
    )


def summary(outcome: Outcome) -> Iterator[str]:
    """What was done, a line for each kind of change."""
    conversion = outcome.conversion
    source, plan, written = conversion.source, conversion.plan, outcome.written
    assert written is not None
    kinds = Counter(v.type_name for v in source.tensors().values())
    types = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    where = f" (its {getattr(source, 'key', '')!r})" if getattr(source, "key", "") else ""
    yield f"{printable(source.path)}{where}: {types}"
    files = f" in {len(written.files) - 1} files and an index" if len(written.files) > 1 else ""
    yield (
        f"{printable(outcome.output)}: {written.tensors} tensors, {written.bytes / 1e6:.1f} MB"
        f"{files}, each compared with its source after writing"
    )
    for how, title in TITLES.items():
        changed = [step for step in plan.of(how) if step.new not in ("", step.old)]
        yield from line(title, [f"{step.old} -> {step.new}" for step in changed])
    taken = Counter(step.layer for step in plan.of("structure"))
    yield from line("taken for", [f"{layer} ({count})" for layer, count in taken.items()])
    yield from line("reshaped", [shape_change(source, step) for step in reshaped(conversion)])
    yield from line("cast", list(casts(conversion)))
    yield from line("left out", [step.old for step in plan.left_out])
    yield from line("added", [f"{added.name} = {added.value:g}" for added in plan.added])
    sources = [f"{name} of {', '.join(parts)}" for name, parts in source.computed.items()]
    yield from line("computed", sources)
    around = "around" if conversion.texts else "optimizer"
    yield from line(around, [part.name for part in conversion.more])
    if outcome.steps is not None:
        yield f"  steps     {outcome.steps} made by the optimizer"
    yield from rest(outcome)
    if outcome.fit is not None:
        yield from fit_lines(outcome.fit)


def rest(outcome: Outcome) -> Iterator[str]:
    """What the file has besides, and is written once or not at all."""
    conversion = outcome.conversion
    source, plan = conversion.source, conversion.plan
    tied = tied_of(source) if not conversion.tied else {}
    written_twice = {step.old for step in plan.steps}
    once = [f"{a} is {b}, written once" for a, b in tied.items() if a not in written_twice]
    yield from line("tied", once)
    if getattr(source, "prefix", ""):
        yield f"  prefix    {source.prefix!r} left out"  # type: ignore[attr-defined]
    yield from line("not taken", not_taken(outcome))
    texts = [name for name in source if not isinstance(source[name], StoredTensor)]
    yield from line("texts", [f"{name} is left out" for name in texts])


def not_taken(outcome: Outcome) -> list[str]:
    """The keys of what the file holds beside the network, and the output does not."""
    conversion = outcome.conversion
    if conversion.texts:
        return list(outcome.absent)
    taken = tuple({part.tensor.name.split(".state.")[0] for part in conversion.more})
    return [key for key in conversion.source.others if not taken or not key.startswith(taken)]


def fit_lines(fit: Fit) -> Iterator[str]:
    """How the network takes the file."""
    counts = (
        (len(fit.loaded), "loaded"),
        (len(fit.missing), "missing"),
        (len(fit.unexpected), "unexpected"),
        (len(fit.shapes), "of another shape"),
        *(((len(fit.differing), "with other values"),) if fit.differing else ()),
    )
    told = ", ".join(f"{count} {what}" for count, what in counts)
    yield f"{printable(fit.call)} on {FRAMEWORKS[fit.framework]}: {told}"
    yield from line("missing", list(fit.missing))
    yield from line("not its", list(fit.unexpected))
    shapes = [f"{s.name} {list(s.shape)}, the network's {list(s.network)}" for s in fit.shapes]
    yield from line("shape", shapes)
    yield from line("values", list(fit.differing))
    yield from line("cast", [f"{name} has another type in the network" for name in fit.cast])


def reshaped(conversion: Conversion) -> list[Step]:
    shapes = {name: v.shape for name, v in conversion.source.tensors().items()}
    return [s for s in conversion.kept() if s.turned or s.shape != shapes[s.old]]


def shape_change(source: Checkpoint, step: Step) -> str:
    return f"{step.old} {list(source.tensors()[step.old].shape)} -> {list(step.shape)}"


def casts(conversion: Conversion) -> Iterator[str]:
    """Each change of types, with how many tensors it concerns."""
    found: Counter[str] = Counter()
    for part in conversion.parts():
        kind = conversion.types.get(part.name)
        if kind is not None and kind != part.tensor.dtype:
            found[f"{part.tensor.dtype} -> {kind}"] += 1
    for change, count in found.items():
        yield f"{change} ({count})"


def line(title: str, found: list[str]) -> Iterator[str]:
    """A line of the summary: how many, and the first of them; none if there are none."""
    if found:
        shown = "; ".join(printable(text) for text in found[:EXAMPLES_SHOWN])
        more = "; ..." if len(found) > EXAMPLES_SHOWN else ""
        yield f"  {title:<9} {len(found)}: {shown}{more}"
