"""Samplers of all kinds over a folder, in two epochs, with a seed."""

import os

import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np

for n in range(15):
    os.makedirs(f"kinds/k{n % 3}", exist_ok=True)
    vision.write_png(f"kinds/k{n % 3}/{n:02}.png", np.full((4, 4, 3), n, np.uint8))


def order(sampler=None, **options):
    data = ds.ImageFolderDataset(
        "kinds", decode=True, sampler=sampler, num_parallel_workers=1, **options
    )
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    return data.get_dataset_size(), [
        [(int(image[0, 0, 0]), int(label)) for image, label in rows] for _ in range(2)
    ]


for seed in (1, 20):
    ds.config.set_seed(seed)
    print(order(ds.SequentialSampler(2, 5)))
    print(order(ds.RandomSampler()))
    print(order(ds.RandomSampler(True, 6)))
    print(order(ds.PKSampler(2)))
    print(order(ds.PKSampler(2, shuffle=True)))
    print(order(ds.SubsetSampler([3, 1, 14])))
    print(order(ds.SubsetRandomSampler([3, 1, 14, 8])))
    print(order(ds.WeightedRandomSampler([0.1] * 10 + [0.9] * 5, 6)))
    print(order(ds.WeightedRandomSampler([0.1] * 10 + [0.9] * 5, 6, False)))
    print(order(ds.DistributedSampler(4, 1)))
    print(order(ds.DistributedSampler(4, 3, shuffle=False, num_samples=2)))
    print(order(shuffle=True, num_samples=4))
    print(order(num_shards=2, shard_id=0))
child = ds.SequentialSampler(0, 4)
child.add_child(ds.RandomSampler())
print(order(child))


class Backwards(ds.Sampler):
    def __iter__(self):
        yield from range(self.dataset_size - 1, -1, -4)


print(order(Backwards()))
data = ds.ImageFolderDataset("kinds", class_indexing={"k0": 5, "k2": 9}, shuffle=False)
print(
    data.num_classes(),
    data.get_class_indexing(),
    sorted(
        {int(label) for _, label in data.create_tuple_iterator(output_numpy=True, num_epochs=1)}
    ),
)
