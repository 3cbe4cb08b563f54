"""One network on both sides, stage after stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...numerics.rounding import Allowance
from ...numerics.verdict import Difference
from ..sides.child.messages import Failure, Inputs, Leaf, Outcome, Tensor
from ..sides.child.rounding import RATE
from ..sides.halves import Half
from ..sides.inputs import narrowed
from ..sides.naming import Mapping, is_whole, mapping_of
from .explanations import of_differences, of_failure, of_mapping
from .judgement import differences
from .outcome import Explanation, Stage, StageResult

NO_INPUTS = Explanation(
    "MS401",
    "the inputs",
    "nothing says what to call the network with",
    advice="--shape SIZES for each input, --inputs FILE.npz, or a function inputs() beside it",
)


NUDGES = 12
"""So often the original's rounding is tried before a difference is told."""


class Ended(Exception):
    """A stage was not passed: those behind it are not tried."""

    def __init__(self, result: StageResult) -> None:
        super().__init__(result.stage)
        self.result = result


@dataclass(frozen=True)
class Trial:
    """How networks are compared."""

    allowance: Allowance
    seed: int
    train: bool


Compare = Callable[[Outcome, Outcome, Trial], list[Difference]]


class Case:
    """A call such as `ResNet(layers=[1, 1])`, evaluated in both modules."""

    def __init__(self, name: str, halves: tuple[Half, Half], inputs: Inputs | None) -> None:
        self.name = name
        self.original, self.converted = halves
        self.inputs = inputs
        self.remarks: list[str] = []
        self.mapping = Mapping((), (), (), ())

    def stages(self, trial: Trial) -> Iterator[StageResult]:
        """The stages behind the imports, up to the first that is not passed.

        What training gives is told even where gradients are not equal.
        """
        try:
            yield self.constructs(trial)
            if self.inputs is None:
                raise Ended(StageResult("runs", "skipped", explanation=NO_INPUTS))
            types = {held.dtype for held, _ in self.mapping.pairs}
            self.inputs, cast = narrowed(self.inputs, types)
            self.remarks += cast
            outcomes = self.both("runs", "run", self.inputs, trial.seed)
            yield StageResult("runs", "passed")
            yield self.equal(outcomes, trial)
            if trial.train:
                yield self.gradients(trial)
                yield self.step(trial)
        except Ended as end:
            yield end.result

    def both(self, stage: Stage, method: str, *arguments: Any) -> tuple[Any, Any]:
        """What the two sides answer; they work at the same time. Raises: Ended"""
        self.original.send(method, *arguments)
        self.converted.send(method, *arguments)
        answers = self.original.worker.answer(), self.converted.worker.answer()
        for half, answer in zip((self.original, self.converted), answers, strict=True):
            if isinstance(answer, Failure):
                raise Ended(self.failed(stage, half, answer))
        return answers

    def failed(self, stage: Stage, half: Half, failure: Failure) -> StageResult:
        """The original's failure is told as such: the stage could not be judged."""
        is_original = half is self.original
        why = of_failure(stage, self.name, half.source.file, failure, original=is_original)
        return StageResult(stage, "skipped" if is_original else "failed", explanation=why)

    # stages

    def constructs(self, trial: Trial) -> StageResult:
        """Makes the network on both sides, and gives the other one the original's weights."""
        self.original.ask("compare_with", self.converted.worker.kind)
        ours, theirs = self.both("constructs", "construct", self.name, trial.seed)
        self.mapping = mapping_of(ours, theirs)
        file = self.converted.source.file
        if not self.mapping.fits:
            why = of_mapping(self.name, file, self.mapping)
            raise Ended(StageResult("constructs", "failed", explanation=why))
        state = self.original.ask("state")
        if isinstance(state, Failure):
            raise Ended(self.failed("constructs", self.original, state))
        values = {
            other.name: state[held.same_as or held.name].reshape(other.shape)
            for held, other in self.mapping.pairs
            if held.saved
        }
        failure = self.converted.ask("fill", values)
        if isinstance(failure, Failure):
            raise Ended(self.failed("constructs", self.converted, failure))
        return StageResult("constructs", "passed")

    def equal(self, outcomes: tuple[Outcome, Outcome], trial: Trial) -> StageResult:
        result = self.judged("equal", "run", outcomes, trial, self.of_outputs)
        if result.status == "failed":
            raise Ended(result)
        return result

    def gradients(self, trial: Trial) -> StageResult:
        outcomes = self.both("gradients", "gradients", self.inputs, trial.seed)
        if outcomes[0].remark:
            self.remarks.append(outcomes[0].remark)
        return self.judged("gradients", "gradients", outcomes, trial, self.of_gradients)

    def step(self, trial: Trial) -> StageResult:
        outcomes = self.both("step", "step", self.inputs, trial.seed)
        return self.judged("step", "step", outcomes, trial, self.of_step)

    def judged(
        self,
        stage: Stage,
        method: str,
        outcomes: tuple[Outcome, Outcome],
        trial: Trial,
        compare: Compare,
    ) -> StageResult:
        """Compares, and before anything is said to differ, measures the rounding once more.

        A number within rounding of a kink, as ReLU's at 0, may lie on the other side: then
        gradients jump. More runs show how far.
        """
        found = compare(*outcomes, trial)
        if not all(item.passed for item in found):
            again = self.original.ask(method, self.inputs, trial.seed, NUDGES)
            if not isinstance(again, Failure):
                surer = replace(trial, allowance=trial.allowance.when_sure)
                found = compare(again, outcomes[1], surer)
        ordered = tuple(sorted(found, key=lambda item: -item.excess))
        if all(item.passed for item in ordered):
            return StageResult(stage, "passed", ordered)
        why = of_differences(stage, self.name, self.converted.source.file, ordered)
        return StageResult(stage, "failed", ordered, why)

    # names

    def classes(self) -> tuple[str, ...]:
        """The full names of the classes of the original's modules that have weights."""
        layers = (layer for held, _ in self.mapping.pairs for layer in held.layers)
        return tuple(sorted({name for layer in layers for name in layer.classes}))

    def of_outputs(self, ours: Outcome, theirs: Outcome, trial: Trial) -> list[Difference]:
        return differences(ours.outputs, theirs.outputs, trial.allowance)

    def of_step(self, ours: Outcome, theirs: Outcome, trial: Trial) -> list[Difference]:
        """Outputs, gradients and what parameters and statistics are afterwards.

        A parameter may be off as far as its gradient's share in it.
        """
        gradients = {item.name: item for item in self.of_gradients(ours, theirs, trial)}
        allowed = {name: RATE * item.allowed for name, item in gradients.items()}
        state = [
            replace(item, allowed=max(item.allowed, allowed.get(item.name, 0.0)))
            for item in self.by_name(ours.state, theirs.state, trial)
        ]
        of = [replace(item, name=f"gradient of {name}") for name, item in gradients.items()]
        return [*self.of_outputs(ours, theirs, trial), *of, *state]

    def of_gradients(self, ours: Outcome, theirs: Outcome, trial: Trial) -> list[Difference]:
        """The gradients of what both train, and what only one of them trains."""
        found = self.by_name(ours.gradients, theirs.gradients, trial, together=True)
        trained = {leaf.label for leaf in ours.gradients}
        for leaf in theirs.gradients:
            held = next((h for h, other in self.mapping.pairs if other.name == leaf.label), None)
            if held is not None and (held.same_as or held.name) not in trained and trained:
                found.append(Difference(held.name, 0.0, 0.0, 0.0, "trained, the original's is not"))
        return found

    def by_name(
        self,
        ours: tuple[Leaf, ...],
        theirs: tuple[Leaf, ...],
        trial: Trial,
        *,
        together: bool = False,
    ) -> list[Difference]:
        """The original's values against those of the names that they have over there."""
        own = {leaf.label: leaf for leaf in ours}
        other_values = {leaf.label: leaf for leaf in theirs}
        pairs: list[tuple[Leaf, Leaf]] = []
        lost = []
        for held, other in self.mapping.pairs:
            leaf = own.get(held.same_as or held.name)
            found = other_values.get(other.name)
            if leaf is None or not (held.saved or held.trainable):
                continue
            if found is None:
                lost.append(Difference(held.name, 0.0, 0.0, 0.0, "not trained, the original's is"))
            elif not is_whole(held.dtype):
                pairs.append(named_alike(held.name, leaf, found))
        ones, others = [one for one, _ in pairs], [other for _, other in pairs]
        return lost + differences(ones, others, trial.allowance, together=together)


def named_alike(name: str, one: Leaf, other: Leaf) -> tuple[Leaf, Leaf]:
    """Both under one name; the other without the axis that MindSpore's layers over a line add."""
    one, other = replace(one, label=name), replace(other, label=name)
    if isinstance(other.value, Tensor) and other.value.array.size == one.value.array.size:
        array = other.value.array.reshape(one.value.array.shape)
        other = replace(other, value=Tensor(other.value.dtype, array))
    return one, other
