import torch
from torch import nn

w = nn.Parameter(torch.ones(2))
v = nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w, v], lr=0.1)


def told():
    print([round(x, 4) for x in (*w.tolist(), *v.tolist())])


a = (w * 2).sum()
b = (v * v).sum()
optimizer.zero_grad()
(a + b).backward()
optimizer.step()
told()

for _ in range(2):
    optimizer.zero_grad()
    a = (w * w).sum()
    b = (v * 3).mean()
    (
        a  # the first
        - b
    ).backward()
    optimizer.step()
    told()

optimizer.zero_grad()
((w * v).sum() * 2).backward()
optimizer.step()
told()

optimizer.zero_grad()
torch.mean(w - v).backward()
optimizer.step()
told()

optimizer.zero_grad()
(w.sum() if w.shape[0] > 1 else v.sum()).backward()
optimizer.step()
told()

optimizer.zero_grad()
(-(w * w).sum()).backward()
optimizer.step()
told()

for x in torch.ones(2, 2):
    optimizer.zero_grad()
    loss = (w * x).sum()
    (loss / 2).backward()
    optimizer.step()
told()
