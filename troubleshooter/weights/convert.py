"""Converts a weight file: names, types, an optimizer's state, writing, and what a network takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MsconvertError, UsageError
from ...formats import FORMATS, PTH
from ...formats.names.renaming import Plan, Question, plan_by_names, plan_of, unchanged
from ...formats.pytorch.pth import TorchCheckpoint
from ...formats.stored import Checkpoint, StoredTensor
from ...formats.transfer.casting import is_floating, wanted_type
from ...formats.transfer.conversion import Conversion, Part, Written, format_of, open_weights
from .names import OF_MODULES, side_of, side_of_output
from .settings import WeightSettings

if TYPE_CHECKING:
    from .fit import Fit

Tell = Callable[[str], None]

EXPORTED = (
    "an exporter to ONNX has made this name: --map takes the weight map that is written when the "
    "model is converted"
)


@dataclass(frozen=True)
class Outcome:
    """What was done; nothing is `written` while the plan has questions.

    `steps`: how many the optimizer has made, None if it does not say. `absent`: what of a whole
    checkpoint has no place in the output.
    """

    conversion: Conversion
    output: str
    written: Written | None = None
    fit: Fit | None = None
    steps: int | None = None
    absent: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether all was written, and the network, if one was named, takes just that."""
        return self.written is not None and (self.fit is None or self.fit.is_whole)


def quiet(step: str) -> None:
    """Shows no progress."""


def convert_weights(
    source: Path | str,
    output: Path | str,
    settings: WeightSettings | None = None,
    tell: Tell = quiet,
) -> Outcome:
    """Writes the tensors of `source` to `output`, whose ending says the format.

    Every tensor is compared with its source after writing; nothing is written if anything fails, or
    if a name cannot be told: then `conversion.plan.questions` says which.
    Raises: MS302, MS305, MS309 to MS313, MS107; MS401, MS402 of the network
    """
    wanted = settings or WeightSettings()
    refuse_paths(Path(source), Path(output))
    checkpoint = opened(source, wanted)
    conversion = planned(checkpoint, output, wanted)
    if conversion.plan.questions:
        return Outcome(conversion, str(output))
    steps: int | None = None
    absent: tuple[str, ...] = ()
    if wanted.optimizer is None:
        conversion, absent = with_surroundings(conversion, output, wanted)
    else:
        if is_for_pytorch(conversion, output):
            raise useless("--optimizer", checkpoint, "the output is for PyTorch")
        conversion, steps = with_optimizer(conversion, wanted)
    with network_side(wanted, conversion, output) as network:
        written = conversion.write(output, wanted.force, tell)
        if network is None:
            return Outcome(conversion, str(output), written, None, steps, absent)
        from .fit import fit_of

        tell("loading into the network")
        fit = fit_of(network, written.files, [part.name for part in conversion.more])
        return Outcome(conversion, str(output), written, fit, steps, absent)


def network_side(wanted: WeightSettings, conversion: Conversion, output: Path | str) -> Any:
    """The process of the network, if one is named, as something to leave again."""
    if wanted.network is None:
        return nullcontext()
    from .network import NetworkSide  # takes long to import

    return NetworkSide(wanted.network, in_pytorch=is_for_pytorch(conversion, output))


def is_for_pytorch(conversion: Conversion, output: Path | str) -> bool:
    """Whether PyTorch is to load the output: with its names, a .ckpt is for MindSpore's `mint`."""
    return conversion.for_pytorch and format_of(output) != "ckpt"


def refuse_paths(source: Path, output: Path) -> None:
    """Raises: UsageError for an output that is no weight file by its name, or the source itself"""
    if format_of(output) not in (*FORMATS, *PTH):
        problem = "a weight file ends in .ckpt, .safetensors, .pth"
        raise UsageError("MS105", f"--output {output}", problem)
    if source.exists() and output.exists() and source.samefile(output):
        problem = "the output is the source itself"
        raise UsageError("MS105", f"--output {output}", problem, advice="another name")


def opened(source: Path | str, wanted: WeightSettings) -> Checkpoint:
    """The file as it is to be read. Raises: MS302, MS309; UsageError for a flag of no use"""
    checkpoint = open_weights(source, wanted.key)
    if not isinstance(checkpoint, TorchCheckpoint):
        for flag, value in (("--key", wanted.key), ("--optimizer", wanted.optimizer)):
            if value is not None:
                raise useless(flag, checkpoint, "only a .pth has more than tensors")
    elif wanted.check:
        checkpoint.file.check()
    if not wanted.fold:
        return checkpoint
    from ...formats.names.reparametrized import folded

    found = folded(checkpoint)
    if not found.computed:
        raise useless("--fold", checkpoint, "no weight in it is under weight_norm or spectral_norm")
    return found


def useless(flag: str, source: Checkpoint, problem: str) -> UsageError:
    """The error about a flag that would do nothing."""
    return UsageError("MS105", f"{flag} is of no use for {source.path}", problem)


# names and types


def planned(source: Checkpoint, output: Path | str, wanted: WeightSettings) -> Conversion:
    """What is to be done: names by the map, by structure, by what the user says. Raises: MS310"""
    before, kind = side_of(source), format_of(output)
    to = side_of_output(before, kind, wanted.names)
    tied = {} if wanted.keep_tied else tied_of(source)
    tensors = {name: v for name, v in source.tensors().items() if name not in tied}
    plan = plan_for({name: v.shape for name, v in tensors.items()}, source, to, wanted)
    plan = without_made_names(plan, source) if format_of(source.path) == "onnx" else plan
    types = types_of(plan, tensors, wanted.types)
    kept = shared(plan, tied) if kind in PTH else {}
    return Conversion(source, plan, kept, to == "pytorch", types, shard_bytes=wanted.shard_bytes)


def plan_for(
    shapes: Mapping[str, tuple[int, ...]], source: Checkpoint, to: str, wanted: WeightSettings
) -> Plan:
    """The new names. Raises: MS310"""
    known = wanted.known
    if known is not None:
        from ...formats.names.weight_map import NameMap

        if isinstance(known, NameMap):
            return plan_by_names(shapes, known, to == "pytorch")
    if to != side_of(source):
        return plan_of(shapes, known, wanted.wishes, to == "pytorch")
    if known is not None:
        problem = f"the names in it are {to}'s already; --names says otherwise"
        raise useless("--map", source, problem)
    return unchanged(shapes, wanted.wishes)


def without_made_names(plan: Plan, source: Checkpoint) -> Plan:
    """The plan without the constants of an exporter; floating-point ones of these are questions."""
    made = {s.old for s in plan.steps if s.how in ("structure", "same") and not named(s.old)}
    tensors = source.tensors()
    asked = {name for name in made if is_floating(tensors[name].dtype)}
    steps = (replace(s, new="", how="constant") if s.old in made else s for s in plan.steps)
    questions = (q for q in plan.questions if named(q.name))
    more = (Question(name, reason=EXPORTED) for name in sorted(asked))
    return replace(plan, steps=tuple(steps), questions=(*questions, *more))


def named(name: str) -> bool:
    return OF_MODULES.fullmatch(name) is not None


def tied_of(source: Checkpoint) -> dict[str, str]:
    """Names in a .pth that share their elements with an earlier one."""
    return dict(source.tied) if isinstance(source, TorchCheckpoint) else {}


def shared(plan: Plan, tied: Mapping[str, str]) -> dict[str, str]:
    """Tied names over the new names that they share a tensor with, for a .pth."""
    new = {step.old: step.new for step in plan.steps}
    return {name: new[other] for name, other in tied.items() if new.get(other)}


def types_of(
    plan: Plan, tensors: Mapping[str, StoredTensor], rules: Sequence[tuple[str, str]]
) -> dict[str, np.dtype[Any]]:
    """The other types that new names get. Raises: UsageError for a rule that fits nothing"""
    floating = [step for step in plan.steps if is_floating(tensors[step.old].dtype)]
    for pattern, kind in rules:
        if not any(wanted_type([(pattern, "float32")], step.old) for step in floating):
            problem = f"no floating-point tensor is called {pattern!r}"
            raise UsageError("MS105", f"--dtype {pattern}={kind}", problem)
    found = {step.new: wanted_type(rules, step.old) for step in floating}
    added = {a.name: wanted_type(rules, a.like) for a in plan.added}
    return {name: kind for name, kind in {**found, **added}.items() if name and kind is not None}


# what is around the weights


def with_surroundings(
    conversion: Conversion, output: Path | str, wanted: WeightSettings
) -> tuple[Conversion, tuple[str, ...]]:
    """With what torch.save wrote beside the weights, if converted code can load it from there.

    Only a .ckpt in one file has place for that, and a key asks for what is under it alone. The
    keys of what has no place come with it. Raises: MS302
    """
    source = conversion.source
    alone = format_of(output) != "ckpt" or wanted.shard_bytes is not None or wanted.key is not None
    if alone or conversion.for_pytorch or not isinstance(source, TorchCheckpoint):
        return conversion, ()
    from ...formats.ckpt import STRUCTURE
    from ...formats.pytorch.surroundings import surroundings_of

    found = surroundings_of(source, conversion.plan)
    if found is None:
        return conversion, ()
    texts = {STRUCTURE: found.text}
    return replace(conversion, more=found.parts, texts=texts), found.absent


# an optimizer


def with_optimizer(conversion: Conversion, wanted: WeightSettings) -> tuple[Conversion, int | None]:
    """With the state of the optimizer in the file, and how many steps it has made. Raises: MS313"""
    from ...formats.names.optimizer_state import optimizer_state

    assert isinstance(conversion.source, TorchCheckpoint)
    assert wanted.optimizer is not None
    state = optimizer_state(
        conversion.source, conversion.plan, wanted.optimizer, wanted.optimizer_key
    )
    refuse_repeats(conversion, state.parts)
    return replace(conversion, more=state.parts), state.step


def refuse_repeats(conversion: Conversion, parts: Sequence[Part]) -> None:
    """Raises: MS313 if the optimizer's state would have the name of a parameter"""
    own = {part.name for part in conversion.parts()}
    repeated = [part.name for part in parts if part.name in own]
    if repeated:
        problem = "a parameter has the name of an optimizer's"
        raise MsconvertError("MS313", conversion.source.path, problem, got=repeated[0])
