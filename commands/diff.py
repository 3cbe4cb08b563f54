"""The command `msconvert diff`: its options, its outputs, its exit status."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import MsconvertError, UsageError, printable
from .logs import are_logs, compare_logs
from .next_step import after_diff
from .outputs import STDOUT, Output, Outputs, collected_seldom, most, outputs_of, say
from .tolerances import tolerance_flags

if TYPE_CHECKING:
    from ..troubleshooter.diff import Comparison, Settings

SAME, DIFFERENT, UNREADABLE = 0, 1, 2
SUFFIXES = {
    "--json": (".json",),
    "--csv": (".csv",),
    "--junit": (".xml",),
    "--html": (".html", ".htm"),
}
"""The outputs, and how the names of their files end."""

MOST_ROWS = 30
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")

EPILOG = """\b
Examples:
  msconvert diff net.pth net.ckpt
  msconvert diff torch_outputs mindspore_outputs --only failing
  msconvert diff a.npy b.npy --rtol 1e-3
  msconvert diff grads_a grads_b --profile gradients --tolerance '*bias=1e-3,1e-3'
  msconvert diff net.onnx net.ckpt --map weight_map_of_net.json --html report.html
  msconvert diff a b --json results.json
  msconvert diff torch.log mindspore.log --html losses.html
  msconvert diff --from results.json --rtol 1e-3

\b
A and B are .npy, .npz, .ckpt, .safetensors, .pth, .pt, .bin or .onnx files, or folders of them;
A is the reference. Tensors are paired by names, naming rules, shapes and values.
Of two logs (.log, .txt, .csv, .jsonl, event files) it tells where the losses part.
Close is what is at most RTOL * |a| + ATOL * rms(a) away from a: both are relative.

\b
--json, --csv, --junit and --html take FILE, whose name has their ending, or `-` for standard
output, where all but --html go without FILE. With --json=FILE any name will do.

\b
Exit status: 0 all the same, 1 something differs or is missing, 2 something cannot be read or
written, or wrong usage.
"""


def tolerances(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, tuple[float, float]]:
    """`PATTERN=RTOL,ATOL` by patterns; the last one given of a pattern comes last."""
    found: dict[str, tuple[float, float]] = {}
    for value in values:
        pattern, _, numbers = value.rpartition("=")
        parts = numbers.split(",")
        try:
            rtol, atol = float(parts[0]), float(parts[-1])
        except ValueError:
            rtol = atol = -1.0
        if not pattern or len(parts) > 2 or not (0 <= rtol < 1e300 and 0 <= atol < 1e300):
            raise click.BadParameter(f"{value!r} is not of the form {param.metavar}", param=param)
        found.pop(pattern, None)
        found[pattern] = (rtol, atol)
    return found


@click.command(
    cls=Outputs, suffixes=SUFFIXES, epilog=EPILOG, context_settings={"max_content_width": 100}
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="A B")
@click.option(
    "--profile",
    type=click.Choice(["weights", "activations", "gradients", "quantised"]),
    help="What the tensors are, which says how close they must be. Default: weights for two weight "
    "files, else activations",
)
@tolerance_flags(
    "Allow this, relative to each element.",
    "And this, relative to the tensor's root mean square; of integers, so many steps.",
)
@click.option(
    "--tolerance", "tolerances", multiple=True, callback=tolerances, metavar="PATTERN=RTOL,ATOL",
    help="Allow these for names that fit a pattern such as '*.bias'; the last one counts.",
)  # fmt: skip
@click.option("--equal-nan", is_flag=True, help="NaN in the same places is the same.")
@click.option("--any-dtype", is_flag=True, help="Another element type is no difference.")
@click.option(
    "--map", "map_file", type=click.Path(path_type=Path), metavar="FILE",
    help="Names: a weight_map_of_NAME.json, the PyTorch source, or JSON with names of A and B.",
)  # fmt: skip
@click.option(
    "--from", "results", type=click.Path(path_type=Path), metavar="FILE",
    help="Judge the results in FILE, written by --json, again with other tolerances.",
)  # fmt: skip
@click.option("--only", type=click.Choice(["failing"]), help="Print the rows that differ only.")
@click.option(
    "--show", default=str(MOST_ROWS), callback=most, metavar="N|all",
    help=f"So many rows are printed, the gravest first. Default: {MOST_ROWS}",
)  # fmt: skip
@click.option(
    "--explain", default="20", callback=most, metavar="N|all",
    help="Look for what relates both and for where errors sit in so many pairs that differ, the "
    "gravest; in all of any size. Default: 20, of 256 MB together",
)  # fmt: skip
@click.option("--json", "json_file", metavar="[FILE]", help="All figures as JSON.")
@click.option("--csv", "csv_file", metavar="[FILE]", help="All figures as CSV.")
@click.option("--junit", "junit_file", metavar="[FILE]", help="Each pair as a test of JUnit's.")
@click.option("--html", "html_file", metavar="FILE", help="A page with filters.")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.pass_context
@collected_seldom()
def diff(ctx: click.Context, /, paths: tuple[Path, ...], **flags: Any) -> int:
    """Compare the tensors in two files or folders: weights, outputs, gradients.

    A and B may be of different kinds. Nothing in them is unpickled or run, and they may be larger
    than memory.
    """
    for name in ONE_THREAD:  # blocks are too small for more than one, which only cost time
        os.environ.setdefault(name, "1")
    outputs = outputs_of(ctx, flags, MAKERS)
    refuse_inputs(ctx, paths, flags, outputs)
    again = flags["results"] is not None
    try:
        if not again and are_logs(paths):
            return compare_logs(paths, outputs, flags)
        comparison = judged(flags) if again else compared(paths, flags, outputs)
        written = write(comparison, outputs, flags["force"])
    except MsconvertError as error:  # status 1 says that something differs, and nothing else
        raise as_usage(error) from error
    printed = [output for output in outputs if output.file == STDOUT]
    if printed:
        say(printed[0].text(comparison), nl=False)
    else:
        tell(comparison, flags)
        following = after_diff(comparison, paths, flags)
        if following:
            say(following)
        for file in written:
            say(f"Written: {printable(file)}")
    return status_of(comparison)


def as_usage(error: MsconvertError) -> UsageError:
    """The same error, which ends the command with status 2."""
    facts = {"got": error.got, "expected": error.expected, "advice": error.advice}
    return UsageError(error.code, error.where, error.problem, **facts)


def refuse_inputs(
    ctx: click.Context,
    paths: Sequence[Path],
    flags: Mapping[str, Any],
    outputs: Sequence[Output[Comparison]],
) -> None:
    """Raises: click.UsageError for too few or too many paths, or an output over an input"""
    wanted = 0 if flags["results"] is not None else 2
    if len(paths) != wanted:
        what = "--from FILE takes no further paths" if wanted == 0 else "two paths are needed: A B"
        raise click.UsageError(what, ctx)
    if wanted == 0 and flags["map_file"] is not None:
        raise click.UsageError("--from FILE has its pairs already: it takes no --map", ctx)
    inputs = [*paths, *([flags["results"]] if wanted == 0 else [])]
    for output in outputs:
        file = Path(output.file)
        if file.exists() and any(path.exists() and path.samefile(file) for path in inputs):
            raise click.UsageError(f"{output.flag} would write over an input: {file}", ctx)


def settings_of(flags: Mapping[str, Any], usual: Settings) -> Settings:
    """The usual settings, and over them what the command line says."""
    from dataclasses import replace

    names = ("profile", "rtol", "atol", "tolerances", "equal_nan", "any_dtype")
    given = {name: flags[name] for name in names if flags[name] not in (None, False, {})}
    return replace(usual, **given)


def compared(
    paths: Sequence[Path], flags: Mapping[str, Any], outputs: Sequence[Output[Comparison]]
) -> Comparison:
    from ..reporting.progress import Progress
    from ..troubleshooter.diff import Settings
    from ..troubleshooter.diff.opening import compare_paths

    keeps = any(output.flag in ("--json", "--html") for output in outputs)
    settings = settings_of(flags, Settings(record=keeps, explain=flags["explain"]))
    naming = None if flags["map_file"] is None else names_in(flags["map_file"])
    with Progress() as progress:
        return compare_paths(paths[0], paths[1], settings, naming, progress)


def names_in(file: Path) -> Any:
    """A weight map, the classes of a PyTorch source, or names by names. Raises: MS310"""
    if file.suffix == ".py":
        from .weights import map_in

        return map_in(file)
    from ..troubleshooter.diff.names import naming_in

    return naming_in(file)


def judged(flags: Mapping[str, Any]) -> Comparison:
    """The results of an earlier comparison, judged again. Raises: MS406"""
    from ..troubleshooter.diff.again import judged_again
    from ..troubleshooter.diff.as_json import results_in

    file = flags["results"]
    found = results_in(file)
    return judged_again(found, settings_of(flags, found.settings), str(file))


def write(comparison: Comparison, outputs: Sequence[Output[Comparison]], force: bool) -> list[str]:
    """Writes the files that are asked for, all or none; their names."""
    files = [output for output in outputs if output.file != STDOUT]
    if not files:
        return []
    from ..formats.storage.atomic import Transaction

    with Transaction(force=force) as transaction:
        for output in files:
            transaction.write_text(output.file, output.text(comparison))
    return [output.file for output in files]


def tell(comparison: Comparison, flags: Mapping[str, Any]) -> None:
    """The rows, the gravest first, and the line that sums up."""
    from ..troubleshooter.diff.as_text import to_text

    rows = [row for row in comparison.by_gravity if not (flags["only"] and row.ok)]
    shown = rows[: flags["show"]]
    say(to_text(comparison, shown, len(rows) - len(shown)))


def status_of(comparison: Comparison) -> int:
    if any(row.status == "unreadable" for row in comparison.rows):
        return UNREADABLE
    return SAME if comparison.ok else DIFFERENT


def json_text(comparison: Comparison) -> str:
    return comparison.to_json()


def csv_text(comparison: Comparison) -> str:
    from ..troubleshooter.diff.as_csv import to_csv

    return to_csv(comparison)


def junit_text(comparison: Comparison) -> str:
    from ..troubleshooter.diff.as_junit import to_junit

    return to_junit(comparison)


def html_text(comparison: Comparison) -> str:
    from ..troubleshooter.diff.as_html import to_html

    return to_html(comparison)


MAKERS: dict[str, Callable[[Comparison], str]] = {
    "json": json_text,
    "csv": csv_text,
    "junit": junit_text,
    "html": html_text,
}
