"""Long dotted names of MindSpore's in converted code: imported once, short where they are used."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ..syntax.edits import Edit
from ..syntax.line_wrap import WIDTH

LONG = (
    r"\b{ms}\.(?:(?P<members>common\.initializer)\.(?P<member>\w+)"
    r"|(?P<parents>experimental\.optim)\.(?P<module>lr_scheduler)\b"
    r"|(?P<package>experimental)\.(?P<optim>optim)\b)"
)
"""Members that are imported one by one, and modules that are imported themselves."""


@dataclass(frozen=True)
class Shortener:
    """Makes long names short, but for those that a name of the file (`taken`) would hide.

    `ms`: MindSpore's name in the file; `found`: what is to be imported, by the module that has it.
    """

    ms: str
    taken: Collection[str]
    found: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def edits(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits with short names."""
        long = re.compile(LONG.replace("{ms}", self.ms))
        return [Edit(e.start, e.end, long.sub(self.short, e.text)) for e in edits]

    def short(self, match: re.Match[str]) -> str:
        module, name = (text for text in match.groups() if text is not None)
        if name in self.taken:
            return match[0]
        self.found[module].add(name)
        return name

    def imports(self, package: str) -> list[str]:
        """The statements that the short names need."""
        return [
            statement(f"{package}.{module}", sorted(names))
            for module, names in sorted(self.found.items())
        ]


def statement(module: str, names: Sequence[str]) -> str:
    """An import of names, each on its own line if they do not fit into one."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])
