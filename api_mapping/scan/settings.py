"""What a scan is asked for, from the command line and the project's own pyproject.toml."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ...errors import CODES, UsageError
from ...formats.storage.opening import text_of
from ..analysis.files.sources import seen_from
from ..findings.model import Standing

NAMES = {standing.value.partition(" ")[0]: standing for standing in Standing}
"""What people write for a standing: `unknown` is "unknown receiver"."""


MAX_BYTES = 4 << 20
MOST_GLOBS, MOST_CHARACTERS = 1000, 1000
"""Of `exclude`: each file is held against each."""


@dataclass(frozen=True)
class Settings:
    """What is scanned and what is asked of it; None or empty is not asked.

    exclude       globs of files and folders that are left out
    ignore        codes that are not told
    fail_on       standings and codes of which none may be found
    max_missing   so many uses may have no counterpart
    baseline      the file of the findings that are known
    """

    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    max_missing: int | None = None
    baseline: Path | None = None

    def overridden(self, given: Settings) -> Settings:
        """These, and in place of them what the command line gives; `exclude` adds up."""
        asked = {
            field.name: value
            for field in fields(given)
            if (value := getattr(given, field.name)) not in ((), None)
        }
        return replace(self, **asked | {"exclude": (*self.exclude, *given.exclude)})


def texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        return None
    return tuple(value)


def count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def file_name(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value else None


READERS: dict[str, tuple[str, Callable[[object], object]]] = {
    "exclude": ("a list of globs", texts),
    "ignore": ("a list of codes, such as MS222", texts),
    "fail-on": ("a list of verdicts or codes, such as missing", texts),
    "max-missing": ("a whole number, 0 or more", count),
    "baseline": ("the name of a file", file_name),
}
"""The keys of [tool.msconvert]: what they hold, and how it is read."""


def project_file(paths: Sequence[Path]) -> Path | None:
    """The nearest pyproject.toml with a [tool.msconvert], in the first path or above it."""
    start = paths[0].absolute() if paths else Path.cwd()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        # os.path: Path.is_file raises where the folder may not be searched
        if os.path.isfile(file) and table_of(file) is not None:
            return file
    return None


def table_of(file: Path) -> Mapping[str, object] | None:
    """The [tool.msconvert] of a pyproject.toml, None if it has none.

    Raises: MS210 if the file is no TOML
    """
    try:
        tool = tomllib.loads(text_of(file, MAX_BYTES)).get("tool", {})
    except (OSError, ValueError, RecursionError) as error:
        advice = "mend it, or --no-config"
        raise UsageError("MS210", str(file), f"it cannot be read: {error}", advice=advice) from None
    own = tool.get("msconvert") if isinstance(tool, dict) else None
    if own is not None and not isinstance(own, dict):
        raise UsageError("MS210", str(file), "tool.msconvert is no table", got=repr(own))
    return own


def of_project(paths: Sequence[Path]) -> Settings:
    """The settings that the scanned project makes itself; paths in it are from its folder.

    Raises: MS210 for an unknown key or a value of the wrong kind
    """
    file = project_file(paths)
    if file is None:
        return Settings()
    given = table_of(file) or {}
    read = {key.replace("-", "_"): read_value(file, key, value) for key, value in given.items()}
    settings = Settings(**read)  # type: ignore[arg-type]
    check(settings, str(file))
    settings = replace(settings, exclude=tuple(seen_from(file.parent, settings.exclude)))
    if settings.baseline is not None:
        settings = replace(settings, baseline=file.parent / settings.baseline)
    return settings


def read_value(file: Path, key: str, value: object) -> object:
    if key not in READERS:
        close = difflib.get_close_matches(key.replace("_", "-"), READERS, 1)
        known = f"it is {close[0]!r}" if close else f"the keys are {', '.join(READERS)}"
        raise UsageError(
            "MS210", str(file), f"[tool.msconvert] has an unknown key {key!r}", advice=known
        )
    expected, read = READERS[key]
    result = read(value)
    if result is None:
        problem = f"the value of {key!r} in [tool.msconvert] is of the wrong kind"
        raise UsageError("MS210", str(file), problem, got=repr(value), expected=expected)
    return result


def check(settings: Settings, where: str) -> None:
    """Raises: MS210 for a verdict or code that does not exist, and for globs without end"""
    sizes = {"globs": (len(settings.exclude), MOST_GLOBS)}
    sizes["characters in a glob"] = (max(map(len, settings.exclude), default=0), MOST_CHARACTERS)
    for what, (size, most) in sizes.items():
        if size > most:
            problem = f"exclude has too many {what}"
            raise UsageError("MS210", where, problem, got=str(size), expected=f"at most {most}")
    unknown = [name for name in settings.fail_on if name not in NAMES and not is_code(name)]
    if unknown:
        raise unknown_name(where, "fail-on", unknown[0], [*NAMES, "a code such as MS222"])
    unknown = [code for code in settings.ignore if not is_code(code)]
    if unknown:
        raise unknown_name(where, "ignore", unknown[0], ["a code such as MS222"])


def is_code(name: str) -> bool:
    return name in CODES and name.startswith("MS2")


def unknown_name(where: str, key: str, name: str, known: Iterable[str]) -> UsageError:
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    advice = f"did you mean {close[0]!r}?" if close else ""
    problem = f"{key} has no verdict or code {name!r}"
    return UsageError("MS210", where, problem, expected=", ".join(names), advice=advice)
