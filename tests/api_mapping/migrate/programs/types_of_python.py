"""Python's types where PyTorch takes them for types of elements."""

import torch


def truths(n):
    mask = torch.ones((n, n), dtype=bool)
    mask.fill_diagonal_(0)
    return mask


def names(*tensors):
    return [str(t.dtype).rpartition(".")[2].lower() for t in tensors]


x = torch.tensor([1.5, 0.0, -2.0])
print(truths(3).sum().item(), x[torch.tensor([1, 0, 1], dtype=bool)].tolist())
print(names(torch.zeros(2, dtype=float), torch.zeros(2, dtype=int), torch.zeros(2, dtype=bool)))
print(names(x.to(float), x.to(int), x.to(dtype=bool), x.to(device="cpu", dtype=float)))
print(names(torch.full((2,), 1, dtype=float), torch.arange(3, dtype=float)))
print(names(x.sum(dtype=float), torch.ones_like(x, dtype=int), x.new_zeros(2, dtype=bool)))
print(x.to(int).tolist(), x.to(bool).tolist(), torch.tensor([2.7, 0.0], dtype=int).tolist())
print((~truths(2)).sum().item(), torch.as_tensor([1, 2], dtype=float).mean().item())
