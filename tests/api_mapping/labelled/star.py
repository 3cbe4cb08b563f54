"""Star imports."""
from math import *

from torch import *
from torch.nn import *
from torch.nn.functional import *

print(sqrt(2), pi)  #: torch.sqrt torch.pi
layer = Linear(3, 4)  #: nn.Linear
x = layer(randn(2, 3))  #: torch.randn
y = leaky_relu(x)  #: F.leaky_relu
z = layer_norm(y, (4,)).view(-1)  #: F.layer_norm T.view
net = Sequential(Conv2d(3, 4, 1), BatchNorm2d(4))  #: nn.Sequential nn.Conv2d nn.BatchNorm2d


def zeros(n):
    return [0] * n


w = zeros(3)
w.sort()
