import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class Actor(nn.Module):
    def __init__(self, lr):
        super().__init__()
        self.fc1 = nn.Linear(3, 4, bias=False)
        self.norm = nn.BatchNorm1d(4)
        self.mu = nn.Linear(4, 2)
        for k, p in enumerate(self.parameters()):
            p.data.copy_(torch.cos(torch.arange(p.numel()).float() + k).view_as(p))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr)

    def forward(self, x):
        return torch.tanh(self.mu(F.relu(self.norm(self.fc1(x)))))

    def learn(self, x, y):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


x = torch.sin(torch.arange(12.0)).view(4, 3)
y = torch.cos(torch.arange(8.0)).view(4, 2)
actor, target = Actor(0.05), Actor(0.05)
print([round(actor.learn(x, y), 4) for _ in range(3)])
print(sum(p.numel() for p in actor.parameters()), [n for n, _ in actor.named_parameters()])
print([n for n, _ in actor.named_modules()])
state = actor.state_dict()
print([k for k in state if "num_batches" not in k])
for a, b in zip(target.parameters(), actor.parameters()):
    a.data.copy_(0.9 * a.data + 0.1 * b.data)
print(round(sum(p.sum().item() for p in target.parameters()), 4))
print(target.load_state_dict(state))
print(round(target.learn(x, y), 4))
file = io.BytesIO()
torch.save(actor.state_dict(), file)
file.seek(0)
other = Actor(0.1)
kept = torch.load(file)
print([k for k in kept if "num_batches" not in k], round(kept["norm.running_mean"].sum().item(), 4))
other.load_state_dict(kept)
print(round(other.learn(x, y), 4))
own = dict(target.named_parameters())
print(sorted(own))
