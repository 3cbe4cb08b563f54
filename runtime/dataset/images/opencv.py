"""OpenCV where it is installed: MindSpore's own numbers, since MindSpore computes with it, in a
fifth of the time that NumPy takes.

Source: OpenCV 4.10 and later; `tests/runtime/dataset/test_opencv.py` holds it beside MindSpore's
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

import numpy as np

KINDS = frozenset(map(np.dtype, ("uint8", "uint16", "int16", "float32", "float64")))
"""Element types that it resizes."""
CHANNELS = 4
"""It resizes no more of them by areas."""
END = b"\xff\xd9"
"""Of a file of JPEG."""
LONGEST = 1 << 15
"""Beyond, places in an image do not fit into what it counts them in."""


@cache
def opencv() -> Any:
    """The module, None where it is not installed, or cannot be loaded.

    Work is shared among the threads of a pipeline, not within an image: so it shall start none of
    its own, unless the user has imported it before.
    """
    is_users = "cv2" in sys.modules
    try:
        found = importlib.import_module("cv2")
    except ImportError:
        return None
    if not is_users:
        found.setNumThreads(1)
    return found


def resized(x: np.ndarray, size: tuple[int, int], how: str) -> np.ndarray | None:
    """The image in another size; None for what OpenCV is not there for.

    how: nearest, linear, cubic or area. Shapes: x (h, w) or (h, w, c) -> (*size, ...)
    """
    if x.dtype not in KINDS or not is_image(x) or max(*x.shape, *size) >= LONGEST:
        return None
    if (cv2 := opencv()) is None:
        return None
    was_used = cv2.ipp.useIPP()  # of this thread; Intel's numbers are not OpenCV's
    cv2.ipp.setUseIPP(False)
    try:
        found = cv2.resize(x, size[::-1], interpolation=getattr(cv2, f"INTER_{how.upper()}"))
    finally:
        cv2.ipp.setUseIPP(was_used)
    return np.asarray(found.reshape(*size, *x.shape[2:]))


def decoded_jpeg(data: bytes, size: tuple[int, int]) -> np.ndarray | None:
    """The image in a whole file of JPEG, whose size is known; None for what is to be read with more
    care. Shapes: -> (*size, 3) of red, green, blue

    The end of the file must be there: OpenCV does not tell that it has come too early.
    """
    cv2 = opencv()
    if not data.endswith(END) or not hasattr(cv2, "IMREAD_COLOR_RGB"):  # it came with 4.11
        return None
    how = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        found: np.ndarray | None = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    except cv2.error:
        return None
    return found if found is not None and found.shape == (*size, 3) else None


def is_image(x: np.ndarray) -> bool:
    return x.size > 0 and (x.ndim == 2 or (x.ndim == 3 and x.shape[2] <= CHANNELS))
