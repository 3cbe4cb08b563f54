"""Images into MindRecord files, in two parts, and a pipeline over them with shards."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np
from mindspore.mindrecord import FileReader, FileWriter, MindPage

ms.set_seed(2)
rng = np.random.RandomState(3)
schema = {
    "file_name": {"type": "string"},
    "label": {"type": "int32"},
    "data": {"type": "bytes"},
    "box": {"type": "float32", "shape": [-1, 4]},
}
writer = FileWriter("train.mindrecord", shard_num=2, overwrite=True)
writer.add_schema(schema, "pictures")
writer.add_index(["file_name", "label"])
rows = []
for n in range(20):
    image = rng.randint(0, 256, (12 + n % 3, 16, 3)).astype(np.uint8)
    rows.append(
        {
            "file_name": f"{n:03}.png",
            "label": n % 4,
            "data": vision.encode_png(image).tobytes(),
            "box": rng.rand(n % 3 + 1, 4).astype(np.float32),
        }
    )
writer.write_raw_data(rows[:10])
writer.write_raw_data(rows[10:])
writer.commit()
reader = FileReader("train.mindrecord0")
print(len(list(reader.get_next())))
reader.close()
page = MindPage("train.mindrecord0")
print(sorted(page.candidate_fields))
page.category_field = "label"
print(page.read_category_info())
print([row["file_name"] for row in page.read_at_page_by_name("1", 0, 3)])
files = ["train.mindrecord0", "train.mindrecord1"]
data = ds.MindDataset(files, ["data", "label", "file_name"], shuffle=False)
print(data.get_dataset_size(), data.get_col_names())
data = data.map([vision.Decode(), vision.Resize((8, 8)), vision.HWC2CHW()], "data")
for row in data.batch(6).create_dict_iterator(output_numpy=True, num_epochs=1):
    print(
        row["data"].shape,
        row["data"].dtype,
        int(row["data"].sum()),
        row["label"].tolist(),
        row["file_name"].tolist(),
    )
for shard in range(3):
    part = ds.MindDataset(files, ["label"], num_shards=3, shard_id=shard, shuffle=False)
    print(
        shard,
        [int(label) for (label,) in part.create_tuple_iterator(output_numpy=True, num_epochs=1)],
    )
shuffled = ds.MindDataset(files, ["file_name"], shuffle=True)
print([str(name) for (name,) in shuffled.create_tuple_iterator(output_numpy=True, num_epochs=1)])
print(
    [
        row["box"].shape
        for row in ds.MindDataset(files, ["box"], shuffle=ds.Shuffle.FILES).create_dict_iterator(
            output_numpy=True, num_epochs=1
        )
    ]
)
