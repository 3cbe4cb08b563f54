"""What `statistic.csv` says of a tensor. Columns and texts are MindSpore's."""

from __future__ import annotations

import hashlib

import numpy as np

HEAD = (
    *("Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot"),
    *("Data Size", "Data Type", "Shape"),
)


def figures(array: np.ndarray, categories: tuple[str, ...]) -> list[str]:
    """The figures of these categories, as texts; extremes and means are of finite elements."""
    if array.dtype.kind in "US":
        return ["" for _ in categories]
    numbers = array.astype(np.float32) if array.dtype.kind == "V" else array
    return [figure(array, numbers, category) for category in categories]


def figure(array: np.ndarray, numbers: np.ndarray, category: str) -> str:
    if category in ("md5", "hash:md5"):
        return hashlib.md5(array.tobytes(), usedforsecurity=False).hexdigest()
    if category in ("hash", "hash:sha1"):
        return hashlib.sha1(array.tobytes(), usedforsecurity=False).hexdigest()
    if category == "count":
        return str(array.size)
    if category.endswith("count"):
        return str(counted(numbers, category))
    if category == "l2norm":
        whole = numbers if numbers.dtype.kind == "c" else numbers.astype(np.float64)
        return text_of(np.linalg.norm(whole.reshape(-1)))
    return extreme(numbers, category)


def counted(numbers: np.ndarray, category: str) -> int:
    negative = np.signbit(numbers.real) if numbers.dtype.kind in "fc" else numbers < 0
    found = {
        "zero count": numbers == 0,
        "nan count": np.isnan(numbers),
        "negative zero count": (numbers == 0) & negative,
        "positive zero count": (numbers == 0) & ~negative,
        "negative inf count": np.isinf(numbers) & negative,
        "positive inf count": np.isinf(numbers) & ~negative,
    }[category]
    return int(np.count_nonzero(found))


def extreme(numbers: np.ndarray, category: str) -> str:
    """The largest, the least, the mean, of the elements that are finite; "nan" of none."""
    if numbers.dtype.kind == "c":
        return "nan"
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return "nan"
    if numbers.dtype.kind == "b" and category != "avg":
        return str(bool(finite.max() if category == "max" else finite.min()))
    if category == "avg":
        return text_of(finite.mean(dtype=np.float64))
    return text_of(finite.max() if category == "max" else finite.min())


def text_of(number: np.number) -> str:
    return str(number.item()) if number.dtype.kind in "iu" else f"{float(number):.9g}"
