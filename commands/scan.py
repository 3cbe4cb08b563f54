"""The command `msconvert scan`: its options, its outputs, its exit status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import printable
from .outputs import STDOUT, Output, Outputs, most, outputs_of, say

if TYPE_CHECKING:
    from ..api_mapping.scan.outcome import Outcome

DONE, LEFT = 0, 1
SOURCES = (".py", ".ipynb")
"""How the names of what is scanned end."""
SUFFIXES = {
    "--json": (".json",),
    "--csv": (".csv",),
    "--sarif": (".sarif", ".json"),
    "--html": (".html", ".htm"),
}
"""The outputs, and how the names of their files end."""

MOST_FINDINGS = 50

EPILOG = """\b
Examples:
  msconvert scan train.py
  msconvert scan src tests --exclude 'third_party/*'
  msconvert scan . --html report.html --json > report.json
  msconvert scan . --sarif report.sarif --fail-on missing
  msconvert scan . --baseline known.json --write-baseline

\b
--json, --csv, --sarif and --html take FILE, whose name has their ending, or `-` for standard
output, where all but --html go without FILE. With --json=FILE any name will do.

\b
A line's findings are hidden by a comment on it:
  # msconvert: ignore
  # msconvert: ignore[MS201, MS222]
Settings are read from [tool.msconvert] of the scanned project's pyproject.toml: exclude, ignore,
fail-on, max-missing, baseline.

Exit status: 0 all was read and no threshold passed, 1 a threshold is passed or something could
not be read, 2 wrong usage.
"""


def names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """`a,b` as two names."""
    found = tuple(part.strip() for value in values for part in value.split(","))
    if not all(found):
        raise click.BadParameter("a name is empty", param=param)
    return found


@click.command(
    cls=Outputs, suffixes=SUFFIXES, epilog=EPILOG, context_settings={"max_content_width": 100}
)
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="PATH...",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave out such files and folders, also where PATH names them.",
)
@click.option("--json", "json_file", metavar="[FILE]", help="Every use and finding as JSON.")
@click.option("--csv", "csv_file", metavar="[FILE]", help="Every use and finding as CSV.")
@click.option("--sarif", "sarif_file", metavar="[FILE]", help="The findings for code scanning.")
@click.option("--html", "html_file", metavar="FILE", help="A page with filters and the source.")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.option(
    "--show",
    default=str(MOST_FINDINGS),
    callback=most,
    metavar="N|all",
    help=f"So many findings are printed, the gravest first. Default: {MOST_FINDINGS}",
)
@click.option("--notes", is_flag=True, help="Print also what msconvert converts by itself.")
@click.option(
    "--fail-on",
    multiple=True,
    callback=names,
    metavar="VERDICT,...",
    help="Exit with 1 if there is such a verdict or code: missing, differs, MS222...",
)
@click.option(
    "--max-missing",
    type=click.IntRange(0),
    metavar="N",
    help="Exit with 1 if more uses than these have no counterpart.",
)
@click.option(
    "--ignore", multiple=True, callback=names, metavar="CODE,...", help="Do not tell these codes."
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Tell only what is not in this file of known findings.",
)
@click.option("--write-baseline", is_flag=True, help="Write the findings of now to --baseline.")
@click.option("--no-config", is_flag=True, help="Do not read the project's pyproject.toml.")
@click.pass_context
def scan(ctx: click.Context, /, paths: tuple[Path, ...], **flags: Any) -> int:
    """Say what of a PyTorch project migrates to MindSpore, what differs, and what it costs.

    PATH is a Python file, a notebook or a folder. Nothing in it is imported or run.
    """
    outputs = wanted(ctx, flags)
    settings = settings_of(paths, flags)
    if flags["write_baseline"] and settings.baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE", ctx)
    baseline = None if flags["write_baseline"] else baseline_of(settings.baseline)
    scanned = scan_with_progress(paths, settings.exclude)
    from ..api_mapping.scan import as_text
    from ..api_mapping.scan.outcome import Outcome

    outcome = Outcome(scanned, settings, baseline)
    written = write(outcome, outputs, flags)
    as_text.write_findings(outcome, flags["show"], flags["notes"])
    printed = [output for output in outputs if output.file == STDOUT]
    if printed:
        say(printed[0].text(outcome), nl=False)
    else:
        as_text.write_summary(outcome)
        for file in written:
            say(f"Written: {printable(file)}")
    return DONE if outcome.ok else LEFT


def wanted(ctx: click.Context, flags: dict[str, Any]) -> list[Output[Outcome]]:
    """The outputs that are asked for.

    Raises: click.UsageError for two on standard output, or one that is a source
    """
    makers = {"json": json_text, "csv": csv_text, "sarif": sarif_text, "html": html_text(ctx)}
    outputs = outputs_of(ctx, flags, makers)
    for output in outputs:
        if Path(output.file).suffix in SOURCES:  # with --force, too: it would be lost
            problem = f"{output.flag} would write over a source: {output.file}"
            raise click.UsageError(problem, ctx)
    return outputs


def settings_of(paths: Sequence[Path], flags: dict[str, Any]) -> Any:
    """What the project asks for and, over it, what the command line does."""
    from ..api_mapping.scan.settings import Settings, check, of_project

    keys = ("exclude", "ignore", "fail_on", "max_missing", "baseline")
    given = Settings(**{key: flags[key] for key in keys})
    check(given, "the command line")
    of_file = Settings() if flags["no_config"] else of_project(paths)
    return of_file.overridden(given)


def baseline_of(file: Path | None) -> Any:
    from ..api_mapping.scan.baseline import Baseline

    return None if file is None else Baseline.read(file)


def scan_with_progress(paths: Sequence[Path], exclude: Sequence[str]) -> Any:
    from ..api_mapping.findings.workers import scan_paths, uncollected
    from ..reporting.progress import Progress

    with Progress() as progress, uncollected():

        def tell(step: str) -> None:
            from ..api_mapping.scan import as_text as as_text  # while other processes work

            progress(step)

        return scan_paths(paths, exclude, tell)


def write(outcome: Outcome, outputs: Sequence[Output[Outcome]], flags: dict[str, Any]) -> list[str]:
    """Writes the files that are asked for, all or none; their names."""
    to_files = [output for output in outputs if output.file != STDOUT]
    if not to_files and not flags["write_baseline"]:
        return []
    from ..api_mapping.scan.baseline import Baseline
    from ..formats.storage.atomic import Transaction

    written = []
    sources = [scanned.path for scanned in outcome.scan.files]
    with Transaction(force=flags["force"], inputs=sources) as files:
        for output in to_files:
            files.write_text(output.file, output.text(outcome))
            written.append(output.file)
        if flags["write_baseline"]:
            file = outcome.settings.baseline
            assert file is not None
            files.write_text(file, Baseline.of(outcome.scan).to_json(file))
            written.append(str(file))
    return written


def json_text(outcome: Outcome) -> str:
    from ..api_mapping.scan.as_json import to_json

    return to_json(outcome)


def csv_text(outcome: Outcome) -> str:
    from ..api_mapping.scan.as_csv import to_csv

    return to_csv(outcome)


def sarif_text(outcome: Outcome) -> str:
    from ..api_mapping.scan.as_sarif import to_sarif

    return to_sarif(outcome, __version__, Path.cwd())


def html_text(ctx: click.Context) -> Callable[[Outcome], str]:
    def make(outcome: Outcome) -> str:
        from ..api_mapping.scan.as_html import to_html
        from ..api_mapping.scan.source_text import source_text

        title = ", ".join(path.absolute().name or str(path) for path in ctx.params["paths"])
        return to_html(outcome, title, source_text)

    return make
