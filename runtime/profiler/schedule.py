"""Which steps a profiler looks at."""

from __future__ import annotations

from enum import Enum

from ..engine.argument import check_int
from ..engine.failure import ShapeError


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Schedule:
    """After `skip_first` steps: `wait`, `warmup`, `active` ones, `repeat` times (0: for ever)."""

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        least = {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}
        given = {"wait": wait, "active": active, "warmup": warmup, "repeat": repeat,
                 "skip_first": skip_first}  # fmt: skip
        for name, value in given.items():
            check_int("schedule", name, value, least[name])
        self.wait, self.active, self.warmup = wait, active, warmup
        self.repeat, self.skip_first = repeat, skip_first

    def __call__(self, step: int) -> ProfilerAction:
        """What is done in a step, counted from 0. Raises: ValueError (MS304) for a negative one"""
        if step < 0:
            raise ShapeError("schedule", "a step is negative", got=str(step), expected="0 or more")
        step -= self.skip_first
        length = self.wait + self.warmup + self.active
        if step < 0 or (self.repeat and step >= self.repeat * length):
            return ProfilerAction.NONE
        place = step % length
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    def __repr__(self) -> str:
        return (
            f"Schedule(wait={self.wait}, active={self.active}, warmup={self.warmup}, "
            f"repeat={self.repeat}, skip_first={self.skip_first})"
        )
