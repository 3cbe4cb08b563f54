"""A folder that MindSpore, or the runtime, has dumped: operators in scopes, parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ....errors import UsageError
from ....formats.folder import in_order
from ....formats.storage import opening
from ....formats.stored import Stored, StoredTensor
from ..records import Array
from .layers import Operator, layers_of, used_by
from .seen import Recorded, content_of

TENSOR = re.compile(
    r"(?P<kind>\w+)\.(?P<name>[\w-]+)\.(?P<role>input|output)\.(?P<slot>\d+)(?:\.\d+)?"
)
SEGMENT = re.compile(r"_(?P<attribute>\w*?)-(?P<kind>[A-Za-z0-9]+)(?=_)")
ORDER = "execution_order/ms_execution_order_graph_*.csv"
PARAMETER, FORWARD, BACKWARD = "Parameter", "Default", "Gradients"
WEIGHT = re.compile(
    r"(?:^|_)(?:weight|bias|gamma|beta|moving_mean|moving_variance|embedding_table)$"
)
STATE = re.compile(
    r"(?:moments?[12]?|accum\w*|stat|mg|ms|exp_avg\w*|beta[12]_power|learning_rate|momentum|global_step)"
    r"(?:_|$)"
)
"""How optimizers call what they keep."""
MOST_ORDER = 64 << 20


@dataclass
class Parts:
    """What is in the folder of one iteration."""

    operators: dict[str, dict[str, dict[int, Stored]]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Stored] = field(default_factory=dict)
    is_training: bool = False


def iterations_of(entries: Iterator[tuple[str, Stored]]) -> dict[str, Parts]:
    """The parts by the folders that they lie in; of what is no dump nothing."""
    found: dict[str, Parts] = {}
    for path, entry in entries:
        folder, _, name = path.rpartition("/")
        tensor = TENSOR.fullmatch(name)
        if tensor is None or not isinstance(entry, StoredTensor):
            continue
        parts = found.setdefault(folder, Parts())
        if tensor["kind"] == PARAMETER:
            parts.parameters[tensor["name"]] = entry
        elif tensor["name"].startswith(f"{BACKWARD}_"):
            parts.is_training = True
        else:
            roles = parts.operators.setdefault(tensor["name"], {"input": {}, "output": {}})
            roles[tensor["role"]][int(tensor["slot"])] = entry
            parts.kinds[tensor["name"]] = tensor["kind"]
    return {folder: parts for folder, parts in found.items() if parts.operators}


def of_dump(folder: Path, iterations: dict[str, Parts], weights: Collection[str]) -> Recorded:
    """The first iteration; `weights`: the names of the other side's parameters, made `flat`.

    Raises: UsageError (MS401) if nothing of a network is in it
    """
    first = min(iterations, key=in_order)
    parts = iterations[first]
    full = full_names(folder, first)
    narrow: list[bool] = []

    def loaded(entries: dict[int, Stored]) -> tuple[Array, ...]:
        return tuple(widened(entries[slot], narrow) for slot in sorted(entries))

    operators = [
        Operator(parts.kinds[name], segments(full.get(name, name)), loaded(roles["input"]),
                 loaded(roles["output"]))
        for name, roles in parts.operators.items()
    ]  # fmt: skip
    parameters = {name: widened(entry, narrow) for name, entry in parts.parameters.items()}
    given = inputs_among(parameters, weights)
    layers = layers_of(operators, given.keys())
    if not any(layer.outputs for layer in layers):
        problem = "no operator in the dump stands in a layer's scope, with its output"
        advice = (
            "dump a run of a Cell (Model.train, TrainOneStepCell) with input_output 0: MindSpore "
            "gives the operators of a function no scopes"
        )
        raise UsageError("MS401", str(folder), problem, advice=advice)
    remarks = []
    if len(iterations) > 1:
        remarks.append(f"of {len(iterations)} iterations the first is compared: {first}")
    root = next((layer for layer in layers if not layer.path), None)
    taken = {content_of(x) for x in root.inputs} if root is not None else set()
    return Recorded(
        str(folder), "mindspore", layers, parameters,
        tuple(x for content, x in given.items() if content in taken),
        parts.is_training, any(narrow), used_by(operators), tuple(remarks),
    )  # fmt: skip


def inputs_among(parameters: dict[str, Array], weights: Collection[str]) -> dict[str, Array]:
    """Of what was dumped as parameters what may be a network's input, by contents."""
    own = {name for name in parameters if name in weights or WEIGHT.search(name)}
    known = {content_of(parameters[name]) for name in own}
    found = {content_of(x): x for name, x in parameters.items()
             if name not in own and not STATE.match(name)}  # fmt: skip
    return {content: x for content, x in found.items() if content not in known}


def widened(entry: Stored, narrow: list[bool]) -> Array:
    """The array, as float32 where it is narrower; `narrow` is told whether it is."""
    assert isinstance(entry, StoredTensor)  # the others were left out
    array = entry.load()
    is_narrow = array.dtype.kind in "fV" and array.dtype.itemsize < 4
    is_narrow = is_narrow or entry.type_name == "BFloat16"
    narrow.append(is_narrow)
    return array.astype("float32") if is_narrow else array


def full_names(folder: Path, iteration: str) -> dict[str, str]:
    """The names with `/` by those of files, where the dump says them: it is above its tensors."""
    found: dict[str, str] = {}
    start = (folder / iteration).absolute()
    for above in (start, *start.parents[:4]):
        for file in sorted(above.glob(ORDER)):
            with suppress(OSError, ValueError):  # the names are then told apart as they stand
                lines = opening.text_of(file, MOST_ORDER).splitlines()[1:]
                found |= {re.sub(r"[^\w-]", "_", line): line for line in lines}
        if found:
            break
    return found


def segments(name: str) -> tuple[tuple[str, str], ...]:
    """The cells around an operator, each by its name in the one around it and its class."""
    if "/" not in name:
        if not name.startswith(f"{FORWARD}_"):
            return ()
        flat = name.removeprefix(FORWARD)
        return tuple((found["attribute"], found["kind"]) for found in SEGMENT.finditer(flat))
    if not name.startswith(f"{FORWARD}/"):  # what MindSpore has put in the place of others
        return ()
    parts: Sequence[str] = name.split("/")[1:-1]
    pairs = [part.partition("-") for part in parts]
    return tuple((attribute, kind) for attribute, _, kind in pairs)
