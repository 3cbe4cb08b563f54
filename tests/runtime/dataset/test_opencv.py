"""With OpenCV and without it: the same images but for a level; what it is not asked for."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.runtime.dataset import vision
from msconvert.runtime.dataset.images import opencv, resizing
from msconvert.runtime.dataset.vision.codec import decoded, pixels

cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

NUMBERS = np.random.RandomState(3)
SHAPES = [(37, 53, 3), (64, 48, 3), (80, 21, 1), (50, 50, 4), (41, 60), (1, 9, 3), (9, 1, 2)]
SIZES = [(32, 24), (20, 30), (100, 77), (1, 1), (37, 53)]


def photograph(h: int, w: int) -> Any:
    small = NUMBERS.randint(0, 256, (h // 8 + 1, w // 8 + 1, 3)).astype(np.uint8)
    return Image.fromarray(small).resize((w, h), Image.Resampling.BICUBIC)


def jpeg(image: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """OpenCV is not there."""
    opencv.opencv.cache_clear()
    monkeypatch.setitem(sys.modules, "cv2", None)
    yield
    opencv.opencv.cache_clear()


@pytest.mark.parametrize("how", resizing.HOW)
@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_numpy_gives_what_opencv_does_but_for_a_level(how: str, kind: str) -> None:
    """What stands in for OpenCV: within one level, or a millionth of the range."""
    most = 1.0 if kind != "float32" else 255e-6
    for shape in SHAPES:
        x = NUMBERS.randint(0, 256, shape).astype(kind)
        for size in SIZES:
            found = opencv.resized(x, size, how)
            assert found is not None
            stand_in = resizing.HOW[how](x, size)
            assert (found.shape, found.dtype) == (stand_in.shape, stand_in.dtype)
            assert np.abs(found.astype(float) - stand_in.astype(float)).max() <= most


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((4, 5, 3), np.int64),
        np.zeros((4, 5, 5), np.uint8),
        np.zeros((0, 5, 3), np.uint8),
        np.zeros((2, 4, 5, 3), np.uint8),
        np.zeros((1 << 15, 1), np.uint8),
    ],
)
def test_what_opencv_is_not_asked_for(x: np.ndarray) -> None:
    assert opencv.resized(x, (3, 4), "linear") is None


def test_without_opencv_the_stand_in_is_taken(without: None) -> None:
    image = np.asarray(photograph(60, 70))
    data = jpeg(photograph(60, 70))
    assert opencv.resized(image, (20, 30), "area") is None
    assert opencv.decoded_jpeg(data, (60, 70)) is None
    resized = vision.Resize((20, 30))(image)
    assert np.array_equal(resized, resizing.linear(image, (20, 30)))
    assert np.array_equal(pixels("a test", data), np.asarray(decoded("a test", data)))


@pytest.mark.parametrize("is_used", [True, False])
def test_a_users_choice_of_intels_kernels_stays(is_used: bool) -> None:
    before = cv2.ipp.useIPP()
    try:
        cv2.ipp.setUseIPP(is_used)
        chosen = cv2.ipp.useIPP()
        assert opencv.resized(np.zeros((9, 9), np.uint8), (4, 4), "cubic") is not None
        assert cv2.ipp.useIPP() == chosen
    finally:
        cv2.ipp.setUseIPP(before)


@pytest.mark.parametrize("is_users", [True, False])
def test_threads_of_opencvs_are_left_to_who_imports_it_first(is_users: bool) -> None:
    first = "import cv2; cv2.setNumThreads(3)" if is_users else ""
    code = f"""
{first}
from msconvert.runtime.dataset.images.opencv import opencv
print(opencv().getNumThreads())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == (3 if is_users else 1)


@pytest.mark.parametrize(
    "options",
    [
        {"quality": 90},
        {"quality": 30, "subsampling": 0},
        {"quality": 75, "subsampling": 1, "optimize": True},
        {"quality": 85, "progressive": True},
        {"restart_marker_blocks": 3},
        {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"},
    ],
    ids=lambda options: " ".join(options),
)
def test_opencv_decodes_as_pillow(options: dict[str, Any]) -> None:
    data = jpeg(photograph(75, 101), **options)
    found = opencv.decoded_jpeg(data, (75, 101))
    assert found is not None
    assert np.array_equal(found, np.asarray(decoded("a test", data)))
    assert np.array_equal(found, pixels("a test", data))


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_other_colours_are_left_to_pillow(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = jpeg(photograph(40, 30).convert(mode))
    monkeypatch.setattr(opencv, "decoded_jpeg", lambda *given: pytest.fail("asked"))
    assert np.array_equal(pixels("a test", data), np.asarray(decoded("a test", data)))


def test_a_file_that_ends_too_early_is_refused_at_every_length() -> None:
    """OpenCV gives an image for many of them."""
    data = jpeg(photograph(40, 48))
    for length in range(2, len(data) - 2, 37):
        with pytest.raises(RuntimeError, match="cannot be decoded"):
            vision.Decode()(np.frombuffer(data[:length], np.uint8))


def test_damaged_files_give_an_image_of_their_size_or_an_error(tmp_path: Path) -> None:
    """The same as Pillow's where that decodes them, too."""
    whole = jpeg(photograph(40, 48), quality=80)
    both = 0
    for _ in range(200):
        data = bytearray(whole)
        for place in NUMBERS.randint(2, len(data) - 2, 3):
            data[place] = NUMBERS.randint(256)
        try:
            found = pixels("a test", bytes(data))
        except RuntimeError:
            continue
        assert found.ndim == 3
        try:
            wanted = np.asarray(decoded("a test", bytes(data)))
        except RuntimeError:
            continue
        both += 1
        assert np.array_equal(found, wanted)
    assert both > 50
