"""All pairs of two sides, and what is said of them together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...errors import printable
from ...formats.dumps import operator_of
from .row import STATUSES, Row, Status
from .settings import Settings


@dataclass(frozen=True, repr=False)
class Comparison:
    """The names of both sides, a row for each pair in a's order, and what counted as the same."""

    a: str
    b: str
    rows: tuple[Row, ...]
    settings: Settings

    @property
    def ok(self) -> bool:
        """Whether something was compared, and nothing differs."""
        return bool(self.measured) and not self.failing

    @property
    def measured(self) -> list[Row]:
        """The pairs whose elements were compared."""
        return [row for row in self.rows if row.metrics is not None]

    @property
    def failing(self) -> list[Row]:
        """The rows that are not the same, in a's order."""
        return [row for row in self.rows if not row.ok]

    @property
    def first_difference(self) -> Row | None:
        """The first of them; None if there is none."""
        return next(iter(self.failing), None)

    @property
    def by_gravity(self) -> list[Row]:
        """All rows, the gravest first."""
        return sorted(self.rows, key=lambda row: row.gravity)

    @property
    def counts(self) -> dict[Status, int]:
        """How many rows have each status, those that none has left out; the gravest first."""
        found = Counter(row.status for row in self.rows)
        return {status: found[status] for status in STATUSES if found[status]}

    @property
    def summary(self) -> str:
        """One line: whether all are the same, else what is not."""
        return summary(self)

    def __str__(self) -> str:
        """The table, the gravest rows first, and the summary."""
        from .as_text import to_text

        return to_text(self, self.by_gravity)

    def __repr__(self) -> str:
        """One line: both names and the verdict."""
        return f"<comparison of {self.a} and {self.b}: {self.summary.splitlines()[0]}>"

    def _repr_html_(self) -> str:
        """The page, as a notebook shows it: in a frame of its own."""
        from ...reporting.page import framed
        from .as_html import to_html

        return framed(to_html(self))

    def to_json(self) -> str:
        """All of it; `msconvert diff --from` reads a file with it."""
        from .as_json import to_json

        return to_json(self)


def summary(comparison: Comparison) -> str:
    """One line: whether all are the same, else what is not, and the gravest."""
    measured, failing = comparison.measured, comparison.failing
    if not measured and not failing:
        return f"Nothing was compared{extras(comparison)}."
    if not failing:
        which = "The pair is" if len(measured) == 1 else f"All {len(measured)} pairs are"
        return f"{which} the same{extras(comparison)}."
    bad = Counter(row.status for row in failing)
    kinds = ", ".join(f"{bad[status]} {status}" for status in STATUSES if bad[status])
    total = len(comparison.rows)
    verb = "differs" if total == 1 else "differ"
    line = f"{len(failing)} of {total} {verb}: {kinds}{extras(comparison)}; {worst(comparison)}."
    return "\n".join([line, *first_operator(comparison)])


def first_operator(comparison: Comparison) -> list[str]:
    """Of dumps the first operator, in the order of execution, that gives something else."""
    operators: dict[str, dict[str, list[Row]]] = {}
    for row in comparison.rows:
        known = operator_of(row.a) if row.a is not None else None
        if known is not None:
            roles = operators.setdefault(known[0], {"input": [], "output": []})
            roles[known[1]].append(row)
    for name, roles in operators.items():
        if any(not row.ok for row in roles["output"]):
            taken = roles["input"]
            is_own = bool(taken) and all(row.ok for row in taken)
            why = ", of the same inputs" if is_own else "" if not taken else ", and takes it, too"
            return [f"First operator that gives something else: {printable(name, 120)}{why}."]
    return []


def extras(comparison: Comparison) -> str:
    """What is neither the same nor different."""
    empty = sum(row.status == "empty" for row in comparison.rows)
    alone = sum(row.is_free for row in comparison.rows)
    facts = [f"{empty} empty"] if empty else []
    facts += [f"{alone} without counterpart by the naming rules"] if alone else []
    return f" ({', '.join(facts)})" if facts else ""


def worst(comparison: Comparison) -> str:
    """The gravest row in a few words."""
    row = comparison.by_gravity[0]
    figures = ""
    if row.status == "mismatch" and row.metrics is not None and row.tolerance is not None:
        allowed = f"rtol {row.tolerance.rtol:g}, atol {row.tolerance.atol:g}"
        figures = f", error {row.metrics.error:.2g} with {allowed}"
    return f"gravest: {printable(row.name, 80)} ({row.status}{figures})"
