"""What the converted code needs and MindSpore does not have, in MindSpore's own API."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops


class GradScaler:
    """PyTorch's scaling of losses, so that small gradients of float16 survive.

    The gradients are values: scaler.step(optimizer, grads); steps that overflow are left out.
    """

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self.value = float(init_scale) if enabled else 1.0
        self.growth_factor = growth_factor
        self.backoff_factor = backoff_factor
        self.growth_interval = growth_interval
        self.enabled = enabled
        self.steps = 0
        self.finite = True
        self.unscaled = set()

    def scale(self, outputs: ms.Tensor) -> Any:
        """Outputs times the scale; lists and tuples of them likewise."""
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(output) for output in outputs)
        return outputs * self.value if self.enabled else outputs

    def unscale_(self, optimizer: Any, grads: Any) -> Any:
        """The gradients divided by the scale, to be clipped and given to step."""
        self.unscaled.add(id(optimizer))
        if not self.enabled:
            return grads
        return tuple(grad / self.value for grad in grads)

    def step(self, optimizer: Any, grads: Any) -> None:
        """A step of the optimiser, if all gradients are finite."""
        if id(optimizer) not in self.unscaled:
            grads = self.unscale_(optimizer, grads)
        finite = not self.enabled or bool(ms.amp.all_finite(grads))
        if finite:
            optimizer(grads)
        self.finite = self.finite and finite

    def update(self, new_scale: Any = None) -> None:
        """Less scale after an overflow, more after enough steps without one."""
        self.unscaled.clear()
        if not self.enabled:
            return
        if new_scale is not None:
            self.value = float(new_scale)
            return
        self.steps = self.steps + 1 if self.finite else 0
        if not self.finite:
            self.value *= self.backoff_factor
        elif self.steps == self.growth_interval:
            self.value, self.steps = self.value * self.growth_factor, 0
        self.finite = True

    def get_scale(self) -> float:
        return self.value

    def is_enabled(self) -> Any:
        return self.enabled

    def get_growth_factor(self) -> Any:
        return self.growth_factor

    def set_growth_factor(self, factor: Any) -> None:
        self.growth_factor = factor

    def get_backoff_factor(self) -> Any:
        return self.backoff_factor

    def set_backoff_factor(self, factor: Any) -> None:
        self.backoff_factor = factor

    def get_growth_interval(self) -> Any:
        return self.growth_interval

    def set_growth_interval(self, interval: Any) -> None:
        self.growth_interval = interval

    def state_dict(self) -> Any:
        return {
            "scale": self.value,
            "growth_factor": self.growth_factor,
            "backoff_factor": self.backoff_factor,
            "growth_interval": self.growth_interval,
            "_growth_tracker": self.steps,
        }

    def load_state_dict(self, state: ms.Tensor) -> None:
        self.value, self.steps = state["scale"], state["_growth_tracker"]
        self.growth_factor, self.backoff_factor = state["growth_factor"], state["backoff_factor"]
        self.growth_interval = state["growth_interval"]


def prefix_of(cell: nn.Cell) -> str:
    """What stands before a cell's own names in the names of its parameters."""
    for path, parameter in cell.parameters_and_names():
        if parameter.name.endswith(path):
            return parameter.name[: len(parameter.name) - len(path)]
    return cell.__dict__.get("prefix", "")


def random_state_of(generator: Any) -> Any:
    """What draws orders of items: of a generator its own numbers, else those of the seed."""
    return random_state() if generator is None else generator.numbers


class Sampler:
    """PyTorch's Sampler: the numbers of items, in the order in which they are read."""

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source


class SequentialSampler(Sampler):
    """All items in order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Items in random order, another one each time."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement, self.generator = replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self) -> Iterator[Any]:
        size, numbers = len(self.data_source), random_state_of(self.generator)
        if self.replacement:
            yield from numbers.randint(size, size=self.num_samples).tolist()
            return
        for start in range(0, self.num_samples, size):
            yield from numbers.permutation(size)[: self.num_samples - start].tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of the numbers that a sampler gives."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[Any]:
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        rest = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + rest) // self.batch_size


def default_convert(data: Any) -> Any:
    """Arrays, in lists and dictionaries too, as Tensors."""
    if isinstance(data, dict):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [default_convert(value) for value in data]
    return ms.Tensor(data) if isinstance(data, (np.ndarray, np.generic)) else data


def default_collate(batch: Any) -> Any:
    """A list of items as one item of stacked Tensors."""
    first = batch[0]
    if isinstance(first, dict):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if hasattr(first, "_fields"):
        return type(first)(*(default_collate(column) for column in zip(*batch)))
    if isinstance(first, (list, tuple)):
        return [default_collate(column) for column in zip(*batch)]
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, ms.Tensor):
        return ms.Tensor(np.stack([item.asnumpy() for item in batch]))
    return ms.Tensor(np.stack(batch))


class DataLoader:
    """Batches of a data set; with workers, read by a GeneratorDataset where that can."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[..., Any] | None = None,
        drop_last: bool = False,
        generator: Any = None,
    ) -> None:
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.collate_fn = num_workers, collate_fn
        self.sampler, self.batch_sampler = sampler, batch_sampler
        if not hasattr(dataset, "__getitem__"):
            if sampler is not None or batch_sampler is not None:
                raise ValueError("items that are read one after another cannot be sampled")
            self.source = dataset.shuffle(len(dataset)) if shuffle else dataset
            return
        if sampler is None and batch_sampler is None:
            drawn = RandomSampler(dataset, generator=generator) if shuffle else None
            self.sampler = drawn or SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)

    def __iter__(self) -> Iterator[Any]:
        collate = self.collate_fn or default_collate
        if not hasattr(self.dataset, "__getitem__"):
            return self.in_turn(collate)
        if self.batch_sampler is None:
            convert = self.collate_fn or default_convert
            return (convert(self.dataset[index]) for index in self.sampler)
        if self.num_workers and self.collate_fn is None and self.gives_columns():
            return iter(self.pipeline())
        return (collate([self.dataset[n] for n in batch]) for batch in self.batch_sampler)

    def in_turn(self, collate: Callable[..., Any]) -> Iterator[Any]:
        """The batches of a data set that has no numbers."""
        if self.batch_size is None:
            yield from map(self.collate_fn or default_convert, self.source)
            return
        batch = []
        for item in self.source:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield collate(batch)
                batch = []
        if batch and not self.drop_last:
            yield collate(batch)

    def gives_columns(self) -> bool:
        """Whether an item is a tuple of arrays and numbers: Tensors are not for workers."""
        item = self.dataset[0]
        known = (np.ndarray, np.generic, int, float)
        return isinstance(item, (tuple, list)) and all(isinstance(v, known) for v in item)

    def pipeline(self) -> Any:
        """MindSpore's own pipeline, in processes of their own."""
        columns = [f"column_{n}" for n in range(len(self.dataset[0]))]
        return ds.GeneratorDataset(
            self.dataset,
            columns,
            batch_sampler=list(self.batch_sampler),
            num_parallel_workers=self.num_workers,
        )

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        if self.sampler is not None:
            return len(self.sampler)
        size = 1 if self.batch_size is None else self.batch_size
        return (len(self.dataset) + (0 if self.drop_last else size - 1)) // size


def image_set(
    dataset: Any,
    transform: Callable[..., Any] | None = None,
    target_transform: Callable[..., Any] | None = None,
) -> Any:
    """A data set of images and labels with PyTorch's transforms, which get images of PIL."""
    if transform is not None:
        dataset = dataset.map([ds.vision.ToPIL(), transform], "image")
    labels = [lambda label: label.astype(np.int64)]
    if target_transform is not None:
        labels.append(lambda label: np.asarray(target_transform(label.item())))
    return dataset.map(labels, "label")


@functools.cache
def unseeded() -> Any:
    """What draws before a seed is set: begun by NumPy's numbers, which stay as they are."""
    ahead = np.random.RandomState()
    ahead.set_state(np.random.get_state())
    return np.random.RandomState(ahead.randint(2**32, dtype=np.uint32))


def random_state() -> Any:
    """What draws here: the numbers of the last `manual_seed`, NumPy's own after `ms.set_seed`."""
    seed = ms.get_seed()
    return unseeded() if seed is None else getattr(seed, "numbers", np.random)


def scheduler_state(scheduler: Any) -> dict[str, Any]:
    """What a scheduler knows in plain values; of one made of others, what each of them knows."""
    plain = bool, int, float, str, list, tuple
    known = {
        name: value.asnumpy().item() if isinstance(value, ms.Parameter) else value
        for name, value in vars(scheduler).items()
    }
    inner = {name: known.pop(name, []) for name in INNER}
    found = {name: value for name, value in known.items() if isinstance(value, plain)}
    states = {name: [scheduler_state(one) for one in all] for name, all in inner.items() if all}
    return {name: v for name, v in found.items() if name != "lr_lambdas"} | states


INNER = "_schedulers", "schedulers"
"""Where a scheduler that is made of others has them."""


def load_scheduler_state(scheduler: Any, state: dict[str, Any]) -> None:
    """Sets what `scheduler_state` gave, or PyTorch's state_dict; what is not known is left out."""
    for name, value in state.items():
        if name in INNER:
            parts = next((getattr(scheduler, n) for n in INNER if hasattr(scheduler, n)), ())
            for part, own in zip(parts, value):
                load_scheduler_state(part, own)
            continue
        name = "wait" if name == "num_bad_epochs" and hasattr(scheduler, "wait") else name
        if name != "_last_lr" and hasattr(scheduler, name):
            setattr(scheduler, name, as_kept(getattr(scheduler, name), value))


def as_kept(known: Any, value: Any) -> Any:
    """A value in the form of the one that is known; what has no such form stays what it was."""
    if isinstance(known, ms.Parameter):
        known.set_data(ms.Tensor(value, known.dtype))
        return known
    if isinstance(known, ms.Tensor):
        return ms.Tensor(value, known.dtype)
    if isinstance(known, (list, tuple)) and isinstance(value, (list, tuple)):
        return type(known)(map(as_kept, known, value)) if len(known) == len(value) else known
    return value if isinstance(known, (bool, int, float, str)) else known


class Loss(nn.Cell):
    """A loss function with its settings, as a layer."""

    def __init__(self, function: Callable[..., Any], **settings: float | str) -> None:
        super().__init__()
        self.function = function
        self.settings = settings

    @property
    def reduction(self) -> Any:
        """How the losses become one number; it may be set."""
        return self.settings.get("reduction", "mean")

    @reduction.setter
    def reduction(self, name: str) -> None:
        self.settings["reduction"] = name

    def construct(self, *values: ms.Tensor) -> ms.Tensor:
        return self.function(*values, **self.settings)


RENAMING_LAYERS = (
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d),
    *(nn.LayerNorm, nn.GroupNorm, nn.Embedding, nn.PReLU),
)
"""Layers whose parameters have other names than PyTorch's."""


ORIGINAL_NAMES = {
    "gamma": "weight",
    "beta": "bias",
    "embedding_table": "weight",
    "w": "weight",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
"""What PyTorch calls them."""


STATISTICS = ("moving_mean", "moving_variance")
"""What is a buffer of PyTorch's, and a parameter of MindSpore's."""


def is_statistic(name: str, parameter: ms.Tensor) -> bool:
    """Whether a parameter is a buffer of PyTorch's."""
    return name in STATISTICS or getattr(parameter, "is_statistic", False)


def place_in_steps(pair: tuple[str, Any]) -> tuple[int, bool]:
    """The layer and the direction of a weight, which PyTorch's recurrent layers count by."""
    layer, _, direction = pair[0].rpartition("_l")[2].partition("_")
    return (int(layer), bool(direction)) if layer.isdigit() else (-1, False)


def lacking(cell: nn.Cell) -> tuple[str, ...]:
    """The names of what MindSpore's layer has and never trains, and PyTorch's does not have."""
    norms = nn.GroupNorm, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d
    if not isinstance(cell, norms):
        return ()
    weights = () if getattr(cell, "affine", True) else ("gamma", "beta")
    return weights + (STATISTICS if getattr(cell, "use_batch_statistics", None) else ())


def parameters_of(cell: nn.Cell) -> Sequence[Any]:
    """(name, parameter) of a cell without those in it, in PyTorch's order."""
    more = lacking(cell)
    named = [pair for pair in cell.parameters_and_names("", False) if pair[0] not in more]
    return sorted(named, key=place_in_steps) if is_recurrent(cell) else named


def is_recurrent(cell: nn.Cell) -> bool:
    return isinstance(cell, (nn.LSTM, nn.GRU, nn.RNN))


def is_optimizer_of(owner: nn.Cell, cell: nn.Cell) -> bool:
    """Whether it is an optimizer that a network has, for MindSpore one of its cells."""
    return owner is not cell and isinstance(owner, ms.experimental.optim.Optimizer)


def paths_of(cell: nn.Cell) -> Iterator[tuple[str, str, nn.Cell]]:
    """(path, PyTorch's path, cell) of a cell and all in it.

    The one that a BatchNorm3d is made of has the path of that; others may be called `bn2d`, too.
    """
    inner = set()
    for path, owner in cell.cells_and_names():
        if is_optimizer_of(owner, cell):
            continue
        path = path if owner is not cell else ""
        if isinstance(owner, (nn.BatchNorm1d, nn.BatchNorm3d)):
            inner.add(id(getattr(owner, "bn2d", None)))
        is_inner = id(owner) in inner
        yield path, path[: -len("bn2d")].rstrip(".") if is_inner else path, owner


def own_parameters(cell: nn.Cell, prefix: str = "", recurse: bool = True) -> Iterator[Any]:
    """(name, last part of its own, parameter) of each, by PyTorch's names: they tell a bias."""
    seen = set()
    for _, path, owner in paths_of(cell) if recurse else [("", "", cell)]:
        for name, parameter in parameters_of(owner):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                last = name.rpartition(".")[2]
                is_layer = isinstance(owner, RENAMING_LAYERS)
                original = ORIGINAL_NAMES.get(last, last) if is_layer else last
                yield ".".join(filter(None, (prefix, path, original))), last, parameter


def named_parameters(cell: nn.Cell, prefix: str = "", recurse: bool = True) -> Iterator[Any]:
    """(name, weight) pairs by PyTorch's names, without the statistics of BatchNorm."""
    for name, last, parameter in own_parameters(cell, prefix, recurse):
        if not is_statistic(last, parameter):
            yield name, parameter


def parameters(cell: nn.Cell, recurse: bool = True) -> Iterator[Any]:
    """The weights of a cell, frozen ones too, without BatchNorm's statistics.

    Those with one name get that of their place: a cell that was put into another one after that
    had its own name knows of it nothing.
    """
    named = list(cell.parameters_and_names())
    if len({parameter.name for _, parameter in named}) < len(named):
        cell.update_parameters_name(prefix_of(cell))
    for _, parameter in named_parameters(cell, recurse=recurse):
        yield parameter


def names_of(cell: nn.Cell, prefix: str = "") -> dict[str, str]:
    """The cell's names of parameters and statistics, and PyTorch's, where they differ."""
    found = {}
    for path, outer, owner in paths_of(cell):
        for name, last, _ in own_parameters(owner, (prefix + outer).rstrip("."), False):
            own = ".".join(filter(None, ((prefix + path).rstrip("."), last)))
            found |= {own: name} if own != name else {}
    return found


class State(dict):
    """Parameters and buffers by PyTorch's names; it is saved by MindSpore's."""

    def __init__(self, values: dict, names: dict) -> None:
        super().__init__({names.get(name, name): value for name, value in values.items()})
        self.names = names

    def own(self) -> dict:
        """The same by MindSpore's names."""
        own = {original: name for name, original in self.names.items()}
        return {own.get(name, name): value for name, value in self.items()}

    def copy(self) -> dict:
        return State(self.own(), self.names)

    def __reduce__(self) -> tuple:
        return State, (self.own(), self.names)


def state_dict(cell: nn.Cell, prefix: str = "", keep_vars: bool = False) -> State:
    """The parameters and buffers of a cell by PyTorch's names."""
    state = cell.state_dict(prefix=prefix, keep_vars=keep_vars)
    more = {f"{prefix}{name}" for name in names_without(cell)}
    recurrent = {f"{prefix}{p}".rstrip(".") for p, c in cell.cells_and_names() if is_recurrent(c)}
    state = {name: state[name] for name in in_pytorchs_order(state, recurrent) if name not in more}
    return State(state, names_of(cell, prefix))


def in_pytorchs_order(names: Iterable[str], recurrent: set[str]) -> list[str]:
    """The names of a state in PyTorch's order.

    Of each layer the weights stand before the statistics, of recurrent ones those of each step
    together.
    """
    places: dict[str, int] = {}
    for name in names:
        places.setdefault(name.rpartition(".")[0], len(places))

    def place(name: str) -> tuple:
        path, _, last = name.rpartition(".")
        step = place_in_steps((last, None)) if path in recurrent else ()
        return places[path], last in STATISTICS, step

    return sorted(names, key=place)


def names_without(cell: nn.Cell) -> set[str]:
    """The names of the parameters that PyTorch's layers do not have, and of its optimizers."""
    owners = list(cell.cells_and_names())
    pairs = [(path, name) for path, owner in owners for name in lacking(owner)]
    optimizers = ((path, owner) for path, owner in owners if is_optimizer_of(owner, cell))
    pairs += [(path, name) for path, owner in optimizers for name in owner.state_dict()]
    return {".".join(filter(None, pair)) for pair in pairs}


def load_state_dict(cell: nn.Cell, state_dict: dict, strict: bool = True) -> Any:
    """Sets parameters and buffers to those of a state, by the names of either framework."""
    names = names_of(cell)
    own = {original: name for name, original in names.items()}
    given = {own.get(k, k): v for k, v in state_dict.items()}
    held = {k: v for k, v in cell.state_dict(keep_vars=True).items() if isinstance(v, ms.Parameter)}
    set_to = {k: v for k, v in held.items() if k in given and given[k].shape == v.shape}
    found = cell.load_state_dict({k: v for k, v in given.items() if k not in set_to}, strict=False)
    for name, parameter in set_to.items():  # not by the cell: MindSpore's optimizers lose what is
        ops.assign(parameter, given[name].astype(parameter.dtype))  # set in another way
    ready = {id(parameter) for parameter in set_to.values()}  # also those of tied weights
    held_here = {name for name, parameter in held.items() if id(parameter) in ready}
    held_here |= names_without(cell)
    missing = [names.get(name, name) for name in found.missing_keys if name not in held_here]
    if strict and (missing or found.unexpected_keys):
        problems = {"Unexpected": found.unexpected_keys, "Missing": missing}
        told = "".join(
            f"\n\t{what} key(s) in state_dict: {', '.join(map(quoted, keys))}. "
            for what, keys in problems.items()
            if keys
        )
        raise RuntimeError(f"Error(s) in loading state_dict for {type(cell).__name__}:{told}")
    return type(found)(missing, found.unexpected_keys)


def quoted(name: str) -> str:
    return f'"{name}"'


def own_state(optimizer: nn.Cell) -> dict:
    """What an optimizer keeps, without the weights, by the numbers of the weights it is for."""
    weights = list(optimizer.parameters)
    states = [(number, optimizer.state.get(weight)) for number, weight in enumerate(weights)]
    if any(state for _, state in states):  # of one that keeps dictionaries for its weights
        return {number: dict(state) for number, state in states if state}
    numbers = {weight.name: number for number, weight in enumerate(weights)}
    known = {id(weight) for weight in weights}
    found = {}
    for name, kept in optimizer.parameters_and_names():
        prefix, _, weight = kept.name.partition(".")
        slot = f"{prefix}.{numbers[weight]}" if weight in numbers else name
        found |= {} if id(kept) in known else {slot: kept}
    for name in LISTED:
        all_kept = getattr(optimizer, name, None)
        found |= {f"{name}.{n}": kept for n, kept in enumerate(all_kept or ()) if len(weights) > n}
    for first, part in getattr(optimizer, "parts", ()):
        for slot, kept in own_state(part).items():
            prefix, _, number = slot.partition(".")
            found[f"{prefix}.{first + int(number)}" if number else f"{slot} of {first}"] = kept
    return found


LISTED = "mu_product", "mu", "eta"
"""What MindSpore's NAdam and ASGD keep in lists, which no Cell knows to be parameters."""


def plain_setting(value: Any) -> Any:
    """A setting of a group of weights as a number, where MindSpore keeps it as a tensor."""
    return float(str(np.float32(value.asnumpy()))) if isinstance(value, ms.Tensor) else value


def optimizer_state(optimizer: nn.Cell) -> dict:
    """The state as PyTorch shows it: groups with their rates now, and what is kept for weights."""
    numbers = {id(weight): number for number, weight in enumerate(optimizer.parameters)}
    groups = []
    for group in optimizer.param_groups:
        settings = {k: plain_setting(v) for k, v in group.items() if k != "params"}
        groups.append(settings | {"params": [numbers[id(weight)] for weight in group["params"]]})
    return {"state": own_state(optimizer), "param_groups": groups}


def load_optimizer_state(optimizer: nn.Cell, state_dict: dict) -> None:
    """Takes over a state: the rates too, and nothing of the weights themselves."""
    if "param_groups" not in state_dict:  # of MindSpore's own state_dict
        ms.load_param_into_net(optimizer, state_dict)
        return
    for group, saved in zip(optimizer.param_groups, state_dict["param_groups"]):
        for name, value in saved.items():
            old = group.get(name)
            if isinstance(old, ms.Parameter):
                ops.assign(old, ms.Tensor(value, old.dtype))
            elif name != "params" and (name in group or hasattr(optimizer, "step")):
                is_rate = isinstance(old, ms.Tensor) or name == "initial_lr"
                value = ms.Tensor(value, ms.float32) if is_rate else value
                group[name] = type(old)(value) if isinstance(old, (float, tuple)) else value
    state = state_dict["state"]
    if hasattr(optimizer, "step"):  # of one that keeps dictionaries for its weights
        weights = list(optimizer.parameters)
        for number, values in state.items():
            copies = {k: v.copy() if isinstance(v, ms.Tensor) else v for k, v in values.items()}
            optimizer.state[weights[int(number)]] = copies
        return
    kept = own_state(optimizer)
    if any(isinstance(value, dict) for value in state.values()):
        state = state_by_slots(kept, state)
    for name, value in state.items():
        if name in kept and kept[name] is not value:
            value = ms.Tensor(value).astype(kept[name].dtype).reshape(kept[name].shape)
            ops.assign(kept[name], value)


SLOTS = {
    "momentum_buffer": ("accum", "moment"),
    "square_avg": ("mean_square", "accum"),
    "grad_avg": ("mean_grad",),
    "acc_delta": ("accum_update",),
    "sum": ("accum",),
    "step": ("state_step", "step_t"),
}
"""What MindSpore's optimizers call what PyTorch's keep, where the names differ."""


def state_by_slots(kept: dict, state: dict) -> dict:
    """What PyTorch's optimizer kept for each weight, by the names of what this one keeps."""
    found = {}
    for number, values in state.items():
        for name, value in values.items():
            names = (name, *SLOTS.get(name, ()))
            slots = [slot for n in names for slot in (n, f"{n}.{number}") if slot in kept]
            if value is not None and name != "step" and not slots:
                raise ValueError(f"the state of PyTorch's optimizer has {name}, this one has none")
            found |= dict.fromkeys(slots[:1], value)
        flag = f"stat.{number}"
        found |= {flag: np.zeros(kept[flag].shape)} if flag in kept and values else {}
    return found


TENSOR = "tensor of the checkpoint"
"""Marks the place of a tensor in the values that are saved as text beside the tensors."""


PAIRS = "pairs of the checkpoint"
"""Marks a dictionary in that text whose keys are no texts."""


TUPLE = "tuple of the checkpoint"
"""Marks a tuple in that text."""


STATE = "state of the checkpoint"
"""Marks the state of a network in that text: its values by MindSpore's names, PyTorch's of them."""


STRUCTURE = "structure"
"""The name of that text in the checkpoint."""


def save(values: Any, path: Any) -> None:
    """Writes what torch.save writes, as a checkpoint: tensors and plain values, in dictionaries."""
    if hasattr(path, "write"):  # an open file
        with tempfile.TemporaryDirectory() as folder:
            written = os.path.join(folder, "values")
            save(values, written)
            with open(written, "rb") as file:
                path.write(file.read())
        return
    path = os.fspath(path)
    file = path if path.endswith(".ckpt") else f"{path}.ckpt"
    if isinstance(values, nn.Cell):
        ms.save_checkpoint(values, file)
    elif is_state(values) and not getattr(values, "names", None):
        ms.save_checkpoint([{"name": name, "data": v} for name, v in values.items()], file)
    else:
        tensors: list[Any] = []
        text = json.dumps(without_tensors(values, "", tensors), default=vars)
        ms.save_checkpoint(tensors, file, append_dict={STRUCTURE: text})
    os.replace(file, path)


def is_state(values: Any) -> bool:
    """Whether it is a dictionary of tensors alone."""
    return isinstance(values, dict) and all(isinstance(v, ms.Tensor) for v in values.values())


def without_tensors(values: Any, name: str, tensors: list[Any]) -> Any:
    """The values with marks where tensors are, which go into a list with names of their own."""
    if isinstance(values, nn.Cell):
        raise TypeError("a checkpoint holds weights, and no network: give its state")
    if isinstance(values, ms.Tensor):
        tensors.append({"name": name, "data": values})
        return {TENSOR: name}
    if isinstance(values, dict) and getattr(values, "names", None):
        return {STATE: [without_tensors(values.own(), name, tensors), values.names]}
    if isinstance(values, dict):
        known = values.items()
        pairs = [(k, without_tensors(v, f"{name}.{k}".lstrip("."), tensors)) for k, v in known]
        return dict(pairs) if all(isinstance(key, str) for key, _ in pairs) else {PAIRS: pairs}
    if isinstance(values, (list, tuple)):
        items = [without_tensors(v, f"{name}.{n}", tensors) for n, v in enumerate(values)]
        return {TUPLE: items} if type(values) is tuple else items
    return values.tolist() if isinstance(values, (np.ndarray, np.generic)) else values


def load(path: Any) -> Any:
    """What `save` has written; of a checkpoint of MindSpore's, its parameters by name."""
    with tempfile.TemporaryDirectory() as folder:
        link = os.path.join(folder, "link.ckpt")  # MindSpore reads under no other ending
        if hasattr(path, "read"):  # an open file
            with open(link, "wb") as copy:
                copy.write(path.read())
        else:
            os.symlink(os.path.abspath(path), link)
        with open(link, "rb") as file:
            if file.read(2) == b"PK":
                raise ValueError(f"{path} is of PyTorch's: convert it by `msconvert weights`")
        known = ms.load_checkpoint(link)
    text = known.get(STRUCTURE)
    return Weights(known) if text is None else with_tensors(json.loads(text), known)


class Weights(dict):
    """The weights of a checkpoint, also under the name by which PyTorch's file held them.

    `msconvert weights` writes the weights of a network alone: checkpoint["model"] are all of them.
    """

    def __missing__(self, key: str) -> dict:
        others = "optim", "sched", "scaler", "random", "rng"
        wholes = "model", "state", "net", "weight", "param", "module", "ema", "encoder", "decoder"
        name = str(key).lower()
        if any(part in name for part in wholes) and not any(part in name for part in others):
            return self
        raise KeyError(f"{key}: the file has the weights of a network, and nothing beside them")


def with_tensors(values: Any, known: dict[str, Any]) -> Any:
    """Values with the tensors that are marked in them."""
    if isinstance(values, list):
        return [with_tensors(value, known) for value in values]
    if not isinstance(values, dict):
        return values
    if TENSOR in values:
        return known[values[TENSOR]]
    if STATE in values:
        state, names = values[STATE]
        return State(with_tensors(state, known), names)
    if PAIRS in values:
        return {key: with_tensors(value, known) for key, value in values[PAIRS]}
    if TUPLE in values:
        return tuple(with_tensors(values[TUPLE], known))
    return {key: with_tensors(value, known) for key, value in values.items()}


class Compose:
    """Transforms one after another; ds.transforms.Compose gives a tuple for images of PIL."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = transforms

    def __call__(self, image: ms.Tensor) -> Any:
        for transform in self.transforms:
            image = transform(image)
        return image
