"""Images that files list, the files of MNIST's kin, and what is told of sources and padding."""

import json
import struct
import tempfile
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from PIL import Image

ROOT = Path(tempfile.mkdtemp())
RANDOM = np.random.RandomState(0)


def tell(name, make):
    try:
        print(name, make())
    except Exception as error:
        known = ("ValueError", "RuntimeError", "TypeError")
        print(name, [c.__name__ for c in type(error).__mro__ if c.__name__ in known])


def shown(value):
    small = value.size < 20
    return value.shape, str(value.dtype), value.tolist() if small else int(value.sum())


def every_row(data):
    found = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [{name: shown(value) for name, value in row.items()} for row in found]


def rows(data):
    told = data.get_dataset_size(), data.get_col_names(), data.get_class_indexing()
    return *told, every_row(data)


def pictures(folder, names):
    (ROOT / folder).mkdir()
    for name in names:
        pixels = RANDOM.randint(0, 255, (10, 12, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(ROOT / folder / name)


def idx(prefix, count):
    path = ROOT / "idx" / prefix
    pixels = RANDOM.randint(0, 255, (count, 28, 28)).astype(np.uint8).tobytes()
    head = struct.pack(">IIII", 2051, count, 28, 28)
    path.with_name(f"{prefix}-images-idx3-ubyte").write_bytes(head + pixels)
    head = struct.pack(">II", 2049, count)
    path.with_name(f"{prefix}-labels-idx1-ubyte").write_bytes(head + bytes(range(count)))


(ROOT / "idx").mkdir()
for prefix, count in (("train", 3), ("t10k", 2)):
    idx(prefix, count)
folder = str(ROOT / "idx")
USAGES = ("train", "test", "all", None, "other")
for usage in USAGES:
    tell("kmnist", lambda u=usage: rows(ds.KMnistDataset(folder, u, shuffle=False)))
for kind in ("letters", "mnist"):
    idx(f"emnist-{kind}-train", 4)
    idx(f"emnist-{kind}-test", 2)
for usage in USAGES:
    for kind in ("letters", "mnist", "other"):
        tell(kind, lambda k=kind, u=usage: rows(ds.EMnistDataset(folder, k, u, shuffle=False)))

names = [f"{number:06d}.jpg" for number in range(1, 7)]
pictures("faces", names)
marks = "".join(f"{n} {1 if k % 2 else -1} {-1 if k % 3 else 1}  1\n" for k, n in enumerate(names))
(ROOT / "faces/list_attr_celeba.txt").write_text(f"6\nSmiling  Young Hat\n{marks}")
parts = "".join(f"{n} {max(0, k - 3)}\n" for k, n in enumerate(names))
(ROOT / "faces/list_eval_partition.txt").write_text(parts)
faces = str(ROOT / "faces")
for options in (
    {},
    *({"usage": usage} for usage in ("train", "valid", "test", "other")),
    *({"decode": True}, {"num_samples": 2}, {"num_shards": 4, "shard_id": 1}),
    {"extensions": [".png"]},
):
    tell("faces", lambda o=options: rows(ds.CelebADataset(faces, shuffle=False, **o)))
tell("faces", lambda: rows(ds.CelebADataset(folder, shuffle=False)))

entries = [
    {
        "source": str(ROOT / "faces" / name),
        "usage": "train" if number < 4 else "eval",
        "annotation": [
            {"type": "x/image_classification", "name": ("cat", "dog", "ant")[number % 3]}
        ],
    }
    for number, name in enumerate(names)
]
manifest = ROOT / "data.manifest"
manifest.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
for options in (
    {},
    *({"usage": "eval"}, {"usage": "inference"}, {"decode": True, "num_samples": 2}),
    *({"class_indexing": {"dog": 0}}, {"class_indexing": {"dog": 1, "cat": 5}}),
    {"class_indexing": {"other": 1}},
):
    tell("manifest", lambda o=options: rows(ds.ManifestDataset(str(manifest), shuffle=False, **o)))
tell("manifest", lambda: rows(ds.ManifestDataset(str(ROOT / "none"))))

boxes = {"bbox": [1, 2, 5, 6], "area": 30, "category_id": 3}
outlines = [
    {"image_id": 1, "iscrowd": 0, "segmentation": [[1, 2, 6, 2, 6, 8]], **boxes},
    {
        "image_id": 1,
        "iscrowd": 1,
        "segmentation": {"counts": [3, 4, 590, 3], "size": [10, 12]},
        **boxes,
    },
    {
        "image_id": 2,
        "iscrowd": 0,
        "segmentation": [[0, 0, 9, 0, 9, 9], [1, 1, 2, 2, 3, 3, 4, 4]],
        **boxes,
    },
]
for number, entry in enumerate(outlines):
    entry["id"] = number + 1
content = {
    "images": [{"id": n + 1, "file_name": names[n], "width": 12, "height": 10} for n in (0, 1)],
    "annotations": outlines,
    "categories": [{"id": 3, "name": "cat", "supercategory": "animal"}],
}
coco = ROOT / "coco.json"


def coco_of(task):
    return ds.CocoDataset(faces, str(coco), task, shuffle=False)


for wrong in (None, [], [[1, 2, 3, 4]], [[1, 2, 3]], [[]]):
    if wrong is not None:
        outlines[0]["segmentation"] = wrong
    coco.write_text(json.dumps(content))
    for task in ("Detection", "Stuff"):
        tell(task, lambda t=task: coco_of(t).get_class_indexing())
        tell(task, lambda t=task: every_row(coco_of(t)))
more = ds.CocoDataset(faces, str(coco), shuffle=False, extra_metadata=True)
print(more.get_col_names(), [len(row) for row in more.create_tuple_iterator()])
print(rows(more.rename("_meta-filename", "name").project(["name"])))

schema = ds.Schema()
print(schema.to_json())
schema.add_column("a", ms.int32, [2])
schema.add_column("b", ms.float32)
print(schema.to_json())
described = {
    "datasetType": "TF",
    "numRows": 8,
    "columns": {"a": {"type": "int64", "rank": 1, "shape": [1]}},
}
(ROOT / "schema.json").write_text(json.dumps(described))
print(ds.Schema(str(ROOT / "schema.json")).to_json())

for kinds in ([ms.float16, ms.int64], [ms.float32, ms.int64], [ms.float32, ms.int32]):
    source = [(np.array([1, 2], np.float32), np.int64(3))]
    tell(len(kinds), lambda k=kinds, s=source: rows(ds.GeneratorDataset(s, ["a", "b"], k)))


def lengths(most, count):
    source = [(np.arange(n % most + 1), np.full((n % most + 1, 2), n)) for n in range(count)]
    return ds.GeneratorDataset(source, ["x", "y"], shuffle=False)


for padding in ({}, None, {"x": None}, {"x": ([None], 5), "y": ([None, 3], 7)}):
    tell(padding, lambda p=padding: rows(lengths(9, 3).padded_batch(2, pad_info=p)))
    for to_bound in (False, True):
        options = ([3, 5], [2, 2, 2], lambda x: x.shape[0], padding, to_bound, True)
        for most in (4, 6):
            data = lengths(most, 7).project(["x"]) if not padding else lengths(most, 7)
            tell(to_bound, lambda d=data, o=options: rows(d.bucket_batch_by_length(["x"], *o)))
ds.config.set_seed(3)
for randomize in (True, False):
    whole = ds.NumpySlicesDataset(np.arange(11), ["x"], shuffle=False)
    part = whole.split([6, 5], randomize=randomize)[1]
    for sampler in (ds.SequentialSampler(1), ds.RandomSampler(), ds.SubsetSampler([4, 9])):
        part.use_sampler(sampler)
        tell(type(sampler).__name__, lambda p=part: [int(r[0].asnumpy()) for r in p])
