"""Samplers: which rows are read, and in which order, epoch after epoch."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from . import config
from .mersenne import Mersenne

Order = list[int]


class Shuffle(StrEnum):
    """What is shuffled: nothing, all rows, the files, the rows of each file."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


def checked_count(where: str, value: Any) -> int | None:
    """num_samples: None, or a number of rows; 0 stands for all."""
    if value is None:
        return None
    check_range(where, "num_samples", check_type(where, "num_samples", value, int), 0)
    return int(value)


class BuiltinSampler:
    """What samplers have in common; one below another one chooses of what that one has chosen."""

    def __init__(self, num_samples: int | None = None) -> None:
        self.num_samples = checked_count(type(self).__name__, num_samples)
        self.child_sampler: BuiltinSampler | None = None

    def orders(self, count: int, labels: np.ndarray | None = None) -> Iterator[Order]:
        """The numbers of the rows of one epoch after another, of `count` rows."""
        if self.child_sampler is None:
            yield from self.own_orders(count, labels)
            return
        own: Iterator[Order] | None = None
        for below in self.child_sampler.orders(count, labels):
            own = own or self.own_orders(len(below), labels)
            yield [below[place] for place in next(own)]

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        """`orders` without what stands below."""
        raise NotImplementedError(type(self).__name__)

    def limit(self, count: int) -> int:
        """How many of `count` rows are read at most."""
        return min(count, self.num_samples) if self.num_samples else count

    def add_child(self, sampler: BuiltinSampler | None) -> None:
        """Puts a sampler below this one."""
        if self.child_sampler is not None and sampler is not None:
            raise RefusedError(type(self).__name__, "it has a child already")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """How many rows are read at most, as far as it is said."""
        below = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        if self.num_samples is None or below is None:
            return below if self.num_samples is None else self.num_samples
        return min(self.num_samples, below)

    def is_shuffled(self) -> bool:
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def is_sharded(self) -> bool:
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def get_shuffle_mode(self) -> Shuffle:
        return Shuffle.GLOBAL if self.is_shuffled() else Shuffle.FALSE


class SequentialSampler(BuiltinSampler):
    """The rows one after another, from one of them on."""

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if start_index is not None:
            check_type("SequentialSampler", "start_index", start_index, int)
        self.start_index = start_index or 0

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        if not 0 <= self.start_index < max(count, 1):
            got, expected = str(self.start_index), f"0..{count - 1}"
            raise RefusedError(
                "SequentialSampler", "start_index is no row", got=got, expected=expected
            )
        while True:
            yield list(range(self.start_index, count))[: self.num_samples or None]


class RandomSampler(BuiltinSampler):
    """The rows in random order, as MindSpore draws it of the same seed."""

    def __init__(
        self,
        replacement: bool = False,
        num_samples: int | None = None,
        shuffle: Shuffle = Shuffle.GLOBAL,
    ) -> None:
        super().__init__(num_samples)
        self.replacement = check_type("RandomSampler", "replacement", replacement, bool)
        self.shuffle = check_type("RandomSampler", "shuffle", shuffle, Shuffle)
        self.reshuffle_each_epoch = True

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        seed, found = config.new_seed(), list(range(count))
        for epoch in range(2**31):
            source = Mersenne((seed + epoch * self.reshuffle_each_epoch) % 2**32)
            if self.replacement:
                yield [source.below(count) for _ in range(self.limit(count))]
                continue
            if epoch == 0 or self.reshuffle_each_epoch:
                source.shuffle(found)
            yield found[: self.limit(count)]

    def is_shuffled(self) -> bool:
        return True


class DistributedSampler(BuiltinSampler):
    """A share of the rows; all shares are of the same length, so some rows may come twice."""

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool | Shuffle = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        name = "DistributedSampler"
        self.num_shards = check_type(name, "num_shards", num_shards, int)
        self.shard_id = check_type(name, "shard_id", shard_id, int)
        check_type(name, "shuffle", shuffle, bool, Shuffle)
        self.shuffle = shuffle is not False and shuffle != Shuffle.FALSE
        self.offset = check_type(name, "offset", offset, int)

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        if not 0 <= self.shard_id < self.num_shards:
            got, expected = str(self.shard_id), f"0..{self.num_shards - 1}"
            raise RefusedError(
                "DistributedSampler", "shard_id is no shard", got=got, expected=expected
            )
        seed, rows = config.new_seed() + 1, list(range(count))
        places = self.places(count)
        for epoch in range(2**31):
            if self.shuffle:
                Mersenne((seed + epoch) % 2**32).shuffle(rows)
            yield [rows[place % count] for place in places][: self.num_samples or None]

    def places(self, count: int) -> range:
        """The places of its rows; with an offset, shards need not be of the same length."""
        if self.offset < 0:
            rest = -(-count // self.num_shards) * self.num_shards
            return range(self.shard_id, self.shard_id + rest, self.num_shards)
        first = (self.shard_id - self.offset) % self.num_shards
        return range(first, count, self.num_shards)

    def is_shuffled(self) -> bool:
        return self.shuffle if self.child_sampler is None else self.child_sampler.is_shuffled()

    def is_sharded(self) -> bool:
        if self.child_sampler is None:
            return bool(self.num_shards > 1)
        return self.child_sampler.is_sharded()


class PKSampler(BuiltinSampler):
    """So many rows of each class, class after class."""

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        if num_class is not None:
            raise NotImplementedError("PKSampler: num_class is not there in MindSpore either")
        self.num_val = check_type("PKSampler", "num_val", num_val, int)
        self.shuffle = check_type("PKSampler", "shuffle", shuffle, bool)
        self.class_column = check_type("PKSampler", "class_column", class_column, str)

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        if labels is None:
            advice = "SubsetSampler with the rows that you want"
            problem = "the data set has no classes to choose of"
            raise ShapeError("PKSampler", problem, advice=advice)
        seed = config.new_seed()
        members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        order = list(range(len(members)))
        for epoch in range(2**31):
            source = Mersenne((seed + epoch) % 2**32)
            if self.shuffle and epoch == 0:
                source.shuffle(order)
            found = [
                int(members[place][source.below(len(members[place]))])
                for place in order
                for _ in range(self.num_val)
            ]
            yield found[: self.num_samples or None]

    def is_shuffled(self) -> bool:
        return bool(self.shuffle)


class SubsetSampler(BuiltinSampler):
    """The rows of these numbers."""

    def __init__(self, indices: Any, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        name = type(self).__name__
        indices = [indices] if isinstance(indices, int) else indices
        if isinstance(indices, str) or not isinstance(indices, Iterable):
            got = f"a {type(indices).__name__}"
            raise ElementTypeError(name, "indices are no numbers", got=got)
        self.indices = list(indices)[: self.num_samples or None]
        for index in self.indices:
            check_type(name, "indices", index, int, np.integer)

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        while True:
            yield self.chosen(count)

    def chosen(self, count: int) -> Order:
        """The numbers, all of which are rows. Raises: RuntimeError (MS304)"""
        return in_bounds(type(self).__name__, [int(index) for index in self.indices], count)

    def get_num_samples(self) -> int:
        below = super().get_num_samples()
        return len(self.indices) if below is None else min(len(self.indices), below)


def in_bounds(where: str, numbers: Order, count: int) -> Order:
    for number in numbers:
        if not 0 <= number < count:
            got, expected = str(number), f"0..{count - 1}"
            raise RefusedError(where, "there is no such row", got=got, expected=expected)
    return numbers


class SubsetRandomSampler(SubsetSampler):
    """The rows of these numbers in random order, as MindSpore draws it of the same seed."""

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        seed = config.new_seed()
        found = in_bounds("SubsetRandomSampler", [int(i) for i in self.indices], count)
        while True:
            Mersenne(seed).shuffle(found)
            yield list(found)

    def is_shuffled(self) -> bool:
        return True


class WeightedRandomSampler(BuiltinSampler):
    """Rows that come as often as they weigh; without replacement, each at most once."""

    def __init__(
        self, weights: Any, num_samples: int | None = None, replacement: bool = True
    ) -> None:
        super().__init__(num_samples)
        weights = weights if isinstance(weights, list) else [weights]
        for weight in weights:
            check_type("WeightedRandomSampler", "weights", weight, int, float, np.number)
        self.weights = np.array(weights, np.float64)
        self.replacement = check_type("WeightedRandomSampler", "replacement", replacement, bool)

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        weights, name = self.weights, "WeightedRandomSampler"
        if len(weights) > count or (weights < 0).any() or not weights.any():
            got, expected = f"{len(weights)} weights", f"at most {count}, none below 0, not all 0"
            raise RefusedError(name, "the weights cannot be used", got=got, expected=expected)
        wanted = self.limit(count)
        if not self.replacement and wanted > np.count_nonzero(weights):
            got, expected = f"{wanted} rows", f"at most {np.count_nonzero(weights)}"
            raise RefusedError(name, "too few rows weigh anything", got=got, expected=expected)
        shares, seed = np.cumsum(weights / weights.sum()), config.new_seed()
        while True:
            source = Mersenne(seed)
            if self.replacement:
                drawn = [source.share() for _ in range(wanted)]
                yield np.minimum(np.searchsorted(shares, drawn), len(weights) - 1).tolist()
                continue
            with np.errstate(divide="ignore"):
                late = -np.log([1 - source.share() for _ in weights]) / weights
            yield np.argsort(late)[:wanted].tolist()

    def is_shuffled(self) -> bool:
        return True


class Sampler(BuiltinSampler):
    """The base of users' samplers: their `__iter__` gives the numbers of rows.

    `dataset_size` is known when it is called.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is None and hasattr(self, "__len__"):
            num_samples = len(self)
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def reset(self) -> None:
        """Called between epochs."""

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[Order]:
        """Those of a copy: who reads the data set anew begins where the sampler was, as there."""
        own = copy.deepcopy(self)
        own.dataset_size = count
        while True:
            yield in_bounds(type(self).__name__, own.one_order(), count)
            own.reset()

    def one_order(self) -> Order:
        """The numbers of one epoch."""
        found: Order = []
        for entry in self:
            found += [int(e) for e in entry] if isinstance(entry, Sequence) else [int(entry)]
            if self.num_samples and len(found) >= self.num_samples:
                break
        return found


class IterSampler(Sampler):
    """The numbers that an iterable gives."""

    def __init__(self, sampler: Any, num_samples: int | None = None) -> None:
        self.sampler = sampler
        if num_samples is None and hasattr(sampler, "__len__"):
            num_samples = len(sampler)
        super().__init__(num_samples)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)


def selected(
    sampler: Any,
    shuffle: bool | Shuffle | None,
    num_samples: int | None,
    num_shards: int | None,
    shard_id: int | None,
) -> BuiltinSampler:
    """The sampler that a data set's arguments mean. Raises: ValueError, TypeError (MS304)"""
    count = checked_count("a data set", num_samples)
    check_shards(num_shards, shard_id)
    if isinstance(sampler, BuiltinSampler):
        if any(given is not None for given in (num_shards, shard_id, shuffle, num_samples)):
            advice = "say it to the sampler"
            problem = "sampler goes with none of num_samples, num_shards, shard_id, shuffle"
            raise ShapeError("a data set", problem, advice=advice)
        return sampler
    if sampler is not None:
        return of_numbers(sampler, count)
    shuffled = shuffle is not False and shuffle != Shuffle.FALSE
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffled, count)
    if shuffled:
        return RandomSampler(count is not None, count)
    return SequentialSampler(num_samples=count)


def of_numbers(sampler: Any, count: int | None) -> BuiltinSampler:
    if isinstance(sampler, int):
        return SubsetSampler([sampler])
    if isinstance(sampler, np.ndarray | list | tuple):
        return SubsetSampler(sampler, count)
    if isinstance(sampler, Iterable) and not isinstance(sampler, str):
        for _ in range(2):
            iter(sampler)  # as MindSpore asks: one that counts its epochs has counted two then
        return IterSampler(sampler, count)
    raise ElementTypeError("a data set", "it is no sampler", got=f"a {type(sampler).__name__}")


def check_shards(num_shards: Any, shard_id: Any) -> None:
    """Raises: ValueError (MS304) for a shard that is none."""
    if (num_shards is None) != (shard_id is None):
        problem = "num_shards and shard_id go together"
        raise ShapeError("a data set", problem, got=f"{num_shards} and {shard_id}")
    if num_shards is None:
        return
    check_range(
        "a data set", "num_shards", check_type("a data set", "num_shards", num_shards, int), 1
    )
    check_type("a data set", "shard_id", shard_id, int)
    check_range("a data set", "shard_id", shard_id, 0, num_shards - 1)


def size_of(sampler: BuiltinSampler, count: int, labels: np.ndarray | None = None) -> int:
    """How many rows an epoch has."""
    if isinstance(sampler, IterSampler) and sampler.num_samples and sampler.child_sampler is None:
        return sampler.num_samples
    return len(next(iter(sampler.orders(count, labels))))
