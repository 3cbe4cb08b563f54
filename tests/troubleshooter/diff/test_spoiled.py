"""Twenty checkpoints that were spoiled on purpose: what became of each tensor is told.

The list was written before anything was run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from msconvert.troubleshooter.diff import Settings
from msconvert.troubleshooter.diff.comparison import Comparison
from msconvert.troubleshooter.diff.opening import compare_paths

D = 24
State = dict[str, np.ndarray]


def trained() -> State:
    """What a network of four blocks might hold after its training: of no simple distribution."""
    numbers = np.random.default_rng(11)

    def drawn(*shape: int, scale: float = 0.1, offset: float = 0.0) -> np.ndarray:
        x = (
            numbers.standard_t(4, shape)
            * scale
            * (1 + numbers.random(shape[:1] + (1,) * (len(shape) - 1)))
        )
        return (x + offset).astype(np.float32)

    found = {
        "embed.weight": drawn(50, D, scale=0.3),
        "stem.weight": drawn(16, 3, 3, 3),
        "stem.bias": drawn(16),
    }
    found |= {"bn.weight": drawn(16, offset=1), "bn.bias": drawn(16), "bn.running_mean": drawn(16)}
    found["bn.running_var"] = np.abs(drawn(16, offset=1)) + np.float32(0.1)
    for i in range(4):
        own = f"layers.{i}"
        found |= {f"{own}.norm.weight": drawn(D, offset=1), f"{own}.norm.bias": drawn(D)}
        found |= {f"{own}.qkv.weight": drawn(3 * D, D), f"{own}.qkv.bias": drawn(3 * D)}
        found |= {f"{own}.proj.weight": drawn(D, D), f"{own}.proj.bias": drawn(D)}
        found |= {f"{own}.fc1.weight": drawn(2 * D, D), f"{own}.fc2.weight": drawn(D, 2 * D)}
    found |= {
        "lstm.weight_ih_l0": drawn(4 * 8, D),
        "head.weight": drawn(10, D),
        "head.bias": drawn(10),
    }
    return found


def swap(state: State, one: str, other: str) -> None:
    state[one], state[other] = state[other], state[one]


def shift(state: State, by: int) -> None:
    """The blocks move by so many places; those that are left stay as they are."""
    old = dict(state)
    for name in old:
        parts = name.split(".")
        if parts[0] == "layers" and 0 <= int(parts[1]) + by < 4:
            state[name] = old[".".join(["layers", str(int(parts[1]) + by), *parts[2:]])]


def fresh(state: State, name: str, kind: str) -> None:
    numbers = np.random.default_rng(5)
    shape = state[name].shape
    fan = int(np.prod(shape[1:])) or 1
    bound = 1 / np.sqrt(fan)
    made = {
        "uniform": lambda: numbers.uniform(-bound, bound, shape),
        "normal": lambda: numbers.standard_normal(shape),
        "small": lambda: 0.02 * numbers.standard_normal(shape),
        "ones": lambda: np.ones(shape),
        "zeros": lambda: np.zeros(shape),
    }
    state[name] = made[kind]().astype(np.float32)


def put(state: State, name: str, change: Callable[[np.ndarray], np.ndarray]) -> None:
    state[name] = np.ascontiguousarray(change(state[name])).astype(np.float32)


def parts(*order: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.concatenate([np.split(x, len(order))[i] for i in order])


QKV = "layers.1.qkv.weight"
SPOILED: list[tuple[str, Callable[[State], object], dict[str, str]]] = [
    ("two layers exchanged", lambda s: swap(s, "layers.0.fc1.weight", "layers.2.fc1.weight"),
     {"layers.0.fc1.weight": "exchanged with layers.2.fc1.weight",
      "layers.2.fc1.weight": "exchanged with layers.0.fc1.weight"}),
    ("gamma and beta exchanged", lambda s: swap(s, "bn.weight", "bn.bias"),
     {"bn.weight": "exchanged with bn.bias", "bn.bias": "exchanged with bn.weight"}),
    ("statistics exchanged", lambda s: swap(s, "bn.running_mean", "bn.running_var"),
     {"bn.running_mean": "exchanged with bn.running_var"}),
    ("blocks shifted down", lambda s: shift(s, 1),
     {"layers.0.qkv.weight": "shifted by one: that of layers.1.qkv.weight",
      "layers.2.norm.bias": "shifted by one: that of layers.3.norm.bias"}),
    ("blocks shifted up", lambda s: shift(s, -1),
     {"layers.1.proj.weight": "shifted by one: that of layers.0.proj.weight"}),
    ("a linear layer never loaded", lambda s: fresh(s, "layers.2.fc1.weight", "uniform"),
     {"layers.2.fc1.weight": "never loaded"}),
    ("a convolution never loaded", lambda s: fresh(s, "stem.weight", "uniform"),
     {"stem.weight": "never loaded"}),
    ("a norm never loaded", lambda s: (fresh(s, "bn.weight", "ones"), fresh(s, "bn.bias", "zeros")),
     {"bn.weight": "never loaded", "bn.bias": "never loaded"}),
    ("an embedding never loaded", lambda s: fresh(s, "embed.weight", "normal"),
     {"embed.weight": "never loaded"}),
    ("a head never loaded, of a small normal", lambda s: fresh(s, "head.weight", "small"),
     {"head.weight": "never loaded"}),
    ("the variance's root", lambda s: put(s, "bn.running_var", np.sqrt),
     {"bn.running_var": "equal after its square root"}),
    ("one over the variance's root", lambda s: put(s, "bn.running_var", lambda x: 1 / np.sqrt(x)),
     {"bn.running_var": "equal after 1 / its square root"}),
    ("the variance's square", lambda s: put(s, "bn.running_var", np.square),
     {"bn.running_var": "equal after its square"}),
    ("transposed", lambda s: put(s, "layers.0.proj.weight", np.transpose),
     {"layers.0.proj.weight": "equal after transpose (1, 0)"}),
    ("key and query exchanged within", lambda s: put(s, QKV, parts(1, 0, 2)), {QKV: "equal after"}),
    ("gates in another order", lambda s: put(s, "lstm.weight_ih_l0", parts(0, 1, 3, 2)),
     {"lstm.weight_ih_l0": "equal after"}),
    ("negated", lambda s: put(s, "layers.3.fc2.weight", np.negative),
     {"layers.3.fc2.weight": "equal after a change of sign"}),
    ("divided by 255", lambda s: put(s, "stem.weight", lambda x: x / 255),
     {"stem.weight": "equal after"}),
    ("kernels flipped", lambda s: put(s, "stem.weight", lambda x: x[:, :, ::-1, ::-1]),
     {"stem.weight": "equal after flip"}),
    ("a layer's weights in another one, too",
     lambda s: s.update({"layers.1.fc2.weight": s["layers.3.fc2.weight"]}),
     {"layers.1.fc2.weight": "that of layers.3.fc2.weight"}),
]  # fmt: skip


def spoiled(folder: Path, spoil: Callable[[State], object]) -> Comparison:
    good, bad = trained(), trained()
    spoil(bad)
    save_file(good, folder / "a.safetensors")
    save_file({k: np.ascontiguousarray(x) for k, x in bad.items()}, folder / "b.safetensors")
    return compare_paths(
        folder / "a.safetensors", folder / "b.safetensors", Settings(), None, lambda _: None
    )


@pytest.mark.parametrize(("name", "spoil", "told"), SPOILED, ids=[case[0] for case in SPOILED])
def test_what_became_of_each_tensor_is_told(
    name: str, spoil: Callable[[State], object], told: dict[str, str], tmp_path: Path
) -> None:
    rows = {row.a: row for row in spoiled(tmp_path, spoil).rows}
    for tensor, text in told.items():
        assert not rows[tensor].ok
        assert text in rows[tensor].relation, (name, rows[tensor].relation)
    whole = {row.a for row in rows.values() if row.ok}
    assert all(not rows[tensor].relation for tensor in whole)
