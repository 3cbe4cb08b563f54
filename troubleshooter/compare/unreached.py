"""Options that differ and have no effect on the inputs that were given: told, and provoked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ..sides.child.messages import Inputs, Tensor
from .comparison import LayerRow
from .layers import Layers
from .records import Array
from .session import Session
from .settings import NetworkSettings
from .weights import Weights

PROBES: Mapping[str, Callable[[Array], Array]] = {
    "100 times as large": lambda x: x * 100,
    "all zeros": np.zeros_like,
    "all negative": lambda x: -np.abs(x) * 10,
    "all the same": lambda x: np.full_like(x, x.reshape(-1)[:1].sum()),
    "a thousandth as large": lambda x: x / 1000,
}
"""What inputs of floats are made to provoke; whole numbers stay, but where all are the same."""

MOST = 5
"""So many layers are told."""


def told_options(
    rows: Sequence[LayerRow],
    session: Session,
    settings: NetworkSettings,
    weights: Weights,
    inputs: Inputs,
    folder: Path,
) -> tuple[str, ...]:
    """What is to be said of layers that give the same, being made otherwise."""
    odd = {row.path: row for row in rows if row.verdict == "same" and row.settings}
    if not odd or any(row.is_wrong for row in rows):
        return ()
    provoked = dict(effects(odd, session, settings, weights, inputs, folder))
    found = []
    for path, row in list(odd.items())[:MOST]:
        text = f"{path or '(the network)'}: {'; '.join(row.settings)}: no effect on these inputs"
        found.append(text + (f"; {provoked[path]}" if path in provoked else ""))
    more = len(odd) - MOST
    return (*found, f"and {more} layers more are made otherwise") if more > 0 else tuple(found)


def effects(
    odd: Mapping[str, LayerRow],
    session: Session,
    settings: NetworkSettings,
    weights: Weights,
    inputs: Inputs,
    folder: Path,
) -> Iterator[tuple[str, str]]:
    """The layers of which another input shows the difference, with that input."""
    left = set(odd)
    for number, (name, change) in enumerate(PROBES.items()):
        if not left:
            return
        own = folder / f"probe_{number}"
        own.mkdir()
        layers = Layers(session, settings, weights, changed(inputs, change), "eval", own)
        rows: tuple[LayerRow, ...] = ()
        with suppress(MsconvertError):  # inputs that A itself does not take
            rows = layers.rows()
        for row in rows:
            if row.path in left and row.verdict == "differs" and row.worst is not None:
                left.discard(row.path)
                away = f"off by {row.worst.relative:.2g} of its largest element"
                yield row.path, f"with inputs that are {name} it gives something else, {away}"


def changed(inputs: Inputs, change: Callable[[Array], Array]) -> Inputs:
    return Inputs(
        tuple(of_value(value, change) for value in inputs.args),
        {name: of_value(value, change) for name, value in inputs.kwargs.items()},
    )


def of_value(value: Any, change: Callable[[Array], Array]) -> Any:
    if isinstance(value, Tensor):
        is_float = value.array.dtype.kind == "f"
        return replace(value, array=change(value.array)) if is_float else value
    if isinstance(value, tuple | list):
        return type(value)([of_value(part, change) for part in value])
    return value
