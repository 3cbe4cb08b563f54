"""The last step of a conversion: the emitted script's numbers against ONNX Runtime's."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import onnx

from ...child_process import (
    THREADS,
    Ended,
    TooLargeError,
    TooLongError,
    bounds_left,
    confined,
    is_no_memory,
)
from ...errors import printable
from ...numerics.limits import MOST_OF_QUANTISED, MOST_OWN_ROUNDING, OWN_ROUNDING
from ..allowance import bounds_of
from ..graph.graph import Graph
from .difference import Difference, difference, is_real, tolerance_of
from .original import REFUSALS, Original
from .own_rounding import allowed, own_errors
from .run_script import MODES, restored, run_script, stored
from .trial import FREE_SIZES, Shapes, Trial, TrialInput, sized, summed, trial_of, values

Array = np.ndarray[Any, Any]

CONSTANT = "the original's outputs are the same for other inputs: equal numbers prove little"

BLIND = "the original makes no finite number of these inputs: outputs that are equal prove little"

EAGER = "run in PyNative mode only: values of tensors decide what the script computes"

IN_INFERENCE = (
    "the file is in training mode; both were compared in inference, where nothing is dropped"
)

BY_EVALUATOR = "ONNX Runtime has no kernel for the original: ONNX's own evaluator computed it"

GROWN = (
    "rounding grows in this network: the original is up to {own:.1e} away from itself when its "
    "inputs change by half a digit, and {factor} times that was allowed"
)

DRAWN = "the script drew no random numbers: those that the original drew were its inputs"

TOLERANCE = 1e-4
"""Largest error, relative to the output's maximum, of a script that is called equal."""

LONGEST = 2000
"""So many characters of why nothing could be compared are shown."""

ADVICE = {
    TooLargeError: " (a larger --memory SIZE allows more)",
    TooLongError: " (a larger --timeout SECONDS allows more)",
}
"""What lets a comparison go on that took too much."""

T = TypeVar("T")


@dataclass(frozen=True)
class VerifySpec:
    """What to try and how strictly; `timeout_s` is for the script, all runs together.

    `draws` are further inputs of the script, random numbers that the original draws itself.
    `own` is whether the original's own rounding is measured where the script's is larger; what is
    `quantised` may be farther from itself, as a step more or less grows from layer to layer.

    `unread` counts the weights of the file that nothing reads, `modes` are those of the script.
    A file that `trains` is compared in inference; `given` are inputs of the user's own.
    """

    trial: Trial
    tolerance: float = TOLERANCE
    seed: int = 0
    timeout_s: float = 900.0
    unread: int = 0
    modes: tuple[str, ...] = MODES
    trains: bool = False
    given: tuple[Array, ...] | None = None
    draws: tuple[TrialInput, ...] = ()
    own: bool = True
    quantised: bool = False

    @classmethod
    def of(
        cls, graph: Graph, tolerance: float = TOLERANCE, draws: Sequence[str] = ()
    ) -> VerifySpec:
        """The trial of a prepared graph, some of whose inputs are `draws`.

        Raises: ValueError, see `trial_of`
        """
        whole = trial_of(graph)
        asked = tuple(item for item in whole.inputs if item.name not in draws)
        given = tuple(item for item in whole.inputs if item.name in draws)
        trial = replace(whole, inputs=asked)
        quantised = any("Quantize" in node.op or "QLinear" in node.op for node in graph.nodes)
        return cls(trial, max(tolerance, coarsest(graph)), draws=given, quantised=quantised)

    @property
    def most(self) -> float:
        """The largest tolerance that rounding of the original's own may give."""
        return MOST_OF_QUANTISED if self.quantised else MOST_OWN_ROUNDING

    @property
    def names(self) -> list[str]:
        """The script's inputs, in its order."""
        return [item.name for item in (*self.trial.inputs, *self.draws)]


def coarsest(graph: Graph) -> float:
    """The tolerance of the coarsest element type of real numbers that the graph computes in."""
    names = (name for node in graph.nodes for name in node.outputs if name)
    dtypes = {graph.type_of(name).dtype for name in names}
    return max((tolerance_of(d) for d in dtypes if d is not None and is_real(d)), default=0.0)


@dataclass(frozen=True)
class Verification:
    """What came out: a difference for each output, mode and choice of sizes.

    `remarks` are for the reader; `problem`, if not empty, says why nothing could be compared.
    `inputs` says which ones both were given.
    """

    differences: tuple[Difference, ...]
    remarks: tuple[str, ...] = ()
    problem: str = ""
    inputs: str = "random inputs"

    @property
    def passed(self) -> bool:
        return not self.problem and all(item.passed for item in self.differences)


@dataclass(frozen=True)
class Run:
    """Sizes that the original takes, the inputs of these sizes, and what it makes of them."""

    shapes: Shapes
    inputs: list[Array]
    outputs: list[Array]


class OriginalWithDraws:
    """The original, and what of it draws the numbers that are inputs of the rest.

    Raises: one of REFUSALS
    """

    def __init__(self, path: Path, spec: VerifySpec) -> None:
        self.rest = opened(path, spec)
        self.names, self.draws = spec.names, None
        if spec.draws:
            drawn = tuple(item.name for item in spec.draws)
            self.draws = Original(path, replace(spec.trial, outputs=drawn))

    def with_draws(self, inputs: list[Array]) -> list[Array]:
        """The inputs, and what the original draws for them. Raises: one of REFUSALS"""
        if self.draws is None:
            return inputs
        return [*inputs, *self.draws.run(dict(zip(self.names, inputs, strict=False)))]


def opened(path: Path, spec: VerifySpec, *, optimised: bool = False) -> Original:
    """The original behind all inputs of the script, computed node by node or `optimised`.

    Raises: one of REFUSALS
    """
    trial = replace(spec.trial, inputs=(*spec.trial.inputs, *spec.draws))
    return Original(path, trial, unread=spec.unread, trains=spec.trains, optimised=optimised)


class Failed(Exception):
    """Why nothing can be compared; becomes `Verification.problem`."""


def verify(model_path: Path, script_path: Path, spec: VerifySpec) -> Verification:
    """Runs the script in both modes and the original on the same seeded inputs.

    The script runs in a process of its own, in its folder, with the weights that its `load()`
    names. Free dimensions are tried with two choices of sizes, if the original takes two.
    """
    try:
        what = "ONNX Runtime, with the original,"
        found = _in_process(partial(_original_runs_or_why, model_path, spec), what)
        if isinstance(found, Failed):
            raise found
        runs, remarks = found
        with tempfile.TemporaryDirectory() as folder:
            _run_script(script_path, Path(folder), runs, spec)
            differences = tuple(_differences(Path(folder), runs, spec))
            apart = [item.error for item in differences if not item.passed]
            if spec.own and apart and max(apart) <= spec.most:
                own = _own_errors_or_none(model_path, spec, runs)
                differences = tuple(_differences(Path(folder), runs, spec, own))
                remarks += _grown(own, spec)
    except Failed as failure:
        return Verification((), problem=printable(str(failure), LONGEST))
    remarks += [EAGER] * (spec.modes != MODES) + [IN_INFERENCE] * spec.trains
    remarks += [DRAWN] * bool(spec.draws)
    inputs = "random inputs" if spec.given is None else "the inputs of --inputs"
    return Verification(differences, tuple(remarks), inputs=inputs)


def first_difference(verification: Verification) -> Difference | None:
    """The first output beyond its tolerance, in the script's order; None if all are within.

    For a script whose outputs are all intermediate values in the order in which they are
    computed (`intermediates`), this is where it goes wrong.
    """
    return next((item for item in verification.differences if not item.passed), None)


def intermediates(model_path: Path, graph: Graph) -> list[str]:
    """The floating-point values that graph and file share, in the order of computation."""
    proto = onnx.load(model_path, load_external_data=False)
    theirs = {name for node in proto.graph.node for name in node.output}
    ours = [name for node in graph.nodes for name in node.outputs if name in theirs]
    dtypes = [(name, graph.type_of(name).dtype) for name in ours]
    return [name for name, dtype in dtypes if dtype is not None and is_real(dtype)]


def _original_runs_or_why(
    model_path: Path, spec: VerifySpec
) -> tuple[list[Run], list[str]] | Failed:
    """As `_original_runs`; an error that is handed from a process to another is a result."""
    try:
        return _original_runs(model_path, spec)
    except Failed as failure:
        return failure
    except REFUSALS as error:
        problem = _one_line(error)
        return Failed(f"ONNX Runtime does not run the original again: {problem}{_more(problem)}")


def _original_runs(model_path: Path, spec: VerifySpec) -> tuple[list[Run], list[str]]:
    """One run for a static trial, else up to two, and what must be said about them.

    Raises: Failed if ONNX Runtime does not run the original
    """
    try:
        original = OriginalWithDraws(model_path, spec)
    except REFUSALS as error:
        raise Failed(f"ONNX Runtime does not open the original: {_one_line(error)}") from error
    if spec.given is not None:
        run = _given_run(original, spec, spec.given)
        return [run], [BLIND] * _is_blind(run)
    wanted = 1 if spec.trial.is_static else 2
    runs: list[Run] = []
    refused: list[str] = []
    for choice in range(wanted if wanted == 1 else len(FREE_SIZES)):
        shapes = sized(spec.trial, choice)
        if len(runs) == wanted or any(run.shapes == shapes for run in runs):
            continue
        try:
            runs.append(_original_run(original, spec, shapes))
        except REFUSALS as error:
            refused.append(f"{_text(spec.trial, shapes)}: {_one_line(error)}")
    runs = runs or _runs_with_sum(original, spec)
    if not runs:
        raise Failed(f"ONNX Runtime does not run the original with {refused[0]}{_more(refused[0])}")
    remarks = [f"the original itself does not run with {text}" for text in refused]
    remarks += [BY_EVALUATOR] * (original.rest.reference is not None)
    return runs, remarks + [CONSTANT] * _is_constant(original, spec, runs[0])


def _runs_with_sum(original: OriginalWithDraws, spec: VerifySpec) -> list[Run]:
    """Two runs with sizes of which one is the sum of two others; none where no sum is taken."""
    for both in summed(spec.trial):
        try:
            return [_original_run(original, spec, shapes) for shapes in both]
        except REFUSALS:
            continue
    return []


def _is_constant(original: OriginalWithDraws, spec: VerifySpec, run: Run) -> bool:
    """Whether a script that ignores its inputs would pass, as with weights that are all equal."""
    other = _original_run(original, replace(spec, seed=spec.seed + 1), run.shapes)
    pairs = zip(run.outputs, other.outputs, strict=True)
    same = all(difference("", "", a, b, spec.tolerance).passed for a, b in pairs)
    return same and len(run.inputs) > 0


def _is_blind(run: Run) -> bool:
    """Whether all outputs are empty, infinite or NaN."""
    numbers = [x for x in run.outputs if is_real(x.dtype) or not x.size]
    return len(numbers) == len(run.outputs) and not any(np.isfinite(x).any() for x in numbers)


def _given_run(original: OriginalWithDraws, spec: VerifySpec, inputs: Sequence[Array]) -> Run:
    """What the original makes of the user's own inputs. Raises: Failed if it does not take them"""
    try:
        return _run_of(original, spec, list(inputs))
    except REFUSALS as error:
        raise Failed(f"ONNX Runtime does not run the original: {_one_line(error)}") from error


def _original_run(original: OriginalWithDraws, spec: VerifySpec, shapes: Shapes) -> Run:
    try:
        inputs = values(spec.trial, shapes, spec.seed)
    except ValueError as error:
        raise Failed(str(error)) from error
    return _run_of(original, spec, inputs)


def _run_of(original: OriginalWithDraws, spec: VerifySpec, inputs: list[Array]) -> Run:
    shapes = tuple(x.shape for x in inputs)
    inputs = original.with_draws(inputs)
    outputs = original.rest.run(dict(zip(spec.names, inputs, strict=True)))
    for name, output in zip(spec.trial.outputs, outputs, strict=True):
        if not isinstance(output, np.ndarray):
            raise Failed(f"output {name!r} is no tensor, and only tensors are compared")
    return Run(shapes, inputs, outputs)


def _run_script(script: Path, folder: Path, runs: Sequence[Run], spec: VerifySpec) -> None:
    """Lets the script write its outputs into `folder`. Raises: Failed with what it wrote last"""
    for i, run in enumerate(runs):
        dtypes = np.array([array.dtype.name for array in run.inputs], dtype=str)
        np.savez(folder / f"inputs_{i}.npz", *[stored(x) for x in run.inputs], dtypes=dtypes)
    work = partial(run_script, script.resolve(), folder, THREADS, spec.modes)
    _in_process(work, "the script", spec.timeout_s, is_users=True)


def _in_process(
    work: Callable[[], T],
    what: str,
    wall_s: float | None = None,
    *,
    is_users: bool = False,
    share: float = 1.0,
) -> T:
    """What `work` returns, in a process of its own that may take a share of the time that is left.

    Raises: Failed with how that ended
    """
    left = bounds_left(bounds_of())
    bounds = replace(left, wall_s=wall_s, cpu_s=max(1, int(left.cpu_s * share)))
    try:
        return confined(lambda tell: work(), bounds, is_users=is_users)
    except Ended as end:
        raise Failed(f"{what} {end}{ADVICE.get(type(end), '')}") from end


def _differences(
    folder: Path, runs: Sequence[Run], spec: VerifySpec, own: Sequence[Sequence[float]] = ()
) -> Iterator[Difference]:
    """`own` is how far each run's outputs are from themselves, where that was measured."""
    names = spec.trial.outputs
    for i, run in enumerate(runs):
        for mode in spec.modes:
            label = mode if i == 0 else f"{mode}, {_text(spec.trial, run.shapes)}"
            outputs = _read(folder / f"outputs_{mode}_{i}.npz")
            if len(outputs) != len(names):
                raise Failed(f"the script returns {len(outputs)} outputs, expected {len(names)}")
            errors = own[i] if own else [0.0] * len(names)
            for name, got, expected, error in zip(names, outputs, run.outputs, errors, strict=True):
                tolerance = max(spec.tolerance, allowed(error, spec.most))
                yield difference(name, label, got, stored(expected), tolerance)


def _own_errors_or_none(
    model_path: Path, spec: VerifySpec, runs: Sequence[Run]
) -> list[list[float]]:
    """How far each run's outputs are from themselves; nothing is, where that takes too much."""

    def measured() -> list[list[float]]:
        both = opened(model_path, spec), opened(model_path, spec, optimised=True)
        return [own_errors(*both, spec.names, run.inputs, run.outputs) for run in runs]

    try:
        return _in_process(measured, "ONNX Runtime, with the original,", share=0.5)
    except Failed:
        return [[0.0] * len(run.outputs) for run in runs]


def _grown(own: Sequence[Sequence[float]], spec: VerifySpec) -> list[str]:
    """What is said where more than the usual tolerance was allowed."""
    most = max((error for errors in own for error in errors), default=0.0)
    return [GROWN.format(own=most, factor=OWN_ROUNDING)] * (
        allowed(most, spec.most) > spec.tolerance
    )


def _read(path: Path) -> list[Array]:
    with np.load(path) as arrays:
        return [restored(arrays[f"arr_{i}"], str(name)) for i, name in enumerate(arrays["dtypes"])]


def _text(trial: Trial, shapes: Shapes) -> str:
    pairs = zip(trial.inputs, shapes, strict=True)
    return ", ".join(f"{item.name} {shape}" for item, shape in pairs)


def _more(problem: str) -> str:
    """What helps where ONNX Runtime says that there is no memory."""
    return ADVICE[TooLargeError] if is_no_memory(problem) else ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
