"""The command `msconvert source`: its options, its outputs, its exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import MsconvertError, harmless, printable
from .outputs import say

if TYPE_CHECKING:
    from ..api_mapping.source.outcome import Outcome
    from ..api_mapping.source.tree import Tree

DONE, LEFT = 0, 1
REPORTS = (".md", ".json", ".html", ".htm")
MOST_FINDINGS = 50

EPILOG = """\b
Examples:
  msconvert source train.py
  msconvert source project --output converted --report report.html
  msconvert source project --write
  msconvert source project --check --json
  msconvert source project --output converted --target mindspore

\b
Without --output, --write and --check, the changes are printed as a diff and nothing is written.
What has no counterpart stays, under a comment `# MS2xx line: reason; what to do`.
Settings are read from [tool.msconvert] of the project's pyproject.toml: exclude.

Exit status: 0 all is converted, 1 something stays PyTorch's or could not be read (with --check,
also: something would change), 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument(
    "paths", nargs=-1, type=click.Path(readable=False, path_type=Path), metavar="PATH..."
)
@click.option(
    "--in_file",
    multiple=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="PATH",
    help="The same as PATH, as MindConverter has it.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the converted tree into this new folder; other files are copied.",
)
@click.option("--write", is_flag=True, help="Write over the originals.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if something would change.")
@click.option("--force", is_flag=True, help="Write into a folder, or over a report, that exists.")
@click.option(
    "--target",
    type=click.Choice(["bundled", "mindspore"]),
    default="bundled",
    help="What the code imports: msconvert's own runtime (the default) or MindSpore.",
)
@click.option(
    "--api",
    type=click.Choice(["classic", "mint"]),
    default="classic",
    help="Which of MindSpore's APIs: nn and ops (the default), or mint, which needs Ascend.",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave such files as they are.")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What became of everything, as FILE.md, FILE.json or FILE.html.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else.")
@click.option("--no-config", is_flag=True, help="Do not read the project's pyproject.toml.")
@click.pass_context
def source(ctx: click.Context, /, paths: tuple[Path, ...], **flags: Any) -> int:
    """Convert PyTorch source code to MindSpore: a file, a project, or a notebook.

    Nothing of it is imported or run.
    """
    from ..api_mapping.source.outcome import Outcome

    paths = (*paths, *flags["in_file"])
    check_flags(ctx, paths, flags)
    tree = convert_with_progress(paths, flags)
    outcome = Outcome(tree, written(tree, flags))
    write_report(outcome, flags)
    tell(outcome, flags)
    return status_of(outcome, flags)


def check_flags(ctx: click.Context, paths: Sequence[Path], flags: dict[str, Any]) -> None:
    """Raises: click.UsageError for flags that do not go together"""
    if not paths:
        raise click.UsageError("PATH is missing: it names what to convert", ctx)
    ways = [name for name in ("output", "write", "check") if flags[name]]
    if len(ways) > 1:
        raise click.UsageError(f"--{ways[0]} and --{ways[1]} do not go together", ctx)
    report = flags["report"]
    if report is not None and report.suffix.lower() not in REPORTS:
        raise click.UsageError(f"--report takes FILE.md, FILE.json or FILE.html: {report}", ctx)
    if report is not None and report.exists() and not flags["force"]:
        advice = "--force, or another file"
        raise MsconvertError("MS107", str(report), "it exists already", advice=advice)


def convert_with_progress(paths: Sequence[Path], flags: dict[str, Any]) -> Tree:
    from ..api_mapping.findings.workers import uncollected
    from ..api_mapping.scan.settings import of_project
    from ..api_mapping.source.tree import convert_paths
    from ..api_mapping.table.target import Settings, Target
    from ..reporting.progress import Progress

    configured = () if flags["no_config"] else of_project(paths).exclude
    settings = Settings(Target(flags["target"]), mint=flags["api"] == "mint")
    with Progress() as progress, uncollected():
        return convert_paths(paths, settings, (*configured, *flags["exclude"]), progress)


def written(tree: Tree, flags: dict[str, Any]) -> tuple[Any, ...]:
    """Writes what is asked for; what could not be written."""
    from ..api_mapping.source.output import write_in_place, write_tree

    if flags["output"] is not None:
        return tuple(write_tree(tree, flags["output"], force=flags["force"]))
    return tuple(write_in_place(tree, force=flags["force"])) if flags["write"] else ()


def write_report(outcome: Outcome, flags: dict[str, Any]) -> None:
    """Writes what --report names, in the form that its ending says."""
    from ..api_mapping.source.as_html import to_html
    from ..api_mapping.source.as_json import to_json
    from ..api_mapping.source.as_markdown import to_markdown
    from ..formats.storage.atomic import Transaction

    file = flags["report"]
    if file is None:
        return
    make = {".md": to_markdown, ".json": to_json}.get(file.suffix.lower(), to_html)
    sources = [converted.path for converted in outcome.tree.files]
    with Transaction(force=flags["force"], inputs=sources) as files:
        files.write_text(file, harmless(make(outcome)))


def tell(outcome: Outcome, flags: dict[str, Any]) -> None:
    """The findings to stderr; the diff or the JSON, and the summary, to stdout."""
    from ..api_mapping.source.as_json import to_json
    from ..api_mapping.source.as_text import findings, next_steps, numbers
    from ..api_mapping.source.difference import diff_of

    lines = list(findings(outcome))
    for line in lines[:MOST_FINDINGS]:
        say(line, err=True)
    if len(lines) > MOST_FINDINGS:
        more = len(lines) - MOST_FINDINGS
        say(f"and {more} more findings: --report FILE.html has them all", err=True)
    if flags["as_json"]:
        say(to_json(outcome), nl=False)
        return
    is_diff = not (flags["output"] or flags["write"] or flags["check"])
    for diff in diff_of(outcome.tree) if is_diff else ():
        click.echo(b"".join(coloured(diff)), nl=False)
    for line in (*numbers(outcome), *(f"Next: {step}" for step in next_steps(outcome))):
        say(line, err=is_diff)


def coloured(diff: bytes) -> Iterator[bytes]:
    """The lines of a diff, for a terminal in colours and without what it would obey."""
    if not sys.stdout.isatty():
        yield diff
        return
    for line in diff.decode(errors="replace").splitlines():
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        shown = printable(line, limit=10_000)
        yield (
            click.style(shown, fg=colour, bold=line[:3] in ("---", "+++") or None).encode() + b"\n"
        )


def status_of(outcome: Outcome, flags: dict[str, Any]) -> int:
    changes = flags["check"] and outcome.tree.changes
    return DONE if outcome.ok and not changes else LEFT
