"""Curves of losses in what scripts print and write: text, CSV, JSON lines."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from ...errors import MsconvertError
from ...formats.storage import opening
from .run import Curve, Run, read_runs

MAX_BYTES = 1 << 28
NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)"
FIGURE = re.compile(
    r"(?<![\w/.])(?P<name>(?:[A-Za-z]{1,40}[ /_.])?"
    r"(?:\w{0,40}loss\w{0,40}|lr|learning_rate|acc|accuracy))['\"]?\s*"
    rf"(?:\bis\b|[=:]|\s)\s*\[?(?P<value>{NUMBER})(?![\w.]{{0,9}}[a-zA-Z])",
    re.IGNORECASE,
)
"""`loss is 2.3`, `Loss: 0.25`, `train_loss=0.4`, `'loss': 0.5`."""
STEP = re.compile(
    r"(?:^|[^a-z])(?:global_)?(?:step|iter(?:ation)?|it)s?\W{0,4}(\d{1,15})", re.IGNORECASE
)
STEPS = ("step", "global_step", "steps", "iter", "iteration", "trainer/global_step", "_step")
MOST_TAGS = 64
LONGEST = 4000
"""Characters of a line that are looked at."""


def read_log(path: Path) -> Run:
    """The curves in a log. Raises: MS406 if there are none"""
    if path.is_dir() or "tfevents" in path.name:
        return max(read_runs([path]), key=lambda run: run.path.name)
    text = text_of(path)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        rows = of_table(text, "\t" if ending == ".tsv" else ",")
    elif ending in (".jsonl", ".ndjson"):
        rows = of_objects(text)
    else:
        rows = of_lines(text)
    curves = curves_of(rows)
    if not any("loss" in tag.lower() for tag in curves):
        raise MsconvertError(
            "MS406", str(path), "there is no curve of a loss in it",
            got=f"{', '.join(list(curves)[:6])}" if curves else "no figures with names",
            expected="lines such as `step 3 loss 0.25`, a CSV with a column `loss`, JSON lines "
            "with a key `loss`, or event files",
        )  # fmt: skip
    return Run(path.name, path, curves)


def text_of(path: Path) -> str:
    """Raises: MS406"""
    try:
        return opening.bytes_of(path, MAX_BYTES).decode("utf-8", errors="replace")
    except OSError as error:
        raise MsconvertError("MS406", str(path), "cannot be read", got=str(error)) from error


Row = tuple[int | None, Mapping[str, float]]
"""The step, if it is said, and the figures by their names."""


def of_lines(text: str) -> Iterator[Row]:
    for whole in re.split(r"[\r\n]+", text):
        line = whole[:LONGEST]
        objects = list(of_objects(line)) if line.startswith("{") else []
        if objects:
            yield from objects
            continue
        found = {
            match["name"].strip().lower(): float(match["value"]) for match in FIGURE.finditer(line)
        }
        step = STEP.search(line)
        if found:
            yield (None if step is None else int(step[1])), found


def of_objects(text: str) -> Iterator[Row]:
    for line in text.splitlines():
        try:
            value = json.loads(line.strip().replace("'", '"') if "'" in line else line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield of_mapping({str(key): figure(item) for key, item in value.items()})


def of_table(text: str, delimiter: str) -> Iterator[Row]:
    try:
        for row in csv.DictReader(text.splitlines(), delimiter=delimiter):
            yield of_mapping({str(key): figure(item) for key, item in row.items()})
    except csv.Error:
        return


def of_mapping(found: Mapping[str, float | None]) -> Row:
    step = next((found[key] for key in found if key.lower() in STEPS), None)
    rest = {k: v for k, v in found.items() if v is not None and k.lower() not in STEPS}
    return (int(step) if step is not None and math.isfinite(step) else None), rest


def figure(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def curves_of(rows: Iterable[Row]) -> dict[str, Curve]:
    """A curve for each name. Steps that do not go on, as those that begin anew in each epoch, and
    those that are not said, are counted."""
    found: dict[str, list[tuple[int | None, float]]] = {}
    for step, figures in rows:
        for name, value in figures.items():
            if name in found or len(found) < MOST_TAGS:
                found.setdefault(name, []).append((step, value))
    return {name: numbered(points) for name, points in found.items()}


def numbered(points: list[tuple[int | None, float]]) -> Curve:
    steps = [step for step, _ in points if step is not None]
    goes_on = len(steps) == len(points) and all(x < y for x, y in pairwise(steps))
    return [
        (step if goes_on and step is not None else k + 1, value)
        for k, (step, value) in enumerate(points)
    ]
