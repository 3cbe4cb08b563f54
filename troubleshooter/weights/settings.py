"""What is asked of a conversion of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...formats.names.renaming import Wishes

if TYPE_CHECKING:
    from ...formats.names.weight_map import ClassMap, NameMap
    from .names import Wanted


@dataclass(frozen=True)
class NetworkCall:
    """A network: what `call` gives in `file`, run by `python`; None: by ours.

    A converted one runs on the bundled runtime, or on the MindSpore that `python` has.
    """

    file: Path
    call: str
    python: str | None = None


@dataclass(frozen=True)
class WeightSettings:
    """What is done with the tensors of a file on the way.

    `known`: a weight map. `key`: where in a .pth the state dict is. `names`: whose names the output
    has ("pytorch", "mindspore", "same"). `fold`: weights that are computed of others are written
    instead of these. `check`: a .pth's CRC-32 are compared. `types`: (glob, type) by the old names,
    the last one that fits counts, of floating-point tensors. `optimizer`: a key of OPTIMIZERS, as
    whose its state is written. `shard_bytes`: of tensors in one file. `network`: must take them.
    """

    known: ClassMap | NameMap | None = None
    wishes: Wishes = field(default_factory=Wishes)
    key: str | None = None
    names: Wanted | None = None
    fold: bool = False
    check: bool = False
    keep_tied: bool = False
    types: Sequence[tuple[str, str]] = ()
    optimizer: str | None = None
    optimizer_key: str | None = None
    shard_bytes: int | None = None
    network: NetworkCall | None = None
    force: bool = False
