"""The command `msconvert doctor`: what is here, and what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from .. import __version__
from ..errors import printable
from ..surroundings import NEEDS, Line, looked_at
from .outputs import say

DONE, LEFT = 0, 1

EPILOG = """\b
Examples:
  msconvert doctor
  msconvert doctor verify migrate
  msconvert doctor mindspore --json

\b
"mindspore" stands for --target mindspore. Nothing is imported: packages are known by their
metadata, another Python is asked in a process of its own.

\b
Exit status: 0 nothing is missing; 1 something is that the COMMANDs need, or without any, that
msconvert installs with itself; 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("commands", nargs=-1, metavar="[COMMAND...]", type=click.Choice(sorted(NEEDS)))
@click.option("--json", "as_json", is_flag=True, help="Print the lines as JSON, and nothing else.")
def doctor(commands: tuple[str, ...], as_json: bool) -> int:
    """Look at Python, packages, MindSpore and the disk: what is well, what to do.

    With COMMANDs, also what these need.
    """
    lines = looked_at(commands)
    is_well = not any(line.state == "missing" for line in lines)
    if as_json:
        found = {"msconvert": __version__, "ok": is_well, "lines": [asdict(line) for line in lines]}
        say(json.dumps(found, indent=2))
    else:
        say(f"msconvert {__version__}")
        for line in lines:
            say(text_of(line))
    return DONE if is_well else LEFT


def text_of(line: Line) -> str:
    """`ok       numpy: 2.1.0`, with what to do where it is not well."""
    advice = f" ({line.advice})" if line.advice and line.state != "ok" else ""
    return printable(f"{line.state:<8} {line.name}: {line.text}{advice}", limit=1000)
