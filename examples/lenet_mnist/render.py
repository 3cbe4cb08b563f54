"""Renders digits into files of MNIST's own format: `python render.py data`.

MNIST itself is 12 MB that would have to be downloaded; what reads these files reads those.
"""

import struct
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

COUNTS = {"train": 4000, "t10k": 800}


def render(state):
    """An image (28, 28) of a digit, turned, scaled and moved, in noise; and which it is."""
    digit = int(state.randint(10))
    font = ImageFont.load_default(size=int(state.randint(20, 25)))
    drawn = Image.new("L", (28, 28))
    place = 14 + state.randint(-2, 3), 14 + state.randint(-2, 3)
    ImageDraw.Draw(drawn).text(place, str(digit), int(state.randint(160, 256)), font, anchor="mm")
    turned = np.asarray(drawn.rotate(state.uniform(-10, 10), Image.Resampling.BILINEAR), int)
    return (turned + state.randint(0, 40, (28, 28))).clip(0, 255), digit


def main(folder):
    raw = Path(folder, "MNIST", "raw")
    raw.mkdir(parents=True, exist_ok=True)
    for seed, (part, count) in enumerate(COUNTS.items()):
        images, labels = zip(*map(render, [np.random.RandomState(seed)] * count), strict=True)
        head = struct.pack(">iiii", 2051, count, 28, 28)
        (raw / f"{part}-images-idx3-ubyte").write_bytes(head + np.array(images, np.uint8).tobytes())
        head = struct.pack(">ii", 2049, count)
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(head + np.array(labels, np.uint8).tobytes())
    print(f"{folder}: {COUNTS['train']} digits to learn from, {COUNTS['t10k']} to be judged by")


if __name__ == "__main__":
    main(*sys.argv[1:])
