"""What is said about a user's files: findings, gathered in a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..errors import CODES, printable


@dataclass(frozen=True)
class Finding:
    """One remark for the user.

    `severity` is "error" (makes the exit status 1), "warning" or "note"; `where` is a file,
    "file:line:column" or a node; `advice` says what to do, empty if nothing.
    """

    code: str
    where: str
    message: str
    advice: str = ""
    severity: Literal["error", "warning", "note"] = "warning"

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(self.code)

    @property
    def text(self) -> str:
        """The finding on one line, harmless to a terminal."""
        advice = f" ({self.advice})" if self.advice else ""
        return printable(f"{self.where}: {self.code} {self.message}{advice}", limit=1000)
