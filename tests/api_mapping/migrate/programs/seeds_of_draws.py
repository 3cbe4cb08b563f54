"""A seed of PyTorch holds for samples of distributions and orders of items, and for them alone."""

import random
from itertools import islice

import numpy as np
import torch
from torch import nn
from torch.distributions import Beta, Categorical, Gamma, Laplace, Normal
from torch.utils.data import RandomSampler, random_split

random.seed(1)
np.random.seed(1)


def draws():
    """What is drawn, each of its own kind."""
    yield Normal(torch.zeros(3), torch.ones(3)).sample().tolist()
    yield Laplace(torch.zeros(2), torch.ones(2)).rsample((2,)).tolist()
    yield Gamma(torch.ones(2), torch.ones(2)).sample().tolist()
    yield Beta(torch.ones(2), torch.ones(2)).sample().tolist()
    yield Categorical(torch.ones(50)).sample((4,)).tolist()
    yield list(RandomSampler(range(20)))
    yield [part.indices for part in random_split(range(20), [12, 8])]
    yield nn.Linear(3, 2).weight.tolist()


def drawn(seed):
    torch.manual_seed(seed)
    return list(draws())


list(islice(draws(), 7))
print(random.random(), np.random.rand(2).tolist())
first = drawn(3)
print(random.random(), np.random.randint(0, 1000, 3).tolist())
second, other = drawn(3), drawn(4)
print([a == b for a, b in zip(first, second)])
print([a == b for a, b in zip(first, other)])
np.random.seed(7)
third = drawn(3)
print(first == third, np.random.rand(2).tolist())
print([a == b for a, b in zip(third, draws())])
torch.cuda.manual_seed_all(3)
print(np.random.permutation(6).tolist(), torch.initial_seed())
