"""A profile as files: a trace for Perfetto and chrome://tracing, and tables."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from ...formats.storage.atomic import whole_or_none
from .analysis import PARTS, queue_fill, sampling_of, stages_of, steps_of, totals
from .recorder import Record

LANES = {"data": 1, "compile": 2, "run": 3, "operator": 4, "graph": 5}
"""The rows of the trace."""


def trace_of(record: Record) -> str:
    """The trace in Chrome's JSON format. Units: microseconds"""
    process = os.getpid()
    found: list[dict[str, Any]] = [
        {"name": "thread_name", "ph": "M", "pid": process, "tid": lane, "args": {"name": name}}
        for name, lane in LANES.items()
    ]
    found += [
        {"name": f"{s.kind} {s.name}", "cat": s.kind, "ph": "X", "ts": s.start, "dur": s.length,
         "pid": process, "tid": LANES[s.kind]}
        for s in record.spans
    ]  # fmt: skip
    found += [
        {"name": r.op, "cat": r.way, "ph": "X", "ts": r.start, "dur": r.length, "pid": process,
         "tid": LANES["operator"],
         "args": {"layer": r.layer, "line": r.line, "compiled": r.compiled}}
        for r in record.ran
    ]  # fmt: skip
    found += [
        {"name": f"graph {r.graph}", "cat": "graph", "ph": "X", "ts": r.start, "dur": r.length,
         "pid": process, "tid": LANES["graph"], "args": {"operators timed": r.sampled}}
        for r in record.runs
    ]  # fmt: skip
    found += [
        {"name": "memory", "ph": "C", "ts": ts, "pid": process, "tid": 0, "args": {"bytes": size}}
        for ts, size in record.memory
    ]
    found += [
        {"name": "prefetch queue", "ph": "C", "ts": ts, "pid": process, "tid": 0,
         "args": {"fill": fill}}
        for ts, fill in record.queue
    ]  # fmt: skip
    sampling = sampling_of(record, steps_of(record))
    pipeline = [
        {"stage": one.name, "rows": one.rows, "total_us": round(one.total, 1)}
        for one in stages_of(record)
    ]
    return json.dumps(
        {
            "otherData": {"pipeline": json.dumps(pipeline), "sampling": sampling},
            "traceEvents": found,
            "displayTimeUnit": "ms",
        }
    )


def operators_csv(record: Record) -> str:
    """Operators by kind, then by layer and line; `timed` tells of how many runs a figure is."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["by", "name", "count", "timed", "total_us", "mean_us", "share"])
    for by, key in (
        ("operator", lambda r: r.op),
        ("layer", lambda r: f"{r.layer} ({r.way})"),
        ("line", lambda r: r.line),
    ):
        for one in totals(record.ran, key):
            figures = (f"{one.total:.1f}", f"{one.mean:.2f}", f"{one.share:.4f}")
            table.writerow([by, one.name, one.count, one.timed, *figures])
    return out.getvalue()


def steps_csv(record: Record) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["step", "total_us", *[f"{name}_us" for name in PARTS], "operators"])
    for step in steps_of(record):
        parts = [f"{getattr(step, name):.1f}" for name in PARTS]
        kind = "timed" if step.sampled else "estimated"
        table.writerow([step.number, f"{step.length:.1f}", *parts, kind])
    return out.getvalue()


def pipeline_csv(record: Record) -> str:
    """The stages of the data pipeline from the source on, then how full its queue was."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["stage", "rows", "total_us", "us_per_batch", "share", "queue_fill"])
    for one in stages_of(record):
        figures = (f"{one.total:.1f}", f"{one.per_batch:.1f}", f"{one.share:.4f}")
        table.writerow([one.name, one.rows, *figures, ""])
    fill = queue_fill(record)
    if fill is not None:
        table.writerow(["prefetch queue", len(record.queue), "", "", "", f"{fill:.4f}"])
    return out.getvalue()


def write_files(record: Record, folder: Path) -> None:
    """Writes trace.json and the tables. Raises: OSError"""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "trace.json": trace_of(record),
        "operators.csv": operators_csv(record),
        "steps.csv": steps_csv(record),
    }
    if record.stages:
        files["pipeline.csv"] = pipeline_csv(record)
    for name, text in files.items():
        write_text(folder / name, text)


def write_text(file: Path, text: str) -> None:
    whole_or_none(file, lambda: file.write_text(text, encoding="utf-8"))
