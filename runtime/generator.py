"""`mindspore.Generator`, and the seeds and states of the runtime's own generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from .engine import context
from .engine.failure import ElementTypeError, RefusedError
from .engine.tensor import Tensor, wrap


class Generator:
    """A source of random numbers with a seed and a state, as `mindspore.Generator`."""

    def __init__(self) -> None:
        self.start(0)

    def start(self, seed: int) -> None:
        self.first = seed
        self.source = np.random.Generator(np.random.PCG64(seed % 2**64))

    def manual_seed(self, seed: int) -> Generator:
        """Starts anew at `seed`. Raises: TypeError (MS304) unless it is a whole number."""
        if not isinstance(seed, int):
            raise ElementTypeError("manual_seed", "the seed must be an int", got=repr(seed))
        self.start(seed)
        return self

    def seed(self) -> int:
        """Starts anew at a random seed, which it gives."""
        fresh = int(np.random.SeedSequence().generate_state(1)[0])
        self.start(fresh)
        return fresh

    def initial_seed(self) -> int:
        """The seed at which it was started last."""
        return self.first

    def get_state(self) -> Tensor:
        """The state as bytes."""
        parts = self.source.bit_generator.state
        inner: Any = parts["state"]
        numbers = (inner["state"], inner["inc"], parts["has_uint32"], parts["uinteger"])
        sizes = (16, 16, 4, 4)
        packed = b"".join(n.to_bytes(k, "little") for n, k in zip(numbers, sizes, strict=True))
        packed += self.first.to_bytes(8, "little", signed=True)
        return wrap(np.frombuffer(packed, np.uint8).copy())

    def set_state(self, state: Tensor) -> None:
        """Goes on from a state. Raises: RuntimeError (MS304) for what is none."""
        if not isinstance(state, Tensor) or state.shape != (48,) or state.content.dtype != np.uint8:
            raise RefusedError("set_state", "it is no state of a generator", got=repr(state)[:80])
        packed = state.asnumpy().tobytes()
        places = ((0, 16), (16, 32), (32, 36), (36, 40))
        numbers = [int.from_bytes(packed[a:b], "little") for a, b in places]
        self.first = int.from_bytes(packed[40:], "little", signed=True)
        self.source.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": numbers[0], "inc": numbers[1]},
            "has_uint32": numbers[2],
            "uinteger": numbers[3],
        }


class DefaultGenerator(Generator):
    """The runtime's own: what `mindspore.set_seed` seeds, too."""

    def __init__(self) -> None:
        self.first = 0

    @property
    def source(self) -> np.random.Generator:
        return context.generator

    @source.setter
    def source(self, source: np.random.Generator) -> None:
        context.generator = source


default_generator = DefaultGenerator()


def seed() -> int:
    """Starts the runtime's generator at a random seed, which it gives."""
    return default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Starts the runtime's generator at `seed`."""
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    default_generator.set_state(state)
