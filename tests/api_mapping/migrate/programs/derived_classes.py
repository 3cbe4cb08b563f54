import torch
from torch import nn


class X(nn.Transformer):
    def __init__(self, d):
        super().__init__(d, 2, 1, 1, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, 3)

    def forward(self, a, b):
        return self.out(super().forward(a, b))


x = X(8).eval()
print(tuple(x(torch.ones(1, 2, 8), torch.ones(1, 2, 8)).shape), isinstance(x, nn.Transformer))


class A(nn.MultiheadAttention):
    def forward(self, q, k, v):
        return super().forward(q, k, v, need_weights=False)[0]


x = torch.ones(1, 3, 4)
print(tuple(A(4, 2, batch_first=True)(x, x, x).shape))


class L(nn.LSTM):
    def forward(self, x):
        y, (h, c) = super().forward(x)
        return y[:, -1]


print(tuple(L(3, 5, batch_first=True)(torch.ones(2, 4, 3)).shape))


class G(nn.GRU):
    def __init__(self, n):
        super().__init__(n, n, num_layers=2, bidirectional=True)


print(tuple(G(3)(torch.ones(2, 4, 3))[0].shape))


class S(nn.Softmax):
    def __init__(self):
        super().__init__(dim=-1)


print(S()(torch.ones(2, 4)).sum().item())


class P(nn.MaxPool1d):
    pass


print(tuple(P(2)(torch.ones(2, 3, 4)).shape))


class U(nn.Upsample):
    def __init__(self):
        super().__init__(scale_factor=2, mode="nearest")


print(tuple(U()(torch.ones(1, 1, 2, 2)).shape))


class E(nn.TransformerEncoderLayer):
    pass


print(tuple(E(4, 2, 8, dropout=0.0, batch_first=True).eval()(torch.ones(1, 3, 4)).shape))


class MySGD(torch.optim.SGD):
    def __init__(self, params, lr):
        super().__init__(params, lr, momentum=0.9)


w = nn.Parameter(torch.ones(2))
o = MySGD([w], 0.1)
for _ in range(2):
    o.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    o.step()
print([round(v, 4) for v in w.tolist()])


class MyAdam(torch.optim.Adam):
    pass


print(isinstance(MyAdam([w], lr=0.1), torch.optim.Adam))


class Bi(nn.Bilinear):
    pass


print(tuple(Bi(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape))


class Pad(nn.CircularPad1d):
    def __init__(self):
        super().__init__(1)


print(Pad()(torch.arange(4.0).view(1, 1, 4)).flatten().tolist())


class Loss(nn.GaussianNLLLoss):
    def forward(self, x, y):
        return super().forward(x, y, torch.ones_like(x))


print(round(Loss()(torch.ones(2, 3), torch.zeros(2, 3)).item(), 4))
kind = nn.GLU
print(kind(dim=-1)(torch.ones(1, 4)).shape[1])
