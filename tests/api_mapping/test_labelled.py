"""The precision of the analysis: every use in labelled/ is written beside its line.

A line that ends in `#: nn.Linear T.view` has just these uses; a line without has none. The
labels were written from PyTorch's documentation, not from what the analysis finds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from msconvert.api_mapping.analysis import Project, find_sources

FOLDER = Path(__file__).parent / "labelled"

SHORT = {
    "T": "torch.Tensor",
    "M": "torch.nn.Module",
    "O": "torch.optim.Optimizer",
    "L": "torch.optim.lr_scheduler.LRScheduler",
    "S": "torch.amp.GradScaler",
    "D": "torch.distributions.Distribution",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "init": "torch.nn.init",
}
LEAST, MOST_UNKNOWN = 400, 0.10


@dataclass(frozen=True)
class Place:
    """A line of a file, or of one cell of a notebook."""

    file: str
    cell: int
    line: int


def test_no_use_is_wrong_and_few_are_unknown() -> None:
    wanted, (certain, unknown) = labels(), found()
    wrong = {
        place: f"said {sorted(certain[place])}, is {sorted(wanted[place])}"
        for place in certain
        if certain[place] - wanted[place]
    }
    assert wrong == {}
    left = sum((Counter(wanted) for wanted in missed(wanted, certain, unknown).values()), Counter())
    assert not left, "uses that are neither found nor called unknown"
    total = sum(counter.total() for counter in wanted.values())
    assert total >= LEAST
    assert sum(counter.total() for counter in unknown.values()) <= MOST_UNKNOWN * total


def missed(
    wanted: dict[Place, Counter], certain: dict[Place, Counter], unknown: dict[Place, Counter]
) -> dict[Place, Counter]:
    none: Counter = Counter()
    rest = {p: wanted[p] - certain.get(p, none) - unknown.get(p, none) for p in wanted}
    return {place: counter for place, counter in rest.items() if counter}


def labels() -> dict[Place, Counter]:
    """The uses of every line that has any; empty for the lines that have none."""
    by_place: dict[Place, Counter] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            by_place[Place(name_of(path), 0, number)] = of_line(line)
    for path in sorted(FOLDER.rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell, content in enumerate(cells, 1):
            for number, line in enumerate("".join(content["source"]).splitlines(), 1):
                by_place[Place(name_of(path), cell, number)] = of_line(line)
    return by_place


def of_line(line: str) -> Counter:
    said = re.search(r"#: (.*)$", line)
    return Counter(map(full, said[1].split() if said else ()))


def full(label: str) -> str:
    head, _, rest = label.partition(".")
    return f"{SHORT[head]}.{rest}" if head in SHORT else label


def found() -> tuple[dict[Place, Counter], dict[Place, Counter]]:
    """The uses that the analysis is certain of, and those that it calls unknown, by line."""
    paths, problems = find_sources([FOLDER], ())
    assert problems == []
    project = Project(paths)
    certain: dict[Place, Counter] = {}
    unknown: dict[Place, Counter] = {}
    for path in paths:
        for use in project.analyse(path).uses:
            place = Place(name_of(path), use.cell, use.line)
            if use.kind not in ("import", "star", "dynamic"):
                by_place = certain if use.certainty == "is" else unknown
                by_place.setdefault(place, Counter())[use.api] += 1
    return certain, unknown


def name_of(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()
