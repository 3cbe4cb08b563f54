import torch


def greater(a, b):
    return torch.max(a, b)


def smaller(a, b):
    return torch.min(a, other=b)


def along(x, axis):
    return torch.max(x, axis)


def kept(x, axis):
    return torch.min(x, axis, True)


class Both:
    def found(self, u, v):
        return torch.max(u, v), torch.min(u, v)


def call(function, *given):
    return function(*given)


x = torch.arange(6.0).view(2, 3)
y = 5 - x
print(call(greater, x, y).tolist())
print(call(smaller, x, y).tolist())
print([part.tolist() for part in call(along, x, 1)])
print([part.tolist() for part in call(kept, x, 0)])
print([part.tolist() for part in call(Both().found, x, y)])

for dtype in (torch.cfloat,):
    print(dtype == torch.complex64)
r = torch.rand(2, dtype=torch.cfloat)
print(tuple(r.shape), r.dtype == torch.complex64)
print(torch.randn(3, dtype=torch.complex64).dtype == torch.cfloat)
print(torch.rand((2, 2), dtype=torch.complex128).real.min().item() >= 0)
spread = torch.randn(4000, dtype=torch.cfloat)
print(abs((spread.real**2 + spread.imag**2).mean().item() - 1) < 0.1)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, factor):
        ctx.save_for_backward(x, w)
        ctx.factor = factor
        return x * w * factor

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = gw = None
        if ctx.needs_input_grad[0]:
            gx = g * w * ctx.factor
        if ctx.needs_input_grad[1]:
            gw = g * x * ctx.factor
        if any(ctx.needs_input_grad[2:]):
            print("a number needs no gradient")
        return gx, gw, None


p = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([p], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = Scaled.apply(torch.ones(2) * 3, p, 2.0).sum()
    loss.backward()
    optimizer.step()
    print([round(v, 4) for v in p.tolist()])
