import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

use_cuda = torch.cuda.is_available()


class Cross(nn.Module):
    def __init__(self, size, layers):
        super().__init__()
        self.kernels = nn.Parameter(torch.Tensor(layers, size, 1))
        self.bias = nn.Parameter(torch.Tensor(layers, size, 1))
        for i in range(self.kernels.shape[0]):
            nn.init.constant_(self.kernels[i], 0.25 * (i + 1))
        for i in range(layers):
            nn.init.zeros_(self.bias[i])
        nn.init.ones_(self.bias.data[0, :1])

    def forward(self, x):
        for w, b in zip(self.kernels, self.bias):
            x = x * (x @ w) + b.view(-1)
        return x


net = Cross(3, 2)
print(net.kernels.flatten().tolist(), net.bias.flatten().tolist())
opt = torch.optim.SGD(net.parameters(), lr=0.01)
net(torch.eye(3)).pow(2).sum().backward()
opt.step()
print([round(v, 4) for v in net.kernels.flatten().tolist()])
table = torch.zeros(2, 3)
nn.init.uniform_(table[1], 0.5, 0.5)
print(table.tolist())
y = torch.sin(torch.arange(4.0)).reshape(2, 2).mul_(2.0)
z = (y * 2).view(-1).add_(1)
print([round(v, 4) for v in (*y.flatten().tolist(), *z.tolist())])
x = torch.arange(4.0)
w = torch.ones(3, 2)
print((torch.eye(*w.shape) * 0.5).tolist())
print(torch.eye(*net.bias.size()[:2]).tolist())
kwargs = {"num_workers": 1, "pin_memory": True} if use_cuda else {}
loader = DataLoader(TensorDataset(x), batch_size=3, **kwargs)
print([batch[0].tolist() for batch in loader])
settings = {"p": 1, "dim": 0} if not use_cuda else {"p": 1}
print(F.normalize(w, **settings).flatten().tolist())
options = {"reduction": "sum"} if use_cuda else {}
print(F.mse_loss(w, w * 2, **options).item())
