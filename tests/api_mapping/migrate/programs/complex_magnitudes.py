"""Absolute values of tensors that are complex in one call and real in another."""

import torch
from torch import nn


class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        wave = torch.complex(torch.ones(3), 0.5 * torch.arange(3.0))
        self.weight = nn.Parameter(0.5 * wave)
        self.gain = nn.Parameter(torch.tensor([-1.0, 2.0, -3.0]))


def size(z):
    return torch.abs(z)


def told(name, values):
    print(name, [round(value, 4) for value in values.tolist()])


layers = nn.ModuleList([Spectral() for _ in range(2)])
with torch.no_grad():
    told("parameter", layers[0].weight.abs())
    told("real parameter", layers[1].gain.abs())
    told("sum", layers[1].weight.abs().sum().reshape(1))
    told("operator", abs(layers[0].weight))
    told("operator of real ones", abs(layers[0].gain))
    for layer in layers:
        told("in a loop", layer.weight.absolute())
    told("given", size(torch.fft.rfft(torch.tensor([1.0, 2.0, 4.0, 8.0]))))
    told("given real ones", size(torch.tensor([-1.5, 2.5])))
    told("integers", torch.abs(torch.tensor([-3, 4])))
    for name, parameter in layers[0].named_parameters():
        told(name, parameter.abs())
print(abs(-3), abs(-2.5))
