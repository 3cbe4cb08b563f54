"""What looks like PyTorch and is not: nothing here but the marked lines is a use."""
import collections
import datetime
import io
import logging
import os
import pathlib
import re
import struct
import types

import numpy as np
import pandas as pd
import torch


class Box:
    def __init__(self, items=()):
        self.items = list(items)
        self.data = {}
        self.shape = (1, 2)
        self.size = 3
        self.device = "disk"

    def view(self, *sizes):
        return self

    def to(self, place):
        return self

    def sum(self):
        return sum(self.items)

    def forward(self, x):
        return x

    def train(self, mode=True):
        return self

    def step(self):
        return None

    def backward(self):
        return 0


def builtins(text: str, numbers: list, table: dict, seen: set):
    text.split(","); text.index("a"); text.strip().expandtabs()
    numbers.sort(); numbers.copy(); numbers.index(3); numbers.remove(1); numbers.clear()
    table.copy(); table.get("x"); table.values(); table.update({}); table.clear()
    seen.add(4); seen.union({5}); seen.copy(); seen.remove(4)
    b"abc".split(); (3).real; (2.5).real; (1j).imag; (3).conjugate(); (4).to_bytes(2, "big")
    [1, 2].sort(); [3].copy(); {}.copy(); {1}.add(2); "x".format(1); "abc".count("a")
    return sorted(numbers), abs(-3), max(1, 2), min(numbers), sum(numbers), round(2.5), pow(2, 3), all(numbers), any(seen)


def of_numpy():
    a = np.zeros((2, 3))
    a.sum(); a.mean(axis=0); a.reshape(3, 2); a.view(np.int32); a.transpose(1, 0); a.squeeze(); a.item(0)
    b = np.arange(6).reshape(2, 3).astype(np.float32)
    b.shape, b.dtype, b.ndim, b.T, b.size, b.data, b.copy(), b.max(), b.argmax(), b.flatten(), b.clip(0, 1)
    c = a @ b.T
    c.dot(a).sum(0).cumsum().tolist()
    for row in c:
        row.sum()
    frame = pd.DataFrame(b)
    frame.sum(), frame.mean(), frame.std(), frame.shape, frame.size, frame.T, frame.abs(), frame.values
    return np.linalg.norm(a), np.stack([a, b]), np.concatenate([a, b]).shape


def of_classes():
    box = Box([1])
    box.view(1, 2).to("x").sum()
    box.data, box.shape, box.size, box.device
    box.forward(1); box.train(); box.step(); box.backward()
    boxes = [Box(), Box()]
    for b in boxes:
        b.view(3); b.step(); b.data
    path = pathlib.Path("x"); path.exists(); path.parent; path.name; path.stat().st_size
    buffer = io.BytesIO(); buffer.view = 3; buffer.getvalue(); buffer.seek(0); buffer.flush()
    match = re.match("a", "a"); match.group(0); match.start()
    day = datetime.date.today(); day.replace(year=2); day.ctime()
    log = logging.getLogger("torch"); log.log(1, "x"); log.info("torch.nn")
    order = collections.OrderedDict(); order.copy(); order.values()
    queue = collections.deque(); queue.rotate(1); queue.index(2)
    names = types.SimpleNamespace(data=1, shape=2); names.data; names.shape
    os.environ.copy(); os.path.exists("torch"); struct.unpack("f", b"abcd")
    "torch.nn.Linear".lower(); "torch.relu(x)"


def shadowed(torch, F=None):
    """`torch` is a parameter here."""
    torch.relu(3); torch.nn.Linear(1, 2); torch.zeros(3)
    return torch.float32


def local_name():
    nn = Box()
    nn.Linear(3, 4); nn.functional.relu(3)
    relu = max
    relu(3, 4)
    return nn


def comprehension(values):
    return [torch for torch in values if torch.relu], {nn: nn.Linear for nn in values}


def really(x: torch.Tensor):  #: torch.Tensor
    x = x.numpy()  #: T.numpy
    x.sum(); x.reshape(3).view()
    x = [1, 2, 3]
    x.sort(); x.copy()
    x = torch.tensor(x)  #: torch.tensor
    x.sort()  #: T.sort
    n = x.size(0)  #: T.size
    n.real
    s = x.shape  #: T.shape
    s.index(1); s.count(1)
    d = x.tolist()  #: T.tolist
    d.sort(); d.copy()
    name = str(x); name.split()
    size = x.element_size()  #: T.element_size
    size.conjugate()
    return x.item().real  #: T.item
