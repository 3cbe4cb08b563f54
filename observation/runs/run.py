"""A run as it lies in a folder: its curves from event files, its settings from beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import MsconvertError
from ...formats.records.events import read_events
from ...formats.storage import opening

ENDING = ".run.json"
LOSSES = ("loss/auto", "loss", "train/loss", "Loss/train", "training_loss")
"""Names under which scripts write their loss."""
MOST_RUNS = 1000
MOST_BYTES = 1 << 22
"""Of the file beside a run."""
PLAIN = (bool, int, float, str)

Curve = list[tuple[int, float]]


@dataclass(frozen=True, eq=False)
class Run:
    """One event file. `problem` says what of it could not be read."""

    name: str
    path: Path
    curves: dict[str, Curve] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    status: str = ""
    seconds: float = 0.0
    problem: str = ""

    @cached_property
    def loss_name(self) -> str:
        """The tag of the loss: by its name, else the only one with 'loss' in it; "" if none."""
        named = [tag for tag in LOSSES if tag in self.curves]
        return (named or [tag for tag in sorted(self.curves) if "loss" in tag.lower()] or [""])[0]

    @property
    def loss(self) -> Curve:
        return self.curves.get(self.loss_name, [])

    @cached_property
    def figures(self) -> dict[str, float]:
        """The last value of each curve, and what the run itself has noted."""
        found = {tag: curve[-1][1] for tag, curve in self.curves.items() if curve}
        kept = {k: float(v) for k, v in self.results.items() if isinstance(v, int | float)}
        return found | kept


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs in folders, and below them. Raises: MS406 if there are none"""
    every = [file for path in paths for file in event_files(path)]
    files = list({file.resolve(): file for file in reversed(every)}.values())[::-1]
    if not files:
        raise MsconvertError(
            "MS406", ", ".join(map(str, paths)), "there are no event files",
            expected="files whose names have 'tfevents' in them",
            advice="train with SummaryCollector('DIR'), or with SummaryWriter",
        )  # fmt: skip
    if len(files) > MOST_RUNS:
        raise MsconvertError(
            "MS406", ", ".join(map(str, paths)), "there are too many event files",
            got=str(len(files)), expected=f"at most {MOST_RUNS}",
        )  # fmt: skip
    root = Path(os.path.commonpath([file.parent.absolute() for file in files]))
    folders = [file.parent.absolute() for file in files]
    names = [name_of(k, root, folders) for k in range(len(files))]
    return [run_of(file, name) for file, name in zip(files, names, strict=True)]


def event_files(path: Path) -> Iterator[Path]:
    """Event files at a path, which may be one. Raises: MS406 if it is not there"""
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise MsconvertError("MS406", str(path), "there is no such folder", expected="a folder")
    yield from sorted(
        found for found in path.rglob("*tfevents*")
        if found.is_file() and not found.name.endswith((ENDING, ".new"))
    )  # fmt: skip


def name_of(k: int, root: Path, folders: Sequence[Path]) -> str:
    """The folder of the run `k`; with a number where the folder has several."""
    folder = folders[k]
    place = folder.relative_to(root).as_posix()
    name = folder.name if place == "." else place
    return name if folders.count(folder) == 1 else f"{name}#{folders[: k + 1].count(folder)}"


def run_of(file: Path, name: str) -> Run:
    """A run; what cannot be read of it is its problem."""
    problems, curves, whole = list[str](), dict[str, Curve](), dict[str, Any]()
    try:
        events = read_events(str(file))
        curves = events.scalars()
        problems += [f"cut off: {events.cut}"] if events.cut else []
    except MsconvertError as error:
        problems.append(error.problem)
    if not curves and not problems:
        problems.append("it has no curves")
    beside = file.with_name(file.name + ENDING)
    if beside.exists():
        try:
            whole = lineage(beside)
        except (OSError, ValueError) as error:
            problems.append(f"{beside.name}: {error}")
    return Run(
        name, file, curves, dict_of(whole, "settings"), dict_of(whole, "results"),
        str(whole.get("status", "")), seconds_of(whole), "; ".join(problems),
    )  # fmt: skip


def lineage(path: Path) -> dict[str, Any]:
    """What stands beside a run. Raises: OSError, ValueError"""
    found = opening.json_of(path, MOST_BYTES)
    if not isinstance(found, dict):
        raise ValueError("it holds no run")
    return found


def dict_of(whole: dict[str, Any], name: str) -> dict[str, Any]:
    found = whole.get(name)
    if not isinstance(found, dict):
        return {}
    return {str(key): v if isinstance(v, PLAIN) else str(v) for key, v in found.items()}


def seconds_of(whole: dict[str, Any]) -> float:
    found = whole.get("seconds")
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if is_number else 0.0  # type: ignore[arg-type]  # it is a number


def differing(runs: Sequence[Run]) -> list[str]:
    """The settings that are not the same in all runs."""
    names = dict.fromkeys(name for run in runs for name in run.settings)
    return [n for n in names if len({repr(run.settings.get(n)) for run in runs}) > 1]


def results_of(runs: Sequence[Run], most: int = 6) -> list[str]:
    """The figures that most runs have."""
    names = dict.fromkeys(name for run in runs for name in run.figures)
    counts = {name: sum(name in run.figures for run in runs) for name in names}
    return sorted(counts, key=lambda name: -counts[name])[:most]
