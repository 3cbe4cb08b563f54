"""What the parameters of a PyTorch network, which is at hand, are called in MindSpore."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...formats.names.naming import LEFT_OUT, Shape
from ..sides.child.messages import Held, Layer
from ..sides.naming import expected


@dataclass(frozen=True)
class MappedName:
    """A parameter or buffer: its names and shapes in PyTorch and in MindSpore."""

    old: str
    new: str
    old_shape: Shape
    new_shape: Shape
    dtype: str

    def named(self, new: str) -> MappedName:
        """The same under another new name."""
        return replace(self, new=new)


def mapped_names(network: Any) -> list[MappedName]:
    """What the state dict of a network holds, by the rules of its layers, but for what MindSpore
    has not.
    """
    found = []
    for name, tensor in network.state_dict().items():
        if not hasattr(tensor, "shape"):  # what get_extra_state gives
            continue
        shape, dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
        leaf = name.rpartition(".")[2]
        new, new_shape = expected(Held(name, (*layers(network, name),), leaf, shape, dtype, True))
        if new != LEFT_OUT:
            found.append(MappedName(name, new, shape, new_shape, dtype))
    return found


def layers(network: Any, name: str) -> Iterator[Layer]:
    """The modules on the way to a parameter, the network first."""
    module, parts = network, name.split(".")[:-1]
    yield Layer("", classes_of(module))
    for part in parts:
        module = getattr(module, part)
        yield Layer(part, classes_of(module))


def classes_of(module: Any) -> tuple[str, ...]:
    return tuple(f"{kind.__module__}.{kind.__qualname__}" for kind in type(module).__mro__)


def weight_map_text(names: Sequence[MappedName]) -> str:
    """The weight map as JSON, as the conversion of an ONNX model writes it."""
    content = [
        {
            "converted_weight": {
                "name": held.new,
                "shape": list(held.new_shape),
                "data_type": held.dtype,
            },
            "source_weight": {
                "name": held.old,
                "shape": list(held.old_shape),
                "data_type": held.dtype,
            },
            "transformation": "none" if held.old_shape == held.new_shape else "expand_dims(2)",
        }
        for held in names
    ]
    return json.dumps(content, indent=2) + "\n"
