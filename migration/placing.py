"""A converted project on its way into its folder: large data are links, checkpoints wait."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ..api_mapping.source.output import Copy, Refused
from ..errors import MsconvertError
from ..formats.pytorch.pth import is_pth

LINKED_BYTES = 1 << 20
"""What is larger, and no code, is not copied but linked."""

CODE = frozenset(
    ".py .pyi .ipynb .toml .cfg .ini .txt .md .rst .yaml .yml .json .sh .bat .c .cc .cpp .cu .h "
    ".proto .in .lock .pyx".split()
)
"""Endings of what belongs to the code, with or without data."""

CHECKPOINTS = (".pth", ".pt", ".pth.tar", ".th", ".ckpt", ".bin", ".tar")
"""How names of files of torch.save end; the first bytes decide."""

TENSORS = "its names are not changed: msconvert weights does that"
"""What is said of files that may be either framework's."""


@dataclass
class Placing(Copy):
    """Copies a project, but for data: what is large is linked, or all of it is left (`code_only`).

    `checkpoints` are the files of torch.save that are to be converted, as (original, place).
    """

    code_only: bool = False
    linked: list[Path] = field(default_factory=list)
    left: list[Path] = field(default_factory=list)
    checkpoints: list[tuple[Path, Path]] = field(default_factory=list)

    def file(self, path: Path, into: Path) -> None:
        size = size_of(path)
        is_new = os.path.realpath(path) in self.new
        if is_new or size is None or (path.suffix.lower() in CODE and size <= LINKED_BYTES):
            super().file(path, into)
        elif self.code_only and path.suffix:
            self.left.append(path)
        elif self.is_checkpoint(path):
            self.checkpoints.append((path, into))
        elif path.suffix == ".safetensors":
            self.refused.append(Refused(str(path), TENSORS))
            super().file(path, into)
        elif size > LINKED_BYTES:
            os.symlink(os.path.realpath(path), into)
            self.linked.append(path)
        else:
            super().file(path, into)

    def is_checkpoint(self, path: Path) -> bool:
        """Whether torch.save has written it; what cannot be told is refused as it is copied."""
        if not path.name.lower().endswith(CHECKPOINTS):
            return False
        try:
            return is_pth(path)
        except MsconvertError as error:
            self.refused.append(Refused(str(path), error.problem))
            return False


def size_of(path: Path) -> int | None:
    """The size of a plain file; None of what is none, or cannot be looked at."""
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None
