"""What a migration comes to: code, checkpoints, dependencies, networks, and what is still to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..api_mapping.source import as_text
from ..api_mapping.source.outcome import Outcome as Conversion
from ..api_mapping.table.target import NOT_BUNDLED
from .checkpoints import Saved
from .comparison import Compared
from .requirements import Changed


@dataclass(frozen=True)
class Wanted:
    """What was asked for: the folders as they were named, the target, what was left out."""

    project: Path
    output: Path
    target: str
    verify: bool = True
    code_only: bool = False


@dataclass(frozen=True)
class Fit:
    """Whether a network takes a converted checkpoint; `problem` is empty if it does.

    `call` makes it in `file`, which is named from the project's folder.
    """

    path: Path
    call: str = ""
    problem: str = ""
    file: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """Everything that a report tells.

    `scripts`: what can be run in the new folder; `linked`: data that lie where they lay; `left`:
    what is not in the new folder. Paths are from the project's folder.
    """

    wanted: Wanted
    conversion: Conversion
    checkpoints: tuple[Saved, ...] = ()
    dependencies: tuple[Changed, ...] = ()
    networks: tuple[Compared, ...] = ()
    fits: tuple[Fit, ...] = ()
    linked: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()
    scripts: tuple[Path, ...] = ()

    @property
    def is_converted(self) -> bool:
        """Whether no code stays PyTorch's, and the target runs all of it."""
        codes = {remark.code for _, remark in as_text.silent(self.conversion)}
        tree = self.conversion.tree
        is_whole = self.conversion.ok and not self.conversion.counts.unknown and not tree.excluded
        return is_whole and NOT_BUNDLED not in codes

    @property
    def is_compared(self) -> bool:
        """Whether there are networks, all of them are equal, and take their checkpoints."""
        are_equal = bool(self.networks) and all(network.ok for network in self.networks)
        return are_equal and not any(fit.problem for fit in self.fits)

    @property
    def ok(self) -> bool:
        """Whether all is migrated, and compared equal."""
        is_complete = all(saved.ok for saved in self.checkpoints) and not self.wanted.code_only
        is_told = not any(changed.problem for changed in self.dependencies)
        return self.is_converted and is_complete and is_told and self.is_compared

    @property
    def open_checkpoints(self) -> list[Saved]:
        return [saved for saved in self.checkpoints if not saved.ok]

    def uncompared(self) -> Iterator[str]:
        """What no comparison says anything of."""
        if not self.wanted.verify:
            yield "nothing was compared: --no-verify"
        elif not self.networks:
            yield "nothing was compared: the project has no network of its own"
        for found in self.networks:
            if found.verdict == "not compared":
                yield f"{found.network.name} of {found.network.file}: {found.reason}"
        if self.conversion.tree.excluded:
            yield f"{self.conversion.tree.excluded} files or folders that are left out by exclude"
        if self.wanted.code_only:
            yield "data and checkpoints are left where they are: --code-only"
        if self.is_converted and self.conversion.changed:
            yield "training loops and other code around the networks: run them (below)"
