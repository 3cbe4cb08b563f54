"""The order in which MindSpore reads the rows of MindRecord files for a seed.

Source: libstdc++'s std::shuffle by std::default_random_engine, which was seen in real orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .. import config
from ..mersenne import LinearCongruential
from ..samplers import (
    BuiltinSampler,
    DistributedSampler,
    Order,
    RandomSampler,
    Shuffle,
    SubsetRandomSampler,
)

OF_FILES = (Shuffle.FILES, Shuffle.PARTIAL)
OF_ROWS = (Shuffle.GLOBAL, Shuffle.ADAPTIVE, Shuffle.PARTIAL)


class RecordOrder(BuiltinSampler):
    """What a sampler chooses, in the order that is drawn for MindRecord files.

    sizes: how many rows each file has.
    """

    def __init__(self, chosen: BuiltinSampler, shuffle: Shuffle, sizes: Sequence[int]) -> None:
        super().__init__(chosen.num_samples)
        self.chosen, self.shuffle, self.sizes = chosen, shuffle, sizes
        self.child_sampler = chosen.child_sampler
        self.is_fresh = shuffle == Shuffle.PARTIAL or isinstance(chosen, DistributedSampler)

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        seed = config.new_seed() + 1
        if isinstance(self.chosen, SubsetRandomSampler):
            while True:
                yield shuffled(seed, self.chosen.chosen(count))
        blocks = self.in_files(count)
        for epoch in range(2**31):
            blocks = drawn(seed + epoch, self.shuffle, blocks)
            rows = self.taken([row for block in blocks for row in block])
            yield rows
            if self.is_fresh:
                blocks = self.in_files(count)
            elif self.num_samples:
                blocks = [rows]

    def in_files(self, count: int) -> list[Order]:
        """The rows of each file; those behind the last file belong to it."""
        ends = np.cumsum(self.sizes)[:-1]
        return [block.tolist() for block in np.split(np.arange(count), ends)]

    def taken(self, rows: Order) -> Order:
        if isinstance(self.chosen, DistributedSampler):
            rows = [rows[place % len(rows)] for place in self.chosen.places(len(rows))]
        return rows[: self.num_samples or None]

    def is_shuffled(self) -> bool:
        return self.chosen.is_shuffled()

    def is_sharded(self) -> bool:
        return self.chosen.is_sharded()


def drawn(seed: int, shuffle: Shuffle, blocks: list[Order]) -> list[Order]:
    """The rows of files in the order of one epoch."""
    if shuffle in OF_FILES:
        blocks = [blocks[place] for place in shuffled(seed, list(range(len(blocks))))]
    if shuffle in OF_ROWS:
        blocks = [[row for block in blocks for row in block]]
    is_whole = shuffle == Shuffle.FILES
    return blocks if is_whole else [shuffled(seed, block) for block in blocks]


def shuffled(seed: int, rows: Order) -> Order:
    found = list(rows)
    LinearCongruential(seed).shuffle(found)
    return found


def in_records(
    sampler: BuiltinSampler, shuffle: bool | Shuffle | None, sizes: Sequence[int]
) -> BuiltinSampler:
    """A sampler as it draws for MindRecord files; one that repeats rows is as it is elsewhere."""
    is_random = isinstance(sampler, RandomSampler) and not sampler.replacement
    is_share = isinstance(sampler, DistributedSampler) and sampler.shuffle
    if not is_random and not is_share and not isinstance(sampler, SubsetRandomSampler):
        return sampler
    mode = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL
    if isinstance(sampler, RandomSampler):
        mode = sampler.shuffle if shuffle is None else mode
    return RecordOrder(sampler, mode, sizes)
