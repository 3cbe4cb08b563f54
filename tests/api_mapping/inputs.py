"""The inputs that the examples of the table speak of, the same arrays on every side."""

from __future__ import annotations

import numpy as np

STATE = np.random.RandomState(0)


def normal(*shape: int) -> np.ndarray:
    return STATE.randn(*shape).astype(np.float32)


INPUTS: dict[str, np.ndarray] = {
    "x": normal(3, 4),
    "y": normal(3, 4),
    "p": np.abs(normal(3, 4)) + 0.1,  # positive
    "u": STATE.uniform(0.05, 0.95, (3, 4)).astype(np.float32),  # in (0, 1)
    "v": normal(4),
    "w": normal(4),
    "s": np.float32(0.7) * np.ones((), np.float32),  # a scalar tensor
    "d": STATE.randn(3, 4),  # float64
    "h": normal(3, 4).astype(np.float16),
    "i": STATE.randint(-5, 6, (3, 4)).astype(np.int64),
    "j": STATE.randint(1, 4, (3, 4)).astype(np.int64),  # positive integers
    "k": STATE.randint(-5, 6, (3, 4)).astype(np.int32),
    "index": np.array([[0, 1, 2, 0], [2, 0, 0, 1], [1, 2, 1, 0]], np.int64),  # rows of x
    "order": np.array([2, 0, 1], np.int64),
    "b": STATE.rand(3, 4) > 0.5,  # mask
    "c": STATE.rand(3, 4) > 0.5,
    "z": (normal(3, 4) + 1j * normal(3, 4)).astype(np.complex64),
    "a": normal(2, 3, 4),  # three axes: batch, words, features
    "e": normal(2, 4, 5),  # a @ e works
    "m": normal(4, 4),
    "spd": (lambda r: (r @ r.T + 4 * np.eye(4)).astype(np.float32))(STATE.randn(4, 4)),
    "signal": normal(2, 3, 16),  # n c l
    "image": normal(2, 3, 8, 8),  # n c h w
    "volume": normal(1, 2, 4, 6, 6),  # n c d h w
    "logits": normal(4, 5),
    "labels": np.array([1, 0, 4, 2], np.int64),  # classes of the logits
    "words": np.array([[1, 5, 2], [0, 7, 3]], np.int64),  # tokens below 10
    "nans": np.array([[1.0, np.nan, 3.0, -np.inf], [np.inf, 0.5, np.nan, 2.0]], np.float32),
    "pixels": STATE.randint(0, 256, (9, 12, 3)).astype(np.uint8),  # an array, h w c
    "picture": STATE.randint(0, 256, (9, 12, 3)).astype(np.uint8),  # an image of PIL
    "boxes": np.array([[0, 0, 4, 4], [1, 1, 5, 4], [6, 2, 9, 8], [0, 1, 4, 5]], np.float32),
    "others": np.array([[1, 0, 4, 3], [5, 2, 8, 8], [0, 0, 9, 9]], np.float32),  # boxes, too
    "scores": np.array([0.6, 0.9, 0.3, 0.8], np.float32),  # of the boxes
    "weight": normal(5, 4),  # a parameter
    "kernel": normal(64, 32, 3, 3),  # a parameter: o c h w
}
