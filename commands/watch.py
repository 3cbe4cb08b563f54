"""The command `msconvert watch`: runs a script, and says where its training goes wrong."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from ..errors import MsconvertError, UsageError
from .outputs import say
from .scripts import run_script, takes_script

CLEAN, LEFT = 0, 1

CONDITIONS = (
    *("nan", "overflow", "unchanged-weights", "zero-gradients", "exploding", "loss-stuck"),
    *("dead-activations", "data"),
)

EPILOG = """\b
Examples:
  msconvert watch train.py
  msconvert watch train.py --epochs 3 --on nan --on overflow --stop
  msconvert watch --json found.json -- train.py --on gpu

\b
Conditions: nan, overflow (a value becomes infinite), unchanged-weights, zero-gradients, exploding
(weights, gradients), loss-stuck, dead-activations, data (labels, inputs, their order). All that the
script is given stands behind its name; behind -- nothing is taken for a flag of watch.
Each operator's results are kept for a step: it takes memory, and three to ten times as long.

Exit status: 0 nothing is wrong, 1 a condition holds or the script fails, 2 wrong usage.
"""


@click.command(
    epilog=EPILOG,
    short_help="Run a training, and say where it goes wrong.",
    context_settings={"ignore_unknown_options": True, "max_content_width": 100},
)
@click.option(
    "--on", "conditions", multiple=True, type=click.Choice(CONDITIONS), metavar="CONDITION",
    help="What to look for; again for more. Default: all",
)  # fmt: skip
@click.option("--stop", is_flag=True, help="End the run where the first condition holds.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("watched"), metavar="DIR",
    help="Gets the inputs of layers and scripts that show what is found. Default: watched",
)  # fmt: skip
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the findings there, too.")  # fmt: skip
@takes_script
def watch(
    script: Path,
    arguments: tuple[str, ...],
    conditions: tuple[str, ...],
    stop: bool,
    output: Path,
    json_file: Path | None,
) -> int:
    """Run SCRIPT, a training with MindSpore's API, on the bundled runtime, and look on.

    Says which layer and line goes wrong first, at which step, and what went in.
    """
    from ..observation.watch import as_text
    from ..observation.watch.finding import Finding

    if output.exists() and not output.is_dir():
        raise UsageError("MS105", str(output), "it is no folder", advice="--output DIR")
    if json_file is not None and json_file.is_dir():
        raise UsageError("MS105", str(json_file), "it is a folder", advice="--json FILE")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "findings.json"
        settings = {
            "on": conditions, "stop": stop, "folder": str(output.absolute()),
            "report": str(report),
        }  # fmt: skip
        status = run_script("watch", settings, script, arguments)
        whole = read(report, script)
    found = [Finding.from_dict(one) for one in whole["findings"]]
    say(as_text.to_text(found, whole["steps"], status))
    sys.stdout.flush()
    if json_file is not None:
        write(json_file, whole)  # at the end: a run of hours is told even where this fails
    return LEFT if status or any(not one.note for one in found) else CLEAN


def read(report: Path, script: Path) -> dict[str, Any]:
    """What the process has written. Raises: MS402 if it ended before it could"""
    try:
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MsconvertError(
            "MS402", str(script), "the script's process ended before it could tell anything",
            advice="run it by itself: python -m msconvert.runtime SCRIPT",
        ) from error  # fmt: skip
    return found


def write(path: Path, whole: dict[str, Any]) -> None:
    from ..formats.storage.atomic import Transaction

    with Transaction(force=True) as files:
        files.write_text(path, json.dumps(whole, indent=1) + "\n")
