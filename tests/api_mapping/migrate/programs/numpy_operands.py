import warnings

import numpy as np
import torch
import torch.nn as nn

warnings.simplefilter("ignore")  # NumPy tells PyTorch of a new protocol


class Positions(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.steps = torch.exp(-np.log(10000.0) / width * torch.arange(0, width, 2))

    def forward(self, x: torch.Tensor):
        scale = np.sqrt(16)
        x = x * scale + np.float32(0.5)
        x -= np.int64(1)
        return x / np.array([1.0, 2.0], dtype=np.float32) * self.steps


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.9)
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x):
        return self.drop(self.norm(x))


for row in Positions(4)(torch.arange(4.0).view(2, 2)).tolist():
    print([round(number, 4) for number in row])
print((torch.arange(3) > np.int64(1)).tolist())
print((np.float64(0.5) < torch.arange(3)).tolist())
print((2 ** torch.arange(3) + np.float32(2)).tolist())
net = Net().eval()
print([round(number, 4) for number in net(torch.ones(3, 2)).flatten().tolist()])
net = Net().train(False).eval()
print([round(number, 4) for number in net(torch.ones(3, 2)).flatten().tolist()])
print(Net().eval()(torch.zeros(2, 2)).tolist())
