"""Other values of an argument, by its name and by what it was: what PyTorch may accept as well."""

from __future__ import annotations

import ast
from collections.abc import Sequence

AXES = {"dim", "axis", "dim0", "dim1", "axis0", "axis1", "start_dim", "end_dim", "source"}
AXES |= {"destination", "dims", "axes", "normalized_shape", "start", "end"}

TEXTS: dict[str, Sequence[str]] = {
    "reduction": ("none", "mean", "sum"),
    "mode": ("nearest", "bilinear", "linear", "constant", "reflect", "replicate", "circular"),
    "padding_mode": ("zeros", "reflect", "replicate", "circular", "border"),
    "rounding_mode": ("floor", "trunc"),
    "approximate": ("none", "tanh"),
    "side": ("left", "right"),
    "ord": ("fro", "nuc"),
    "p": ("fro", "nuc"),
    "norm": ("ortho", "forward", "backward"),
    "padding": ("same", "valid"),
    "UPLO": ("U", "L"),
    "interpolation": ("linear", "lower", "higher", "midpoint", "nearest"),
    "reduce": ("sum", "prod", "mean", "amax", "amin"),
    "indexing": ("ij", "xy"),
    "nonlinearity": ("relu", "tanh", "leaky_relu"),
    "value": (),
}
"""Texts that PyTorch takes, by the parameter."""

NONE: dict[str, Sequence[str]] = {
    "dtype": ("torch.float64", "torch.int32", "torch.float16", "torch.bool"),
    "stride": ("1", "2"),
    "eps": ("1e-3",),
    "min": ("0.5", "-1", "0"),
    "max": ("0.5", "1", "0"),
    "ord": ("1", "2", "float('inf')", "0", "-1"),
    "p": ("1", "2", "float('inf')"),
    "correction": ("0", "1", "2"),
    "scale_factor": ("2", "0.5", "(2, 1)"),
    "size": ("4", "(4, 5)"),
    "nan": ("0.0", "1.5"),
    "posinf": ("9.0",),
    "neginf": ("-9.0",),
    "divisor_override": ("3",),
    "return_complex": ("True",),
    "n": ("3", "6"),
    "s": ("(3, 3)",),
    "step": ("2",),
    "rounding_mode": ("'floor'", "'trunc'"),
    "decimals": ("1",),
    "k": ("0", "1", "-1"),
}
"""What to give where the default is None."""


def others(name: str, text: str) -> Sequence[str]:
    """Texts of other values for the parameter `name`, which is `text` now ("" if required)."""
    try:
        value = ast.literal_eval(text) if text else None
    except ValueError:
        return TYPES if text.startswith("torch.") and name == "dtype" else ()
    found = NONE.get(name, ()) if value is None else of_value(name, value)
    if name in AXES and not isinstance(value, bool | str):
        found = (*found, "0", "1", "-1", "-2", "(0, 1)", "[-1]", "(-1, 0)", "None")
    return [other for other in dict.fromkeys(found) if other != text]


TYPES = ("torch.float64", "torch.float32", "torch.int64", "torch.int32", "torch.float16", "None")


def of_value(name: str, value: object) -> Sequence[str]:
    """Other values of the same kind; numbers and tuples in place of each other."""
    if isinstance(value, bool):
        return (repr(not value),)
    if isinstance(value, str):
        return [repr(text) for text in TEXTS.get(name, ())]
    if isinstance(value, int):
        pairs = (f"({value},)", f"({value}, {value})", f"[{value}, {value}]", f"{float(value)}")
        return (f"{value + 1}", f"{value - 1}", "True", *pairs, f"({value}, {value + 1})")
    if isinstance(value, float):
        return (f"{value / 2 + 0.125}", "0", "1", "2.0", "-0.5")
    if isinstance(value, tuple | list):
        other = list(value) if isinstance(value, tuple) else tuple(value)
        ones = [repr(value[0])] if value else []
        turned = value[::-1]
        return (repr(other), repr(turned), *ones, f"torch.Size({list(value)})")
    return ()
