"""Symbol: what is known of a size that is open."""

from __future__ import annotations

from typing import Any

from .engine.argument import check_type
from .engine.failure import ShapeError


class Symbol:
    """A size that is open, as `mindspore.Symbol`: divisor * n + remainder, in [min, max].

    Graphs are compiled for every size, and exported for any: they ask for none of it.
    """

    def __init__(
        self,
        max: int = 0,
        min: int = 1,
        divisor: int = 1,
        remainder: int = 0,
        unique: bool = False,
        **kwargs: Any,
    ) -> None:
        given = {"max": max, "min": min, "divisor": divisor, "remainder": remainder}
        for name, value in given.items():
            check_type("Symbol", name, value, int)
        check_type("Symbol", "unique", unique, bool)
        for name in ("min", "divisor"):
            if given[name] <= 0:
                raise ShapeError("Symbol", f"'{name}' must be positive", got=str(given[name]))
        if not 0 <= remainder < divisor:
            problem = "'remainder' must be less than 'divisor'"
            raise ShapeError("Symbol", problem, got=str(remainder), expected=f"[0, {divisor})")
        self.max, self.min, self.divisor = max, min, divisor
        self.remainder, self.unique, self.id = remainder, unique, id(self)

    def to_dict(self) -> dict[str, int]:
        """What differs from the defaults."""
        told = {
            "max": self.max > self.min,
            "min": self.min > self.divisor + self.remainder,
            "divisor": self.divisor != 1,
            "remainder": self.remainder != 0,
            "id": self.unique,
        }
        return {name: getattr(self, name) for name, shown in told.items() if shown}

    def __str__(self) -> str:
        return str(self.to_dict())
