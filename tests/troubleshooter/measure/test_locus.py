"""Where errors sit: planted ones are found, and nothing is said that does not hold."""

from __future__ import annotations

import numpy as np
import pytest

from msconvert.troubleshooter.measure import Tolerance
from msconvert.troubleshooter.measure.locus import Criterion, locate

CRITERION = Criterion(Tolerance(1e-5, 1e-5), 1.0)


def planted(shape: tuple[int, ...], *regions: tuple[object, ...], dtype: str = "f4") -> str:
    a = np.ones(shape, dtype)
    b = a.copy()
    for region in regions:
        b[region] += 1  # type: ignore[index]
    return located(a, b)


def located(a: np.ndarray, b: np.ndarray) -> str:
    return locate(a, b, CRITERION, int(np.sum(a != b)))


ALL = slice(None)
BORDER = [(..., 0, ALL), (..., -1, ALL), (..., 0), (..., -1)]


@pytest.mark.parametrize(
    ("shape", "regions", "told"),
    [
        ((2, 3, 8, 8), [], ""),
        ((2, 3, 8, 8), [(1, 2, 3, 4)], "one element"),
        ((2, 3, 8, 8), [...], "everywhere"),
        ((2, 3, 8, 8), [(ALL, 1)], "only channel 1 (axis 1)"),
        ((2, 3, 8, 8), [(..., -1)], "only the last column (axis 3)"),
        ((2, 3, 8, 8), [(..., 0, ALL)], "only the first row (axis 2)"),
        ((2, 3, 8, 8), [(..., slice(2, 5), ALL)], "only rows 2 to 4 of 8 (axis 2)"),
        ((2, 64, 8, 8), [(ALL, 3), (ALL, 9)], "only channels 3, 9 of 64 (axis 1)"),
        ((2, 3, 8, 8), BORDER, "only the border, 1 wide (axes 2 and 3)"),
        ((9, 9), [(slice(0, 2), ALL), (slice(7, 9), ALL), (ALL, slice(0, 2))],
         "only the border, 2 wide (axes 0 and 1)"),
        ((5, 6), [(2, ALL)], "only row 2 (axis 0)"),
        ((40,), [(3,), (29,)], "only indices 3, 29 of 40 (axis 0)"),
        ((2, 40, 1, 3, 4), [(1, ALL)], "only the last index (axis 0)"),
        ((40,), [(slice(None, None, 2),)], "scattered, 20 of 40 elements"),
        ((), [()], "one element"),
    ],
)  # fmt: skip
def test_planted(shape: tuple[int, ...], regions: list[object], told: str) -> None:
    assert planted(shape, *regions) == told  # type: ignore[arg-type]


def test_what_the_sample_does_not_show_is_counted() -> None:
    shape = (4, 8, 128, 256)
    assert planted(shape, (ALL, 5)) == "only channel 5 (axis 1)"
    assert planted(shape, (ALL, 5), (3, 0, 1, 1)) != "only channel 5 (axis 1)"
    assert planted(shape, *BORDER) == "only the border, 1 wide (axes 2 and 3)"
    assert planted(shape, *BORDER, (0, 0, 64, 64)).startswith("scattered, ")


def test_other_elements() -> None:
    column = "only the last column (axis 1)"
    assert planted((4, 5), (ALL, -1), dtype="i8") == column
    a = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert located(a, np.array([[1.0, np.nan], [2.0, np.inf]])) == column
    assert located(a, a.copy()) == "one element"
    texts = np.array([["a", "b"], ["c", "d"]])
    assert located(texts, np.array([["a", "x"], ["c", "y"]])) == column
    changed = a.copy()
    changed[:, 1] = 5
    assert located(a.T, changed.T) == "only the last row (axis 0)"
