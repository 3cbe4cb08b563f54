import torch
from torch import nn

x = torch.ones(2)


class A(nn.Module):
    def forward(self, x):
        return x + 1


class B(A):
    def forward(self, x):
        return A.forward(self, x) * 2


class C(B):
    def forward(self, x):
        return super(B, self).forward(x) + super().forward(x)


class Both(A):
    def both(self, x):
        return A.forward(self, x) + A.__call__(self, x)


print(B()(x).tolist(), C()(x).tolist(), Both().both(x).tolist())
a = A()
run = A.forward
print(run(a, x).tolist(), a.forward(x).tolist())
print(getattr(a, "forward")(x).tolist(), hasattr(a, "forward"), hasattr(A, "forward"))


class Later(nn.Module):
    def forward(self, x):
        return x + 1


old = Later.forward


def thrice(self, x):
    return old(self, x) * 3


Later.forward = thrice
print(Later()(x).tolist())


def body(self, x):
    return x * 7


class Assigned(nn.Module):
    forward = body


class Alias(nn.Module):
    def run(self, x):
        return x * 5

    forward = run


print(Assigned()(x).tolist(), Alias()(x).tolist())
b = A()
setattr(b, "forward", lambda x: x - 1)
print(b(x).tolist())
