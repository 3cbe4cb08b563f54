"""Operations on images: each row with the real MindSpore and with the runtime."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import msconvert.runtime.dataset as ds
import msconvert.runtime.dataset.vision as V
from msconvert.tests.runtime.dataset.rows import Outcomes, Row
from msconvert.tests.runtime.dataset.vision_rows import EVERY, WRONG


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Outcomes:
    return Outcomes([*EVERY, *WRONG], tmp_path_factory.mktemp("vision"), run_mindspore)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.code)
def test_row(row: Row, outcomes: Outcomes) -> None:
    assert outcomes.difference(row) == ""


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row.code)
def test_where_mindspore_is_wrong(row: Row, outcomes: Outcomes) -> None:
    assert outcomes.difference(row) != "", f"no longer: {row.because}"


IMAGE = np.random.RandomState(1).randint(0, 256, (24, 30, 3)).astype(np.uint8)


def test_a_padded_channel_is_zero() -> None:
    whole = V.Normalize([1, 2, 3], [4, 5, 6])(IMAGE)
    padded = V.NormalizePad([1, 2, 3], [4, 5, 6])(IMAGE)
    assert np.array_equal(padded[..., :3], whole)
    assert not padded[..., 3].any()


@pytest.mark.parametrize(
    "made",
    [
        lambda: V.RandomCrop(10),
        lambda: V.RandomResizedCrop(10),
        lambda: V.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
        lambda: V.RandomRotation(30),
        lambda: V.RandAugment(),
        lambda: V.AutoAugment(),
        lambda: V.RandomAffine(20, (0.0, 0.2), (0.8, 1.2), 10),
    ],
)
def test_a_seed_repeats_what_is_random(made: Callable[[], V.RandomCrop]) -> None:
    operation = made()
    runs = []
    for _ in range(2):
        ds.config.set_seed(7)
        runs.append([operation(IMAGE) for _ in range(8)])
    assert all(np.array_equal(x, y) for x, y in zip(*runs, strict=True))
    assert any(not np.array_equal(runs[0][0], x) for x in runs[0][1:])


@pytest.mark.parametrize("count", [1, 3, 5])
def test_mixing_keeps_the_sum_of_labels(count: int) -> None:
    images, labels = np.stack([IMAGE] * count), np.eye(5, dtype=np.float32)[:count]
    for operation in (V.MixUpBatch(0.4), V.CutMixBatch(V.ImageBatchFormat.NHWC, 1.0)):
        mixed, shares = operation(images, labels)
        assert mixed.shape == images.shape
        assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("name", ["VideoDecoder", "read_video", "Resise", "c_transforms"])
def test_names_that_are_not_there_are_told(name: str) -> None:
    with pytest.raises(AttributeError, match="MS301"):
        getattr(V, name)


@pytest.mark.parametrize("size", [20000, 100000])
def test_an_image_larger_than_allowed_is_refused(size: int) -> None:
    header = b"P5 %d %d 255\n" % (size, size)
    with pytest.raises(RuntimeError, match="too large"):
        V.Decode()(header)
