"""The command `msconvert runs`: trainings beside one another."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import MsconvertError, UsageError, harmless
from .outputs import say

if TYPE_CHECKING:
    from ..observation.runs.run import Run

EPILOG = """\b
Examples:
  msconvert runs summaries
  msconvert runs summaries --html runs.html
  msconvert runs summaries/first summaries/second --compare

\b
A run is an event file of TensorBoard's, as SummaryCollector, SummaryRecord or SummaryWriter write
it; what SummaryCollector keeps of settings and results beside it is shown, too. --compare takes the
last run of each folder.

Exit status: 0 shown, or two runs do not part; 1 they part, or nothing can be read; 2 wrong usage.
"""


@click.command(
    epilog=EPILOG, short_help="Show trainings beside one another: curves, settings, results.",
    context_settings={"max_content_width": 100},
)  # fmt: skip
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path),
                metavar="DIR...")  # fmt: skip
@click.option("--compare", is_flag=True,
              help="Tell the first step at which the losses of two runs part.")  # fmt: skip
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE",
              help="Write a page with curves, settings and results.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE",
              help="Write all that is shown, and the curves, as JSON.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite the files of --html and --json.")
def runs(
    folders: tuple[Path, ...], compare: bool, html: Path | None, json_file: Path | None,
    force: bool,
) -> int:  # fmt: skip
    """Show the runs in folders beside one another, or where two of them part."""
    from ..observation.runs import as_text
    from ..observation.runs.run import read_runs

    found = read_runs(folders)
    if compare and len(folders) == 2:
        found = [newest(found, folder) for folder in folders]
    if compare and len(found) != 2:
        raise UsageError("MS105", "--compare", "it takes two runs", got=f"{len(found)} runs",
                         advice="name the folders of two")  # fmt: skip
    written = {html: page, json_file: data}
    for path, make in written.items():
        if path is not None:
            write(path, harmless(make(found)), force)
    if not compare:
        say(as_text.to_text(found, shutil.get_terminal_size((120, 40)).columns))
        return 0 if any(run.curves for run in found) else 1
    from ..observation.runs.parting import parting

    told = parting(found[0], found[1])
    say(as_text.parting_text(told))
    return 0 if told.step is None else 1


def newest(found: list[Run], folder: Path) -> Run:
    """The run of a folder that was begun last. Raises: MS406 if it has none"""
    whole = folder.resolve()
    own = [run for run in found if whole in (run.path.resolve(), *run.path.resolve().parents)]
    if not own:
        raise MsconvertError("MS406", str(folder), "there are no event files")
    return max(own, key=lambda run: run.path.name)


def page(found: list[Run]) -> str:
    from ..observation.runs.as_html import to_html

    return to_html(found)


def data(found: list[Run]) -> str:
    whole = [
        {
            "name": run.name, "file": str(run.path), "status": run.status,
            "seconds": run.seconds, "settings": run.settings, "results": run.results,
            "curves": plain(run.curves), "problem": run.problem,
        }
        for run in found
    ]  # fmt: skip
    return json.dumps({"format": 1, "runs": whole}, indent=1) + "\n"


def plain(curves: dict[str, list[tuple[int, float]]]) -> dict[str, list[tuple[int, object]]]:
    """Curves as JSON has them: what is not finite as text."""
    return {
        tag: [(step, value if math.isfinite(value) else str(value)) for step, value in curve]
        for tag, curve in curves.items()
    }


def write(path: Path, text: str, force: bool) -> None:
    from ..formats.storage.atomic import Transaction

    with Transaction(force=force) as files:
        files.write_text(path, text)
