import torch
from torch.utils.data import Dataset, DataLoader


class S(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return {"image": torch.ones(2, 2), "mask": torch.ones(2)}


def f():
    d = S()
    args = dict(batch_size=2)
    l = DataLoader(d, shuffle=False, **args)
    for batch in l:
        x = batch["image"]
        print(x.size(0))


f()


def f(loader):
    for batch in loader:
        x, y = batch["image"], batch["mask"]
        x = x.to(device="cpu", dtype=torch.float32)
        y = y.to("cpu", non_blocking=True)
        print(x.size(0), tuple(y.size()), y.size(-1))


def g(model, data):
    for inputs, labels in data:
        inputs = inputs.to(device="cpu", non_blocking=True)
        print(inputs.shape[0], labels.size(0))
        print(labels.size(dim=1))


globals()["f"](DataLoader([{"image": torch.ones(2), "mask": torch.ones(1)}], batch_size=1))
globals()["g"](None, DataLoader([(torch.ones(2), torch.ones(1))], batch_size=1))


from torch import nn


class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.s = torch.tensor(1.0)

    def to(self, device):
        self.s = self.s.to(device)
        return super(P, self).to(device)

    def cuda(self):
        return super().cuda()

    def train(self, mode=True):
        r = super().train(mode)
        return r

    def half2(self):
        return 3


p = P().to("cpu")
print(p.half2())
print(p.train(False).training)
print(p.train().half2())
