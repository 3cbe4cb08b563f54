"""Runs as a table on the terminal, and where two of them part."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from ...errors import printable
from ...reporting.charts import figure
from .parting import Parting
from .run import Run, differing, results_of

MOST_COLUMNS = 8
WIDEST = 160
STEPS = "steps"


def to_text(runs: Sequence[Run], width: int) -> str:
    """A row for each run: what came of it, and the settings that are not the same in all."""
    every, settings = results_of(runs), differing(runs)[:MOST_COLUMNS]
    results = [name for name in every if name != STEPS and not is_loss_again(name, runs)][:4]
    table = Table(box=None, pad_edge=False)
    for name in ("run", "status", STEPS, *results, *settings):
        table.add_column(printable(name, 24), justify="left" if name == "run" else "right",
                         overflow="fold")  # fmt: skip
    for run in runs:
        cells = [run.name, run.status or "-", str(run.loss[-1][0] if run.loss else "-")]
        cells += [figure(run.figures.get(name)) for name in results]
        cells += [shown(run.settings.get(name)) for name in settings]
        table.add_row(*(printable(cell, 40) for cell in cells))
    out = io.StringIO()
    Console(file=out, width=min(max(width, 60), WIDEST), color_system=None, markup=False,
            highlight=False).print(table)  # fmt: skip
    problems = [f"{run.name}: {run.problem}" for run in runs if run.problem]
    return "\n".join([out.getvalue().rstrip(), *(["", *problems] if problems else [])])


def is_loss_again(name: str, runs: Sequence[Run]) -> bool:
    """Whether a result is what the column of the loss's curve shows."""
    return name == "loss" and all(
        run.loss_name != name and run.figures.get(name) == run.figures.get(run.loss_name)
        for run in runs
    )


def shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def parting_text(found: Parting) -> str:
    """Where two runs part, and how to go on."""
    both = f"{found.a} and {found.b}"
    if found.step is None:
        return f"{both} do not part: {found.reason()}"
    a, b = found.losses
    return "\n".join([
        f"{both} part at step {found.step}: losses {a:.6g} and {b:.6g}, "
        f"noise until there {found.noise:.3g}.",
        f"try: save both networks before step {found.step} and compare that step layer by layer:",
        "     msconvert compare A.py B.py --inputs the_batch.npz",
    ])  # fmt: skip
