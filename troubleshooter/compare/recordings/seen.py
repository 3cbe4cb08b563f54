"""What any recording comes to: layers with what they were given and gave, parameters, inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..records import Array, SideName


@dataclass(frozen=True, eq=False)
class Seen:
    """One call of a layer. `kind`: its class, by a public name where it is a framework's."""

    path: str
    kind: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    index: int = 0


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording. `parameters`: by names in which `_` stands for `.`; `given`: the inputs.

    `used`: what layers took that nothing made, by their paths made `flat`. `unread`: what of it
    cannot be read, with the reasons. `is_training`: whether it is of a step of a training;
    `is_narrow`: whether elements were float16 or bfloat16, which are compared as float32.
    """

    name: str
    side: SideName
    layers: tuple[Seen, ...]
    parameters: Mapping[str, Array] = field(default_factory=dict)
    given: tuple[Array, ...] = ()
    is_training: bool = False
    is_narrow: bool = False
    used: Mapping[str, list[Array]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def content_of(array: Array) -> str:
    """The same for equal elements of one type, whatever their shape."""
    content = hashlib.blake2b(array.dtype.str.encode(), digest_size=16)
    content.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return content.hexdigest()


def flat(path: str) -> str:
    """A path as names of files have it."""
    return "".join(letter if letter.isalnum() else "_" for letter in path).strip("_")
