"""Samplers as JSON."""

from __future__ import annotations

from typing import Any

from .. import config
from ..faults import DataError
from ..samplers import (
    BuiltinSampler,
    DistributedSampler,
    PKSampler,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from .operations import badly_written

GLOBAL = 2
"""MindSpore's number of Shuffle.GLOBAL."""


def written(sampler: BuiltinSampler) -> dict[str, Any] | None:
    """A sampler as JSON; None for one of a user's."""
    values = own(sampler)
    if values is None:
        return None
    kind = RandomSampler if isinstance(sampler, RandomSampler) else type(sampler)
    found = {
        "sampler_name": kind.__name__,
        "num_samples": sampler.num_samples or 0,
        **values,
    }
    if sampler.child_sampler is not None:
        below = written(sampler.child_sampler)
        return None if below is None else {"child_sampler": [below], **found}
    return found


def own(sampler: BuiltinSampler) -> dict[str, Any] | None:
    """What is special to a kind of samplers."""
    if type(sampler) is SequentialSampler:
        return {"start_index": sampler.start_index}
    if isinstance(sampler, RandomSampler):
        reshuffle = sampler.reshuffle_each_epoch
        return {
            "replacement": sampler.replacement,
            "reshuffle_each_epoch": reshuffle,
            "shuffle_mode": GLOBAL,
        }
    if type(sampler) is DistributedSampler:
        return {
            "num_shards": sampler.num_shards,
            "shard_id": sampler.shard_id,
            "shuffle_mode": GLOBAL if sampler.shuffle else 0,
            "seed": config.get_seed() + 1,
            "offset": sampler.offset,
            "even_dist": True,
        }
    if type(sampler) is PKSampler:
        return {"num_val": sampler.num_val, "shuffle": sampler.shuffle}
    if type(sampler) in (SubsetSampler, SubsetRandomSampler):
        return {"indices": [int(index) for index in vars(sampler)["indices"]]}
    if type(sampler) is WeightedRandomSampler:
        return {"replacement": sampler.replacement, "weights": sampler.weights.tolist()}
    return None


def read(where: str, found: Any) -> BuiltinSampler:
    """A sampler of its JSON. Raises: RuntimeError (MS314)"""
    name = str(found.get("sampler_name")) if isinstance(found, dict) else "no object"
    if name not in MADE:
        problem = "a sampler cannot be made of what is written of it"
        raise DataError(where, problem, got=name[:80], expected=", ".join(sorted(MADE)))
    try:
        made: BuiltinSampler = MADE[name](found, found["num_samples"] or None)
        below = found.get("child_sampler", [])
        if below:
            made.add_child(read(where, below[0]))
    except (KeyError, TypeError, ValueError, IndexError, RecursionError) as error:
        raise badly_written(where, name, error) from error
    return made


def random(found: dict[str, Any], count: int | None) -> BuiltinSampler:
    made = RandomSampler(found["replacement"], count)
    made.reshuffle_each_epoch = bool(found["reshuffle_each_epoch"])
    return made


def distributed(found: dict[str, Any], count: int | None) -> BuiltinSampler:
    shuffle = found["shuffle_mode"] != 0
    shares = found["num_shards"], found["shard_id"]
    return DistributedSampler(*shares, shuffle, count, found["offset"])


MADE: dict[str, Any] = {
    "SequentialSampler": lambda found, n: SequentialSampler(found["start_index"], n),
    "RandomSampler": random,
    "DistributedSampler": distributed,
    "PKSampler": lambda found, n: PKSampler(found["num_val"], None, found["shuffle"], "label", n),
    "SubsetSampler": lambda found, n: SubsetSampler(found["indices"], n),
    "SubsetRandomSampler": lambda found, n: SubsetRandomSampler(found["indices"], n),
    "WeightedRandomSampler": lambda found, n: WeightedRandomSampler(
        found["weights"], n, found["replacement"]
    ),
}
