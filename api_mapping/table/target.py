"""What a conversion writes for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Target(StrEnum):
    """Which package the converted code imports."""

    BUNDLED = "bundled"
    MINDSPORE = "mindspore"

    @property
    def package(self) -> str:
        return "msconvert.runtime" if self is Target.BUNDLED else "mindspore"


NOT_BUNDLED, NO_GRADIENT = "MS237", "MS240"
"""The codes of what one target alone does not run: the bundled runtime, MindSpore."""
OF_OTHER = {Target.BUNDLED: NO_GRADIENT, Target.MINDSPORE: NOT_BUNDLED}
"""The code that is no matter of a target's."""


@dataclass(frozen=True)
class Settings:
    """`mint`: mindspore.mint where it has a function; else the classic API, which runs on CPUs."""

    target: Target = Target.BUNDLED
    mint: bool = False
