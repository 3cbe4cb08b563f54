"""The demo model that ships: small, valid, and as good as its README says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.examples import make_demo_model as demo

FOLDER = Path(__file__).parents[2] / "examples"


def test_the_file_is_small_and_built_by_the_script() -> None:
    model = onnx.load(FOLDER / "demo.onnx")
    weights = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    assert demo.build(weights) == model
    assert (FOLDER / "demo.onnx").stat().st_size < 200_000


def test_every_label_is_drawn_equally_often_and_reproducibly() -> None:
    images, labels = demo.drawings(50, seed=3)
    assert images.shape == (50, 1, demo.SIZE, demo.SIZE)
    assert np.bincount(labels).tolist() == [10] * len(demo.LABELS)
    assert np.array_equal(images, demo.drawings(50, seed=3)[0])


def test_shapes_differ() -> None:
    rows, columns = np.mgrid[-1:1:33j, -1:1:33j]
    masks = [shape(columns, rows) for shape in demo.SHAPES]
    assert all(mask.any() for mask in masks)
    assert not any(np.array_equal(a, b) for i, a in enumerate(masks) for b in masks[:i])


def test_accuracy_is_as_the_readme_says() -> None:
    measured = demo.accuracy(FOLDER / "demo.onnx")
    stated = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{measured * 100:.1f} %" in stated
    assert measured == pytest.approx(0.99, abs=0.01)
