"""What counts as the same, as the user says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain

from ...errors import UsageError
from ...numerics.tolerance import PROFILES, Tolerance, tolerance_of

MOST_EXPLAINED = 20
EXPLAINED_BYTES = 256 << 20
"""Looking for what relates two arrays takes longer than measuring them."""


@dataclass(frozen=True)
class Settings:
    """Tolerances, and which differences do not count.

    `profile` "" is chosen by what is compared: see `opening.profile_of`, else "activations".
    `rtol` and `atol` replace the profile's where they are given; `tolerances` are for names that
    fit a pattern, of which the last one counts. Of whole numbers `atol` is a number of steps.
    `record`: keep what judging again needs. `explain`: look for relations and places in so many
    pairs that differ, the gravest, of EXPLAINED_BYTES together; None: in all, whatever their size.
    Raises: MS105 for a profile that there is not, or what is no tolerance
    """

    profile: str = ""
    rtol: float | None = None
    atol: float | None = None
    tolerances: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    equal_nan: bool = False
    any_dtype: bool = False
    record: bool = False
    explain: int | None = MOST_EXPLAINED

    def __post_init__(self) -> None:
        if self.profile and self.profile not in PROFILES:
            problem, expected = "there is no such profile", ", ".join(PROFILES)
            raise UsageError("MS105", "profile", problem, got=self.profile, expected=expected)
        for value in (self.rtol, self.atol, *chain.from_iterable(self.tolerances.values())):
            if value is not None and not (isinstance(value, int | float) and value >= 0):
                expected = "a number that is not negative"
                raise UsageError("MS105", "rtol, atol", "no tolerance", got=repr(value)[:80],
                                 expected=expected)  # fmt: skip

    def tolerance(self, names: tuple[str | None, ...], a: str, b: str) -> Tolerance:
        """What is allowed for tensors of these names and of the element types `a` and `b`."""
        usual = tolerance_of(self.profile or "activations", a, b)
        rtol, atol = self.rtol, self.atol
        for pattern, given in self.tolerances.items():
            if any(name is not None and fnmatchcase(name, pattern) for name in names):
                rtol, atol = given
        if rtol is None and atol is None:
            return usual
        return Tolerance(
            usual.rtol if rtol is None else rtol,
            usual.atol if atol is None else atol,
            usual.steps if atol is None else int(min(atol, 1 << 62)),
        )
