"""The orders in which MindRecord files are read, for seeds and in each epoch."""

import tempfile
from pathlib import Path

import mindspore.dataset as ds
from mindspore.mindrecord import FileWriter

ROOT = Path(tempfile.mkdtemp())


def write(name, count, shards=1):
    writer = FileWriter(str(ROOT / name), shards)
    writer.add_schema({"id": {"type": "int64"}})
    writer.write_raw_data([{"id": number} for number in range(count)])
    writer.commit()


write("one", 41)
write("odd", 11)
write("many", 40, 4)
ONE, ODD, MANY = str(ROOT / "one"), str(ROOT / "odd"), [str(ROOT / f"many{n}") for n in range(4)]


def numbers(files, **options):
    epochs = ds.MindDataset(files, **options).create_tuple_iterator(None, 3, True)
    return [[int(row[0]) for row in epochs] for _ in range(3)]


def cases():
    """Arguments, made anew: a sampler takes the seed when it is made."""
    yield {}
    for shuffle in (True, False, *ds.Shuffle):
        yield {"shuffle": shuffle}
    for shuffle in (None, False, ds.Shuffle.FILES):
        yield {"num_shards": 4, "shard_id": 1, "shuffle": shuffle}
    yield {"num_shards": 3, "shard_id": 2}
    yield {"sampler": ds.SubsetRandomSampler([7, 1, 9, 3, 5, 2])}
    yield {"sampler": ds.RandomSampler()}
    yield {"sampler": ds.RandomSampler(num_samples=6)}
    yield {"sampler": ds.DistributedSampler(4, 2)}
    yield {"sampler": ds.SequentialSampler(3, 5)}


for seed in (1, 7, 123456):
    for files in (ONE, ODD, MANY):
        ds.config.set_seed(seed)
        for options in cases():
            print(seed, sorted(options), numbers(files, **options))
