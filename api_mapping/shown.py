"""Targets as people read them: the macros by what they write."""

from __future__ import annotations

import re

SHOWN = {
    "always": "{0}",
    "complement": "1 - {0}",
    "as_tuple": "{0}",
    "padded": 'pad_mode="pad", padding={0}',
}
"""What each macro writes, for a reader; {0} is its first argument."""


def readable(target: str) -> str:
    """A target without its macros: `alpha=always(slope)` as `alpha=slope`."""
    for name, form in SHOWN.items():
        target = re.sub(rf"(\*\*)?\b{name}\(([^()]*)\)", lambda m, f=form: put(f, m[2]), target)
    return target


def put(form: str, arguments: str) -> str:
    """The form with the macro's arguments in place of {0}, {1}..."""
    return form.format(*(argument.strip() for argument in arguments.split(",")))
