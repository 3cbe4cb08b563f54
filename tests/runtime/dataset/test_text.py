"""Operations on text: each row with the real MindSpore and with the runtime."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from msconvert.tests.runtime.dataset.rows import Outcomes, Row
from msconvert.tests.runtime.dataset.text_rows import EVERY


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Outcomes:
    return Outcomes(EVERY, tmp_path_factory.mktemp("text"), run_mindspore)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.code)
def test_row(row: Row, outcomes: Outcomes) -> None:
    assert outcomes.difference(row) == ""
