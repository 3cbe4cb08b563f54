"""Watching: a whole script, or a part of one as a context or a callback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ...errors import UsageError, harmless
from ...runtime.engine.observation import observed
from ...runtime.train.callback.callback import Callback
from .as_text import one_line
from .finding import CONDITIONS, Finding
from .watcher import Watcher


@contextmanager
def watched(on: Sequence[str], stop: bool, folder: Path, report: Path) -> Iterator[None]:
    """Watches what runs inside, and writes what was found to `report`, whatever ends it."""
    watcher = Watcher(on, stop, folder, tell)
    try:
        with observed(watcher):
            yield
    finally:
        watcher.stop = False
        watcher.finish()
        found = [one.as_dict() for one in watcher.found]
        whole = {"format": 1, "steps": watcher.history.step, "findings": found}
        report.write_text(json.dumps(whole), encoding="utf-8")


def tell(found: Finding) -> None:
    """Says a finding at once: a run may take hours."""
    sys.stderr.write(f"msconvert watch: {harmless(one_line(found))}\n")
    sys.stderr.flush()


class Watch(Callback):
    """Watches a training: `with watch(): ...`, or as a callback of `Model.train`.

    `findings` has what was found; on the bundled runtime alone.
    """

    def __init__(self, on: Sequence[str], stop: bool, output: Path | None) -> None:
        self.watcher = Watcher(on, stop, output, tell)
        self.stack = ExitStack()

    @property
    def findings(self) -> list[Finding]:
        return self.watcher.found

    def __enter__(self) -> Watch:
        self.stack.enter_context(observed(self.watcher))
        return self

    def __exit__(self, *err: Any) -> None:
        self.stack.close()
        stop, self.watcher.stop = self.watcher.stop, False
        self.watcher.finish()
        self.watcher.stop = stop


def watch(on: Sequence[str] = (), *, stop: bool = False, output: str | Path | None = None) -> Watch:
    """A context, or a callback of `Model.train`, that looks for conditions; () is for all.

    output: a folder that gets the inputs of layers, and scripts that show what is found.
    Raises: UsageError (MS105) for a condition that there is not
    """
    given = (on,) if isinstance(on, str) else tuple(on)
    unknown = [name for name in given if name not in CONDITIONS]
    if unknown:
        raise UsageError(
            "MS105", "watch", "there is no such condition", got=", ".join(map(str, unknown)),
            expected=", ".join(CONDITIONS),
        )  # fmt: skip
    return Watch(given, stop, None if output is None else Path(output))
