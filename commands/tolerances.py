"""The flags --rtol and --atol of the commands that judge numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A number that is not NaN and not infinite, and not below 0."""
    if value is not None and not 0 <= value < 1e300:
        raise click.BadParameter(f"{value!r} is no tolerance", param=param)
    return value


OF_TENSOR = (
    "Allow this, relative to a tensor's maximum.",
    "Or this, relative to the tensor's root mean square.",
)
"""What the flags mean where networks are compared."""


def tolerance_flags(rtol: str, atol: str) -> Callable[[Any], Any]:
    """The two flags, with what the help says of each."""

    def added(command: Any) -> Any:
        command = click.option("--atol", type=float, callback=finite, help=atol)(command)
        return click.option("--rtol", type=float, callback=finite, help=rtol)(command)

    return added
