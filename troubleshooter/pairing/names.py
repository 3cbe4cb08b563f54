"""Names in the one form in which those of both frameworks agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...formats.naming import original_name


@dataclass(frozen=True)
class Canonical:
    """The names of one file by their common form."""

    names: Iterable[str]

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.names:
            found.setdefault(original_name(name), []).append(name)
        return found

    @cached_property
    def single(self) -> dict[str, str]:
        """The forms that only one name has."""
        return {key: names[0] for key, names in self.groups.items() if len(names) == 1}
