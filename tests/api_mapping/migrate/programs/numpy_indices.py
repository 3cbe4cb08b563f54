import numpy as np
import torch
from torch import nn


class Sizes:
    def __init__(self):
        self.items = np.arange(12).reshape(4, 3)
        self.dims = np.max(self.items, axis=0) + 1


class Net(nn.Module):
    def __init__(self, dims, width):
        super().__init__()
        self.table = nn.Embedding(sum(dims), width)
        self.out = nn.Linear(width * len(dims), dims[0])

    def forward(self, x):
        return self.out(self.table(x).flatten(1))


print(tuple(Net(Sizes().dims, 4)(torch.zeros(2, 3, dtype=torch.long)).shape))
labels = np.array([0, 2, 1, 1])
n_classes = labels.max() + 1
print(tuple(nn.Linear(np.prod((2, 3)), n_classes)(torch.zeros(2, 6)).shape))
print(tuple(nn.Conv1d(np.int64(2), 4, np.int32(3))(torch.zeros(1, 2, 5)).shape))
print(nn.functional.one_hot(torch.from_numpy(labels), n_classes).tolist())
x = torch.arange(12.0).view(n_classes, -1)
print(torch.topk(x, n_classes, dim=np.int64(1))[0].tolist(), x.narrow(0, 0, n_classes - 1).tolist())

X = torch.arange(12.0).view(6, 2)
order = np.random.RandomState(0).permutation(6)
for i in range(0, 6, 2):
    idx = order[i : i + 2]
    print(X[idx].sum().item(), X[order[i]].tolist(), X[order[i : i + 2], 0].tolist())
mask = order > 2
print(X[mask].tolist(), X[:, np.newaxis].shape[1], X[np.s_[:2]].tolist())
print([X[i].sum().item() for i in np.where(mask)[0]], [X[i].sum().item() for i in order])
print(X[(order[:2], 0)].tolist(), X[..., np.array([1, 0])].tolist(), X[list(order[:2])].tolist())
print(X[-order.max() :, : order.min() + 1].tolist(), X[[order[0], order[1]]].tolist())


def one(values, i):
    return values[i]


print(one(X, order[1]).tolist(), one(X, 2).tolist(), X.numpy()[order].tolist())
X[order[:2]] = 0.0
X[order[0]] += 1.0
X[order[:2], 1] = torch.tensor([7.0, 8.0])
X[: order[1]].mul_(2)
print(X.tolist())

print(X[range(2)].tolist(), X[range(1, 3), 0].tolist(), torch.tensor(range(3)).tolist())
print(torch.LongTensor(range(4)).tolist(), torch.as_tensor(range(2), dtype=torch.float32).tolist())
steps = range(1, 4)
print(
    torch.FloatTensor(steps).sum().item(), torch.tensor(data=steps).tolist(), X[steps].sum().item()
)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


scores = torch.tensor([[-1.0, -2.0, -0.5], [-3.0, -0.25, -1.5]])
print(round(nll(scores, torch.tensor([2, 1])).item(), 4))
