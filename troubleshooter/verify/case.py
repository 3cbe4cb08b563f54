"""One network on both sides, stage after stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .child.messages import Failure, Inputs, Leaf, Outcome, Tensor
from .explanations import of_differences, of_failure, of_mapping
from .halves import Half
from .judgement import Difference, Tolerance, differences
from .naming import Mapping, is_whole, mapping_of
from .outcome import Explanation, Stage, StageResult

NO_INPUTS = Explanation(
    "MS401",
    "the inputs",
    "nothing says what to call the network with",
    advice="--shape SIZES for each input, --inputs FILE.npz, or a function inputs() beside it",
)


class Ended(Exception):
    """A stage was not passed: those behind it are not tried."""

    def __init__(self, result: StageResult) -> None:
        super().__init__(result.stage)
        self.result = result


@dataclass(frozen=True)
class Trial:
    """How networks are compared."""

    tolerance: Tolerance
    seed: int
    train: bool


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
        ours, theirs = outcomes
        found = differences(ours.outputs, theirs.outputs, trial.tolerance)
        result = self.judged("equal", found)
        if result.status == "failed":
            raise Ended(result)
        return result

    def gradients(self, trial: Trial) -> StageResult:
        ours, theirs = self.both("gradients", "gradients", self.inputs, trial.seed)
        if ours.remark:
            self.remarks.append(ours.remark)
        return self.judged("gradients", self.of_gradients(ours, theirs, trial))

    def step(self, trial: Trial) -> StageResult:
        ours, theirs = self.both("step", "step", self.inputs, trial.seed)
        found = differences(ours.outputs, theirs.outputs, trial.tolerance)
        found += [
            replace(item, name=f"gradient of {item.name}")
            for item in self.of_gradients(ours, theirs, trial)
        ]
        found += self.by_name(ours.state, theirs.state, trial)
        return self.judged("step", found)

    def judged(self, stage: Stage, found: list[Difference]) -> StageResult:
        ordered = tuple(sorted(found, key=lambda item: -item.excess))
        if all(item.passed for item in ordered):
            return StageResult(stage, "passed", ordered)
        why = of_differences(stage, self.name, self.converted.source.file, ordered)
        return StageResult(stage, "failed", ordered, why)

    # names

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
        return lost + differences(ones, others, trial.tolerance, together=together)


def named_alike(name: str, one: Leaf, other: Leaf) -> tuple[Leaf, Leaf]:
    """Both under one name; the other without the axis that MindSpore's layers over a line add."""
    one, other = replace(one, label=name), replace(other, label=name)
    if isinstance(other.value, Tensor) and other.value.array.size == one.value.array.size:
        array = other.value.array.reshape(one.value.array.shape)
        other = replace(other, value=Tensor(other.value.dtype, array))
    return one, other
