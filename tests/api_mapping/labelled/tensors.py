"""Tensor code without a network: methods, properties, in-place forms, unpacking, branches."""
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from torch import Tensor


def arithmetic(a: Tensor, b: Tensor, k: int = 2):  #: torch.Tensor torch.Tensor
    c = a + b * k
    d = (c - 1).abs()  #: T.abs
    e = -d
    e.clamp_(min=0)  #: T.clamp_
    e.add_(c).mul_(2)  #: T.add_ T.mul_
    f = a[0]
    f.fill_(1)  #: T.fill_
    g = a[..., None, :2].mean(dim=-1, keepdim=True)  #: T.mean
    h = (a > b).any() or (a == b).all()  #: T.any T.all
    i = a if k > 1 else b
    i.exp()  #: T.exp
    j = [a, b]
    j[0].log()  #: T.log
    j.append(c)
    for t in j:
        t.sin()  #: T.sin
    for t, u in zip(a, b):
        t.cos(), u.tan()  #: T.cos T.tan
    for n, row in enumerate(a):
        row.sum()  #: T.sum
        n.real
    table: Dict[str, Tensor] = {"a": a}  #: torch.Tensor
    table["a"].sqrt()  #: T.sqrt
    for name, value in table.items():
        value.std()  #: T.std
        name.split()
    return h, g.T, c.mT  #: T.T T.mT


def shapes(images: List[Tensor], box: Optional[Tensor] = None) -> Tuple[Tensor, int]:  #: torch.Tensor torch.Tensor torch.Tensor
    stacked = torch.stack(images, 0)  #: torch.stack
    n, c, h, w = stacked.size()  #: T.size
    n.bit_length()
    flat = stacked.flatten(1).unsqueeze(0)  #: T.flatten T.unsqueeze
    parts = flat.split(2, dim=1)  #: T.split
    first = parts[0]
    first.squeeze(0).expand(2, -1, -1)  #: T.squeeze T.expand
    left, right = torch.chunk(flat, 2, -1)  #: torch.chunk
    left.norm(), right.norm(p=1)  #: T.norm T.norm
    values, indices = flat.max(dim=-1)  #: T.max
    values.item(), indices.long()  #: T.item T.long
    best = flat.topk(3)[1]  #: T.topk
    best.float()  #: T.float
    order = flat.argsort(-1)  #: T.argsort
    picked = flat.gather(-1, order)  #: T.gather
    if box is None:
        box = torch.zeros(1, 4)  #: torch.zeros
    box.clone().to(torch.float64)  #: T.clone T.to torch.float64
    x1, y1, x2, y2 = box.unbind(-1)  #: T.unbind
    area = (x2 - x1) * (y2 - y1)
    area.prod()  #: T.prod
    (x1.max(), y1.min())  #: T.max T.min
    return picked.new_zeros(3), stacked.numel()  #: T.new_zeros T.numel


def branches(flag: bool, mode: str):
    if flag:
        x = torch.ones(3)  #: torch.ones
    else:
        x = torch.zeros(3)  #: torch.zeros
    x.cumsum(0)  #: T.cumsum
    y = np.zeros(3) if mode == "n" else [1, 2]
    y.copy()
    z = None
    if flag:
        z = torch.rand(2)  #: torch.rand
    if z is not None:
        z.floor()  #: T.floor
    while x.sum() > 0:  #: T.sum
        x = x - 1
    try:
        q = torch.tensor([1.0])  #: torch.tensor
    except ValueError:
        q = torch.empty(1)  #: torch.empty
    q.ceil()  #: T.ceil
    if (m := torch.eye(2)).trace() > 1:  #: torch.eye T.trace
        m.diagonal()  #: T.diagonal
    with torch.inference_mode():  #: torch.inference_mode
        r = x.sigmoid()  #: T.sigmoid
    del x
    return r.tanh(), mode.upper()  #: T.tanh


class Output(NamedTuple):
    logits: Tensor  #: torch.Tensor
    name: str


def of_tuple(out: Output, many: Sequence[Tensor], either: Union[Tensor, np.ndarray]):  #: torch.Tensor torch.Tensor
    out.logits.softmax(0)  #: T.softmax
    out.name.upper()
    out.index(1)
    total = sum(t.sum() for t in many)  #: T.sum
    moved = [t.cpu().numpy() for t in many]  #: T.cpu T.numpy
    moved[0].mean()
    if isinstance(either, Tensor):  #: torch.Tensor
        either.detach()  #: T.detach
    lengths = {k: v.pow(2) for k, v in {"a": torch.ones(1)}.items()}  #: T.pow torch.ones
    lengths["a"].neg()  #: T.neg
    return total, moved


def helper(n):
    return torch.full((n,), 0.5)  #: torch.full


def calls():
    v = helper(3)
    v.erf()  #: T.erf
    pair = both(3)
    pair[0].round()  #: T.round
    a, b = both(4)
    a.trunc()  #: T.trunc
    b.upper()
    w = torch.from_numpy(np.ones(3)).requires_grad_()  #: torch.from_numpy T.requires_grad_
    w.grad.zero_()  #: T.grad T.zero_
    w.data.copy_(v)  #: T.data T.copy_
    s = torch.linalg.svd(torch.rand(2, 2))  #: torch.linalg.svd torch.rand
    g = torch.Generator()  #: torch.Generator
    g.manual_seed(3)  #: torch.Generator.manual_seed
    u = torch.unique(w)  #: torch.unique
    u.nonzero()  #: T.nonzero
    w[w > 0].mean()  #: T.mean
    w.device.type  #: T.device torch.device.type
    w.dtype.is_floating_point  #: T.dtype torch.dtype.is_floating_point
    return torch.where(w > 0, w, -w), torch.cat([w] * 2).is_cuda  #: torch.where torch.cat T.is_cuda


def both(n):
    return torch.arange(n), "name"  #: torch.arange


def untyped(x, y, sizes):
    total = torch.add(x, y)  #: torch.add
    return total.view(sizes)  #: T.view
