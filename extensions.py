"""What installed packages add to msconvert: entry points of groups `msconvert.NAME`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points

from .errors import MsconvertError

ADVICE = "mend the package that names it, or uninstall it"


def extensions(group: str) -> Iterator[tuple[str, object]]:
    """The name and the object of each entry point of a group, in the order of their names.

    Raises: MsconvertError (MS902) for one that cannot be imported
    """
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            yield entry.name, entry.load()
        except (ImportError, AttributeError, SyntaxError, ValueError) as error:
            raise unusable(group, entry.name, f"{entry.value}: {error}") from error


def unusable(group: str, name: str, problem: str) -> MsconvertError:
    """The refusal of an extension."""
    return MsconvertError("MS902", f"entry point {name!r} of {group}", problem, advice=ADVICE)
