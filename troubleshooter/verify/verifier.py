"""Runs a PyTorch file and what was made of it for MindSpore, and says whether they are equal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from ...numerics.rounding import Allowance
from ..sides.child.messages import Failure, Inputs, Loaded
from ..sides.halves import Half
from ..sides.inputs import InputShape, from_file, made
from ..sides.places import Target, source_of, syntax_error, target_of
from ..sides.workers import Worker, python_with
from .case import Case, Trial
from .explanations import of_failure, of_syntax
from .outcome import CaseResult, StageResult, Verification
from .pairs import Pair, pairs_of

Say = Callable[[str], None]

PACKAGES = {"bundled": "msconvert.runtime", "mindspore": "mindspore"}
BUILD = "build()"
PARSED = StageResult("parses", "passed")
IMPORTED = StageResult("imports", "passed")


@dataclass(frozen=True)
class Settings:
    """What is compared, with what, where and how strictly.

    `calls` are expressions such as `ResNet(layers=[1, 1])`, `classes` names; without either it is
    what `build()` gives, or each class that needs no arguments. `timeout_s` is for each step of
    each side. `train`: gradients and a training step are compared, too.
    """

    calls: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    shapes: tuple[InputShape, ...] = ()
    inputs: Path | None = None
    target: Target | None = None
    python_torch: str | None = None
    python_mindspore: str | None = None
    allowance: Allowance = field(default_factory=Allowance)
    seed: int = 0
    train: bool = True
    timeout_s: float = 300.0

    @property
    def chosen(self) -> tuple[str, ...]:
        """The calls that were asked for."""
        named = (name if name.endswith(")") else f"{name}()" for name in self.classes)
        return (*self.calls, *named)


def verify(
    original: Path | str, converted: Path | str, settings: Settings | None = None
) -> Verification:
    """Compares the networks of a PyTorch file, or folder, with those of the converted one.

    Both are imported and run, each in a process of its own. Raises: MS401
    """
    with Verifier() as verifier:
        return verifier.verify(original, converted, settings)


class Verifier:
    """A process for each framework, for any number of pairs: importing one takes seconds."""

    def __init__(self, say: Say | None = None) -> None:
        self.say: Say = say or (lambda text: None)
        self._workers: dict[tuple[str, str], Worker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()

    def verify(
        self, original: Path | str, converted: Path | str, settings: Settings | None = None
    ) -> Verification:
        """As the function `verify`."""
        wanted = settings or Settings()
        cases: list[CaseResult] = []
        left_out: list[str] = []
        for pair in pairs_of(Path(original), Path(converted)):
            found = self._pair(pair, wanted)
            cases += found.cases
            left_out += found.left_out
        return Verification(tuple(cases), tuple(left_out))

    def _worker(self, python: str, kind: str) -> Worker:
        return self._workers.setdefault((python, kind), Worker(python, kind))

    def _halves(self, pair: Pair, settings: Settings) -> tuple[Half, Half]:
        """Both sides, which begin to import."""
        target = settings.target or target_of(pair.converted) or "bundled"
        python = sys.executable
        if target == "mindspore":
            python = python_with(settings.python_mindspore, "MSCONVERT_MINDSPORE_PYTHON")
        workers = (
            self._worker(python_with(settings.python_torch, ""), "torch"),
            self._worker(python, PACKAGES[target]),
        )
        for worker in workers:  # both import their frameworks at the same time
            worker.start()
        files = zip(workers, (pair.original, pair.converted), pair.roots, strict=True)
        ours, theirs = [
            Half(worker, source_of(file, root), settings.timeout_s) for worker, file, root in files
        ]
        return ours, theirs

    def _pair(self, pair: Pair, settings: Settings) -> Verification:
        """All networks of two files."""
        self.say(f"importing {pair.original.name}")
        ended = unparsed(pair)
        if ended is not None:
            return whole(pair, ended)
        halves = self._halves(pair, settings)
        ended = unimported(halves)
        if ended is not None:
            return whole(pair, PARSED, ended)
        inputs = given_inputs(halves[0], settings)
        if isinstance(inputs, StageResult):
            return whole(pair, PARSED, inputs)
        results = []
        for call in settings.chosen or offered(halves[0]):
            self.say(f"{pair.original.name}: {call}")
            results.append(result_of(pair, Case(call, halves, inputs), settings))
        if settings.chosen:
            return Verification(tuple(results))
        kept = [result for result in results if not is_the_originals(result)]
        left_out = [reason(result) for result in results if is_the_originals(result)]
        return Verification(tuple(kept), tuple(left_out))


def unparsed(pair: Pair) -> StageResult | None:
    """What came of parsing, unless it is well."""
    for file, is_original in ((pair.original, True), (pair.converted, False)):
        error = syntax_error(file)
        if error is not None:
            why = of_syntax(file, error, original=is_original)
            return StageResult("parses", "skipped" if is_original else "failed", explanation=why)
    return None


def unimported(halves: tuple[Half, Half]) -> StageResult | None:
    """What came of importing, unless it is well; both sides do it at the same time."""
    for half in halves:
        half.begin()
    for half, loaded in [(half, half.loaded()) for half in halves]:
        if isinstance(loaded, Failure):
            is_original = half is halves[0]
            file = half.source.file
            name = Path(file).name
            why = of_failure("imports", name, file, loaded, original=is_original)
            return StageResult("imports", "skipped" if is_original else "failed", explanation=why)
    return None


def offered(half: Half) -> tuple[str, ...]:
    """What is compared where nothing is asked for: `build()`, else each class."""
    loaded = half.loaded()
    assert isinstance(loaded, Loaded)  # else it would not have come so far
    return (BUILD,) if loaded.has_build else tuple(f"{name}()" for name in loaded.classes)


def given_inputs(half: Half, settings: Settings) -> Inputs | StageResult | None:
    """The inputs that are asked for, else the original's own; None if there are neither."""
    if settings.inputs is not None:
        return from_file(settings.inputs)
    if settings.shapes:
        return made(settings.shapes, settings.seed)
    loaded = half.loaded()
    if not isinstance(loaded, Loaded) or not loaded.has_inputs:
        return None
    found = half.ask("own_inputs", settings.seed)
    if isinstance(found, Failure):
        why = of_failure("runs", "inputs()", half.source.file, found, original=True)
        return StageResult("runs", "skipped", explanation=why)
    assert isinstance(found, Inputs)
    return found


def result_of(pair: Pair, case: Case, settings: Settings) -> CaseResult:
    """All stages of one case."""
    started = time.monotonic()
    ended = unimported((case.original, case.converted))  # again, if one has died meanwhile
    trial = Trial(settings.allowance, settings.seed, settings.train)
    rest = [IMPORTED, *case.stages(trial)] if ended is None else [ended]
    seconds = time.monotonic() - started
    return CaseResult(
        str(pair.original),
        str(pair.converted),
        case.name.removesuffix("()"),
        (PARSED, *rest),
        tuple(case.remarks),
        seconds,
        case.classes(),
    )


def whole(pair: Pair, *stages: StageResult) -> Verification:
    """The one result of files that could not be imported."""
    name = pair.original.stem
    return Verification((CaseResult(str(pair.original), str(pair.converted), name, stages),))


def is_the_originals(result: CaseResult) -> bool:
    """Whether it is the original that cannot be constructed or run in this way."""
    last = result.stages[-1]
    is_early = last.stage in ("constructs", "runs") and last.status == "skipped"
    return is_early and last.explanation is not None and last.explanation.code == "MS405"


def reason(result: CaseResult) -> str:
    why = result.stages[-1].explanation
    return f"{result.name}: {why.problem if why is not None else ''}"
