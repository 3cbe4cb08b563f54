"""One requirement after another: PyTorch's packages become MindSpore's, or msconvert, or go."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..api_mapping.table.target import Target

NEW = {Target.BUNDLED: "msconvert", Target.MINDSPORE: "mindspore>=2.10"}
"""What converted code imports; the version is the one that the table of APIs was compared with."""

NUMPY = "numpy<2"
"""MindSpore is built against it."""

GONE = {
    "torchvision": "what the code used of it is MindSpore's now",
    "torchaudio": "MindSpore has mindspore.dataset.audio",
    "triton": "it comes with PyTorch",
    "pytorch-triton": "it comes with PyTorch",
}
"""Packages that go with PyTorch, and why."""

NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*(.*)", re.S)


@dataclass
class Renewal:
    """The dependencies of one file for a target; `changes` says what was done."""

    target: Target
    changes: list[str] = field(default_factory=list)
    has_numpy: bool = False
    has_new: bool = False

    def of(self, text: str) -> str | None:
        """The requirement in MindSpore's world; None if it goes, itself if nothing changes."""
        found = NAME.fullmatch(text)
        if found is None:
            return text
        name = name_of(text)
        if name == "torch":
            return self.told(text, self.new(found[3]))
        if name in GONE:
            return self.told(text, None, GONE[name])
        if name == "numpy" and self.target is Target.MINDSPORE:
            self.has_numpy = True
            return self.told(text, self.bounded(found[3]))
        return text

    def beside(self, new: str) -> tuple[str, ...]:
        """What comes with MindSpore where nothing says it."""
        is_alone = new.startswith("mindspore") and not self.has_numpy
        if is_alone:
            self.changes.append(f"{NUMPY} is added")
        return (NUMPY,) if is_alone else ()

    def new(self, rest: str) -> str:
        """What takes PyTorch's place, with its marker."""
        self.has_new = True
        _, given, marker = rest.partition(";")
        return f"{NEW[self.target]}; {marker.strip()}" if given else NEW[self.target]

    def bounded(self, rest: str) -> str:
        """NumPy as MindSpore needs it; a lower bound below 2 stays."""
        version, given, marker = rest.partition(";")
        parts = [part.strip() for part in version.strip(" ()").split(",") if part.strip()]
        below = [p for p in parts if re.fullmatch(r"(>=|==|~=|>)\s*1(\.\d+)*(\.\*)?", p)]
        pinned = any(p.startswith(("==", "~=")) for p in below)
        bound = ",".join(below if pinned else [*below, "<2"])
        return f"numpy{bound}; {marker.strip()}" if given else f"numpy{bound}"

    def told(self, old: str, new: str | None, why: str = "") -> str | None:
        old = old.strip()
        if new != old:
            reason = f" ({why})" if why else ""
            self.changes.append(f"{old} -> {new}" if new else f"{old} goes{reason}")
        return new


def name_of(requirement: str) -> str:
    """The name of a package as all its spellings have it."""
    found = NAME.fullmatch(requirement)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found is not None else ""
