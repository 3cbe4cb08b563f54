"""PyTorch's side: the network that counts, and how exact its own numbers are."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from .dropping import alpha_dropout, dropout, identity, without_dropout
from .kernels import mindspores_kernels
from .loading import slots_of_module, taken_by_module
from .messages import Array, Held, Inputs, Layer, Tensor, TrainingPlan
from .operators.of_torch import watching
from .operators.watching import Watcher
from .randomness import DRAWS, stirred
from .rounding import RATE, SIZES, Variant, nudged, nudged_inputs
from .side import Side
from .training.in_torch import TorchWatch

STATISTICS = ("running_mean", "running_var")
DROPPING = {"dropout": 0, "dropout1d": 1, "dropout2d": 2, "dropout3d": 3}
"""The functions, and over how many axes each drops whole channels."""


class TorchSide(Side):
    """PyTorch, on the CPU."""

    nudges = 1

    def __init__(self) -> None:
        super().__init__()
        self.torch: Any = importlib.import_module("torch")
        self.network_class = self.torch.nn.Module
        self.replace_functions()
        self.parameters: dict[str, Any] = {}
        self.initial: dict[str, Any] = {}

    def replace_functions(self) -> None:
        """Random numbers that the other side has, too; and no dropout."""
        torch = self.torch
        for name, draw in DRAWS.items():
            if hasattr(torch, name):
                setattr(torch, name, self.chance.instead(getattr(torch, name), draw, self.like))
        functional = torch.nn.functional
        for name, axes in DROPPING.items():
            setattr(functional, name, dropout(self.dropping, self.constant, axes))
        functional.alpha_dropout = alpha_dropout(self.dropping, self.constant)
        functional.feature_alpha_dropout = identity
        torch.dropout = functional.dropout
        functional.scaled_dot_product_attention = self.attention(
            functional.scaled_dot_product_attention, functional.dropout
        )
        torch.backends.mha.set_fastpath_enabled(False)  # it would pass layers by

    def constant(self, array: Array, like: Any) -> Any:
        return self.torch.from_numpy(array).to(like.dtype)

    def attention(self, function: Any, drop: Any) -> Any:
        """Attention whose weights are dropped by the function `drop`: its own draws for itself."""

        def attending(
            q: Any,
            k: Any,
            v: Any,
            attn_mask: Any = None,
            dropout_p: float = 0.0,
            *args: Any,
            **more: Any,
        ) -> Any:
            if not self.dropping.drops(dropout_p, True) or more.get("enable_gqa"):
                return function(q, k, v, attn_mask, 0.0, *args, **more)
            identity = self.torch.eye(v.shape[-2], dtype=v.dtype).expand(*v.shape[:-1], -1)
            return drop(function(q, k, identity, attn_mask, 0.0, *args, **more), dropout_p) @ v

        return attending

    def seed_framework(self, seed: int) -> None:
        self.torch.manual_seed(seed)

    def prepare(self, seed: int, stir: bool) -> None:
        """Makes numbers of what is all zeros or ones, unless it is to stay; keeps them."""
        numbers = np.random.RandomState(seed)
        buffers = dict(self.network.named_buffers(remove_duplicate=False))
        own = dict(self.network.named_parameters())
        counted = {k: b for k, b in buffers.items() if k.rpartition(".")[2] in STATISTICS}
        for tensor in (*own.values(), *counted.values()) if stir else ():
            self.put(tensor, stirred(self.tensor(tensor).array, numbers))
        self.parameters = {k: p for k, p in own.items() if p.requires_grad}
        self.initial = {k: x.detach().clone() for k, x in self.tensors().items()}

    def put(self, tensor: Any, array: Array) -> None:
        """Gives a tensor these elements."""
        with self.torch.no_grad():
            tensor.copy_(self.torch.from_numpy(np.array(array)).to(tensor.dtype))

    def fill(self, values: dict[str, Array]) -> None:
        """Gives parameters and buffers, by their paths, these values."""
        own = self.tensors()
        for name, array in values.items():
            self.put(own[name], array)
        self.initial = {k: x.detach().clone() for k, x in own.items()}

    def like(self, made: Any, array: Array) -> Any:
        new = self.torch.from_numpy(array).to(made.dtype)
        return new.requires_grad_(made.requires_grad)

    def tensors(self) -> dict[str, Any]:
        """Parameters and buffers by their paths, each once."""
        return {**dict(self.network.named_parameters()), **dict(self.network.named_buffers())}

    def state(self) -> dict[str, Array]:
        """The values that the other network is given."""
        return {name: self.tensor(x).array for name, x in self.initial.items()}

    def saved(self) -> Iterable[tuple[str, Any]]:
        state = self.network.state_dict(keep_vars=True)
        return [(name, x) for name, x in state.items() if isinstance(x, self.torch.Tensor)]

    def held(self) -> Iterator[Held]:
        network = self.network
        saved = {name for name, _ in self.saved()}
        first: dict[int, str] = {}
        parameters = list(network.named_parameters(remove_duplicate=False))
        buffers = list(network.named_buffers(remove_duplicate=False))
        for name, x in (*parameters, *buffers):
            same_as = first.setdefault(id(x), name)
            yield Held(
                name,
                tuple(self.layers(name)),
                name.rpartition(".")[2],
                tuple(x.shape),
                str(x.dtype).removeprefix("torch."),
                bool(x.requires_grad),
                name in saved,
                "" if same_as == name else same_as,
            )

    def slots(self) -> tuple[Held, ...]:
        return slots_of_module(self)

    def take(self, files: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
        return taken_by_module(self, files, names)

    def layers(self, name: str) -> Iterator[Layer]:
        module, parts = self.network, name.split(".")[:-1]
        yield Layer("", names_of(type(module)))
        for part in parts:
            module = getattr(module, part)
            yield Layer(part, names_of(type(module)))

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor)

    def tensor(self, value: Any) -> Tensor:
        dtype = str(value.dtype).removeprefix("torch.")
        plain = value.detach().resolve_conj().resolve_neg()
        plain = plain.to_dense() if plain.is_sparse else plain
        return Tensor(dtype, np.array((plain.float() if dtype == "bfloat16" else plain).numpy()))

    def made(self, tensor: Tensor) -> Any:
        dtype = getattr(self.torch, tensor.dtype)
        if dtype == self.torch.float32:
            dtype = self.torch.get_default_dtype()  # float64 where that is tried
        return self.torch.from_numpy(np.array(tensor.array)).to(dtype)

    # layers

    def packages(self) -> tuple[str, ...]:
        return (os.path.dirname(self.torch.__file__),)

    def watched(self, watcher: Watcher) -> AbstractContextManager[None]:
        return watching(self.torch, watcher)

    def named_layers(self) -> list[tuple[str, Any]]:
        return list(self.network.named_modules())

    def own_tensors(self, layer: Any) -> dict[str, Any]:
        own = {**layer._parameters, **layer._buffers}
        return {name: x for name, x in own.items() if x is not None}

    def cast(self, tensor: Tensor, like: Any) -> Any:
        x = self.torch.from_numpy(np.array(tensor.array))
        return x.to(like.dtype) if x.is_floating_point() == like.is_floating_point() else x

    def in_mode(self, mode: str) -> None:
        self.network.train(mode == "train")
        if mode == "train":
            without_dropout(self.network.modules(), is_active=self.dropping.active)

    def watch(self, plan: TrainingPlan) -> TorchWatch:
        return TorchWatch(self, plan)

    def as_target(self, value: Any) -> Any:
        return value if value.is_floating_point() else value.long()

    def as_new(self) -> None:
        self.in_mode("train")
        self.network.zero_grad(set_to_none=True)

    def parameters_of(self, network: Any) -> dict[str, Any]:
        return dict(network.named_parameters())

    def pass_forward(self, inputs: Inputs, seed: int, mode: str) -> list[tuple[str, Any]]:
        self.in_mode(mode)
        with self.torch.no_grad():
            return self.call(inputs, seed)

    def untrained(self) -> dict[str, Any]:
        return {name: x for name, x in self.tensors().items() if name not in self.parameters}

    def is_float(self, value: Any) -> bool:
        return bool(value.is_floating_point())

    def cut(self, value: Any) -> Any:
        return value.detach()

    def weighted(self, value: Any, weights: Array) -> Any:
        return (value * self.torch.from_numpy(weights).to(value)).mean()

    def gradients_of(
        self, loss: Callable[..., Any], tensors: list[Any]
    ) -> tuple[dict[str, Any], list[Any]]:
        for tensor in tensors:
            tensor.requires_grad_()
        own = self.parameters
        y = loss(*tensors)
        found = self.torch.autograd.grad(y, [*own.values(), *tensors], allow_unused=True)
        filled = [
            self.torch.zeros_like(x) if g is None else g
            for x, g in zip([*own.values(), *tensors], found, strict=True)
        ]
        return dict(zip(own, filled, strict=False)), filled[len(own) :]

    def descend(self, gradients: dict[str, Any]) -> None:
        with self.torch.no_grad():
            for name, gradient in gradients.items():
                self.parameters[name].sub_(RATE * gradient)

    def differentiated(self, inputs: Inputs, seed: int) -> tuple[Any, dict[str, Any]]:
        """Outputs, and the gradients by name; none where nothing is trained."""
        outputs = self.call(inputs, seed)
        parts = self.parts_of_loss(outputs, seed)
        loss = sum(parts[1:], parts[0]) if parts else self.torch.zeros(())
        if not loss.requires_grad:
            return outputs, {}
        own = self.parameters
        found = self.torch.autograd.grad(loss, list(own.values()), allow_unused=True)
        filled = [
            self.torch.zeros_like(p) if g is None else g
            for p, g in zip(own.values(), found, strict=True)
        ]
        return outputs, dict(zip(own, filled, strict=True))

    # how exact they are

    def variants(self, inputs: Inputs, nudges: int) -> Iterator[Variant]:
        """In float64, off by some steps of float32, with MindSpore's kernels; restored after."""
        with self.in_float64(inputs) as changed:
            yield Variant(changed, 1)
        for i in range(nudges):
            size = SIZES[i % len(SIZES)]
            with self.nudged(inputs, i, size) as changed:
                yield Variant(changed, size, is_nudged=True)
        if self.for_mindspore:
            self.restore()
            with mindspores_kernels():
                yield Variant(inputs)
        self.restore()

    def restore(self) -> None:
        with self.torch.no_grad():
            for name, tensor in self.tensors().items():
                if name in self.initial:
                    tensor.data = self.initial[name].clone()
        self.network.zero_grad(set_to_none=True)

    @contextmanager
    def in_float64(self, inputs: Inputs) -> Iterator[Inputs]:
        self.restore()
        for tensor in self.tensors().values():
            if tensor.dtype == self.torch.float32:
                tensor.data = tensor.data.double()
        self.torch.set_default_dtype(self.torch.float64)
        try:
            yield inputs
        finally:
            self.torch.set_default_dtype(self.torch.float32)

    @contextmanager
    def nudged(self, inputs: Inputs, seed: int, size: int) -> Iterator[Inputs]:
        self.restore()
        numbers = np.random.RandomState(seed)
        for tensor in self.tensors().values():
            if tensor.dtype == self.torch.float32:
                changed = nudged(tensor.data.numpy(), numbers, size)
                tensor.data = self.torch.from_numpy(np.array(changed, np.float32))
        yield nudged_inputs(inputs, numbers, size)


def names_of(kind: type) -> tuple[str, ...]:
    """The full names of a class and those that it is made of."""
    return tuple(f"{c.__module__}.{c.__qualname__}" for c in kind.__mro__[:-1])
