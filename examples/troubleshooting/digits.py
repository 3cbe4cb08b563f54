"""Draws noisy digits of 16x16 pixels and writes them to digits.npz: `python digits.py`."""

import numpy as np

GLYPHS = """
.###. ..#.. .###. ####. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# ....# ..##. #.... #.... ....# #...# #...#
#...# ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#...# ..#.. ...#. .###. #..#. ....# ####. ..#.. .###. .####
#...# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... ....# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### ####. ...#. .###. .###. .#... .###. .###.
"""
SIZE, NOISE = 16, 0.5


def draw(count, seed):
    """Images (count, 1, 16, 16), and which digits they show: always the same for a seed."""
    random = np.random.RandomState(seed)
    rows = [line.split() for line in GLYPHS.split("\n") if line]
    labels = random.randint(0, 10, count)
    images = NOISE * random.standard_normal((count, 1, SIZE, SIZE))
    for image, digit in zip(images, labels, strict=True):
        glyph = np.array([[point == "#" for point in row[digit]] for row in rows])
        large = np.kron(glyph, np.ones((2, 2)))  # 14 rows, 10 columns
        top, left = random.randint(0, SIZE - 14 + 1), random.randint(0, SIZE - 10 + 1)
        image[0, top : top + 14, left : left + 10] += random.uniform(0.7, 1.4) * large
    return images.astype(np.float32), labels


if __name__ == "__main__":
    train_images, train_labels = draw(2000, seed=1)
    test_images, test_labels = draw(1000, seed=2)
    np.savez(
        "digits.npz",
        train_images=train_images,
        train_labels=train_labels,
        test_images=test_images,
        test_labels=test_labels,
    )
    print(f"digits.npz: {len(train_images)} digits to train with, {len(test_images)} to test")
