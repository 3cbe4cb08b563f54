"""The networks as a whole, when both just run: outputs, gradients, a training step, losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ...numerics.rounding import Allowance
from ...numerics.verdict import Difference
from ..sides.child.messages import Failure, Inputs, Outcome, Tensor
from ..verify.case import Case, Compare, Trial
from ..verify.judgement import differences
from .comparison import Mode, Whole
from .layers import CERTAIN, NUDGES, SURE_NUDGES
from .session import Session
from .weights import Weights

EMPTY = "the original's have no elements: there is nothing to compare"


class Wholes:
    """What is asked of both networks, and compared as `msconvert verify` does it."""

    def __init__(
        self,
        session: Session,
        weights: Weights,
        inputs: Inputs,
        trial: Trial,
    ) -> None:
        self.session = session
        self.inputs = inputs
        self.trial = trial
        self.case = Case("", session.halves, inputs)
        self.case.mapping = weights.mapping

    def outputs(self, mode: Mode) -> Whole:
        def asked(nudges: int) -> tuple[Any, ...]:
            return self.inputs, self.trial.seed, nudges, mode

        return self.compared(f"outputs in {mode}", "run", asked, self.case.of_outputs)

    def training(self, steps: int) -> Iterator[Whole]:
        """Gradients in evaluation, all that follows from a step, the losses of several."""

        def asked(nudges: int) -> tuple[Any, ...]:
            return self.inputs, self.trial.seed, nudges

        def asked_steps(nudges: int) -> tuple[Any, ...]:
            return self.inputs, self.trial.seed, steps, nudges

        yield self.compared("gradients", "gradients", asked, self.case.of_gradients)
        yield self.compared("a training step", "step", asked, self.case.of_step)
        if steps:
            yield self.compared("losses", "steps", asked_steps, of_losses)

    def compared(
        self, name: str, method: str, asked: Callable[[int], tuple[Any, ...]], compare: Compare
    ) -> Whole:
        """`asked`: the arguments of the method, for so many runs that show A's rounding."""
        one, other = self.session.attempted(method, asked(NUDGES), asked(0))
        self.session.checked(0, method, one)
        if isinstance(other, Failure):
            return Whole(name, (), f"B cannot do it: {other.kind}: {other.message}")
        found = compare(one, other, self.trial)
        if any(1 < item.excess < CERTAIN for item in found):
            one = self.session.ask(0, method, *asked(SURE_NUDGES))
            surer = replace(self.trial, allowance=self.trial.allowance.when_sure)
            found = compare(one, other, surer)
        return Whole(name, tuple(found), EMPTY if is_empty(one) else "")


def is_empty(outcome: Outcome) -> bool:
    """Whether it has outputs, all of no elements: whatever B computes would be the same."""
    values = [leaf.value for leaf in outcome.outputs]
    return bool(values) and all(isinstance(x, Tensor) and x.array.size == 0 for x in values)


def of_losses(ours: Outcome, theirs: Outcome, trial: Trial) -> list[Difference]:
    """The loss before each step; those of many steps depend on rounding more and more."""
    allowance = Allowance(rtol=10 * trial.allowance.rtol, atol=trial.allowance.atol)
    return differences(ours.outputs, theirs.outputs, allowance)
