"""What becomes of variants: equal to PyTorch on each side, refused, or wrong.

python -m msconvert.tests.api_mapping.judgement torch.nn.functional. [-v] [-kFORM] [-sSHARE]
    prints what is neither equal to PyTorch nor refused, and the shares; -v prints refusals, too
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from msconvert.api_mapping.table.argument import Refusal
from msconvert.tests.api_mapping.inputs import INPUTS
from msconvert.tests.api_mapping.variants import FORMS, Variant, variants
from msconvert.tests.api_mapping.verification import (
    NOT_RUN,
    difference,
    mindspore_python,
    row,
    run_side,
)


@dataclass(frozen=True)
class Result:
    """What became of a variant that PyTorch accepts: "" is equal, or what is wrong.

    `refusal` stands for both sides; `kind` of an outcome tells errors from other values.
    """

    variant: Variant
    refusal: str
    runtime: str
    mindspore: str
    is_silent: bool

    @property
    def is_equal(self) -> bool:
        return not self.refusal and not self.runtime

    @property
    def is_equal_on_mindspore(self) -> bool:
        return not self.refusal and not self.mindspore


def judged(chosen: Sequence[Variant], mindspore: Path | None) -> list[Result]:
    """What became of the variants, without those that PyTorch refuses."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "inputs.npz", **INPUTS)
        rows = [row(v, v.code) | {"id": str(n)} for n, v in enumerate(chosen)]
        left = run_side(folder, "torch", rows, Path(sys.executable))
        accepted = {str(n): v for n, v in enumerate(chosen) if left[str(n)][0] != "error"}
        converted, refusals = sorted_out(accepted)
        with ThreadPoolExecutor() as pool:
            sides = [("msconvert.runtime", Path(sys.executable))]
            sides += [("mindspore", mindspore)] if mindspore else []
            found = [pool.submit(run_side, folder, side, converted, p) for side, p in sides]
            rights = [future.result() for future in found]
    return [result(n, v, refusals.get(n, ""), left, rights) for n, v in accepted.items()]


def sorted_out(accepted: Mapping[str, Variant]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows to run, and why the others are refused."""
    converted, refusals = [], {}
    for number, variant in accepted.items():
        try:
            converted.append(row(variant, variant.converted) | {"id": number})
        except Refusal as refusal:
            refusals[number] = str(refusal) or "refused"
    return converted, refusals


def result(
    number: str, variant: Variant, refusal: str, left: dict[str, Any], rights: list[dict[str, Any]]
) -> Result:
    if refusal:
        return Result(variant, refusal, "", "", is_silent=False)
    known = {variant.id: left[number]}
    texts = [difference(variant, known, {variant.id: side[number]}) for side in rights]
    mindspore = texts[1] if len(texts) > 1 else NOT_RUN
    values = [t for t, side in zip(texts, rights, strict=True) if side[number][0] != "error"]
    is_silent = any(text not in ("", NOT_RUN) for text in values)
    return Result(variant, "", texts[0], mindspore, is_silent=is_silent)


def main(arguments: Sequence[str]) -> None:
    prefixes = [a for a in arguments if not a.startswith("-")] or [""]
    forms = [a[2:] for a in arguments if a.startswith("-k")] or list(FORMS)
    share = next((float(a[2:]) for a in arguments if a.startswith("-s")), 1.0)
    chosen = [v for prefix in prefixes for v in variants(prefix, forms, share)]
    results = judged(chosen, mindspore_python())
    for found in results:
        if found.runtime or found.mindspore or ("-v" in arguments and found.refusal):
            show(found)
    summarize(results)


def show(found: Result) -> None:
    variant, converted = found.variant, "-"
    with contextlib.suppress(Refusal):
        converted = variant.converted.replace("\n", "; ")
    sort = "REFUSED" if found.refusal else "SILENT" if found.is_silent else "ERROR"
    print(f"{sort} {variant.form} {variant.rule.name}\n    {variant.code!r}\n    {converted}")
    if found.refusal:
        print(f"    {found.refusal}")
    else:
        print(f"    runtime: {found.runtime or 'equal'}   mindspore: {found.mindspore or 'equal'}")


def summarize(results: Sequence[Result]) -> None:
    for form in (*FORMS, ""):
        of_form = [r for r in results if not form or r.variant.form == form]
        count = max(len(of_form), 1)
        figures = {
            "runtime": sum(r.is_equal for r in of_form),
            "MindSpore": sum(r.is_equal_on_mindspore for r in of_form),
            "refused": sum(bool(r.refusal) for r in of_form),
            "other values": sum(r.is_silent for r in of_form),
        }
        shares = "  ".join(f"{k} {n} ({n / count:.1%})" for k, n in figures.items())
        print(f"{form or 'all':20} {len(of_form):6}  {shares}")


if __name__ == "__main__":
    main(sys.argv[1:])
