"""The command `msconvert verify`: its options, its outputs, its exit status."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import harmless, printable
from .next_step import after_verify
from .outputs import say
from .tolerances import OF_TENSOR, tolerance_flags

if TYPE_CHECKING:
    from ..troubleshooter.verify import Settings, Verification

DONE, LEFT = 0, 1

EPILOG = """\b
Examples:
  msconvert verify net.py converted/net.py --shape 1,3,32,32
  msconvert verify net.py converted/net.py --class Block --call "ResNet(layers=[1, 1])" ...
  msconvert verify bert.py converted/bert.py --shape "2,16:int64<100" --shape 2,16:bool
  msconvert verify project converted --target mindspore --python-mindspore PYTHON

\b
Both files are imported and run, each in a process of its own: only verify code that you trust.
An original with a function build() says itself what to compare, one with inputs() with what;
else it is each class that needs no arguments, with the inputs of --shape or --inputs.

Exit status: 0 all equal, 1 something differs or fails, 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("converted", type=click.Path(path_type=Path))
@click.option("--class", "classes", multiple=True, metavar="NAME", help="Compare this class.")
@click.option(
    "--call",
    "calls",
    multiple=True,
    metavar="CALL",
    help="Compare what this expression gives, evaluated in both files.",
)
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
    "--target",
    type=click.Choice(["bundled", "mindspore"]),
    help="What runs the converted file: msconvert's runtime, or MindSpore. Default: what it "
    "imports.",
)
@click.option("--python-torch", metavar="PYTHON", help="The Python that has PyTorch.")
@click.option(
    "--python-mindspore",
    metavar="PYTHON",
    help="The Python that has MindSpore. Default: MSCONVERT_MINDSPORE_PYTHON, else this one.",
)
@tolerance_flags(*OF_TENSOR)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1000), default=0, help="Default: 0")
@click.option("--train/--no-train", default=True, help="Compare gradients and a training step.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="For each step of each side. Default: 300",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else.")
@click.option(
    "--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write a page, too."
)
@click.option("--force", is_flag=True, help="Overwrite the file of --markdown.")
def verify(
    original: Path,
    converted: Path,
    as_json: bool,
    markdown: Path | None,
    force: bool,
    **flags: Any,
) -> int:
    """Run a PyTorch file and the one converted from it, and compare their networks.

    ORIGINAL and CONVERTED are Python files, or folders of them. Weights are copied, inputs are
    the same, and outputs, gradients and one training step must be equal but for rounding.
    """
    from ..troubleshooter.verify import tables

    given = dict(flags)
    found = verified(original, converted, settings_of(flags))
    if markdown is not None:
        from ..formats.storage.atomic import Transaction

        with Transaction(force=force, inputs=[original, converted]) as files:
            files.write_text(markdown, harmless(tables.to_markdown(found)))
    for why in tables.explanations(found):
        say(why.text, err=True)
    say(tables.to_json(found) if as_json else tables.to_text(found), nl=False)
    following = after_verify(found, given["shapes"], given)
    if following and not as_json:
        say(following)
    if markdown is not None and not as_json:
        say(f"Written: {printable(str(markdown))}")
    sys.stdout.flush()
    return DONE if found.is_equal else LEFT


def settings_of(flags: dict[str, Any]) -> Settings:
    from ..troubleshooter.verify import Allowance, Settings, shape_of

    numbers = {name: flags.pop(name) for name in ("rtol", "atol")}
    given = {name: value for name, value in numbers.items() if value is not None}
    flags["shapes"] = tuple(shape_of(text) for text in flags["shapes"])
    return Settings(**flags, allowance=Allowance(**given))


def verified(original: Path, converted: Path, settings: Settings) -> Verification:
    from ..reporting.progress import Progress
    from ..troubleshooter.verify import Verifier

    with Progress() as progress, Verifier(progress) as verifier:
        return verifier.verify(original, converted, settings)
