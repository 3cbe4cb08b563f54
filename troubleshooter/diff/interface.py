"""`compare` and `compare_checkpoints`: the comparison for Python."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...formats.stored import Checkpoint
from .comparing import Comparing
from .comparison import Comparison
from .opening import compare_paths, opened
from .settings import Settings
from .values import checkpoint_of

if TYPE_CHECKING:
    from ...formats.storage.atomic import Path
    from ..pairing.mapped import Naming


def compare(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    profile: str = "",
    *,
    naming: Naming | None = None,
    settings: Settings | None = None,
) -> Comparison:
    """The tensors of `b` against those of the reference `a`.

    Either is an array or a tensor, a list or a dict of them, a network, or the path of a file or a
    folder. Close is what is at most rtol * |a| + atol * rms(a) away; `profile` says what is allowed
    where neither is given: "weights", "activations", "gradients" or "quantised". `naming`: a's
    names by b's, or a weight map. `settings` has these and more.
    Raises: MS105 for what holds no tensors, MS310 for a map that does not fit
    """
    chosen = settings_of(settings, rtol, atol, profile)
    if is_path(a) and is_path(b):
        return compare_paths(a, b, chosen, naming, quiet)
    sides = side_of(a, "a"), side_of(b, "b")
    rows = Comparing(*sides, chosen, naming).rows()
    return Comparison(sides[0].path, sides[1].path, rows, chosen)


def compare_checkpoints(
    a: Path, b: Path, *, naming: Naming | None = None, settings: Settings | None = None
) -> Comparison:
    """Two weight files of any kind, or folders of them; what is allowed is what weights need.

    Raises: MS105 for a path where nothing is, MS310 for a map that does not fit
    """
    chosen = settings_of(settings, None, None, "")
    return compare_paths(a, b, replace(chosen, profile=chosen.profile or "weights"), naming, quiet)


def settings_of(
    settings: Settings | None, rtol: float | None, atol: float | None, profile: str
) -> Settings:
    """The settings, with what was given beside them; what judging again needs is recorded."""
    found = settings or Settings(record=True)
    given: Mapping[str, Any] = {"rtol": rtol, "atol": atol, "profile": profile or None}
    return replace(found, **{name: value for name, value in given.items() if value is not None})


def is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def side_of(value: Any, name: str) -> Checkpoint:
    """The tensors of a path or of a value."""
    return opened(value) if is_path(value) else checkpoint_of(value, name)


def quiet(step: str) -> None:
    """Shows no progress."""
