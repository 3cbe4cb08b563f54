"""What became of the architectures of whole libraries: a record, and docs/corpora.md made of it.

migrate_corpora.py writes both, an architecture at a time; nothing else does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from msconvert.errors import printable
from msconvert.troubleshooter.verify import CaseResult
from msconvert.troubleshooter.verify.outcome import STAGES, Stage
from msconvert.troubleshooter.verify.tables import SIGNS, cell

RECORDS = Path(__file__).with_name("corpora")
PAGE = Path(__file__).parents[1] / "docs" / "corpora.md"
TARGETS = {"bundled": "runtime", "mindspore": "MindSpore"}

HEAD = """# Whole libraries, converted

Model files of torchvision and timm as pip downloads them: converted by `msconvert source`, built,
run and trained for one step beside the original by `msconvert verify`, with the same weights,
inputs and random numbers. `benchmarks/migrate_corpora.py LIBRARY --record` has written this page;
nothing in it is written by hand.

- Each cell: ✓ passed, ✗ failed, - not judged (a stage before it failed, or the original itself
  could not do it in the time given), · not run. The first sign is that of msconvert's runtime, the
  second that of the real MindSpore on a CPU.
- Figures behind the table's signs are left out here: `equal` is within what rounding explains
  ([verify.md](verify.md)), in outputs, and, after the step, in outputs, gradients, parameters and
  statistics.
- Stand-ins: compiled operators cannot be loaded or converted, and data sets are not needed. Some
  files have a few lines on both sides in their places (`STAND_INS` of the benchmark: loading of
  compiled operators, their registration, timm's data), folders of data sets and of input and output
  are left out (`LEFT_OUT`). torchvision's detectors are converted, not compared.
- Inputs are the smallest that most architectures take, 64 x 64. With these, gradients of levit_128s
  and tiny_vit_5m_224 were not equal on the runtime: their rows have 128 x 128 there.
- Results were recorded one after another while the converter was still repaired, each with the
  converter as it then was.
- Seeds: an activation that rounding puts on the other side of zero changes all gradients before it.
  A step that is not equal with seed 0 is tried with seeds 1 and 2; the column says which it was.
"""


@dataclass(frozen=True)
class Result:
    """What became of an architecture: stages in their order, by name."""

    inputs: str
    stages: dict[str, str]
    figures: dict[str, str]
    seed: int
    seconds: int
    why: str = ""


@dataclass
class Record:
    """A library on one target: what it was run with, and its results by architecture."""

    versions: dict[str, str] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)

    def passed(self, stage: str) -> list[str]:
        """The architectures that passed a stage."""
        return [name for name, one in self.results.items() if one.stages.get(stage) == "passed"]


def result_of(case: CaseResult, inputs: str, seed: int) -> Result:
    stopped = case.first_failure or next((s for s in case.stages if s.explanation), None)
    why = "" if stopped is None or stopped.explanation is None else stopped.explanation.problem
    stages = {s.stage: s.status for s in case.stages}
    shown = {s.stage: cell(s).removeprefix(SIGNS[s.status]).strip() for s in case.stages}
    figures = {stage: text for stage, text in shown.items() if text}
    return Result(inputs, stages, figures, seed, round(case.seconds), why)


def read(library: str, target: str) -> Record:
    """The record of a library on a target; an empty one where there is none."""
    file = RECORDS / f"{library}_{target}.json"
    if not file.exists():
        return Record()
    saved = json.loads(file.read_text(encoding="utf-8"))
    results = {name: Result(**one) for name, one in saved["results"].items()}
    return Record(saved["versions"], results)


def add(library: str, target: str, versions: dict[str, str], name: str, result: Result) -> None:
    """Puts a result into its record, and the page in order."""
    record = read(library, target)
    record.versions = versions
    record.results[name] = result
    RECORDS.mkdir(exist_ok=True)
    text = json.dumps(asdict(record), indent=1, sort_keys=True) + "\n"
    (RECORDS / f"{library}_{target}.json").write_text(text, encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The page, of all records."""
    names = sorted({file.stem.rpartition("_")[0] for file in RECORDS.glob("*.json")})
    lines = [HEAD]
    for library in names:
        records = {target: read(library, target) for target in TARGETS}
        lines += [f"## {library}", "", *about(records), *table(records), *reasons(records)]
    return "\n".join(lines).rstrip() + "\n"


def about(records: dict[str, Record]) -> Iterator[str]:
    versions = {n: v for record in records.values() for n, v in record.versions.items()}
    yield "Versions: " + ", ".join(f"{n} {v}" for n, v in sorted(versions.items())) + "."
    yield ""
    yield "| passed | " + " | ".join(STAGES[stage] for stage in STAGES) + " |"
    yield "|" + "---|" * (len(STAGES) + 1)
    for target, name in TARGETS.items():
        record = records[target]
        counts = [str(len(record.passed(stage))) for stage in STAGES]
        yield f"| {name}, of {len(record.results)} | {' | '.join(counts)} |"
    yield ""


def table(records: dict[str, Record]) -> Iterator[str]:
    yield "| architecture | input | seed | " + " | ".join(STAGES[s] for s in STAGES) + " |"
    yield "|" + "---|" * (len(STAGES) + 3)
    for name in sorted({name for record in records.values() for name in record.results}):
        found = [record.results.get(name) for record in records.values()]
        tried = [one for one in found if one is not None]
        inputs = " / ".join(dict.fromkeys(one.inputs for one in tried))
        seeds = " ".join(str(one.seed) for one in tried)
        signs = [" ".join(sign(one, stage) for one in found) for stage in STAGES]
        yield f"| {name} | {inputs} | {seeds} | {' | '.join(signs)} |"
    yield ""


def sign(result: Result | None, stage: Stage) -> str:
    return "·" if result is None else SIGNS[result.stages.get(stage, "skipped")]


def reasons(records: dict[str, Record]) -> Iterator[str]:
    """Why what failed did, a line for each."""
    failed = [
        f"- {name}, {TARGETS[target]}: {printable(one.why)}"
        for target, record in records.items()
        for name, one in sorted(record.results.items())
        if one.why
    ]
    if failed:
        yield from ("What is not equal, or could not be judged:", "", *failed, "")
