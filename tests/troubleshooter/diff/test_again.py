"""Judging again without the data gives what comparing again would."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.tests.troubleshooter.diff.sides import rough, write_sides
from msconvert.troubleshooter.diff import Comparison, Settings
from msconvert.troubleshooter.diff.again import judged_again
from msconvert.troubleshooter.diff.as_json import results_in, to_json
from msconvert.troubleshooter.diff.judgement import needed
from msconvert.troubleshooter.diff.opening import compare_paths
from msconvert.troubleshooter.measure import measure

TOLERANCES = (0.0, 1e-7, 1e-5, 1e-3, 0.1, 2.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sides")
    write_sides(folder)
    return folder


def compare(folder: Path, settings: Settings) -> Comparison:
    return compare_paths(folder / "a", folder / "b", settings, None, lambda _step: None)


@pytest.fixture(scope="module")
def stored(folder: Path) -> Comparison:
    """What is read of the results in a file."""
    found = compare(folder, Settings(record=True, explain=0))
    path = folder / "results.json"
    path.write_text(to_json(found))
    back = results_in(path)
    assert to_json(back) == to_json(found)
    return back


def statuses(found: Comparison) -> list[tuple[str, str]]:
    return [(row.name, row.status) for row in found.rows]


@pytest.mark.parametrize(("rtol", "atol"), [*itertools.product(TOLERANCES[:-1], TOLERANCES)])
def test_every_recorded_tolerance(
    stored: Comparison, folder: Path, rtol: float, atol: float
) -> None:
    settings = Settings(profile="activations", rtol=rtol, atol=atol, record=True, explain=0)
    again = judged_again(stored, settings, "results.json")
    fresh = compare(folder, settings)
    assert statuses(again) == statuses(fresh)
    for old, new in zip(again.rows, fresh.rows, strict=True):
        if old.metrics is not None:
            assert old.tolerance == new.tolerance
            assert old.metrics.close in (None, new.metrics.close)  # type: ignore[union-attr]
    assert statuses(judged_again(again, stored.settings, "")) == statuses(stored)


@pytest.mark.parametrize("profile", ["weights", "activations", "gradients", "quantised"])
@pytest.mark.parametrize("free", [{}, {"equal_nan": True}, {"any_dtype": True}])
def test_profiles(stored: Comparison, folder: Path, profile: str, free: dict[str, bool]) -> None:
    settings = Settings(profile=profile, record=True, explain=0, **free)  # type: ignore[arg-type]
    assert statuses(judged_again(stored, settings, "")) == statuses(compare(folder, settings))


def test_the_bounds_between_recorded_tolerances_hold() -> None:
    a, b = rough()
    metrics = measure(a, b, record=True)
    rms = np.sqrt(np.mean(a**2))
    for rtol in np.geomspace(1e-9, 0.5, 60):
        exact = max(0.0, float(np.max(np.abs(a - b) - rtol * np.abs(a)) / rms))
        least, most = needed(metrics, float(rtol))
        assert least - 1e-12 <= exact <= most + 1e-12
        assert most - least <= 0.3 * metrics.max_abs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"kind": "comparison of tensors", "version": 2}',
        "[" * 100_000,
        '{"kind": "comparison of tensors", "version": 1, "rows": 5}',
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(MsconvertError, match=r"MS406 .*not the results of a comparison"):
        results_in(path)
    with pytest.raises(MsconvertError, match="MS406"):
        results_in(tmp_path / "none.json")


@pytest.mark.parametrize(
    "change",
    [
        {"status": "fine"},
        {"a": 5},
        {"confidence": "much"},
        {"kind_a": {"shape": ["x"], "dtype": "float32"}},
        {"metrics": {"size": -1}},
        {"tolerance": {"rtol": [], "atol": 0, "steps": 0}},
        {"metrics": None, "locus": None},
    ],
)
def test_damaged_rows_are_refused(
    stored: Comparison, tmp_path: Path, change: dict[str, object]
) -> None:
    content = json.loads(to_json(stored))
    content["rows"][1] |= change
    (tmp_path / "r.json").write_text(json.dumps(content))
    with pytest.raises(MsconvertError, match="MS406"):
        results_in(tmp_path / "r.json")
