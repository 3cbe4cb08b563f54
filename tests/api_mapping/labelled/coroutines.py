"""Coroutine functions: a call of one gives a coroutine, which has no method of a tensor."""

import asyncio

import torch
from torch import nn


async def declared() -> torch.Tensor:  #: torch.Tensor
    return torch.ones(3)  #: torch.ones


async def undeclared(x: torch.Tensor):  #: torch.Tensor
    await asyncio.sleep(0)
    return x.exp()  #: T.exp


async def maybe(x: torch.Tensor) -> torch.Tensor | None:  #: torch.Tensor torch.Tensor
    return x if x.ndim else None  #: T.ndim


async def some():
    yield torch.ones(3)  #: torch.ones


class Served(nn.Module):  #: nn.Module
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)  #: nn.Linear

    async def answer(self, x: torch.Tensor) -> torch.Tensor:  #: torch.Tensor torch.Tensor
        return self.fc(x)

    async def ask(self, x: torch.Tensor):  #: torch.Tensor
        self.answer(x).view(3)
        y = self.answer(x)
        y.view(3)
        y = await y
        y.view(3)  #: T.view
        return (await self.answer(x)).mean()  #: T.mean


async def main(x: torch.Tensor, served: Served):  #: torch.Tensor
    declared().sum()
    undeclared(x).sum()
    (await declared()).sum()  #: T.sum
    (await undeclared(x)).sum()  #: T.sum
    y = await undeclared(x)
    y.relu()  #: T.relu
    z = await maybe(x)
    z.relu()  #: T.relu
    (await served.ask(x)).tanh()  #: T.tanh
    task = declared()
    task.close(); task.add(1)
    t = await task
    t.add(1)  #: T.add
    async for part in some():
        part.sum()  #: T.sum
    some().sum()
