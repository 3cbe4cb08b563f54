"""Products with logarithms where the factor is 0: 0 in PyTorch, whatever the logarithm is."""

import torch
import torch.nn as nn
import torch.nn.functional as F

target = torch.tensor([[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
scores = torch.tensor([[0.5, -0.5, 1.0], [2.0, 0.0, -1.0]]).log_softmax(dim=1)
print(round(F.kl_div(scores, target, reduction="batchmean").item(), 4))
print([round(v, 4) for v in nn.KLDivLoss(reduction="none")(scores, target)[1].tolist()])
print([round(v, 4) for v in torch.xlogy(target, target).sum(dim=1).tolist()])
print([round(v, 4) for v in target[0].xlogy(torch.tensor([-1.0, 2.0, 0.5])).tolist()])
print([round(v, 4) for v in torch.special.entr(target).sum(dim=1).tolist()])
print([round(v, 4) for v in torch.special.xlog1py(target[1], -1.0 * target[1]).tolist()[1:]])
print(torch.xlogy(0.0, torch.tensor([0.0, 3.0])).tolist())
print(torch.isnan(torch.xlogy(torch.zeros(1), torch.tensor([float("nan")]))).item())

layer = nn.Linear(3, 3)
nn.init.constant_(layer.weight, 0.1)
nn.init.zeros_(layer.bias)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    smooth = torch.full_like(target, 0.05)
    smooth[target == 0] = 0
    loss = F.kl_div(F.log_softmax(layer(target), dim=1), smooth, reduction="sum")
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
