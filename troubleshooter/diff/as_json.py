"""A comparison as JSON, and back: all figures, so that it can be judged again without the data."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import UsageError
from ...formats.storage.opening import json_of, reason
from ...formats.storage.recovery import settled
from ...numerics.tolerance import PROFILES, Tolerance
from ..measure.metrics import Metrics, Scalar, Side, Ulps, Worst
from .comparison import Comparison
from .row import STATUSES, Kind, Row
from .settings import Settings

if TYPE_CHECKING:
    from ...formats.storage.atomic import Path

KIND, VERSION = "comparison of tensors", 1
MAX_BYTES = 1 << 30
NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""JSON has no such numbers: they are texts."""

SETTINGS = ("profile", "rtol", "atol", "tolerances", "equal_nan", "any_dtype")
"""What of the settings counts when the results are judged again."""

T = TypeVar("T")


def to_json(comparison: Comparison) -> str:
    """Everything, a line for each row; `results_in` reads it."""
    head = {
        "kind": KIND,
        "version": VERSION,
        "ok": comparison.ok,
        "summary": comparison.summary,
        "counts": comparison.counts,
        "a": comparison.a,
        "b": comparison.b,
        "settings": {name: plain(getattr(comparison.settings, name)) for name in SETTINGS},
    }
    rows = [json.dumps({"ok": row.ok, **plain(row)}) for row in comparison.rows]
    return json.dumps(head)[:-1] + ',\n"rows": [\n' + ",\n".join(rows) + "\n]}\n"


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists, numbers that JSON has not as texts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def results_in(path: Path) -> Comparison:
    """The comparison in a file that `to_json` made. Raises: MS406 if it is none"""
    where = os.fspath(path)
    settled(where, "MS406")
    try:
        content = json_of(path, MAX_BYTES)
        if content["kind"] != KIND or content["version"] != VERSION:
            raise no_results(where, f"{content['kind']!r}, version {content['version']!r}")
        return comparison_of(content)
    except OSError as error:
        raise no_results(where, reason(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise no_results(where, f"{type(error).__name__}: {error}") from error


def no_results(where: str, got: str) -> UsageError:
    """The MS406 error about a file that holds no results."""
    return UsageError(
        "MS406",
        where,
        "not the results of a comparison",
        got=got,
        advice="give a file that msconvert diff --json FILE has written",
    )


def comparison_of(content: Mapping[str, Any]) -> Comparison:
    """The comparison that was written. Raises: KeyError, TypeError, ValueError if it is none"""
    rows = tuple(map(row_of, content["rows"]))
    sides = text(content["a"]), text(content["b"])
    return Comparison(*sides, rows, settings_of(content["settings"]))


def settings_of(content: Mapping[str, Any]) -> Settings:
    given = content["tolerances"].items()
    return Settings(
        among(("", *PROFILES), content["profile"]),
        optional(number, content["rtol"]),
        optional(number, content["atol"]),
        {text(pattern): (number(rtol), number(atol)) for pattern, (rtol, atol) in given},
        content["equal_nan"] is True,
        content["any_dtype"] is True,
        record=True,
    )


def row_of(content: Mapping[str, Any]) -> Row:
    return Row(
        optional(text, content["a"]),
        optional(text, content["b"]),
        among(STATUSES, content["status"]),
        text(content["how"]),
        number(content["confidence"]),
        text(content["change"]),
        optional(kind_of, content["kind_a"]),
        optional(kind_of, content["kind_b"]),
        optional(tolerance_of, content["tolerance"]),
        optional(metrics_of, content["metrics"]),
        *(text(content[name]) for name in ("relation", "locus", "problem", "tied", "made")),
    )


def kind_of(content: Mapping[str, Any]) -> Kind:
    return Kind(tuple(map(whole, content["shape"])), text(content["dtype"]))


def tolerance_of(content: Mapping[str, Any]) -> Tolerance:
    return Tolerance(number(content["rtol"]), number(content["atol"]), whole(content["steps"]))


def metrics_of(content: Mapping[str, Any]) -> Metrics:
    counts = {name: whole(content[name]) for name in COUNTS}
    figures = {name: number(content[name]) for name in FIGURES}
    return Metrics(
        close=optional(whole, content["close"]),
        **counts,
        **figures,
        a=side_of(content["a"]),
        b=side_of(content["b"]),
        ulp=optional(ulps_of, content["ulp"]),
        worst=optional(worst_of, content["worst"]),
        within=tuple((number(error), whole(count)) for error, count in content["within"]),
        bounds=tuple((number(rtol), number(atol)) for rtol, atol in content["bounds"]),
    )


COUNTS = ("size", "equal", "sign_changes", "nan_both", "inf_same")
FIGURES = ("error", "max_abs", "mean_abs", "max_rel", "mean_rel", "rel_l2", "cosine")


def side_of(content: Mapping[str, Any]) -> Side:
    nan, inf, zero = (whole(content[name]) for name in ("nan", "inf", "zero"))
    return Side(nan, inf, zero, number(content["rms"]))


def ulps_of(content: Mapping[str, Any]) -> Ulps:
    return Ulps(*(whole(content[name]) for name in ("p50", "p90", "p99", "max")))


def worst_of(content: Mapping[str, Any]) -> Worst:
    index = tuple(map(whole, content["index"]))
    return Worst(index, element(content["a"]), element(content["b"]))


# single values


def optional(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)


def among(known: Sequence[T], value: Any) -> T:
    return known[known.index(value)]


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is no text")
    return value


def whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"{value!r:.80} is no count")
    return value


def number(value: Any) -> Any:
    """A number; whole ones stay exact."""
    if isinstance(value, str):
        return NOT_FINITE[value]
    if type(value) not in (int, float):
        raise TypeError(f"{value!r:.80} is no number")
    return value


def element(value: Any) -> Scalar:
    """An element, as it was; what is not finite stays a text."""
    if not isinstance(value, bool | int | float | str):
        raise TypeError(f"{value!r:.80} is no element")
    return value
