"""A whole list of augmentations under a seed, over two epochs, with a callback of the pipeline."""

import zlib

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np

ms.set_seed(21)
rng = np.random.RandomState(6)
images = rng.randint(0, 256, (10, 48, 56, 3)).astype(np.uint8)
labels = np.arange(10) % 3


class Epochs(ds.DSCallback):
    def ds_epoch_begin(self, context):
        epochs.append(context.cur_epoch_num)


epochs = []


def crc(x):
    return zlib.crc32(np.ascontiguousarray(x).tobytes())


pipelines = {
    "imagenet": [
        vision.RandomResizedCrop(32, (0.3, 1.0)),
        vision.RandomHorizontalFlip(),
        vision.RandomColorAdjust(0.2, 0.2, 0.2),
    ],
    "cifar": [vision.RandomCrop(40, 4), vision.RandomHorizontalFlip(0.3), vision.CutOut(8)],
    "geometry": [
        vision.RandomRotation(20),
        vision.RandomAffine(10, (0.1, 0.1)),
        vision.RandomVerticalFlip(),
    ],
    "levels": [
        vision.RandomPosterize((3, 7)),
        vision.RandomSolarize((30, 220)),
        vision.RandomSharpness(),
        vision.RandomAutoContrast(),
    ],
    "nested": [
        transforms.RandomApply([vision.RandomColor(), vision.Invert()], 0.5),
        transforms.RandomChoice([vision.HorizontalFlip(), vision.VerticalFlip()]),
    ],
    "plain": [
        vision.Resize(40),
        vision.CenterCrop(32),
        vision.GaussianBlur(3),
        vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR),
    ],
}
for name, operations in pipelines.items():
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=True)
    data = data.map(operations, "image", num_parallel_workers=1, callbacks=Epochs())
    data = data.map(transforms.OneHot(3), "label").batch(4)
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    for _ in range(2):
        print(name, [(crc(image), label.argmax(1).tolist()) for image, label in rows])
print(epochs[:2])
