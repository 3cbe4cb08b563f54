"""What a terminal is told of a migration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..api_mapping.findings.wording import counted
from ..api_mapping.source import as_text as source_text
from ..errors import MsconvertError, printable
from ..reporting.report import Finding
from .outcome import Outcome
from .steps import steps

MOST = 20


def findings(outcome: Outcome) -> Iterator[str]:
    """Everything that somebody has to look at: of the code, of checkpoints, of networks."""
    yield from source_text.findings(outcome.conversion)
    for saved in outcome.checkpoints:
        if saved.error is not None:
            yield named(saved.path, saved.error)
        for key in saved.left_out:
            problem = f"{key!r} is not in the converted file"
            yield Finding("MS313", str(saved.path), problem).text
    for found in outcome.networks:
        if found.verdict == "differs":
            yield Finding("MS404", f"{found.network.file}:{found.network.name}", found.reason).text
    for fit in outcome.fits:
        if fit.problem:
            yield Finding("MS303", str(fit.path), fit.problem).text


def named(path: Path, error: MsconvertError) -> str:
    """The error about a checkpoint, with its place in the project."""
    place = error.where if path.name in error.where else f"{path}: {error.where}"
    facts = {"got": error.got, "expected": error.expected, "advice": error.advice}
    return MsconvertError(error.code, place, error.problem, **facts).text()


def summary(outcome: Outcome) -> Iterator[str]:
    """What was done, what was compared, what was not, and what is next."""
    yield from source_text.numbers(outcome.conversion)
    yield from checkpoint_lines(outcome)
    for changed in outcome.dependencies:
        yield printable(
            f"{changed.path}: {'; '.join((*changed.changes, changed.problem))}".rstrip("; ")
        )
    if outcome.linked:
        yield f"Data: {counted(len(outcome.linked), 'large file')} linked, not copied"
    if outcome.left:
        yield f"Data: {counted(len(outcome.left), 'file')} left where they are"
    yield from network_lines(outcome)
    for text in list(outcome.uncompared())[:MOST]:
        yield printable(f"Not compared: {text}")
    yield f"Written: {printable(str(outcome.wanted.output))}"
    for number, step in enumerate(steps(outcome), 1):
        yield printable(f"Next {number}: {step.why}", limit=400)
        if step.command:
            yield f"  {step.command}"


def checkpoint_lines(outcome: Outcome) -> Iterator[str]:
    fits = {fit.path: fit for fit in outcome.fits if not fit.problem}
    for saved in outcome.checkpoints:
        if saved.error is not None:
            yield printable(f"{saved.path}: not converted")
            continue
        of = ", ".join(root.rpartition(".")[2] for root in saved.roots)
        whose = f"weights of {of}" if of else "no network's, names as they are"
        loads = f", loaded by {fits[saved.path].call}" if saved.path in fits else ""
        yield printable(f"{saved.path}: {counted(saved.tensors, 'tensor')}, {whose}{loads}")


def network_lines(outcome: Outcome) -> Iterator[str]:
    """Each network that was run, and how many are parts of these."""
    counts = Counter(found.verdict for found in outcome.networks)
    for found in outcome.networks:
        if found.verdict in ("equal", "differs"):
            inputs = " ".join(found.inputs) or "its own inputs"
            yield printable(f"{found.call} on {inputs}: {found.verdict}")
    if counts["part"]:
        yield f"{counted(counts['part'], 'class')} more within these".replace("classs", "classes")
