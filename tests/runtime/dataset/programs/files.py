"""The order of rows of several files, by workers, shards, seeds and epochs."""

import sys
import tempfile
from pathlib import Path

import mindspore.dataset as ds

sys.path.insert(0, str(Path(__file__).parents[1]))
from row_runner import checksum, message

ROOT = Path(tempfile.mkdtemp())


def record(number):
    """A record of TFRecord whose Example holds one number."""
    entry = message(1, b"a") + message(2, message(3, message(1, bytes([number]))))
    body = message(1, message(1, entry))
    head = len(body).to_bytes(8, "little")
    return head + checksum(head) + body + checksum(body)


def tell(make, files, **options):
    paths = [str(path) for path in files]
    try:
        data = make(paths, **options)
        rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
        found = [[int(row[0].item()) for row in rows] for _ in range(3)]
        print(make.__name__, options, data.get_dataset_size(), found)
    except RuntimeError:
        print(make.__name__, options, "RuntimeError")


counts = (3, 1, 4, 2, 1, 3)
texts, tables, records = [], [], []
first = 0
for file, count in enumerate(counts):
    numbers = range(first, first + count)
    first += count
    texts.append(ROOT / f"{file}.txt")
    texts[-1].write_text("".join(f"{n}\n" for n in numbers))
    tables.append(ROOT / f"{file}.csv")
    tables[-1].write_text("a\n" + "".join(f"{n}\n" for n in numbers))
    records.append(ROOT / f"{file}.tfrecord")
    records[-1].write_bytes(b"".join(map(record, numbers)))
for make, files in (
    (ds.TextFileDataset, texts),
    (ds.CSVDataset, tables),
    (ds.TFRecordDataset, records),
):
    for workers in (1, 2):
        for shuffle in (False, ds.Shuffle.FILES, ds.Shuffle.GLOBAL):
            ds.config.set_seed(7)
            options = {"shuffle": shuffle, "num_parallel_workers": workers}
            tell(make, files, **options)
            tell(make, files[:2], **options)
            tell(make, files, num_samples=5, **options)
            for shard in (0, 2):
                tell(make, files, num_shards=3, shard_id=shard, **options)
            tell(make, files, num_shards=2, shard_id=1, num_samples=3, **options)
            if make is ds.TFRecordDataset:
                more = {"shard_equal_rows": True, **options}
                tell(make, files, num_shards=3, shard_id=2, **more)
                tell(make, files, num_shards=7, shard_id=2, **more)
                tell(make, files, num_shards=7, shard_id=2, **options)
