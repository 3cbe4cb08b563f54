"""Rows that do not fit a MindRecord file's schema: left out, and refused where no other is."""

import os
import tempfile

import mindspore.dataset as ds
from mindspore.mindrecord import FileWriter

os.chdir(tempfile.mkdtemp())
GOOD, BAD = {"a": 1}, {"a": "text"}
for number, batches in enumerate(
    ([[GOOD]], [[BAD]], [[BAD, GOOD]], [[BAD], [GOOD]], [[GOOD], [BAD]], [[]], [[{"b": 1}]])
):
    name = f"{number}.mindrecord"
    writer = FileWriter(name)
    writer.add_schema({"a": {"type": "int32"}}, "numbers")
    try:
        for batch in batches:
            writer.write_raw_data(batch)
        writer.commit()
        print(number, len(list(ds.MindDataset(name))))
    except RuntimeError:
        print(number, "RuntimeError")
