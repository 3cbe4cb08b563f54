"""The command that finds more of what a command has found, ready to paste."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..troubleshooter.compare import NetworkComparison
    from ..troubleshooter.diff.comparison import Comparison
    from ..troubleshooter.verify.outcome import StageResult, Verification

NEXT = "Next: "
RUN = ("equal", "gradients", "step")
"""Stages that say that something differs, and not where."""


def command(*parts: object, **flags: Any) -> str:
    """`msconvert PARTS --flag VALUE`, quoted for a shell; flags without a value are left out."""
    words = ["msconvert", *map(str, parts)]
    for name, value in flags.items():
        values = value if isinstance(value, tuple | list) else (value,)
        for one in values:
            if one not in (None, "", False):
                words += [f"--{name.replace('_', '-')}", str(one)]
    return " ".join(shlex.quote(word) for word in words)


def after_verify(found: Verification, texts: Iterable[str], flags: Mapping[str, Any]) -> str:
    """The `compare` of the first network that is not equal; "" if none can be run.

    `texts`: the shapes, as they were given.
    """
    for case in found.cases:
        failure = case.first_failure
        if failure is None or not can_be_compared(failure):
            continue
        of_pythons = {
            "python_a": flags.get("python_torch"),
            "python_b": flags.get("python_mindspore"),
        }
        call = case.name if case.name.endswith(")") else f"{case.name}()"
        given = {
            "call": call,
            "shape": tuple(texts),
            "inputs": flags.get("inputs"),
            "target": flags.get("target"),
            **of_pythons,
            "seed": flags.get("seed") or None,
            "mode": "eval" if failure.stage == "equal" else None,
        }
        return NEXT + command("compare", case.original, case.converted, **given)
    return ""


def can_be_compared(failure: StageResult) -> bool:
    """Whether `compare` says more; weights of other names it matches itself."""
    why = failure.explanation
    return failure.stage in RUN or (why is not None and why.code == "MS403")


def after_compare(found: NetworkComparison, flags: Mapping[str, Any]) -> str:
    """The `diff` of the files of weights where these are not alike."""
    files = [flags.get("weights_a"), flags.get("weights_b")]
    if found.weights and all(files):
        return NEXT + command("diff", *files, map=flags.get("map_file"))
    return ""


def after_diff(found: Comparison, paths: Iterable[Path], names: Mapping[str, Any]) -> str:
    """The `diff` with a page and all explanations, where some were left out."""
    odd = [row for row in found.failing if row.metrics is not None]
    left = [row for row in odd if not row.relation and not row.locus]
    if not left or names.get("explain") is None or names.get("results") is not None:
        return ""
    return NEXT + command("diff", *paths, map=names.get("map_file"), explain="all")
