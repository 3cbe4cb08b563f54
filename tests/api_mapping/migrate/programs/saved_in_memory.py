import io
import os
import tempfile

import torch
from torch import nn

net = nn.Linear(2, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0]]))
    net.bias.fill_(0.5)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(3, 2)


def step():
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    return round(loss.item(), 4)


print(step(), step())
buffer = io.BytesIO()
torch.save(
    {"net": net.state_dict(), "opt": opt.state_dict(), "epoch": 2, "best": (0.5, "x")}, buffer
)
later = [step(), step()]
buffer.seek(0)
saved = torch.load(buffer)
net.load_state_dict(saved["net"])
opt.load_state_dict(saved["opt"])
print([step(), step()] == later, saved["epoch"], saved["best"])
alone = io.BytesIO()
torch.save(net.state_dict(), alone)
other = nn.Linear(2, 1)
other.load_state_dict(torch.load(io.BytesIO(alone.getvalue())))
print(torch.equal(other.weight, net.weight))
tensors = io.BytesIO()
torch.save([torch.arange(3), torch.ones(2)], tensors)
tensors.seek(0)
first, second = torch.load(tensors)
print(first.tolist(), second.tolist())
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "net.pth")
    with open(path, "wb") as file:
        torch.save({"net": net.state_dict(), "step": 3}, file)
    with open(path, "rb") as file:
        print(torch.load(file)["step"])
    print(sorted(torch.load(path)["net"]))
