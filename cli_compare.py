"""The command `msconvert compare`: its options, its outputs, its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .cli_outputs import STDOUT, Outputs, outputs_of

if TYPE_CHECKING:
    from .troubleshooter.compare import NetworkComparison, NetworkSettings

DONE, LEFT = 0, 1

SUFFIXES = {"--json": (".json",), "--html": (".html", ".htm")}

EPILOG = """\b
Examples:
  msconvert compare net.py converted/net.py --call "Net(10)" --shape 1,3,32,32
  msconvert compare net.onnx output/net.py --html report.html
  msconvert compare net.py net.onnx --call "Net(10)" --weights-a net.pth
  msconvert compare net.py converted/net.py --weights-a net.pth --weights-b net.ckpt ...
  msconvert compare net.py converted/net.py --target mindspore --python-b PYTHON ...

\b
A and B are each a Python file with PyTorch modules, one with cells for msconvert's runtime or for
MindSpore, or an ONNX file. FILE:CALL says what makes the network of one side, --call of both; else
it is build(), load() or the only class. B is given A's weights, unless its network comes from
load() or --weights-b. Each layer of B is called alone with what the same layer of A was given.
Files are imported and run, each in a process of its own: only compare code that you trust.

\b
--json and --html take FILE, whose name has their ending, or `-` for standard output.

\b
Exit status: 0 the same, 1 a layer or a result differs, 2 wrong usage.
"""


@click.command(
    cls=Outputs, suffixes=SUFFIXES, epilog=EPILOG, context_settings={"max_content_width": 100}
)
@click.argument("a")
@click.argument("b")
@click.option("--call", metavar="CALL", help="Compare what this expression gives, in both files.")
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="N,C,...",
    help="An input of random numbers. An element type follows a colon, for integers a bound: "
    '"2,16:int64<100".',
)
@click.option(
    "--inputs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The inputs as an .npz file: by position, or by the names of the arguments.",
)
@click.option(
    "--weights-a", type=click.Path(path_type=Path), metavar="FILE", help="Load these into A."
)
@click.option(
    "--weights-b",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Load these into B, in the place of A's.",
)
@click.option(
    "--target",
    type=click.Choice(["bundled", "mindspore"]),
    help="What runs files for MindSpore: msconvert's runtime, or MindSpore. Default: what they "
    "import.",
)
@click.option("--python-a", metavar="PYTHON", help="The Python that has A's framework.")
@click.option(
    "--python-b",
    metavar="PYTHON",
    help="The Python that has B's; of MindSpore, the default is MSCONVERT_MINDSPORE_PYTHON.",
)
@click.option(
    "--mode",
    type=click.Choice(["eval", "train", "both"]),
    default="both",
    help="In training, buffers, gradients and a training step are compared, too. Default: both",
)
@click.option(
    "--steps", type=click.IntRange(0, 1000), default=0, help="Compare the losses of so many steps."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1000), default=0, help="Default: 0")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="For each step of each side. Default: 300",
)
@click.option("--all", "every_layer", is_flag=True, help="List all layers, not only what differs.")
@click.option("--json", "json_file", metavar="[FILE]", help="Everything but arrays, as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="A page: modules, errors, histograms.")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.pass_context
def compare(
    ctx: click.Context, /, a: str, b: str, every_layer: bool, force: bool, **flags: Any
) -> int:
    """Compare two networks layer by layer, and name the first that differs.

    A is the reference. Each layer of B is given what A's layer was given, so that each has a
    verdict of its own: no rounding adds up, and no error is seen twice.
    """
    from .errors import printable
    from .formats.atomic import Transaction
    from .troubleshooter.compare import compare_networks
    from .troubleshooter.compare.as_text import to_text

    outputs = outputs_of(ctx, flags, MAKERS)
    files = [output for output in outputs if output.file != STDOUT]
    with Transaction(force=force) as transaction:  # a file that exists is told before the work
        streams = [transaction.open(output.file) for output in files]
        found = compare_networks(a, b, settings_of(flags))
        for output, stream in zip(files, streams, strict=True):
            stream.write(output.make(found).encode())
    printed = [output for output in outputs if output.file == STDOUT]
    text = printed[0].make(found) if printed else to_text(found, every_layer=every_layer)
    click.echo(text, nl=False)
    for output in () if printed else files:
        click.echo(f"Written: {printable(output.file)}")
    sys.stdout.flush()
    return DONE if found.ok else LEFT


def json_text(found: NetworkComparison) -> str:
    return found.to_json()


def html_text(found: NetworkComparison) -> str:
    from .troubleshooter.compare.as_html import to_html

    return to_html(found)


MAKERS: dict[str, Callable[[NetworkComparison], str]] = {"json": json_text, "html": html_text}


def settings_of(flags: dict[str, Any]) -> NetworkSettings:
    from .troubleshooter.compare import NetworkSettings
    from .troubleshooter.sides.inputs import shape_of

    given = {name: value for name, value in flags.items() if not name.endswith("_file")}
    return NetworkSettings(**{**given, "shapes": tuple(map(shape_of, flags["shapes"]))})
