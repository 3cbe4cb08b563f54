"""Values with an axis of one element in front, given to parts of tensors, as PPO's advantages."""

import torch
from torch import nn

torch.manual_seed(0)
T, N = 4, 3
rewards = torch.arange(12.0).view(T, N) / 10
values = torch.linspace(0, 1, 12).view(T, N)
dones = torch.zeros(T, N)
value_net = nn.Linear(2, 1, bias=False)
nn.init.constant_(value_net.weight, 0.25)
obs = torch.ones(N, 2)

with torch.no_grad():
    next_value = value_net(obs).reshape(1, -1)
    advantages = torch.zeros_like(rewards)
    lastgaelam = 0
    for t in reversed(range(T)):
        if t == T - 1:
            nextnonterminal = 1.0 - dones[-1]
            nextvalues = next_value
        else:
            nextnonterminal = 1.0 - dones[t + 1]
            nextvalues = values[t + 1]
        delta = rewards[t] + 0.9 * nextvalues * nextnonterminal - values[t]
        advantages[t] = lastgaelam = delta + 0.9 * nextnonterminal * lastgaelam
    returns = advantages + values
print("gae", [round(v, 4) for v in returns.flatten().tolist()], tuple(lastgaelam.shape))


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        h = torch.zeros(1, self.size)
        outputs = torch.zeros(len(x), self.size)
        for t in range(len(x)):
            h = torch.tanh(x[t] + 0.5 * h)
            outputs[t] = h
        return outputs


print("cell", [round(v, 4) for v in Cell(3)(rewards).flatten().tolist()])
queue = torch.zeros(4, 3)
item = torch.ones(3)
queue[1] = item.unsqueeze(0)
queue[2:] = item[None, :] * 2
queue[0] = torch.full((1, 3), 7.0).clone() if T > 2 else item
print("queue", queue.tolist())
table = torch.zeros(2, 1, 3)
table[1] = item.view(1, 3)
table[:, 0] = item.view(1, -1)
print("table", table.tolist())
first = last = torch.zeros(1, 3)
queue[3], other = item, 2
queue[0] = first + last
print("rest", queue.sum().item(), other)
print("pair", torch.unsqueeze(item, 0).shape == first.shape)
