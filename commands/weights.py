"""The command `msconvert weights`: its options, its outputs, its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import MsconvertError
from .outputs import collected_seldom, say, size_of

if TYPE_CHECKING:
    from ..formats.names.naming import Naming
    from ..troubleshooter.weights import NetworkCall, Outcome, WeightSettings

DONE, LEFT = 0, 1
TYPES = ("float32", "float16", "bfloat16", "same")
OPTIMIZERS = (
    *(f"nn.{name}" for name in ("Adam", "AdamWeightDecay", "Momentum", "SGD")),
    *(f"experimental.{name}" for name in ("Adam", "AdamW", "SGD")),
)
"""Those of formats.names.optimizer_state, which takes long to import."""

EPILOG = """\b
Examples:
  msconvert weights resnet50.pth --map weight_map_of_resnet.json -o resnet50.ckpt
  msconvert weights resnet50.ckpt --map weight_map_of_resnet.json -o back.pth
  msconvert weights model.pth --map models/net.py --root Net -o model.ckpt
  msconvert weights model.safetensors --layer '*norm*=LayerNorm' -o model.ckpt
  msconvert weights checkpoint.pth.tar --key model_ema --root Net --map MAP -o model.ckpt
  msconvert weights model.onnx --map weight_map_of_model.json -o model.ckpt
  msconvert weights llm.safetensors.index.json --dtype bfloat16 --shard-size 4GB -o llm.ckpt
  msconvert weights last.pth --optimizer nn.AdamWeightDecay -o last.ckpt
  msconvert weights resnet50.pth --net converted/net.py --call "ResNet(10)" -o resnet50.ckpt

\b
The endings say what a file is: .ckpt and .safetensors (MindSpore's, or PyTorch's if it says so),
.pth, .pt, .bin (PyTorch's, read without PyTorch: tensors only), .onnx, .npz, and NAME.index.json
for a checkpoint in several files. Names are changed from the side of the source to that of the
output. Without --map each layer is known by the names and shapes of its parameters; where these fit
several layers, nothing is written, and what could be meant is told.

\b
Exit status: 0 written, every tensor compared with its source, and taken by the network of --net;
1 something has no new name, or cannot be read or written, or network and file do not fit; 2 wrong
usage.
"""


def pairs(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """`OLD=NEW` as two texts."""
    found = []
    for value in values:
        old, given, new = value.partition("=")
        if not old or not given or not new:
            raise click.BadParameter(f"{value!r} is not of the form {param.metavar}", param=param)
        found.append((old, new))
    return tuple(found)


def types_of(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """`GLOB=TYPE`, or a type for all, as two texts."""
    found = []
    for value in values:
        pattern, _given, kind = value.rpartition("=")
        if kind not in TYPES:
            known = ", ".join(TYPES)
            raise click.BadParameter(f"{kind!r} is none of the types {known}", param=param)
        found.append((pattern or "*", kind))
    return tuple(found)


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("source", type=click.Path(path_type=Path), metavar="SRC")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DST",
    help="The file to write; its ending says the format.",
)  # fmt: skip
@click.option(
    "--map", "map_file", type=click.Path(path_type=Path), metavar="FILE",
    help="The weight_map_of_NAME.json of a converted model, or the PyTorch source itself.",
)  # fmt: skip
@click.option("--root", default="", metavar="CLASS", help="The class of the map that was saved.")
@click.option("--key", metavar="KEY", help="Where in a .pth the state dict is: model_ema.")
@click.option(
    "--rename", "renames", multiple=True, callback=pairs, metavar="OLD=NEW",
    help="Name one parameter.",
)  # fmt: skip
@click.option(
    "--layer", "layers", multiple=True, callback=pairs, metavar="GLOB=LAYER",
    help="Say which layer of torch.nn stands at these paths: 'blocks.*.norm=LayerNorm'.",
)  # fmt: skip
@click.option("--drop", multiple=True, metavar="GLOB", help="Leave such parameters out.")
@click.option(
    "--names", type=click.Choice(["pytorch", "mindspore", "same"]),
    help="Whose names the output has. Default: the other side's, or as its ending says",
)  # fmt: skip
@click.option(
    "--dtype", "types", multiple=True, callback=types_of, metavar="[GLOB=]TYPE",
    help="Write floating-point tensors as float32, float16 or bfloat16. Of several that fit a "
    "name the last counts; 'same' leaves it.",
)  # fmt: skip
@click.option(
    "--optimizer", type=click.Choice(OPTIMIZERS), metavar="NAME",
    help="Write the state of the optimizer in a .pth, too, as this one of MindSpore's names it: "
    f"{', '.join(OPTIMIZERS)}.",
)  # fmt: skip
@click.option("--optimizer-key", metavar="KEY", help="Where in the .pth it is, if several are.")
@click.option(
    "--fold", is_flag=True,
    help="Write the weights that weight_norm and spectral_norm compute, not their parts.",
)  # fmt: skip
@click.option(
    "--shard-size", "shard_bytes", callback=size_of, metavar="SIZE",
    help="Write several files with at most so much of tensors (4GB), and an index.",
)  # fmt: skip
@click.option(
    "--net", metavar="FILE[:CLASS]",
    help="Let this network load the output, and tell what is loaded, missing, unexpected.",
)  # fmt: skip
@click.option("--call", metavar="CALL", help="How the network is made: 'ResNet(10)'.")
@click.option(
    "--python", metavar="PYTHON",
    help="What runs it: a Python that has MindSpore, or PyTorch for PyTorch's names. Default: the "
    "bundled runtime, or this Python",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Compare the CRC-32 that a .pth has of each tensor.")
@click.option("--keep-tied", is_flag=True, help="Write tied weights under all their names.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@collected_seldom()
def weights(source: Path, output: Path, as_json: bool, **flags: Any) -> int:
    """Convert a weight file: PyTorch's names and formats to MindSpore's, and back.

    SRC is a .pth, .pt, .bin, .safetensors, .ckpt, .onnx, .npz or the index of several files.
    """
    from ..reporting.progress import Progress
    from ..troubleshooter.weights import convert_weights

    settings = settings_of(flags)
    with Progress() as progress:
        outcome = convert_weights(source, output, settings, progress)
    tell(outcome, as_json)
    return DONE if outcome.is_done else LEFT


def tell(outcome: Outcome, as_json: bool) -> None:
    """Prints what was done, or what must be answered before."""
    from ..troubleshooter.weights import as_text

    conversion = outcome.conversion
    for question in as_text.asked(conversion.source.path, conversion.plan.questions):
        say(question.text(), err=True)
    if as_json:
        from ..troubleshooter.weights.as_json import to_json

        say(to_json(outcome))
    elif outcome.written is not None:
        for line in as_text.summary(outcome):
            say(line)


def settings_of(flags: dict[str, Any]) -> WeightSettings:
    from ..formats.names.renaming import Wishes
    from ..troubleshooter.weights import WeightSettings

    layers = [(pattern, naming_of(layer)) for pattern, layer in flags.pop("layers")]
    renames, drop, root = dict(flags.pop("renames")), flags.pop("drop"), flags.pop("root")
    map_file = flags.pop("map_file")
    network = network_of(flags.pop("net"), flags.pop("call"), flags.pop("python"))
    return WeightSettings(
        known=None if map_file is None else map_in(map_file),
        wishes=Wishes(renames, layers, drop, root),
        network=network,
        **flags,
    )


def network_of(net: str | None, call: str | None, python: str | None) -> NetworkCall | None:
    """`FILE:CLASS`, or a file and a call. Raises: click.UsageError"""
    from ..troubleshooter.weights import NetworkCall

    if net is None:
        for flag, value in (("--call", call), ("--python", python)):
            if value is not None:
                raise click.UsageError(f"{flag} is of no use without --net")
        return None
    file, _, name = net.rpartition(":")
    if not file or not name.isidentifier():
        file, name = net, ""
    if bool(name) == (call is not None):
        raise click.UsageError("--net names a class, FILE:CLASS, or --call says how it is made")
    return NetworkCall(Path(file), call or f"{name}()", python)


def map_in(file: Path) -> Any:
    """The map in a .json, or of the classes in a .py, which is not run. Raises: MS310"""
    if file.suffix != ".py":
        from ..formats.names.weight_map import read_weight_map

        return read_weight_map(file)
    from ..api_mapping.source.state_map import map_of_source

    found = map_of_source(file)
    if found is None:
        problem = "no class in it derives from nn.Module"
        raise MsconvertError("MS310", str(file), problem, advice="name PyTorch's source")
    return found


def naming_of(layer: str) -> Naming:
    """How a layer of torch.nn names its parameters. Raises: click.UsageError for an unknown one"""
    from ..api_mapping.source.state_map import naming_of_layer

    found = naming_of_layer(layer)
    if found is None:
        raise click.UsageError(f"--layer: torch.nn has no layer {layer!r}")
    return found
