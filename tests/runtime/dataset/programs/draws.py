"""What random operations draw of a seed, with one thread and with two, over two epochs."""

import zlib

import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import transforms as T
from mindspore.dataset import vision as V

rows, columns = np.mgrid[0:60, 0:50]
image = np.stack([rows * 4, columns * 5, rows * columns % 256], -1).astype(np.uint8)
encoded = V.encode_png(image)
OPERATIONS = {
    "crop": lambda: V.RandomCrop((20, 30)),
    "crop of padded": lambda: V.RandomCrop((20, 30), 4),
    "crop of all": lambda: V.RandomCrop((60, 50)),
    "mirrored": lambda: V.RandomHorizontalFlip(0.4),
    "upside down": lambda: V.RandomVerticalFlip(0.4),
    "resized crop": lambda: V.RandomResizedCrop(24),
    "no such crop": lambda: V.RandomResizedCrop((20, 30), (0.5, 0.5), (5, 5)),
    "wide crop": lambda: V.RandomResizedCrop(24, (0.6, 1.0), (0.3, 3.0)),
    "decoded crop": lambda: V.RandomCropDecodeResize(24),
    "colours": lambda: V.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
    "two of them": lambda: V.RandomColorAdjust(contrast=(0.5, 1.5), saturation=(0.3, 0.9)),
    "rotation": lambda: V.RandomRotation(30),
    "whole rotation": lambda: V.RandomRotation(30, expand=True),
    "affine": lambda: V.RandomAffine(15, (0.1, 0.2), (0.8, 1.2), 10),
    "sharpness": lambda: V.RandomSharpness((0.2, 1.9)),
    "colour": lambda: V.RandomColor((0.2, 1.9)),
    "posterize": lambda: V.RandomPosterize((1, 8)),
    "solarize": lambda: V.RandomSolarize((3, 200)),
    "equalize": lambda: V.RandomEqualize(0.4),
    "invert": lambda: V.RandomInvert(0.4),
    "contrast": lambda: V.RandomAutoContrast(10.0, None, 0.4),
    "sharper": lambda: V.RandomAdjustSharpness(3.0, 0.4),
    "light": lambda: V.RandomLighting(0.5),
    "resize": lambda: V.RandomResize((20, 20)),
    "holes": lambda: V.CutOut(12, 2),
    "uniform": lambda: V.UniformAugment([V.Invert(), V.Equalize(), V.HorizontalFlip()], 2),
    "policy": lambda: V.RandomSelectSubpolicy(
        [[(V.Invert(), 0.5), (V.RandomCrop((50, 40)), 0.3)], [(V.HorizontalFlip(), 0.6)]]
    ),
    "apply": lambda: T.RandomApply([V.Invert(), V.RandomCrop((50, 50))], 0.6),
    "choice": lambda: T.RandomChoice([V.Invert(), V.Equalize(), V.RandomCrop((50, 50))]),
    "compose": lambda: T.Compose([V.RandomHorizontalFlip(), V.RandomCrop((20, 20))]),
    "list": lambda: [V.RandomCrop((50, 40)), V.RandomHorizontalFlip(), V.RandomCrop(20)],
}
for name, make in OPERATIONS.items():
    for workers in (1, 2):
        ds.config.set_seed(5)
        given = encoded if name == "decoded crop" else image
        data = ds.GeneratorDataset([(given,)] * 7, ["image"], shuffle=False)
        data = data.map(make(), "image", num_parallel_workers=workers)
        read = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        found = [zlib.crc32(x.tobytes()) for _ in range(2) for (x,) in read]
        print(name, workers, *found)
