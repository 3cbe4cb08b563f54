"""Drawn pictures of ten patterns under noise: the same for the same seed, so no file is needed."""

import numpy as np

SIZE = 24


def pictures(count: int, seed: int):
    """So many pictures (n, 3, 24, 24) of values from 0 to 255, and their classes."""
    numbers = np.random.RandomState(seed)
    labels = numbers.randint(0, 10, count)
    rows, columns = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    turned = np.pi * labels[:, None, None] / 10
    waves = np.sin(12 * (rows * np.cos(turned) + columns * np.sin(turned)))
    noise = numbers.normal(0, 6, (count, 3, SIZE, SIZE))
    pixels = 127 + 40 * (waves[:, None] + noise)
    return pixels.clip(0, 255).astype(np.float32), labels.astype(np.int64)
