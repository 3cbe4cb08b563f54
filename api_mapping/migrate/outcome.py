"""What a conversion comes to: files changed, unchanged, failed; uses converted, left, unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..scan.model import Scan
from ..scan.seeds import with_project_remarks
from ..scan.totals import Totals
from .output import Refused, write_tree
from .settings import Settings
from .tree import Converted, Tree, convert_paths


@dataclass(frozen=True)
class Outcome:
    """What every output is made from; `refused` are the files that could not be written."""

    tree: Tree
    refused: tuple[Refused, ...] = ()

    @cached_property
    def scan(self) -> Scan:
        """What `msconvert scan` finds in the original."""
        return Scan(with_project_remarks(tuple(file.scan for file in self.tree.files)))

    @cached_property
    def totals(self) -> Totals:
        return Totals.of(self.scan)

    @property
    def changed(self) -> list[Converted]:
        return [file for file in self.tree.files if file.data is not None]

    @property
    def failed(self) -> list[Converted]:
        return [file for file in self.tree.files if file.failed]

    @property
    def unchanged(self) -> list[Converted]:
        return [f for f in self.tree.files if f.data is None and not f.failed]

    @property
    def left(self) -> int:
        """Uses that stay PyTorch's, those that a comment hides among them."""
        return sum(len(file.left) for file in self.tree.files)

    @property
    def unknown(self) -> int:
        """Uses that may be PyTorch's: they stay as they are."""
        return sum(len(file.unknown) for file in self.tree.files)

    @property
    def converted(self) -> int:
        return self.totals.uses - self.left - self.unknown

    @property
    def ok(self) -> bool:
        """Whether everything was read, converted and written."""
        return self.tree.ok and not self.refused


def migrate_tree(
    paths: Sequence[Path],
    output: Path,
    settings: Settings | None = None,
    exclude: Iterable[str] = (),
    *,
    force: bool = False,
) -> Outcome:
    """The conversion of files and folders, written into the folder `output`.

    Raises: MS107 if it exists and `force` is not set, or cannot be written
    """
    paths = [Path(path) for path in paths]
    tree = convert_paths(paths, settings or Settings(), exclude)
    return Outcome(tree, tuple(write_tree(tree, Path(output), force=force)))
