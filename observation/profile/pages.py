"""A profile as text and as one HTML page that needs nothing else."""

from __future__ import annotations

from typing import Any

from ...errors import printable
from ...reporting.page import Tile, to_page
from ...runtime.profiler.analysis import (
    DISPLACED,
    PARTS,
    advice,
    queue_fill,
    sampling_of,
    shares_of,
    stages_of,
    steps_of,
    totals,
)
from ...runtime.profiler.recorder import Record

MOST_ROWS = 40
OUTSIDE = "(outside of layers)"


def summary_of(record: Record) -> dict[str, Any]:
    """What is printed: shares, the longest operators, layers and lines, and what to do."""
    steps = steps_of(record)
    kept = steps[1:] or steps
    return {
        "steps": len(steps),
        "step_us": sum(step.length for step in kept) / max(len(kept), 1),
        "shares": shares_of(steps) if steps else {},
        "advice": advice(record, steps),
        "sampling": sampling_of(record, steps),
        "operators": rows(record, "op"),
        "layers": rows(record, "layer"),
        "lines": rows(record, "line"),
        "pipeline": [[one.name, one.rows, one.total, one.per_batch, one.share]
                     for one in stages_of(record)],
        "queue_fill": queue_fill(record),
        "operators_us": sum(one.length for one in record.ran),
        "graphs_us": sum(one.length for one in record.ran if one.compiled),
        "onnxruntime_us": record.executed,
        "memory": max((size for _, size in record.memory), default=0),
        "dropped": record.dropped,
    }  # fmt: skip


def rows(record: Record, name: str) -> list[list[Any]]:
    found = totals(record.ran, lambda one: str(getattr(one, name)))[:MOST_ROWS]
    return [[one.name, one.count, one.total, one.mean, one.share] for one in found]


def to_text(summary: dict[str, Any]) -> str:
    """Where the time goes, and what to do."""
    if not summary["operators"]:
        none = "No operator ran in the script's own process."
        return DISPLACED if DISPLACED in summary["advice"] else none
    lines = [f"{summary['steps']} steps, {summary['step_us'] / 1000:.2f} ms each:"]
    lines += [f"  {name:<10} {share:6.1%}" for name, share in summary["shares"].items()]
    lines += ["", "The longest operators:"]
    lines += [
        f"  {printable(name, 24):<24} {share:6.1%} {count:7d} times {mean:9.1f} us"
        for name, count, _, mean, share in summary["operators"][:8]
    ]
    lines += ["", "The longest layers:"]
    lines += [
        f"  {printable(name or OUTSIDE, 48):<48} {s:6.1%}" for name, *_, s in summary["layers"][:8]
    ]
    lines += pipeline_lines(summary)
    said = [summary["sampling"]] if summary["sampling"] else []
    return "\n".join([*lines, "", *said, *summary["advice"]])


def pipeline_lines(summary: dict[str, Any]) -> list[str]:
    """The stages of the data, and how full their queue was."""
    lines = ["", "The data, stage by stage:"] if summary["pipeline"] else []
    lines += [
        f"  {printable(name, 40):<40} {share:6.1%} {count:7d} rows  {each / 1000:9.2f} ms a batch"
        for name, count, _, each, share in summary["pipeline"]
    ]
    fill = summary["queue_fill"]
    return lines if fill is None else [*lines, f"  the queue behind them is {fill:.0%} full"]


def to_html(record: Record) -> str:
    """The page: its first screen says where the time goes and what to do about it."""
    summary = summary_of(record)
    colours = ("limited", "dynamic", "exact", "differs", "composite", "unknown")
    facts: dict[str, Any] = {
        "title": f"{summary['steps']} steps, {summary['step_us'] / 1000:.2f} ms each",
        "tiles": [
            Tile(f"{summary['step_us'] / 1000:.2f} ms", "a step"),
            Tile(str(summary["steps"]), "steps"),
            Tile(f"{summary['memory'] / 1e6:,.0f} MB", "of memory at most"),
        ],
        "advice": summary["advice"],
        "sampling": summary["sampling"],
        "shares": [
            (name, style, f"{summary['shares'].get(name, 0.0) * 100:.1f}")
            for name, style in zip(PARTS, colours, strict=True)
        ],
        "tables": [
            (title, [[printable(r[0] or "-", 100), r[1], f"{r[2] / 1000:.2f}", f"{r[3]:.1f}",
                      f"{r[4]:.1%}"] for r in summary[name]])
            for title, name in (("Operators", "operators"), ("Layers", "layers"),
                                ("Lines", "lines"))
        ],
    }  # fmt: skip
    if summary["pipeline"]:
        fill = summary["queue_fill"]
        behind = "" if fill is None else f": the queue behind it is {fill:.0%} full"
        stages = [
            [printable(name, 100), rows, f"{total / 1000:.2f}", f"{each:.1f}", f"{share:.1%}"]
            for name, rows, total, each, share in summary["pipeline"]
        ]
        facts["tables"] = [*facts["tables"], (f"Data{behind}", stages)]
    return to_page("profile.html.jinja", ["scan.css", "runs.css"], "runs.js", facts)
