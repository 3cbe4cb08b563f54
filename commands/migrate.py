"""The command `msconvert migrate`: its options, its outputs, its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .outputs import say

if TYPE_CHECKING:
    from ..migration.migrate import Settings
    from ..migration.outcome import Outcome

DONE, LEFT = 0, 1
MOST_FINDINGS = 30

EPILOG = """\b
Examples:
  msconvert migrate project --output migrated
  msconvert migrate project --output migrated --target mindspore
  msconvert migrate project --output migrated --shape 1,3,224,224
  msconvert migrate project --output migrated --no-verify --code-only

\b
DIR gets the converted code, its weights under the names that the code asks for, data (large files
as links), requirements.txt and pyproject.toml with what it needs now, and MIGRATION.md, which says
what was done and what is next.
To compare both sides, the code of the project and the new code are imported and run: --no-verify
leaves that out.

\b
Exit status: 0 all is migrated and every network was compared equal; 1 something stays, differs or
was not compared, which is said; 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("project", type=click.Path(readable=False, path_type=Path))
@click.option(
    "--output", type=click.Path(path_type=Path), required=True, metavar="DIR",
    help="The new folder; refused if it exists, without --force, or lies in the project.",
)  # fmt: skip
@click.option(
    "--target", type=click.Choice(["bundled", "mindspore"]), default="bundled",
    help="What the code imports: msconvert's own runtime (the default) or MindSpore.",
)  # fmt: skip
@click.option(
    "--no-verify", is_flag=True, help="Run nothing of the project: nothing is compared, either."
)
@click.option(
    "--code-only", is_flag=True, help="Leave data and checkpoints where they are, and say so."
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="N,C,...",
    help="What networks are called with, as for verify. Default: what the project says.",
)  # fmt: skip
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave such files as they are.")
@click.option("--python-torch", metavar="PYTHON", help="The Python that has PyTorch.")
@click.option(
    "--python-mindspore", metavar="PYTHON",
    help="The Python that has MindSpore, for --target mindspore. Default: "
    "MSCONVERT_MINDSPORE_PYTHON, else the one in the cache, else this one.",
)  # fmt: skip
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0, min_open=True), default=120.0,
    metavar="SECONDS", help="For each step of each network. Default: 120",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else.")
@click.option("--no-config", is_flag=True, help="Do not read the project's pyproject.toml.")
@click.option("--force", is_flag=True, help="Write into a folder that exists.")
def migrate(project: Path, as_json: bool, **flags: Any) -> int:
    """Migrate a whole project: code, weights, dependencies; run both sides, say what is next.

    PROJECT is a folder.
    """
    from ..migration.migrate import migrate as migrated
    from ..reporting.progress import Progress

    settings = settings_of(project, flags)
    with Progress() as progress:
        outcome = migrated(settings, progress)
    tell(outcome, as_json)
    return DONE if outcome.ok else LEFT


def settings_of(project: Path, flags: dict[str, Any]) -> Settings:
    """Raises: MS401 for a shape that is none"""
    from ..api_mapping.scan.settings import of_project
    from ..migration.migrate import Settings
    from ..migration.outcome import Wanted
    from ..surroundings import mindspore_python
    from ..troubleshooter.verify import Settings as Verify
    from ..troubleshooter.verify import shape_of

    exclude = () if flags["no_config"] else of_project((project,)).exclude
    wanted = Wanted(
        project, flags["output"], flags["target"], not flags["no_verify"], flags["code_only"]
    )
    verify = Verify(
        shapes=tuple(map(shape_of, flags["shapes"])),
        target=flags["target"],
        python_torch=flags["python_torch"],
        python_mindspore=flags["python_mindspore"] or mindspore_python(),
        timeout_s=flags["timeout_s"],
    )
    return Settings(wanted, verify, (*exclude, *flags["exclude"]), flags["force"])


def tell(outcome: Outcome, as_json: bool) -> None:
    """What somebody has to look at to stderr, the rest to stdout."""
    from ..migration.as_json import to_json
    from ..migration.as_text import findings, summary

    lines = list(findings(outcome))
    for line in lines[:MOST_FINDINGS]:
        say(line, err=True)
    if len(lines) > MOST_FINDINGS:
        say(f"and {len(lines) - MOST_FINDINGS} more findings: see MIGRATION.md", err=True)
    if as_json:
        say(to_json(outcome), nl=False)
        return
    for line in summary(outcome):
        say(line)
