"""Names in the one form in which those of both frameworks agree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ...formats.names.naming import LINE, ORIGINALS, Shape, original_name

CACHED = re.compile(r"\.__param_key__\d+$")
"""What MindSpore puts behind the names of parameters in its cache."""
NUMBER = re.compile(r"\d+")
ROLES = frozenset(ORIGINALS.values())


@lru_cache(maxsize=1 << 16)
def common_form(name: str) -> str:
    """`a.bn2d.gamma` as `a.weight`, as the other framework's name is in this form, too."""
    return original_name(CACHED.sub("", name))


def single_forms(names: Iterable[str]) -> dict[str, str]:
    """The names by their common form, but for those that share it with another."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(common_form(name), []).append(name)
    return {form: found[0] for form, found in groups.items() if len(found) == 1}


def family(path: str) -> str:
    """The name with `#` for every number: of all layers that only their numbers tell apart."""
    return NUMBER.sub("#", path)


def fit(a: Shape, b: Shape) -> bool:
    """Whether the naming rules make one shape the other: the axis of one-dimensional layers.

    A scalar and an array of one element fit, too: old .ckpt files do not tell them apart.
    """
    shapes = {a, LINE.shaped("weight", a), LINE.unshaped("weight", a), a or (1,)}
    return b in shapes or (a == (1,) and b == ())
