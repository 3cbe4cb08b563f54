"""Scripts of the user that a command runs in a process of its own, on the bundled runtime."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError

Command = Callable[..., Any]


def takes_script(command: Command) -> Command:
    """The arguments of a command that runs a script: the script, and all that it is given."""
    rest = click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENTS]")
    return click.argument("script", type=click.Path(path_type=Path))(rest(command))


def run_script(kind: str, settings: dict[str, Any], script: Path, arguments: Sequence[str]) -> int:
    """The exit status of a script that runs while `kind` looks on; a signal's is negative.

    Raises: UsageError if there is no such script
    """
    if not script.is_file():
        advice = f"msconvert {kind} --help has the flags" if str(script).startswith("-") else ""
        raise UsageError(
            "MS105", str(script), "there is no such script", expected="a file", advice=advice
        )
    package = __name__.partition(".")[0]
    program = [sys.executable, "-m", f"{package}.observation.process", kind, json.dumps(settings)]
    sys.stdout.flush()
    return subprocess.run([*program, str(script), *arguments], check=False).returncode
