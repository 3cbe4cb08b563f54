from collections import namedtuple

import numpy as np
import torch
from torch.utils.data import DataLoader, default_collate

Item = namedtuple("Item", ["name", "value"])


def told(batch):
    if isinstance(batch, torch.Tensor):
        return batch.tolist()
    if isinstance(batch, dict):
        return {key: told(value) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)) and not isinstance(batch[0], str):
        return [told(part) for part in batch]
    return batch


rows = [(i, i / 2, f"row {i}", torch.full((2,), i)) for i in range(4)]
for batch in DataLoader(rows, batch_size=2):
    print(told(batch))
print(told(default_collate([[1, "a"], [2, "b"]])))
print(told(default_collate(["a", "b"])))
print(told(default_collate([{"name": "a", "box": (1, "x")}, {"name": "b", "box": (2, "y")}])))
items = default_collate([Item("a", np.float32(1.5)), Item("b", np.float32(2.5))])
print(items.name, items.value.tolist())
for texts in DataLoader(["a", "b", "c"], batch_size=2):
    print(texts)
