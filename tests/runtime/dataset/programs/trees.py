"""Pipelines of which two steps read one: refused whatever is asked of them, but for `split`."""

import mindspore.dataset as ds


def numbers():
    return ds.GeneratorDataset([1, 2, 3, 4], ["a"], shuffle=False)


def count(data):
    return len(list(data))


def tell(code, make):
    try:
        print(code, make())
    except ValueError as error:
        print(code, "ValueError", "not a tree" in str(error))


def halves(data):
    return data.take(2), data.skip(2)


class Epochs:
    """A sampler that counts how often it was asked."""

    def __init__(self):
        self.epoch = 0

    def __iter__(self):
        self.epoch += 1
        return iter([self.epoch, 0])


def sampled(sampler):
    data = ds.NumpySlicesDataset(list(range(12)), ["a"], sampler=sampler)
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    orders = [[int(row[0]) for row in rows] for _ in range(2)]
    return [*orders, [int(row[0]) for row in data.create_tuple_iterator(output_numpy=True)]]


for code in (
    "[count(d) for d in halves(numbers())]",
    "halves(numbers())[0].get_dataset_size()",
    "halves(numbers())[0].get_col_names()",
    "halves(numbers())[1].output_shapes()",
    "halves(numbers())[1].output_types()",
    "halves(numbers())[0].get_batch_size()",
    "halves(numbers())[0].get_repeat_count()",
    "halves(numbers())[0].num_classes()",
    "halves(numbers())[0].get_class_indexing()",
    "halves(numbers())[0].create_dict_iterator() is None",
    "[halves(d) and count(d) for d in [numbers()]]",
    "[(count(d.take(2)), count(d)) for d in [numbers()]]",
    "[(count(d.take(2)), count(d.batch(2))) for d in [numbers()]]",
    "[d.take() and count(d.take(2)) for d in [numbers()]]",
    "[d.repeat(1) and count(d.repeat(1)) for d in [numbers()]]",
    "[count(ds.zip((d, d.rename('a', 'b')))) for d in [numbers()]]",
    "[count(d + d) for d in [numbers()]]",
    "[count(d.concat(numbers())) for d in [numbers()]]",
    "[[count(x) for x in (*d.split([1, 1]), d)] for d in [numbers().batch(2)]]",
    "[[count(x) for x in (*d.split([1, 3]), d.batch(2))] for d in [numbers()]]",
    "[(count(d.flat_map(lambda x: numbers())), count(d.batch(2))) for d in [numbers()]]",
    "[hasattr(d, 'dataset_size') and (d.get_dataset_size(), d.dataset_size) for d in [numbers()]]",
    "numbers().input_indexs",
    "sampled(Epochs())",
    "sampled(ds.IterSampler(Epochs()))",
):
    tell(code, lambda code=code: eval(code))
nested = [({"a": 1, "b": [2, 3.5], "c": "x", "e": {"f": True, "g": (1, 2)}, "i": None},)]
for row in ds.GeneratorDataset(nested, ["a"]).create_tuple_iterator(output_numpy=True):
    print(row)
for row in ds.NumpySlicesDataset([[0.5, 1e-7], [3, 4]], ["a"], shuffle=False):
    print(row, [row[0] + 1])
