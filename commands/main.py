"""The command `msconvert`: parse, call one function, print, exit."""

from __future__ import annotations

import gc
import io
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .. import __version__
from ..errors import TERMINATED, MsconvertError, UsageError, interruption, printable, told
from .outputs import let_go, say, size_of

if TYPE_CHECKING:
    from ..converter.conversion_report import ConversionReport
    from ..converter.convert import Options

DONE, LEFT, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

ELSEWHERE = (
    *("compare", "data", "diff", "doctor", "explain", "migrate", "profile", "runs", "scan"),
    *("source", "verify", "watch", "weights"),
)
"""The commands with modules of their own."""

SEVERAL = ("--shape", "--input_nodes", "--output_nodes")
"""Flags that take any number of values, as MindConverter's do."""

MOST_FINDINGS = 20
"""So many findings are printed; the report has them all."""

HEADINGS = {
    "What is converted": ("model_file", "shapes", "input_nodes", "output_nodes"),
    "What is written, and where": ("output", "report", "target", "weights_format", "force"),
    "What it may take": ("memory", "timeout_s"),
    "What is said": ("verify", "inputs", "html", "as_json", "version", "help"),
}
"""The flags of a conversion by their names, in the order of the help."""

EXAMPLES = """\b
Examples:
  msconvert --model_file resnet50.onnx
  msconvert --model_file resnet50.onnx --shape 1,3,224,224 --output converted
  msconvert --model_file bert.onnx --shape 1,128 1,128 --input_nodes ids mask
  msconvert --model_file resnet50.onnx --target mindspore --format safetensors
  msconvert demo

\b
Of resnet50.onnx, the folder of --output gets:
  resnet50.py                    the network; load() gives it with its weights
  resnet50.ckpt                  the weights, for load_checkpoint
  weight_map_of_resnet50.json    where each weight comes from
and the folder of --report (by default, the same):
  report_of_resnet50.txt, .json  what became of each node, and how close it is

Exit status: 0 converted and equal, 1 something is left, differs or failed, 2 wrong usage.
"""


class Conversion(click.Group):
    """A group that converts a model when no subcommand is named.

    Those in modules of their own are imported when they are asked for.
    """

    @property
    def names(self) -> list[str]:
        return [*(name for name in self.commands if name not in ELSEWHERE), *ELSEWHERE]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE and cmd_name not in self.commands:
            module = import_module(f".{cmd_name}", __package__)
            self.add_command(getattr(module, cmd_name))
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(spread(args)) or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.names:
            known = f"; the commands are {', '.join(self.names)}"
            hint = f"try --model_file {args[0]}" if args[0].endswith(".onnx") else ""
            raise click.UsageError(f"there is no command {args[0]!r}: {hint or known[2:]}", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {param.name: param.get_help_record(ctx) for param in self.get_params(ctx)}
        for heading, names in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl([r for r in map(records.get, names) if r is not None])
        self.format_commands(ctx, formatter)


def spread(args: Sequence[str]) -> Iterator[str]:
    """`--shape A B` as `--shape=A --shape=B`: a flag of click's takes one value at a time.

    Raises: click.BadOptionUsage for a flag without a value
    """
    flag, given = "", True
    for arg in args:
        if flag and (not arg.startswith("-") or re.match(r"-\d", arg)):
            yield f"{flag}={arg}"
            given = True
            continue
        if not given:
            break
        flag, given = (arg, False) if arg in SEVERAL else ("", True)
        if not flag:
            yield arg
    if not given:
        raise click.BadOptionUsage(flag, "it needs a value")


def shapes_of(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> list[tuple[int, ...]] | None:
    """`1,3,224,224` as (1, 3, 224, 224); one value may hold several, with spaces between them."""
    found = [shape_of(text, param) for value in values for text in value.split() or [""]]
    return found or None


def shape_of(text: str, param: click.Parameter) -> tuple[int, ...]:
    sizes = text.split(",")
    if not all(re.fullmatch(r"-?[0-9]{1,18}", size) for size in sizes):
        wanted = "whole numbers with commas between them, such as 1,3,224,224"
        raise click.BadParameter(f"{text!r} is no shape: {wanted}", param=param)
    return tuple(int(size) for size in sizes)


def names_of(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> list[str] | None:
    r"""`a,b` as two names; a comma within a name is written `\,`."""
    found = [part.replace(r"\,", ",") for v in values for part in re.split(r"(?<!\\),", v)]
    if not all(found):
        raise click.BadParameter("a name is empty", param=param)
    return found or None


def inverted(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    """What a flag that begins with `--no` means for the thing itself."""
    return not value


@click.group(
    cls=Conversion,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"max_content_width": 100},
)
@click.option(
    "--model_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The ONNX file; or TensorFlow's, if tf2onnx is there.",
)
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    callback=shapes_of,
    metavar="N,C,H,W ...",
    help="The shape of each input, in the order of --input_nodes; -1 leaves a size dynamic. "
    "Not needed if the file says the shapes.",
)
@click.option(
    "--input_nodes",
    multiple=True,
    callback=names_of,
    metavar="NAME ...",
    help="Where the conversion starts: names of inputs, of nodes or of values between them.",
)
@click.option(
    "--output_nodes",
    multiple=True,
    callback=names_of,
    metavar="NAME ...",
    help="Where it ends. Left out, the whole graph is converted.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("output"),
    metavar="DIR",
    help="The folder of script, weights and weight map; made if missing. Default: ./output",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the report. Default: as --output",
)
@click.option(
    "--target",
    type=click.Choice(["bundled", "mindspore"]),
    default="bundled",
    help="What the script imports: msconvert's own runtime (the default) or MindSpore.",
)
@click.option(
    "--format",
    "weights_format",
    type=click.Choice(["ckpt", "safetensors"]),
    default="ckpt",
    help="How weights are written. Default: ckpt",
)
@click.option("--force", is_flag=True, help="Overwrite what an earlier run has written.")
@click.option(
    "--no-verify",
    "verify",
    is_flag=True,
    callback=inverted,
    help="Do not run the script and compare it with ONNX Runtime on the model.",
)
@click.option(
    "--inputs",
    type=click.Path(path_type=Path),
    metavar="FILE.npz",
    help="Compare with these inputs, arrays by their names, instead of random ones.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page: modules that fold out, each node's fate, the script beside it.",
)
@click.option(
    "--memory",
    callback=size_of,
    metavar="SIZE",
    help="So much memory may be taken (8GB), by each process that converts or compares. "
    "Default: 1.6 GB and eight times the weights.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.IntRange(min=1, max=10**6),
    metavar="SECONDS",
    help="So much CPU time may be taken. Default: 20 s, and 1 s more for each MB of weights and "
    "each 1,000 nodes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else.")
@click.version_option(__version__, prog_name="msconvert", help="Print the version.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **flags: Any) -> int:
    """Converts an ONNX model to a readable MindSpore script and a checkpoint, and compares them
    with the original.
    """
    if ctx.invoked_subcommand is not None:
        refuse_flags_before(ctx)
        return DONE
    if flags["model_file"] is None:
        raise click.UsageError("--model_file is missing: it names the model to convert", ctx)
    with signals_held():
        from ..converter.convert import Options

    if flags["inputs"] is not None and not flags["verify"]:
        raise click.UsageError("--inputs is of no use with --no-verify", ctx)
    options = Options(**flags)
    report = convert_with_progress(options)
    tell(report, as_json)
    return DONE if report.ok else LEFT


def refuse_flags_before(ctx: click.Context) -> None:
    """Raises: click.UsageError for `msconvert --force demo`: the flag would do nothing"""
    typed = click.core.ParameterSource.COMMANDLINE
    for param in ctx.command.params:
        if param.name and ctx.get_parameter_source(param.name) == typed:
            flag, name = param.opts[0], ctx.invoked_subcommand
            raise click.UsageError(f"{flag} is of no use here: write it after {name}", ctx)


@command.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    metavar="DIR",
    help="The folder to make. Default: ./demo",
)
@click.option("--force", is_flag=True, help="Write into it even if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else.")
def demo(output: Path, force: bool, as_json: bool) -> int:
    """Convert a small network that comes with msconvert."""
    from importlib.resources import as_file, files

    with signals_held():
        from ..converter.convert import Options

    if os.path.lexists(output) and not force:
        raise MsconvertError(
            "MS107", str(output), "it exists already", advice="--force, or another --output"
        )
    with as_file(files("msconvert") / "examples" / "demo.onnx") as model:
        report = convert_with_progress(Options(model, output=output, force=force))
    tell(report, as_json)
    if not as_json:
        script = printable(str(output / "demo.py"))
        say(f"\nNext: run the network, then open the script:\n  {python()} {script}")
    return DONE if report.ok else LEFT


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON, and nothing else.")
def api(names: tuple[str, ...], as_json: bool) -> int:
    """Show what PyTorch APIs become: the rows of the table.

    \b
    NAME is a full name, a short one, its last part, or a name of MindSpore's:
      msconvert api nn.Linear
      msconvert api AdaptiveAvgPool2d F.interpolate
      msconvert api mindspore.ops.gather_elements

    Exit status: 0 all found, 1 a name is not in the table.
    """
    from ..api_mapping.reference.card import Card, cards

    found: list[Card] = []
    status = DONE
    for name in names:
        try:
            found += cards(name)
        except MsconvertError as error:
            status = refused(error)
    if as_json:
        import json

        say(json.dumps([card.to_json() for card in found], indent=2))
    elif found:
        from ..api_mapping.reference.card_text import write_cards

        write_cards(found)
    return status


def python() -> str:
    """The Python that msconvert is installed for, as the user may type it here."""
    from shutil import which

    if which("python") == sys.executable:
        return "python"
    here = os.path.relpath(Path(sys.executable).with_name("python"))
    known = not here.startswith("..") and os.path.exists(here)
    return printable(here if known else sys.executable)


def convert_with_progress(options: Options) -> ConversionReport:
    from ..live.conversion import convert
    from ..reporting.progress import Progress

    with Progress() as progress:
        return convert(options, progress)


def tell(report: ConversionReport, as_json: bool) -> None:
    """The findings to stderr, the result to stdout."""
    findings = report.findings
    for finding in findings[:MOST_FINDINGS]:
        say(finding.text, err=True)
    if len(findings) > MOST_FINDINGS:
        more = len(findings) - MOST_FINDINGS
        say(f"{report.source}: and {more} more findings, see the report", err=True)
    try:
        say(report.to_json() if as_json else report.to_summary(), nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = "the result cannot be printed; what was converted is written"
        raise MsconvertError("MS107", "standard output", problem, got=str(error)) from error


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command; its exit status: 0 done, 1 something left or failed, 2 wrong usage.

    The one place where every error ends: what the user can act on is told without a traceback,
    anything else is a defect and told as such.
    """
    before = signal.signal(signal.SIGTERM, terminated)
    open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return ended(args)
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)  # of who called, if it goes on
        let_go(sys.stdout)
        if args is None:
            gc.freeze()  # the process ends: no cycles need to be looked for among all that is left


def ended(args: Sequence[str] | None) -> int:
    """Runs the command, and tells what ended it; its exit status."""
    try:
        status = command.main(args, prog_name="msconvert", standalone_mode=False)
        sys.stdout.flush()
        return int(status or DONE)
    except (click.Abort, KeyboardInterrupt):
        return interrupted()
    except BrokenPipeError:  # the reader has gone, as with `| head`; what was asked for is done
        return LEFT
    except click.ClickException as error:
        return refused(usage_error(error))
    except Exception as error:  # noqa: BLE001  # the one place: whatever is left is a defect
        signalled = interruption(error)
        if signalled is not None:
            return TERMINATED if isinstance(signalled, SystemExit) else interrupted()
        from ..surroundings import unmet

        return refused(unmet(error) or told(error))


def interrupted() -> int:
    say("interrupted: nothing is left half written", err=True)
    return INTERRUPTED


def open_streams() -> None:
    """Gives stdout and stderr that were closed at the start (`>&-`) a place to write to."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_WRONLY)  # the one that was closed, as it is free
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w"))


@contextmanager
def signals_held() -> Iterator[None]:
    """While extensions are imported signals wait: C++ code that is cut off there aborts."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def terminated(number: int, frame: object) -> NoReturn:
    """SIGTERM ends the command as Ctrl-C does: what is half written is removed."""
    sys.exit(128 + number)


def refused(error: MsconvertError) -> int:
    if os.environ.get("MSCONVERT_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    say(error.text(), err=True)
    return WRONG_USAGE if isinstance(error, UsageError) else LEFT


def usage_error(error: click.ClickException) -> UsageError:
    """What click refuses, in the shape of all errors."""
    where = getattr(error, "option_name", None) or "the command line"
    if isinstance(error, click.BadParameter) and error.param is not None:
        is_flag = isinstance(error.param, click.Option)
        where = error.param.opts[0] if is_flag else "the command line"
    is_bad = isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter)
    message = error.message if is_bad else error.format_message()
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "msconvert"
    return UsageError("MS105", where, message.rstrip("."), advice=f"{path} --help")
