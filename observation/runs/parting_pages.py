"""Where two curves part, as text with a line for each, as JSON, and as a page with a chart."""

from __future__ import annotations

import json
import math

from ...errors import printable
from ...reporting.charts import HEIGHT, WIDTH, chart_of, figure, finite, sparkline
from ...reporting.page import Tile, to_page
from .parting import Parting
from .run import Curve, Run

AROUND = 3
"""So many steps before and behind the one at which they part are shown."""


def to_text(found: Parting, a: Run, b: Run) -> str:
    curves = finite(a.loss), finite(b.loss)
    values = [v for curve in curves for _, v in curve] or [0.0]
    lines = [
        f"{side} {sparkline(run.loss, min(values), max(values))} {figure(run.loss[0][1])} to "
        f"{figure(run.loss[-1][1])}  {printable(run.name, 60)}"
        for side, run in (("A", a), ("B", b))
    ]
    if found.step is None:
        return "\n".join([
            *lines, "",
            f"The curves do not part: {found.reason()}",
        ])  # fmt: skip
    return "\n".join([
        *lines, "", *rows(found, dict(a.loss), dict(b.loss)), "",
        f"The curves part at step {found.step}: losses {found.losses[0]:.6g} and "
        f"{found.losses[1]:.6g}, noise until there {found.noise:.3g}.",
        "try: msconvert compare A.py B.py --train TRAIN_A.py:make --train-b TRAIN_B.py:make ...,",
        "     which says what of the two scripts differs: docs/compare.md",
    ])  # fmt: skip


def rows(found: Parting, a: dict[int, float], b: dict[int, float]) -> list[str]:
    steps = sorted(a.keys() & b.keys())
    place = steps.index(found.step) if found.step in steps else 0
    shown = steps[max(place - AROUND, 0) : place + AROUND + 1]
    return [
        "step      loss A        loss B        apart",
        *(
            f"{step:<8}  {a[step]:<12.6g}  {b[step]:<12.6g}  {abs(a[step] - b[step]):.3g}"
            + ("   <" if step == found.step else "")
            for step in shown
        ),
    ]


def to_json(found: Parting, a: Run, b: Run) -> str:
    content = {
        "part": found.step is not None,
        "step": found.step,
        "losses": [plain(x) for x in found.losses],
        "noise": plain(found.noise),
        "steps": found.steps,
        "a": {"file": str(a.path), "curve": pairs(a.loss)},
        "b": {"file": str(b.path), "curve": pairs(b.loss)},
    }
    return json.dumps(content, indent=1) + "\n"


def pairs(curve: Curve) -> list[list[object]]:
    return [[step, plain(value)] for step, value in curve]


def plain(value: float) -> object:
    return value if math.isfinite(value) else str(value)


def to_html(found: Parting, a: Run, b: Run) -> str:
    names = sorted(a.curves.keys() & b.curves.keys() - {a.loss_name})[:11]
    curves = [("loss", a.loss, b.loss), *((n, a.curves[n], b.curves[n]) for n in names)]
    tiles = [
        Tile(str(found.steps), "steps of both"),
        Tile("-" if found.step is None else str(found.step), "they part here"),
        Tile(figure(found.noise), "noise of their difference"),
    ]
    text = to_text(found, a, b).splitlines()
    facts = {
        "title": "Two curves of losses",
        "tiles": tiles,
        "summary": next(line for line in text if line.startswith("The curves")),
        "first": text[:2] + rows(found, dict(a.loss), dict(b.loss)) if found.step else text[:2],
        "sides": [printable(run.name, 200) for run in (a, b)],
        "charts": [chart_of(n, {"A": x, "B": y}, found.step) for n, x, y in curves],
        "notes": [],
        "width": WIDTH,
        "height": HEIGHT,
    }
    return to_page("training.html.jinja", ["scan.css", "runs.css"], "", facts)
