from collections import namedtuple

import numpy as np
import torch

Step = namedtuple("Step", ["state", "action", "reward"])
Box = namedtuple("Box", "low high", defaults=[2.0])

steps = [Step(torch.arange(3.0) * i, torch.tensor(i % 2), torch.tensor(0.5 * i)) for i in range(6)]
batch = Step(*(torch.stack(column) for column in zip(*steps)))
order = np.random.RandomState(0).permutation(6)
print(batch.state.size(0), batch.action.long().tolist(), batch.reward.size()[0])
for start in range(0, 6, 3):
    some = order[start : start + 3]
    picked = batch.state[some]
    print(
        picked.sum(-1).tolist(),
        round(batch.reward[some].mean().item(), 4),
        batch.action[some].float().std().item() < 1,
    )
box = Box(torch.tensor([1.0, 4.0]))
print(box.low.view(2, 1).size(1), box.high, box[0].repeat(2).tolist())
state, action, reward = batch
print(
    [round(v, 4) for v in state.std(0).tolist()], reward.max(0)[0].item(), len(batch), batch._fields
)
columns = Step(*zip(*steps))
print(
    torch.cat([s.unsqueeze(0) for s in columns.state]).size()[1], [r.item() for r in columns.reward]
)
