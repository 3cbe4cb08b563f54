"""torch.utils.data: data sets, samplers, DataLoader."""

from ..families import missing
from ..rule import Check, Rule

PAIRS = "pairs = data.TensorDataset(x, order)\n"
DRAWN = "Its own random numbers: of the generator's seed, or of ms.set_seed's."


def own(signature: str, example: str | tuple[str, ...] = (), check: Check = "value") -> Rule:
    """A class or function that is PyTorch's once more, with its arguments, in MindSpore code."""
    name = signature.partition("(")[0]
    rule = Rule(f"torch.utils.data.{signature}")
    handed = [p.name if p.default is None else f"{p.name}={p.name}" for p in rule.params]
    return Rule(
        rule.signature,
        f"compat.{name.rpartition('.')[2]}({', '.join(handed)})",
        note=DRAWN if "generator" in signature else "",
        returns="" if name[0].isupper() else "other",
        example=example or f"isinstance(data.{name}(), data.{name})",
        check=check,
    )


SETS = (
    own(
        "Dataset()",
        (
            "class Squares(data.Dataset):\n"
            "    def __getitem__(self, index):\n"
            "        return index * index\n"
            "    def __len__(self):\n"
            "        return 4\n"
            "list(data.DataLoader(Squares() + Squares(), batch_size=3))",
        ),
    ),
    Rule(
        "torch.utils.data.Dataset.__getitem__",
        "compat.sample",
        note="An array in it is made a Tensor: MindSpore's transforms give arrays.",
        returns="other",
        example="class Rows(data.Dataset):\n"
        "    def __getitem__(self, index):\n"
        "        return x[index], index\n"
        "    def __len__(self):\n"
        "        return 2\n"
        "row, number = Rows()[1]\n[row.unsqueeze(0), number]",
    ),
    own("IterableDataset()", "issubclass(data.IterableDataset, data.Dataset)"),
    Rule(
        "torch.utils.data.TensorDataset(*tensors)",
        "compat.TensorDataset(spread(tensors))",
        example=(f"{PAIRS}[pairs[1], len(pairs)]", "data.TensorDataset(x, y, u)[2]"),
    ),
    own(
        "Subset(dataset, indices)",
        f"{PAIRS}[list(data.Subset(pairs, [2, 0])), len(data.Subset(pairs, [2]))]",
    ),
    own(
        "ConcatDataset(datasets)",
        (
            f"{PAIRS}both = data.ConcatDataset([pairs, data.Subset(pairs, [1])])\n"
            "[both[3], both[-2], len(both), both.cumulative_sizes]",
        ),
    ),
    own(
        "ChainDataset(datasets)",
        (
            "class Words(data.IterableDataset):\n"
            "    def __iter__(self):\n"
            "        return iter(['a', 'b', 'c'])\n"
            "[list(data.ChainDataset([Words(), Words()])), list(data.DataLoader(Words(), 2))]",
        ),
    ),
    Rule(
        "torch.utils.data.StackDataset(*args, **kwargs)",
        "compat.StackDataset(spread(args))",
        reject={"kwargs": "pass them by position: items are tuples then"},
        example=f"{PAIRS}both = data.StackDataset(pairs, pairs)\n[both[1], len(both)]",
    ),
    own(
        "random_split(dataset, lengths, generator=None)",
        (
            f"{PAIRS}[len(part) for part in data.random_split(pairs, [2, 1])]",
            "[len(part) for part in data.random_split(range(10), [0.35, 0.35, 0.3])]",
            "[len(part) for part in data.random_split(range(4), [3, 1], "
            "generator=torch.Generator().manual_seed(0))]",
        ),
    ),
    *missing(
        "write the steps as a class with __getitem__ and __len__, or by ds.GeneratorDataset.map",
        "torch.utils.data.IterDataPipe()",
        "torch.utils.data.MapDataPipe()",
    ),
)

SAMPLERS = (
    own("Sampler()"),
    own("SequentialSampler(data_source)", "list(data.SequentialSampler(range(4)))"),
    own(
        "RandomSampler(data_source, replacement=False, num_samples=None, generator=None)",
        (
            "sorted(data.RandomSampler(range(5)))",
            "len(list(data.RandomSampler(range(5), True, 7)))",
            "sorted(data.RandomSampler(range(3), num_samples=6))",
            "sorted(data.RandomSampler(range(5), generator=torch.Generator()))",
        ),
    ),
    own(
        "SubsetRandomSampler(indices, generator=None)",
        (
            "sorted(data.SubsetRandomSampler([3, 1, 4]))",
            "sorted(data.SubsetRandomSampler([3, 1, 4], torch.Generator()))",
        ),
    ),
    own(
        "WeightedRandomSampler(weights, num_samples, replacement=True, generator=None)",
        (
            "list(data.WeightedRandomSampler([0.0, 1.0, 0.0], 3))",
            "sorted(data.WeightedRandomSampler([0.4, 0.1, 0.5], 3, replacement=False))",
            "list(data.WeightedRandomSampler([0.0, 1.0], 2, generator=torch.Generator()))",
        ),
    ),
    own(
        "BatchSampler(sampler, batch_size, drop_last)",
        (
            "list(data.BatchSampler(range(7), 3, False))",
            "len(data.BatchSampler([1, 2], 3, True))",
            "list(data.BatchSampler(range(7), batch_size=3, drop_last=True))",
        ),
    ),
    *(
        Rule(
            f"torch.utils.data.{name}(dataset, num_replicas=None, rank=None, shuffle=True, "
            "seed=0, drop_last=False)",
            "compat.DistributedSampler(dataset, num_replicas=num_replicas, rank=rank, "
            "shuffle=shuffle, seed=seed, drop_last=drop_last)",
            example=(
                f"list(data.{name}(range(7), num_replicas=2, rank=1, shuffle=False))",
                f"list(data.{name}(range(7), 3, 0, False, 0, True))",
                f"len(data.{name}(range(7), num_replicas=2, rank=1))",
            ),
        )
        for name in ("DistributedSampler", "distributed.DistributedSampler")
    ),
    *(
        Rule(
            f"torch.utils.data.{name}.set_epoch(self, epoch)",
            "self.set_epoch(epoch)",
            returns="none",
            example=f"data.{name}(range(7), num_replicas=2, rank=1).set_epoch(3)",
        )
        for name in ("DistributedSampler", "distributed.DistributedSampler")
    ),
)

LOADERS = (
    Rule(
        "torch.utils.data.DataLoader(dataset, batch_size=1, shuffle=None, sampler=None, "
        "batch_sampler=None, num_workers=0, collate_fn=None, pin_memory=False, drop_last=False, "
        "timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None, *, "
        'prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True)',
        "compat.DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, sampler=sampler, "
        "batch_sampler=batch_sampler, num_workers=num_workers, collate_fn=collate_fn, "
        "drop_last=drop_last, generator=generator)",
        reject={
            "worker_init_fn": "MindSpore's workers cannot be set up: do it in __getitem__",
        },
        drop=(
            *("pin_memory", "timeout", "multiprocessing_context", "prefetch_factor"),
            *("persistent_workers", "pin_memory_device", "in_order"),
        ),
        example=(
            f"{PAIRS}list(data.DataLoader(pairs, batch_size=2))",
            f"{PAIRS}len(list(data.DataLoader(pairs, shuffle=True, generator=torch.Generator())))",
            f"{PAIRS}list(data.DataLoader(pairs, 2, shuffle=False, drop_last=True))",
            f"{PAIRS}[len(data.DataLoader(pairs, 2)), len(data.DataLoader(pairs).dataset)]",
            "list(data.DataLoader([{'a': 1, 'b': 0.5}, {'a': 2, 'b': 1.5}], batch_size=2))",
            "list(data.DataLoader(range(5), batch_size=2, collate_fn=sum))",
            "list(data.DataLoader([1, 2, 3], batch_size=2, sampler=[2, 0]))",
            "list(data.DataLoader([1, 2, 3], batch_sampler=[[2], [0, 1]]))",
            f"{PAIRS}len(list(data.DataLoader(pairs, batch_size=2, shuffle=True)))",
            f"{PAIRS}list(data.DataLoader(pairs, batch_size=2, num_workers=2))",
            "pairs = [(np.ones(2), 1), (np.zeros(2), 2), (np.ones(2), 3)]\n"
            "list(data.DataLoader(pairs, batch_size=2, num_workers=1))",
        ),
    ),
    Rule(
        "torch.utils.data.DataLoader.dataset",
        "self.dataset",
        returns="other",
        example=f"{PAIRS}loader = data.DataLoader(pairs)\nlen(loader.dataset)",
    ),
    *(
        Rule(
            f"torch.utils.data.DataLoader.{name}",
            f"self.{name}",
            returns=kind,
            example=f"{PAIRS}loader = data.DataLoader(pairs, batch_size=2)\n{shown}",
        )
        for name, kind, shown in (
            ("batch_size", "int", "loader.batch_size"),
            ("drop_last", "bool", "loader.drop_last"),
            ("num_workers", "int", "loader.num_workers"),
            ("sampler", "other", "list(loader.sampler)"),
            ("batch_sampler", "other", "list(loader.batch_sampler)"),
            ("collate_fn", "other", "callable(loader.collate_fn) or True"),
        )
    ),
    own(
        "default_collate(batch)",
        (
            "data.default_collate([(1, 0.5), (2, 1.5)])",
            "data.default_collate([{'a': x, 'b': 's'}, {'a': y, 'b': 't'}])",
            "data.default_collate([np.float32(1), np.float32(2)])",
        ),
    ),
    own(
        "default_convert(data)",
        "data.default_convert({'a': np.ones(2), 'b': [1, 's', np.float32(2)]})",
    ),
    Rule(
        "torch.utils.data.get_worker_info()",
        "None",
        note="Data is read as if by one worker: MindSpore's do not know their numbers.",
        returns="other",
        example="data.get_worker_info()",
    ),
    *missing(
        "pass the arguments to the loader when it is made",
        "torch.utils.data.DataLoader.__init__(self, *args, **kwargs)",
    ),
)

RULES = (*SETS, *SAMPLERS, *LOADERS)
