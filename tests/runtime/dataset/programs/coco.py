"""What each task of COCO reads of its annotations, and the orders of class_indexing."""

import json
import tempfile
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
from PIL import Image

ROOT = Path(tempfile.mkdtemp())
NAMES = [f"{number}.jpg" for number in (1, 2, 3)]
for name in NAMES:
    Image.new("RGB", (12, 10)).save(ROOT / name)
IMAGES = [{"id": number + 1, "file_name": name} for number, name in enumerate(NAMES)]
KINDS = [{"id": 3, "name": "cat", "isthing": 1}, {"id": 4, "name": "dog", "isthing": 0}]


def told(name, call):
    try:
        print(name, call())
    except RuntimeError:  # MindSpore's NotImplementedError is one, too
        print(name, "RuntimeError")


def read(task, annotations, categories=KINDS, **options):
    content = {"images": IMAGES, "annotations": annotations}
    if categories is not None:
        content["categories"] = categories
    (ROOT / "file.json").write_text(json.dumps(content))
    file = str(ROOT / "file.json")
    data = ds.CocoDataset(str(ROOT), file, task, decode=True, shuffle=False, **options)
    found = [len(data), data.get_col_names(), [str(kind) for kind in data.output_types()]]
    for row in data.create_tuple_iterator(output_numpy=True):
        found += [(value.shape, value.tolist()) for value in row[1:]]
    return found, data


def classes(task, annotations):
    return read(task, annotations)[1].get_class_indexing()


def box(image, category=3, **more):
    numbers = {"bbox": [1, 2, 3, 4.5], "area": 12, "iscrowd": 0}
    return {"id": 1, "image_id": image, "category_id": category, **numbers, **more}


def points(image, count, **more):
    return {"image_id": image, "keypoints": [1, 2, 2] * count, "num_keypoints": count, **more}


def segments(image, *boxes):
    return {"image_id": image, "file_name": "x.png", "segments_info": list(boxes)}


CASES = {
    "Detection": ([box(2), box(2, 4), box(1)], [box(1, 9)], [box(1, iscrowd=1)]),
    "Keypoint": (
        [points(1, 2, id=1), points(1, 1, id=2), points(3, 3, id=3)],
        [{"id": 1, "image_id": 1, "keypoints": [1, 2, 2]}],
    ),
    "Captioning": (
        [{"id": n, "image_id": n % 2 + 1, "caption": "a cat" * n} for n in (1, 2, 3)],
        [{"id": 1, "image_id": 1}],
    ),
    "Panoptic": (
        [segments(1, box(1), box(1, 4, area=25)), segments(3, box(3, 4))],
        [segments(1, box(1)), segments(2)],
        [segments(1)],
        [segments(1, box(1, 9))],
        [segments(1, {"id": 1, "category_id": 3})],
    ),
}
for task, cases in CASES.items():
    for case in cases:
        told(task, lambda t=task, c=case: read(t, c)[0])
    told(task, lambda t=task, c=cases[0]: read(t, c, None)[0])
    told(task, lambda t=task, c=cases[0]: read(t, c, extra_metadata=True)[0])
    told(task, lambda t=task, c=cases[0]: classes(t, c))
told("Panoptic", lambda: read("Panoptic", CASES["Panoptic"][0], [{"id": 3, "name": "cat"}])[0])

for name in "bac":
    (ROOT / "tree" / name).mkdir(parents=True)
    Image.new("RGB", (4, 4)).save(ROOT / "tree" / name / "1.png")
for indexing in (None, {"c": 1, "a": 5, "b": 2}):
    tree = ds.ImageFolderDataset(str(ROOT / "tree"), class_indexing=indexing, shuffle=False)
    print(tree.get_class_indexing(), [int(row[1]) for row in tree.create_tuple_iterator()])
schema = ds.Schema()
schema.add_column("x", ms.int32, [2])
print(schema)
