"""What is said of two arrays that differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """What makes one array the other, proved on all elements.

    `kind`: "transpose", "reshape", "flip", "roll", "scale", ...; `text`: "equal after transpose
    (1, 0)", a sentence's end.
    """

    kind: str
    text: str
