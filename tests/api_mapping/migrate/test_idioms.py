"""Idioms of modules in files as people write them: both sides give the same.

Each file has a class Net; SHAPES are those of its inputs, TRAIN its mode, and `check` what else is
compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.tests.api_mapping.migrate.running import both, copy_weights, migrated

FILES = sorted((Path(__file__).parent / "idioms").glob("*.py"))

ids = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@ids
def test_both_sides_give_the_same(tmp_path: Path, path: Path) -> None:
    torch = pytest.importorskip("torch")

    import msconvert.runtime as ms

    left, right = both(tmp_path, path.read_text(encoding="utf-8"))
    torch.manual_seed(0)
    net, cell = left.Net(), right.Net()
    copy_weights(net, cell)
    net.train(getattr(left, "TRAIN", False))
    cell.set_train(getattr(left, "TRAIN", False))
    numbers = np.random.RandomState(0)
    shapes = getattr(left, "SHAPES", [(2, 3)])
    inputs = [numbers.randn(*shape).astype(np.float32) for shape in shapes]
    compare(net(*map(torch.tensor, inputs)), cell(*map(ms.Tensor, inputs)))
    if hasattr(left, "check"):
        compare(left.check(net), right.check(cell))


@ids
def test_a_second_time_changes_nothing(tmp_path: Path, path: Path) -> None:
    once = migrated(tmp_path, path.read_text(encoding="utf-8")).text
    assert migrated(tmp_path, once).text == once


def compare(wanted: Any, found: Any) -> None:
    """Asserts that two values are equal, tensors nearly."""
    if isinstance(wanted, list | tuple):
        assert len(wanted) == len(found)
        for a, b in zip(wanted, found, strict=True):
            compare(a, b)
    elif hasattr(wanted, "detach"):
        np.testing.assert_allclose(found.asnumpy(), wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
    else:
        assert found == wanted
