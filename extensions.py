"""What installed packages add to msconvert: entry points of groups `msconvert.NAME`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from .errors import MsconvertError

ADVICE = "mend the package that names it, or uninstall it"


@cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in the order of their names; none is imported."""
    return tuple(sorted(entry_points(group=group), key=lambda entry: entry.name))


def extensions(group: str) -> Iterator[tuple[str, object]]:
    """The name and the object of each entry point of a group, in the order of their names.

    Raises: MsconvertError (MS902) for one that cannot be imported
    """
    for entry in installed(group):
        try:
            yield entry.name, entry.load()
        except (ImportError, AttributeError, SyntaxError, ValueError) as error:
            raise unusable(group, entry.name, f"{entry.value}: {error}") from error


def unusable(group: str, name: str, problem: str) -> MsconvertError:
    """The refusal of an extension."""
    return MsconvertError("MS902", f"entry point {name!r} of {group}", problem, advice=ADVICE)
