"""Draws a small folder of images to train on: `python draw.py data`."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

KINDS = ("checks", "columns", "rings", "rows")
COUNTS = {"train": 16, "val": 6}


def draw(state, kind):
    """A noisy picture (h, w, 3) of one kind of pattern, in a colour of its own."""
    height, width = state.randint(36, 60, 2)
    y, x = np.mgrid[:height, :width] - np.array([height, width])[:, None, None] / 2
    angles = {
        "checks": np.sin(x / 3) * np.sin(y / 3),
        "columns": np.sin(x / 2),
        "rings": np.sin(np.hypot(x, y) / 2),
        "rows": np.sin(y / 2),
    }
    picture = 127 + 90 * angles[kind][..., None] * (0.5 + 0.5 * state.rand(3))
    return (picture + state.randint(-20, 21, (height, width, 3))).clip(0, 255).astype(np.uint8)


def main(folder):
    state = np.random.RandomState(0)
    for part, count in COUNTS.items():
        for kind in KINDS:
            place = Path(folder, part, kind)
            place.mkdir(parents=True, exist_ok=True)
            for n in range(count):
                Image.fromarray(draw(state, kind)).save(place / f"{n:02}.jpg", quality=92)
    print(f"{folder}: {len(KINDS)} kinds of {COUNTS['train']} images, {COUNTS['val']} to validate")


if __name__ == "__main__":
    main(*sys.argv[1:])
