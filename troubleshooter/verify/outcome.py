"""What a verification found: classes, their stages, differences, and why something failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...errors import MsconvertError
from ...numerics.verdict import Difference

Stage = Literal["parses", "imports", "constructs", "runs", "equal", "gradients", "step"]

STAGES: dict[Stage, str] = {
    "parses": "parses",
    "imports": "imports",
    "constructs": "constructs",
    "runs": "runs",
    "equal": "equal in eval",
    "gradients": "gradients equal",
    "step": "equal after a step",
}
"""The stages in their order, as they are called in tables."""

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Explanation:
    """Why a stage failed or was skipped: in the shape of all errors."""

    code: str
    where: str
    problem: str
    got: str = ""
    expected: str = ""
    advice: str = ""
    stack: str = ""

    @property
    def text(self) -> str:
        facts = {"got": self.got, "expected": self.expected, "advice": self.advice}
        return MsconvertError(self.code, self.where, self.problem, **facts).text()


@dataclass(frozen=True)
class StageResult:
    """One stage: `differences` are those of all its values, the gravest first."""

    stage: Stage
    status: Status
    differences: tuple[Difference, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True)
class CaseResult:
    """One network of a pair of files: a class or a call. `remarks` are for the reader.

    `classes`: full names of those that the original's weights are in, and of their bases.
    """

    original: str
    converted: str
    name: str
    stages: tuple[StageResult, ...]
    remarks: tuple[str, ...] = ()
    seconds: float = 0.0
    classes: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether outputs were compared and are equal, and nothing failed."""
        compared = self.stage("equal").status == "passed"
        return compared and self.first_failure is None

    @property
    def first_failure(self) -> StageResult | None:
        return next((result for result in self.stages if result.status == "failed"), None)

    def stage(self, name: Stage) -> StageResult:
        return next((r for r in self.stages if r.stage == name), StageResult(name, "skipped"))


@dataclass(frozen=True)
class Verification:
    """All networks that were compared; `left_out` says which were not, and why."""

    cases: tuple[CaseResult, ...]
    left_out: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether there is something, and all of it is equal."""
        return bool(self.cases) and all(case.is_equal for case in self.cases)
