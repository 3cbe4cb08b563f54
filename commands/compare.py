"""The command `msconvert compare`: its options, its outputs, its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .diff import names_in
from .next_step import after_compare
from .outputs import STDOUT, Outputs, outputs_of, say
from .tolerances import OF_TENSOR, tolerance_flags
from .training import compared as trained
from .training import is_training, training_flags, training_options

if TYPE_CHECKING:
    from ..troubleshooter.compare import NetworkComparison, NetworkSettings
    from ..troubleshooter.training import TrainingComparison

DONE, LEFT = 0, 1

SUFFIXES = {"--json": (".json",), "--html": (".html", ".htm")}

EPILOG = """\b
Examples:
  msconvert compare net.py converted/net.py --call "Net(10)" --shape 1,3,32,32
  msconvert compare net.onnx output/net.py --html report.html
  msconvert compare net.py net.onnx --call "Net(10)" --weights-a net.pth
  msconvert compare net.py converted/net.py --weights-a net.pth --weights-b net.ckpt ...
  msconvert compare net.py converted/net.py --target mindspore --python-b PYTHON ...
  msconvert compare net.py --weights-a net.pth --shape 1,3,32,32 --trace net.safetensors

\b
A and B are each a Python file with PyTorch modules, one with cells for msconvert's runtime or for
MindSpore, or an ONNX file. FILE:CALL says what makes the network of one side, --call of both; else
it is build(), load() or the only class. B is given A's weights, unless its network comes from
load() or --weights-b. Each layer of B is called alone with what the same layer of A was given.
Where B has other names, weights are matched by structure; --map and --rename say what is known.
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
@click.argument("b", required=False)
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
    help="An .npz of the inputs, by position or by the names of the arguments; a .npy for one.",
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
    "--map",
    "map_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of weights, where B has others: a weight_map_of_NAME.json, the PyTorch source, or "
    "JSON with names, or parts of names, of A and B.",
)
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="'OLD->NEW'",
    help="This part of A's names is that in B; * stands for one part: "
    "'layers.*.attn->blocks.*.mha'.",
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
    "--steps", type=click.IntRange(0, 1000), default=0,
    help="Compare the losses of so many steps. With --train: so many batches, by default 12.",
)  # fmt: skip
@training_options
@tolerance_flags(*OF_TENSOR)
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
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record A alone: every layer's tensors as .safetensors, for `msconvert diff`.",
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    a: str,
    b: str | None,
    trace: Path | None,
    every_layer: bool,
    force: bool,
    **flags: Any,
) -> int:
    """Compare two networks layer by layer, and name the first that differs.

    A is the reference. Each layer of B is given what A's layer was given, so that each has a
    verdict of its own: no rounding adds up, and no error is seen twice.
    """
    from ..errors import printable
    from ..formats.storage.atomic import Transaction
    from ..troubleshooter.compare import NetworkComparison, compare_networks

    training = training_flags(flags)
    if b is None or trace is not None:
        return record(a, b, trace, settings_of(flags), force=force)
    outputs = outputs_of(ctx, flags, MAKERS)
    files = [output for output in outputs if output.file != STDOUT]
    # a file that exists is told before the work
    with Transaction(force=force, inputs=[a, b]) as transaction:
        streams = [transaction.open(output.file) for output in files]
        found: NetworkComparison | TrainingComparison
        if is_training(training):
            found = trained(a, b, training, settings_of(dict(flags)))
        else:
            found = compare_networks(a, b, settings_of(dict(flags)))
        for output, stream in zip(files, streams, strict=True):
            stream.write(output.text(found).encode())
    printed = [output for output in outputs if output.file == STDOUT]
    text = printed[0].text(found) if printed else shown(found, every_layer)
    say(text, nl=False)
    following = after_compare(found, flags) if isinstance(found, NetworkComparison) else ""
    if following and not printed:
        say(following)
    for output in () if printed else files:
        say(f"Written: {printable(output.file)}")
    sys.stdout.flush()
    return DONE if found.ok else LEFT


def shown(found: NetworkComparison | TrainingComparison, every_layer: bool) -> str:
    """What the terminal shows."""
    from ..troubleshooter.compare import NetworkComparison
    from ..troubleshooter.compare.as_text import to_text

    if isinstance(found, NetworkComparison):
        return to_text(found, every_layer=every_layer)
    return f"{found}\n"


def record(
    a: str, b: str | None, trace: Path | None, settings: NetworkSettings, *, force: bool
) -> int:
    """Writes the trace of one network."""
    from ..errors import UsageError, printable
    from ..formats.storage.atomic import Transaction
    from ..troubleshooter.compare import record_network

    if b is not None or trace is None:
        problem = (
            "Missing argument 'B'" if trace is None else "a trace is of one network, not of two"
        )
        raise UsageError("MS105", "compare", problem, advice="A B, or A --trace a.safetensors")
    if trace.suffix != ".safetensors":
        problem = "a trace is a .safetensors file"
        raise UsageError("MS105", "--trace", problem, got=str(trace))
    with Transaction(force=force, inputs=[a]) as transaction:
        found = record_network(a, settings, transaction.open(trace))
    size = (
        f"{found.distinct:,} distinct tensors of {found.tensors:,}, {found.bytes / 2**20:,.1f} MiB"
    )
    say(f"Recorded: {found.calls:,} calls of layers, {size}")
    say(f"Written: {printable(str(trace))}")
    return DONE


def json_text(found: NetworkComparison | TrainingComparison) -> str:
    return found.to_json()


def html_text(found: NetworkComparison | TrainingComparison) -> str:
    from ..troubleshooter.compare import NetworkComparison
    from ..troubleshooter.compare.as_html import to_html
    from ..troubleshooter.training.as_html import to_html as page_of

    return to_html(found) if isinstance(found, NetworkComparison) else page_of(found)


MAKERS: dict[str, Callable[[NetworkComparison | TrainingComparison], str]] = {
    "json": json_text,
    "html": html_text,
}


def settings_of(flags: dict[str, Any]) -> NetworkSettings:
    from ..numerics.rounding import Allowance
    from ..troubleshooter.compare import NetworkSettings
    from ..troubleshooter.compare.ports.given import rename_of
    from ..troubleshooter.sides.inputs import shape_of

    numbers = {name: flags.pop(name) for name in ("rtol", "atol")}
    allowed = {name: value for name, value in numbers.items() if value is not None}
    given = {name: value for name, value in flags.items() if not name.endswith("_file")}
    own = {
        "shapes": tuple(map(shape_of, flags["shapes"])),
        "renames": tuple(map(rename_of, flags.get("renames", ()))),
        "naming": None if flags.get("map_file") is None else names_in(flags["map_file"]),
        "allowance": Allowance(**allowed),
    }
    return NetworkSettings(**{**given, **own})
