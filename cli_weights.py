"""The command `msconvert weights`: its options, what it says, its exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import MsconvertError, printable

if TYPE_CHECKING:
    from .formats.conversion import Conversion, Written
    from .formats.naming import Naming
    from .formats.renaming import Plan, Question, Step
    from .formats.stored import Checkpoint

DONE, LEFT = 0, 1
MOST_QUESTIONS = 10
EXAMPLES_SHOWN = 3

EPILOG = """\b
Examples:
  msconvert weights resnet50.pth --map weight_map_of_resnet.json -o resnet50.ckpt
  msconvert weights resnet50.ckpt --map weight_map_of_resnet.json -o back.pth
  msconvert weights model.pth --map models/net.py --root Net -o model.ckpt
  msconvert weights model.safetensors --layer '*norm*=LayerNorm' -o model.ckpt
  msconvert weights checkpoint.pth.tar --key model_ema --root Net --map MAP -o model.ckpt

\b
The endings say what a file is: .ckpt and .safetensors (MindSpore's, or PyTorch's if it says so),
.pth, .pt, .bin (PyTorch's, read without PyTorch: tensors only). Names are changed from the side of
the source to that of the output.
Without --map each layer is known by the names and shapes of its parameters; where these fit
several layers, nothing is written, and what could be meant is told.

\b
Exit status: 0 written, and every tensor compared with its source; 1 something has no new name, or
cannot be read or written; 2 wrong usage.
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
    "--fold", is_flag=True,
    help="Write the weights that weight_norm and spectral_norm compute, not their parts.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Compare the CRC-32 that a .pth has of each tensor.")
@click.option("--keep-tied", is_flag=True, help="Write tied weights under all their names.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def weights(source: Path, output: Path, **flags: Any) -> int:
    """Convert a weight file: PyTorch's names and formats to MindSpore's, and back.

    SRC is a .pth, .pt, .bin, .safetensors or .ckpt.
    """
    from .formats.conversion import open_weights
    from .formats.pth import TorchCheckpoint
    from .progress import Progress

    refuse_endings(source, output)
    checkpoint = open_weights(source, flags["key"])
    if flags["check"] and isinstance(checkpoint, TorchCheckpoint):
        checkpoint.file.check()
    if flags["fold"]:
        checkpoint = folded_or_refused(checkpoint)
    conversion = conversion_of(checkpoint, output, flags)
    questions = conversion.plan.questions
    if questions:
        ask(checkpoint.path, questions)
        if flags["as_json"]:
            tell_json(conversion, output, None)
        return LEFT
    with Progress() as progress:
        written = conversion.write(output, flags["force"], progress)
    if flags["as_json"]:
        tell_json(conversion, output, written)
    else:
        for line in summary(conversion, output, written):
            click.echo(line)
    return DONE


def refuse_endings(source: Path, output: Path) -> None:
    """Raises: click.UsageError for a file that is no weight file by its name"""
    from .formats import FORMATS, PTH
    from .formats.conversion import format_of

    if format_of(output) not in (*FORMATS, *PTH):
        raise click.UsageError(
            f"--output {output}: a weight file ends in .ckpt, .safetensors, .pth"
        )
    if source.exists() and output.exists() and source.samefile(output):
        raise click.UsageError("the output is the source itself: give another name")


def conversion_of(source: Checkpoint, output: Path, flags: dict[str, Any]) -> Conversion:
    """What is to be done: names by the map, by structure, by what the user says."""
    from .formats import PTH
    from .formats.conversion import Conversion, format_of
    from .formats.renaming import plan_by_names, plan_of, unchanged
    from .formats.weight_map import NameMap

    to = names_of_output(source, format_of(output), flags["names"])
    back, same = to == "pytorch", to == names_of_source(source)
    known = None if flags["map_file"] is None else map_in(flags["map_file"])
    tied = {} if flags["keep_tied"] else dict(getattr(source, "tied", {}))
    shapes = {name: v.shape for name, v in source.tensors().items() if name not in tied}
    if isinstance(known, NameMap):
        plan = plan_by_names(shapes, known, back)
    elif same and known is not None:
        problem = f"--map is of no use: the names of {printable(source.path)} are {to}'s already"
        raise click.UsageError(f"{problem}; --names says otherwise")
    elif same:
        plan = unchanged(shapes, wishes_of(flags))
    else:
        plan = plan_of(shapes, known, wishes_of(flags), back)
    kept = shared(plan, tied) if format_of(output) in PTH else {}
    return Conversion(source, plan, kept, for_pytorch=back)


def folded_or_refused(source: Checkpoint) -> Checkpoint:
    """The file with computed weights. Raises: click.UsageError if it has none"""
    from .formats.reparametrized import folded

    found = folded(source)
    if not found.computed:
        problem = "no weight in it is under weight_norm or spectral_norm"
        raise click.UsageError(f"--fold is of no use for {printable(source.path)}: {problem}")
    return found


def map_in(file: Path) -> Any:
    """The map in a .json, or of the classes in a .py, which is not run. Raises: MS310"""
    if file.suffix != ".py":
        from .formats.weight_map import read_weight_map

        return read_weight_map(file)
    from .api_mapping.migrate.state_map import map_of_source

    found = map_of_source(file)
    if found is None:
        problem = "no class in it derives from nn.Module"
        raise MsconvertError("MS310", str(file), problem, advice="name PyTorch's source")
    return found


def shared(plan: Plan, tied: Mapping[str, str]) -> dict[str, str]:
    """Tied names over the new names that they share a tensor with, for a .pth."""
    new = {step.old: step.new for step in plan.steps}
    return {name: new[other] for name, other in tied.items() if new.get(other)}


def names_of_source(source: Checkpoint) -> str:
    """Whose names a weight file has: a .safetensors says it."""
    from .formats.conversion import format_of
    from .formats.pth import TorchCheckpoint

    if isinstance(source, TorchCheckpoint):
        return "pytorch"
    if format_of(source.path) == "ckpt" or source.metadata.get("format") == "ms":
        return "mindspore"
    return "pytorch"


def names_of_output(source: Checkpoint, format: str, wanted: str | None) -> str:
    """Whose names the output gets."""
    from .formats import PTH

    before = names_of_source(source)
    if wanted is not None:
        return before if wanted == "same" else wanted
    if format == "ckpt":
        return "mindspore"
    if format in PTH:
        return "pytorch"
    return "mindspore" if before == "pytorch" else "pytorch"


def wishes_of(flags: dict[str, Any]) -> Any:
    from .formats.renaming import Wishes

    layers = [(pattern, naming_of(layer)) for pattern, layer in flags["layers"]]
    return Wishes(dict(flags["renames"]), layers, flags["drop"], flags["root"])


def naming_of(layer: str) -> Naming:
    """How a layer of torch.nn names its parameters. Raises: click.UsageError for an unknown one"""
    from .api_mapping.migrate.state_map import naming_of_layer

    found = naming_of_layer(layer)
    if found is None:
        raise click.UsageError(f"--layer: torch.nn has no layer {layer!r}")
    return found


# what is said


def ask(where: str, questions: Iterable[Question]) -> None:
    """Tells what has no new name, and the ways out, on stderr."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for question in questions:
        groups.setdefault((question.layers, question.reason), []).append(question.name)
    for (layers, reason), found in groups.items():
        click.echo(question_of(where, layers, reason, found).text(), err=True)


def question_of(where: str, layers: tuple[str, ...], reason: str, found: list[str]) -> Any:
    """The MS310 error about parameters that have no new name, for one reason."""
    several = f" and {len(found) - 1} more" if len(found) > 1 else ""
    shown = ", ".join(found[:MOST_QUESTIONS])
    if reason:
        problem = f"'{found[0]}'{several} has no new name: {reason}"
        return MsconvertError("MS310", where, problem, got=shown)
    path = found[0].rpartition(".")[0]
    return MsconvertError(
        "MS310",
        where,
        f"'{found[0]}'{several} could be of {' or '.join(layers)}, which are renamed differently",
        got=shown,
        advice=f"--map FILE, or --layer '{path}={layers[-1]}', or --rename OLD=NEW; "
        "nothing is written before",
    )


def summary(conversion: Conversion, output: Path, written: Written) -> Iterator[str]:
    """What was done, a line for each kind of change."""
    source, plan = conversion.source, conversion.plan
    kinds = Counter(v.type_name for v in source.tensors().values())
    types = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    where = f" (its {getattr(source, 'key', '')!r})" if getattr(source, "key", "") else ""
    yield f"{printable(source.path)}{where}: {types}"
    yield (
        f"{printable(str(output))}: {written.tensors} tensors, {written.bytes / 1e6:.1f} MB, "
        "each compared with its source after writing"
    )
    for how, title in TITLES.items():
        changed = [step for step in plan.of(how) if step.new not in ("", step.old)]
        yield from line(title, [f"{step.old} -> {step.new}" for step in changed])
    taken = Counter(step.layer for step in plan.of("structure"))
    yield from line("taken for", [f"{layer} ({count})" for layer, count in taken.items()])
    yield from line("reshaped", [shape_change(source, step) for step in reshaped(conversion)])
    yield from line("left out", [step.old for step in plan.left_out])
    yield from line("added", [f"{added.name} = {added.value:g}" for added in plan.added])
    sources = [f"{name} of {', '.join(parts)}" for name, parts in source.computed.items()]
    yield from line("computed", sources)
    tied = dict(getattr(source, "tied", {})) if not conversion.tied else {}
    written_twice = {step.old for step in plan.steps}
    once = [f"{a} is {b}, written once" for a, b in tied.items() if a not in written_twice]
    yield from line("tied", once)
    if getattr(source, "prefix", ""):
        yield f"  prefix    {source.prefix!r} left out"  # type: ignore[attr-defined]
    yield from line("not taken", list(getattr(source, "others", [])))
    texts = [name for name in source if name not in source.tensors()]
    yield from line("texts", [f"{name} is left out" for name in texts])


TITLES = {"map": "renamed", "structure": "renamed", "given": "as told"}


def reshaped(conversion: Conversion) -> list[Step]:
    shapes = {name: v.shape for name, v in conversion.source.tensors().items()}
    return [s for s in conversion.kept() if s.turned or s.shape != shapes[s.old]]


def shape_change(source: Checkpoint, step: Step) -> str:
    return f"{step.old} {list(source.tensors()[step.old].shape)} -> {list(step.shape)}"


def line(title: str, found: list[str]) -> Iterator[str]:
    """A line of the summary: how many, and the first of them; none if there are none."""
    if found:
        shown = "; ".join(printable(text) for text in found[:EXAMPLES_SHOWN])
        more = "; ..." if len(found) > EXAMPLES_SHOWN else ""
        yield f"  {title:<9} {len(found)}: {shown}{more}"


def tell_json(conversion: Conversion, output: Path, written: Written | None) -> None:
    """Prints everything that was decided and done."""
    import json

    source, plan = conversion.source, conversion.plan
    tensors = source.tensors()
    facts = {
        "ok": written is not None,
        "source": source.path,
        "key": getattr(source, "key", ""),
        "prefix": getattr(source, "prefix", ""),
        "output": str(output) if written is not None else None,
        "bytes": written.bytes if written is not None else 0,
        "root": plan.root,
        "tensors": [
            {
                "from": step.old,
                "name": step.new or None,
                "shape": list(step.shape),
                "type": tensors[step.old].type_name,
                "by": step.how,
                "layer": step.layer,
            }
            for step in plan.steps
        ],
        "added": [{"name": a.name, "value": a.value} for a in plan.added],
        "computed": {name: list(parts) for name, parts in source.computed.items()},
        "tied": dict(getattr(source, "tied", {})),
        "questions": [
            {"name": q.name, "layers": list(q.layers), "reason": q.reason} for q in plan.questions
        ],
        "not_taken": list(getattr(source, "others", [])),
    }
    click.echo(json.dumps(facts, indent=2))
