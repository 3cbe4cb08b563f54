"""Operations on arrays of any kind: each row with the real MindSpore and with the runtime."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import msconvert.runtime.dataset.transforms as T
from msconvert.tests.runtime.dataset.rows import Outcomes, Row
from msconvert.tests.runtime.dataset.transform_rows import EVERY


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Outcomes:
    return Outcomes(EVERY, tmp_path_factory.mktemp("transforms"), run_mindspore)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.code)
def test_row(row: Row, outcomes: Outcomes) -> None:
    assert outcomes.difference(row) == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("lib.so", "f"),
        ("/nothing", "g", ""),
        ("", ""),
        ("lib.so", "f", "text"),
        ("./lib.so", "__init__"),
    ],
)
def test_compiled_operations_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(AttributeError, match="MS301"):
        T.Plugin(*arguments)


@pytest.mark.parametrize("label", [-1, -5, 4, 1000, [0, -1], [3, 4]])
def test_a_label_that_is_no_class_is_refused(label: int | list[int]) -> None:
    """MindSpore writes a one before the row for those below 0, which may end its process."""
    with pytest.raises(RuntimeError, match="a label is no class"):
        T.OneHot(4)(np.array(label))
