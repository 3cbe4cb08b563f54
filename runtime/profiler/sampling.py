"""Which runs of a compiled graph ONNX Runtime profiles, so that profiling costs little."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

BOUND = 0.05
"""The share by which all runs of a graph together may take longer: half of the 10 % that a step
may, as few runs tell what it costs."""
CHEAP = BOUND / 2
"""What profiling each run may cost, in the first ones, so that the other session is closed."""
FIRST = (True, False, True, False, False, True, True, False, False, True)
"""Which of the first runs are profiled: neither kind always follows the other."""
CONTROL = 8
"""Each so many runs one is not profiled: what it costs is measured on."""
KEPT = 15
"""Lengths that a median is of."""
MOST_TIMED = 10_000
"""Operators of a graph that are timed in all its runs: ONNX Runtime keeps 2 KB for each."""


@dataclass(eq=False)
class Sampling:
    """The choice of one graph of so many `nodes`. `runs` and `sampled` count.

    Units: lengths in nanoseconds

    A length is of wall time and of the process's CPU time: others who use the machine disturb the
    one, and many threads hide in the other what one of them does.
    """

    nodes: int = 1
    runs: int = 0
    sampled: int = 0
    lengths: dict[bool, deque[tuple[int, int]]] = field(
        default_factory=lambda: {True: deque(maxlen=KEPT), False: deque(maxlen=KEPT)}
    )

    @property
    def cost(self) -> float:
        """How much longer a run takes that is profiled, as a share: by the clock that says more."""
        if not (self.lengths[True] and self.lengths[False]):
            return 0.0
        profiled, plain = (
            [median(one) for one in zip(*self.lengths[kind], strict=True)] for kind in (True, False)
        )
        longer = [float(a / max(b, 1) - 1) for a, b in zip(profiled, plain, strict=True)]
        return max(0.0, *longer)

    @property
    def is_cheap(self) -> bool:
        """Whether each run may be profiled from now on; said once, behind the first ones."""
        return self.runs == len(FIRST) and self.cost <= CHEAP

    @property
    def is_full(self) -> bool:
        """Whether no more runs are profiled, as memory would grow with the training."""
        return self.runs >= len(FIRST) and (self.sampled + 1) * self.nodes > MOST_TIMED

    def chooses(self) -> bool:
        """Whether the next run is profiled."""
        if self.runs < len(FIRST):
            return FIRST[self.runs]
        if self.is_full:
            return False
        if self.runs % CONTROL == 0:
            return False
        return (self.sampled + 1) * self.cost <= BOUND * (self.runs + 1)

    def took(self, sampled: bool, length: tuple[int, int]) -> None:
        """A run is over. The first of each kind gets its memory, and tells nothing."""
        self.runs += 1
        self.sampled += sampled
        if self.runs > 2:
            self.lengths[sampled].append(length)

    @property
    def weight(self) -> float:
        """How many runs one that was profiled stands for; the first one is for itself."""
        if self.sampled < 2:
            return float(self.runs)
        return (self.runs - 1) / (self.sampled - 1)


class ProfiledSession:
    """A session of ONNX Runtime with its profile, and one without: each run is in one of them.

    Both have the same model and read the same arrays. The second one needs the memory of its
    results once more; it is closed where profiling costs next to nothing, until enough is timed,
    and there is none where `every` run is to be profiled.
    """

    def __init__(
        self,
        opened: Callable[[str], Any],
        prefix: str,
        every: bool,
        nodes: int,
        ended: Callable[[bool, int, int], None],
    ) -> None:
        self.opened, self.every = opened, every
        self.profiled = self.session = opened(prefix)
        self.plain = None if every else opened("")
        self.ended = ended
        """Is told of each run: whether it was profiled, and when it was."""
        self.sampling = Sampling(nodes)

    def choose(self) -> Any:
        """The session of the next run."""
        if self.plain is not None and self.sampling.is_cheap:
            self.plain = None
        if self.plain is None and not self.every and self.sampling.is_full:
            self.plain = self.opened("")
        is_plain = self.plain is not None and not self.sampling.chooses()
        self.session = self.plain if is_plain else self.profiled
        return self.session

    def io_binding(self) -> Any:
        return self.choose().io_binding()

    def run_with_iobinding(self, binding: Any) -> None:
        self.timed(lambda: self.session.run_with_iobinding(binding))

    def run(self, outputs: Sequence[str], feed: Any) -> Any:
        self.choose()
        return self.timed(lambda: self.session.run(outputs, feed))

    def timed(self, run: Callable[[], Any]) -> Any:
        cpu, start = time.process_time_ns(), time.perf_counter_ns()
        result = run()
        end, cpu = time.perf_counter_ns(), time.process_time_ns() - cpu
        sampled = self.session is self.profiled
        self.sampling.took(sampled, (end - start, cpu))
        self.ended(sampled, start, end)
        return result
