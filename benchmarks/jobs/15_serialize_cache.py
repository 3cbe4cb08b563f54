"""A pipeline written as JSON and made again, saved as MindRecord, and its size, shapes and types."""

import json
import os

import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np

ds.config.set_seed(8)
for n in range(6):
    os.makedirs(f"pictures/{n % 2}", exist_ok=True)
    vision.write_jpeg(f"pictures/{n % 2}/{n}.jpg", np.full((20, 24, 3), n * 30, np.uint8), 95)


def create():
    data = ds.ImageFolderDataset("pictures", num_parallel_workers=1, shuffle=True)
    operations = [
        vision.Decode(),
        vision.RandomCrop(16),
        vision.Normalize([100.0] * 3, [50.0] * 3),
        vision.HWC2CHW(),
    ]
    data = data.map(operations, "image", num_parallel_workers=1)
    return (
        data.map(transforms.TypeCast("int32"), "label", num_parallel_workers=1)
        .batch(2, num_parallel_workers=1)
        .repeat(2)
    )


data = create()
found = ds.serialize(data, "pipeline.json")
print(sorted(found), json.load(open("pipeline.json")) == found, ds.compare(data, create()))
again = ds.deserialize(json_filepath="pipeline.json")
for one, other in zip(
    create().create_dict_iterator(output_numpy=True, num_epochs=1),
    again.create_dict_iterator(output_numpy=True, num_epochs=1),
):
    print(
        np.array_equal(one["image"], other["image"]),
        other["label"].tolist(),
        round(float(one["image"].mean()), 4),
    )
print(
    data.get_dataset_size(),
    data.output_shapes(),
    [np.dtype(k).name for k in data.output_types()],
    data.get_col_names(),
    data.get_batch_size(),
    data.get_repeat_count(),
)
small = ds.NumpySlicesDataset(
    {"x": np.arange(8, dtype=np.float32).reshape(4, 2), "n": np.arange(4, dtype=np.int32)},
    shuffle=False,
)
small.save("rows.mindrecord")
loaded = ds.MindDataset("rows.mindrecord", shuffle=False)
print(
    sorted(loaded.get_col_names()),
    [
        (row["x"].tolist(), row["n"].tolist())
        for row in loaded.create_dict_iterator(output_numpy=True, num_epochs=1)
    ],
)
print(ds.serialize(ds.deserialize(input_dict=found))["op_type"])
