"""docs/onnx-networks.md, made of the results of the blind runs and of the latest one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msconvert.benchmarks.onnx_networks.judging import EQUAL, Result
from msconvert.benchmarks.onnx_networks.later import LATER
from msconvert.benchmarks.onnx_networks.listed import (
    CONDITIONS,
    CONTROL,
    FORMS,
    LONGEST,
    NETWORKS,
    Network,
    networks_of,
)
from msconvert.errors import printable

FILES = ("first.json", "second.json", "latest.json")
FIRST, SECOND, LATEST = (Path(__file__).with_name(name) for name in FILES)
CONTROL_RESULTS, LATER_RESULTS, LATER_BLIND = (
    Path(__file__).with_name(name) for name in ("control.json", "later.json", "later_blind.json")
)
PAGE = Path(__file__).parents[2] / "docs" / "onnx-networks.md"
GALLERY_PAGES = PAGE.parent / "gallery"

MOST = 1.02
"""A checkpoint has at most so many times the floats of the original."""

HEAD = """# Networks, exported and converted

{count} networks of torchvision, timm, transformers (small configurations, random weights) and of
our own, written down before the first of them was converted
(`benchmarks/onnx_networks/listed.py`). Each was exported by one of PyTorch's exporters, with static
or dynamic axes; some were quantised by ONNX Runtime. `python -m msconvert.benchmarks.onnx_networks`
has made this page; nothing in it is written by hand.

- *equal*: the command converted all nodes and found its own comparison equal, and the script gave
  what ONNX Runtime gives on the file for other inputs: in PyNative and graph mode, at two sizes of
  each dynamic axis. Allowed is 1e-4 of an output's maximum, the rounding of halves where there are
  some, or twice what ONNX Runtime differs from itself without its optimisations.
- *MindSpore*: the script for the real MindSpore on a CPU, in PyNative mode, the same inputs.
- *paths*: modules of the original that have weights in the file (as they are, folded or quantised),
  and how many of them have the same path in the checkpoint, with the same numbers where the file
  has these. A hyphen, which no attribute has, counts as an underscore; what a module multiplies
  with may be the weight of a layer in it. (The blind runs took both for lost, and the network
  itself for a module that each file names; they counted positions and booleans as floats.)
- *floats*: elements of the checkpoint by those of the original's parameters and buffers; in
  brackets the file's own, where an exporter wrote more than {most} times as many.
  Positions (whole numbers of 64 bits) and booleans are not counted.
- What no exporter could write is listed and not counted. Rows that could not be made got other
  arguments or another exporter before they were converted.
- Both blind runs are of networks that the converter had not seen. The *first* run is that of the
  converter as it was when the list was written, on as many networks as there was time for: most
  from the beginning of an order drawn beforehand, the rest from its end. The *second* run, on all
  others, is that of the converter after what the first had shown was mended. The *latest* run came
  after what the second showed was mended, too: all networks were run again, and those whose script
  changed after that once more. Scripts have become shorter since: 49 networks, most from the
  beginning of the order, were run again on both targets.
"""

CONTROL_HEAD = """{count} files more, written down before the first of them was converted: what is
scripted, PyTorch's `cond`, `scan` and `while_loop`, functions of onnxscript, and loops that decode.
Equal in their first run, which was blind: {equal} in both modes of the runtime,
{mindspore} on MindSpore.
"""

LATER_HEAD = """## A later list

{count} networks more of the three libraries, written down and committed when the converter gave
equal numbers for 98 % of the list above (`benchmarks/onnx_networks/later.py`). The *blind* run is
of the converter as it was then; the *latest* came after what the blind run showed was mended.
"""


def read(path: Path) -> dict[str, Result]:
    """The results in a file; none where there is none."""
    if not path.exists():
        return {}
    saved = json.loads(path.read_text(encoding="utf-8"))
    return {name: Result(**(one | {"lost": tuple(one["lost"])})) for name, one in saved.items()}


def page() -> str:
    """The page, of both files of results."""
    first, second, latest = read(FIRST), read(SECOND), read(LATEST)
    lines = [HEAD.format(count=len(NETWORKS), most=MOST)]
    runs = {"first run_blind": first, "second run_blind": second, "latest": latest}
    lines += [*totals(**runs), "", *parts(latest), "", *lengths()]
    lines += ["", *table(NETWORKS, first | second, latest)]
    lines += ["", *control(read(CONTROL_RESULTS))]
    lines += ["", *later(read(LATER_BLIND), read(LATER_RESULTS))]
    lines += ["", *reasons(latest), "", *unwritten(latest)]
    return "\n".join(lines).rstrip() + "\n"


def exported(results: dict[str, Result]) -> dict[str, Result]:
    return {name: result for name, result in results.items() if not result.refused}


def share(results: dict[str, Result], holds: Callable[[Result], bool]) -> str:
    """`N of M, P %`; a dash where nothing was run."""
    if not results:
        return "-"
    right = sum(map(holds, results.values()))
    return f"{right} of {len(results)}, {100 * right / len(results):.1f} %"


def is_lean(result: Result) -> bool:
    return result.floats <= MOST


def is_own(result: Result) -> bool:
    """Whether the converter added nothing to what the original has, or the exporter wrote."""
    return result.floats <= MOST * max(1.0, result.own)


def totals(**runs: dict[str, Result]) -> Iterator[str]:
    """What was asked, and what came out of each run."""
    titles = [title.replace("_", ", ") for title in runs]
    yield f"| | asked | {' | '.join(titles)} |"
    yield f"|---|---|{'---|' * len(titles)}"
    both = [exported(run) for run in runs.values()]
    yield row("equal on the runtime", "97 %", [share(r, lambda x: x.is_equal) for r in both])
    yield row("equal on MindSpore", "85 %", [share(tried(r), on_mindspore) for r in both])
    yield row("module paths", "98 %", [paths(r) for r in both])
    yield row(f"at most {MOST} times the floats", "all", [share(r, is_lean) for r in both])
    title = f"at most {MOST} times those of file or original"
    yield row(title, "", [share(r, is_own) for r in both])


def tried(results: dict[str, Result]) -> dict[str, Result]:
    return {name: r for name, r in results.items() if r.mindspore}


def on_mindspore(result: Result) -> bool:
    return result.mindspore == EQUAL


def paths(results: dict[str, Result]) -> str:
    found = sum(r.found for r in results.values())
    modules = sum(r.modules for r in results.values())
    return f"{found} of {modules}, {100 * found / modules:.1f} %" if modules else "-"


def row(title: str, asked: str, cells: list[str]) -> str:
    return f"| {title} | {asked} | {' | '.join(cells)} |"


def parts(latest: dict[str, Result]) -> Iterator[str]:
    """The latest run, by what the networks are."""
    yield "| | equal | MindSpore | paths |"
    yield "|---|---|---|---|"
    kinds: list[tuple[str, Callable[[Network], bool]]] = []
    for library in dict.fromkeys(n.library for n in NETWORKS):
        kinds.append((library, lambda n, library=library: n.library == library))
    for exporter in ("dynamo", "legacy"):
        kinds.append((f"{exporter} exporter", lambda n, e=exporter: n.exporter == e))
    kinds.append(("dynamic axes", lambda n: n.dynamic))
    kinds.append(("loops and conditions", lambda n: n.scripted or n.name in CONDITIONS))
    for form in FORMS:
        kinds.append((form, lambda n, form=form: n.form == form))
    done = exported(latest)
    for title, belongs in kinds:
        names = {n.name for n in NETWORKS if belongs(n)}
        of = {name: r for name, r in done.items() if name in names}
        cells = share(of, lambda x: x.is_equal), share(tried(of), on_mindspore), paths(of)
        yield f"| {title} | {' | '.join(cells)} |"


def lengths() -> Iterator[str]:
    """How long the scripts of networks of real depth are."""
    yield "Scripts of networks of real depth, in docs/gallery:"
    yield ""
    yield "| network | lines | asked | |"
    yield "|---|---|---|---|"
    for file in sorted(GALLERY_PAGES.glob("*.py")):
        count = len(file.read_text(encoding="utf-8").splitlines())
        most = LONGEST[file.stem]
        link = f"[{file.stem}](gallery/{file.name})"
        yield f"| {link} | {count} | {most} | {sign(count <= most)} |"


def table(
    networks: Sequence[Network], blind: dict[str, Result], latest: dict[str, Result]
) -> Iterator[str]:
    yield "| network | library | export | blind | equal | MindSpore | paths | floats | lines |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for network in networks:
        result = latest.get(network.name)
        if result is None or result.refused:
            continue
        how = " ".join([network.exporter, "dynamic" if network.dynamic else "static", network.form])
        before = blind.get(network.name)
        own = f" ({result.own:.2f})" if result.own > MOST else ""
        cells = [
            *(network.name, network.library, how, sign(before is not None and before.is_equal)),
            *(sign(result.is_equal), "·" if not result.mindspore else sign(on_mindspore(result))),
            *(f"{result.found}/{result.modules}", f"{result.floats:.2f}{own}", str(result.lines)),
        ]
        yield f"| {' | '.join(cells)} |"


def control(results: dict[str, Result]) -> Iterator[str]:
    """The files with loops and conditions of a list of their own."""
    equal, there = share(results, lambda x: x.is_equal), share(tried(results), on_mindspore)
    told = CONTROL_HEAD.format(count=len(CONTROL), equal=equal, mindspore=there)
    yield from ("## Loops and conditions", "", told)
    yield from ("| file | export | equal | MindSpore | lines |", "|---|---|---|---|---|")
    for network in CONTROL:
        one, how = results[network.name], network.exporter + ", scripted" * network.scripted
        signs = f"{sign(one.is_equal)} | {sign(on_mindspore(one))}"
        yield f"| {network.name} | {how} | {signs} | {one.lines} |"
    for name, one in results.items():
        if one.mindspore != EQUAL:
            yield from ("", f"{name} on MindSpore: {printable(one.mindspore, limit=200)}")


def later(blind: dict[str, Result], latest: dict[str, Result]) -> Iterator[str]:
    """The networks that were written down when the first list was nearly all equal."""
    networks = networks_of(*LATER)
    yield LATER_HEAD.format(count=len(networks))
    yield from totals(blind=blind, latest=latest)
    yield from ("", *table(networks, blind, latest), "", *told(latest))
    yield from ("", *unwritten(latest, "###"))


def sign(holds: bool) -> str:
    return "✓" if holds else "✗"


def reasons(latest: dict[str, Result]) -> Iterator[str]:
    """Why what is not equal is not, and which paths are not found."""
    yield from ("## What is not as it should be", "", *told(latest))


def told(latest: dict[str, Result]) -> Iterator[str]:
    for name, result in sorted(exported(latest).items()):
        said = []
        if result.command != EQUAL:
            said.append(f"the command: {result.command}")
        elif result.runtime != EQUAL:
            said.append(f"the runtime: {result.runtime}")
        if result.is_equal and result.mindspore not in ("", EQUAL):
            said.append(f"MindSpore: {result.mindspore}")
        if result.lost:
            said.append(f"paths: {', '.join(result.lost)}")
        if said:
            yield f"- {name}: {printable('; '.join(said), limit=500)}"


def unwritten(latest: dict[str, Result], level: str = "##") -> Iterator[str]:
    refused = {name: r.refused for name, r in sorted(latest.items()) if r.refused}
    if refused:
        yield from (f"{level} What no file was made of", "")
        yield from (f"- {name}: {printable(why, limit=200)}" for name, why in refused.items())
