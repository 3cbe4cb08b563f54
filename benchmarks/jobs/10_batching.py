"""padded_batch, bucket_batch_by_length, per_batch_map, batch sizes by a function, filter, flat_map, zip and concat."""

import mindspore.dataset as ds
import numpy as np

ds.config.set_seed(3)


def lengths(count):
    for n in range(count):
        yield np.arange(n % 5 + 1, dtype=np.int32) + n, np.array(n, np.int64)


def show(data, **options):
    for row in data.create_dict_iterator(num_epochs=1, output_numpy=True, **options):
        print({k: (v.dtype.name, v.tolist()) for k, v in row.items()})


source = lambda count=8: ds.GeneratorDataset(list(lengths(count)), ["words", "id"], shuffle=False)
show(source().padded_batch(3, pad_info={"words": ([6], -1)}))
show(source().padded_batch(4, True, pad_info={}))
show(
    source(12).bucket_batch_by_length(
        ["words"],
        [3, 5],
        [2, 3, 1],
        lambda x: len(x),
        {"words": ([None], 0)},
        pad_to_bucket_boundary=False,
    )
)


def doubled(words, ids, info):
    return [w * 2 + info.get_batch_num() for w in words], [
        i + 100 * info.get_epoch_num() for i in ids
    ]


fixed = ds.NumpySlicesDataset(
    {"words": np.arange(12).reshape(6, 2), "id": np.arange(6)}, shuffle=False
)
rows = fixed.batch(2, per_batch_map=doubled, input_columns=["words", "id"]).create_dict_iterator(
    num_epochs=2, output_numpy=True
)
for epoch in range(2):
    print(epoch, [(row["words"].tolist(), row["id"].tolist()) for row in rows])
sizes = ds.NumpySlicesDataset(np.arange(10), ["x"], shuffle=False).batch(
    lambda info: info.get_batch_num() + 1
)
print([row[0].tolist() for row in sizes.create_tuple_iterator(output_numpy=True, num_epochs=1)])
shifted = ds.NumpySlicesDataset(np.arange(6), ["x"], shuffle=False)
print(
    [
        int(v)
        for (v,) in shifted.filter(lambda x: x % 2 == 0, ["x"]).create_tuple_iterator(
            output_numpy=True, num_epochs=1
        )
    ]
)
flat = ds.NumpySlicesDataset(np.arange(3), ["x"], shuffle=False).flat_map(
    lambda x: ds.NumpySlicesDataset([int(x)] * 2, ["y"], shuffle=False)
)
print(
    [int(v) for (v,) in flat.create_tuple_iterator(output_numpy=True, num_epochs=1)],
    flat.get_col_names(),
)
both = ds.zip(
    (
        ds.NumpySlicesDataset(np.arange(4), ["a"], shuffle=True),
        ds.NumpySlicesDataset(np.arange(5) * 10, ["b"], shuffle=False),
    )
)
print([(int(a), int(b)) for a, b in both.create_tuple_iterator(output_numpy=True, num_epochs=1)])
joined = ds.NumpySlicesDataset(np.arange(3), ["a"], shuffle=False) + ds.NumpySlicesDataset(
    np.arange(3) + 7, ["a"], shuffle=False
)
print(
    joined.get_dataset_size(),
    [int(a) for (a,) in joined.shuffle(3).create_tuple_iterator(output_numpy=True, num_epochs=1)],
)
joined.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
print([int(a) for (a,) in joined.create_tuple_iterator(output_numpy=True, num_epochs=1)])
first, second = ds.NumpySlicesDataset(np.arange(9), ["a"], shuffle=False).split([6, 3])
print(
    sorted(int(a) for (a,) in first.create_tuple_iterator(output_numpy=True, num_epochs=1)),
    second.get_dataset_size(),
)
print(
    [
        int(a)
        for (a,) in ds.NumpySlicesDataset(np.arange(9), ["a"], shuffle=False)
        .skip(2)
        .take(4)
        .repeat(2)
        .create_tuple_iterator(output_numpy=True, num_epochs=1)
    ]
)
