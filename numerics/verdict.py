"""What is said of one value beside another."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One value of the converted network's against the original's.

    `absolute` is the largest difference of any element, `size` the original's largest element,
    `allowed` what the difference may be. `problem` says what is wrong beside numbers.
    """

    name: str
    absolute: float
    size: float
    allowed: float
    problem: str = ""

    @property
    def relative(self) -> float:
        """The difference relative to the original's largest element."""
        return self.absolute / self.size if self.size else self.absolute

    @property
    def excess(self) -> float:
        """The difference relative to what it may be; infinite for what is no number."""
        if self.problem:
            return math.inf
        if self.absolute == 0:
            return 0.0
        return self.absolute / self.allowed if self.allowed else math.inf

    @property
    def passed(self) -> bool:
        return self.excess <= 1
