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


@dataclass(frozen=True)
class Settings:
    """`mint`: mindspore.mint where it has a function; else the classic API, which runs on CPUs."""

    target: Target = Target.BUNDLED
    mint: bool = False
