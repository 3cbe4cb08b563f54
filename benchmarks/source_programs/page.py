"""docs/source-programs.md, made of the results of the first run and of the latest one."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msconvert.benchmarks.source_programs.judging import EQUAL, LISTS, TARGETS, Verdict
from msconvert.errors import printable

HERE = Path(__file__).parent
BEGINNING = {"programs": "", "second": "second_", "third": "third_", "fourth": "fourth_"}
FIRST = {name: HERE / f"{beginning}first.json" for name, beginning in BEGINNING.items()}
LATEST = {name: HERE / f"{beginning}latest.json" for name, beginning in BEGINNING.items()}
PAGE = Path(__file__).parents[2] / "docs" / "source-programs.md"
ASKED = {"bundled": "34 equal", "mindspore": "28 equal"}
TITLES = {"bundled": "runtime", "mindspore": "MindSpore"}

HEAD = """# Programs, converted and compared

{count} programs of 60 to 300 lines in the styles that people write, put down before the first of
them was converted (`benchmarks/source_programs/programs`). Each sets its weights itself and prints
numbers. `python -m msconvert.benchmarks.source_programs` runs them with PyTorch, converts them,
runs what came out on msconvert's runtime and on the real MindSpore on a CPU, and has made this
page; nothing in it is written by hand.

- *equal*: the converted program prints the same words, and numbers within a thousandth; a shape is
  a tuple in MindSpore, and is printed as one, and NumPy 1, which MindSpore has, prints `3` for
  `np.int64(3)`.
- *refused*: it does not, and a comment in the file says which line is left and why.
- *crashes*, *differs*: it does not, and nothing in the file says so.

The *first* run is that of the converter as it was when the list was written; the *latest* came
after what the first showed was mended.
"""

SECOND = """## A second list

{count} programs in other styles (`benchmarks/source_programs/second`), put down after the first
list had been worked on. Their *first* run shows what the converter does with what it has not seen;
`--list second` runs them.
"""

THIRD = """## A third list: gradients by hand

{count} short programs (`benchmarks/source_programs/third`) of what this page said was refused:
loops without an optimiser, Grad-CAM, saliency, gradient penalties, MAML, gradients of each sample,
parametrizations and hooks. They were put down before that was worked on; `--list third` runs them.
"""

FOURTH = """## A fourth list

{count} programs (`benchmarks/source_programs/fourth`) in styles that the other lists do not have,
put down when those had been worked on and before any of these was converted: attacks, bags of
embeddings, a CRF, energies, federated clients, LoRA, masked patches, a mixture density, physics in
the loss, vector quantisation. `--list fourth` runs them.
"""

Results = dict[str, dict[str, Verdict]]


def read(path: Path) -> Results:
    """The verdicts in a file, by program and target; none where there is none."""
    if not path.exists():
        return {}
    saved = json.loads(path.read_text(encoding="utf-8"))
    return {name: {t: Verdict(**v) for t, v in one.items()} for name, one in saved.items()}


def page() -> str:
    """The page, of both files of results."""
    lines = [HEAD.format(count=len(LISTS["programs"])), *section("programs", ASKED)]
    lines += ["", SECOND.format(count=len(LISTS["second"])), *section("second", {})]
    lines += ["", THIRD.format(count=len(LISTS["third"])), *section("third", {})]
    lines += ["", FOURTH.format(count=len(LISTS["fourth"])), *section("fourth", {})]
    return "\n".join(lines).rstrip() + "\n"


def section(name: str, asked: Mapping[str, str]) -> Iterator[str]:
    """The figures of a list of programs, its table, and what is not equal."""
    first, latest = read(FIRST[name]), read(LATEST[name])
    yield from (*totals(first, latest, asked), "", *table(LISTS[name], first, latest), "")
    yield from reasons(latest)


def totals(first: Results, latest: Results, asked: Mapping[str, str]) -> Iterator[str]:
    yield "| | asked | first run | latest |"
    yield "|---|---|---|---|"
    for target in TARGETS:
        cells = [kinds(results, target) for results in (first, latest)]
        yield f"| {TITLES[target]} | {asked.get(target, '-')} | {' | '.join(cells)} |"


def kinds(results: Results, target: str) -> str:
    """`N equal, M refused ...` of a target."""
    count = Counter(one[target].kind for one in results.values() if target in one)
    return ", ".join(f"{n} {kind}" for kind, n in sorted(count.items(), key=rank)) or "-"


def rank(item: tuple[str, int]) -> tuple[bool, str]:
    return item[0] != EQUAL, item[0]


def table(programs: Sequence[Path], first: Results, latest: Results) -> Iterator[str]:
    heads = [f"{TITLES[t]}, {when}" for t in TARGETS for when in ("first", "latest")]
    yield f"| program | what it is | {' | '.join(heads)} |"
    yield "|---|---|---|---|---|---|"
    for program in programs:
        cells = [kind(r, program.stem, t) for t in TARGETS for r in (first, latest)]
        yield f"| {program.stem} | {what(program)} | {' | '.join(cells)} |"


def kind(results: Results, name: str, target: str) -> str:
    verdict = results.get(name, {}).get(target)
    return "·" if verdict is None else verdict.kind


def what(program: Path) -> str:
    """The first words of its docstring."""
    said = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or ""
    return said.split(":")[0].split("\n")[0].rstrip(".")


def reasons(latest: Results) -> Iterator[str]:
    """Why what is not equal is not."""
    yield from ("### What is not equal in the latest run", "")
    for name, one in sorted(latest.items()):
        for target, verdict in one.items():
            if not verdict.is_equal:
                told = printable(verdict.why, limit=400)
                yield f"- {name}, {TITLES[target]}: {verdict.kind}: {told}"
