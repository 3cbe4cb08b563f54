import torch
from torch import Tensor, relu

relu(3)
torch.relu(3)
Tensor().view(3)
torch.nn.Linear(3, 4)
