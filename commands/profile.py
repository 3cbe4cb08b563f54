"""The command `msconvert profile`: where the time of a script goes."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import click

from ..errors import MsconvertError, UsageError
from .outputs import say
from .scripts import run_script, takes_script

DONE, LEFT = 0, 1

EPILOG = """\b
Examples:
  msconvert profile train.py
  msconvert profile --steps 20 --output profiled train.py --epochs 1

\b
DIR gets profile.html, trace.json (for https://ui.perfetto.dev or chrome://tracing), operators.csv
and steps.csv. A step begins where rows are fetched from a data set. In graph mode the operators
are timed in so many steps that all together take less than 10 % longer; it says in how many.

Exit status: 0 profiled, 1 the script fails or the files cannot be written, 2 wrong usage.
"""


@click.command(
    epilog=EPILOG,
    short_help="Run a script, and say where its time goes.",
    context_settings={"ignore_unknown_options": True, "max_content_width": 100},
)
@click.option("--steps", type=click.IntRange(1, 10_000), default=50,
              help="So many steps are looked at. Default: 50")  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("profiled"), metavar="DIR",
    help="Gets the page, the trace and the tables. Default: profiled",
)  # fmt: skip
@takes_script
def profile(script: Path, arguments: tuple[str, ...], steps: int, output: Path) -> int:
    """Run SCRIPT on the bundled runtime, and say where its time goes and what to do about it."""
    from ..observation.profile.pages import to_text

    if output.exists() and not output.is_dir():
        raise UsageError("MS105", str(output), "it is no folder", advice="--output DIR")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "summary.json"
        settings = {"folder": str(output.absolute()), "steps": steps, "report": str(report)}
        status = run_script("profile", settings, script, arguments)
        try:
            summary = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise MsconvertError(
                "MS402", str(script), "the script's process ended before it could tell anything",
                advice="run it by itself: python -m msconvert.runtime SCRIPT",
            ) from error  # fmt: skip
    say(to_text(summary))
    if status:
        say(f"\nThe script itself ended with status {status}.")
    if summary["unwritten"]:
        raise MsconvertError(
            "MS107", str(output), f"the profile cannot be written ({summary['unwritten']})",
            advice="--output DIR, a folder with room that you may write to",
        )  # fmt: skip
    say(f"\nWritten: {output}/profile.html, trace.json, and the tables")
    sys.stdout.flush()
    return LEFT if status else DONE
