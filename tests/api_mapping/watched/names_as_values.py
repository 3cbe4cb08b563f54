"""getattr and hasattr with literals, on modules, tensors, layers, self, optimisers."""
from operator import methodcaller, attrgetter

import torch
import torch.nn as nn
import torch.nn.functional as F

relu = getattr(torch, "relu")
gelu = getattr(F, "gelu")
Conv = getattr(nn, "Conv2d")
AdamW = getattr(torch.optim, "AdamW")
SiLU = getattr(nn, "SiLU", nn.ReLU)
HAS_COMPILE = hasattr(torch, "compile")
nanmean = getattr(torch, "nanmean", None) or torch.mean
bf16 = getattr(torch, "bfloat16", torch.float16)
cudnn = getattr(torch.backends, "cudnn")
sdpa = F.scaled_dot_product_attention if hasattr(F, "scaled_dot_product_attention") else None


class Net(nn.Module):
    def __init__(self, act="relu"):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.conv = Conv(1, 2, 3)
        self.act = getattr(F, act)
        setattr(self, "extra", nn.Linear(4, 4))
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        h = getattr(self, "fc")(x)
        h = getattr(h, "relu")()
        h = getattr(h, "mul")(2).add(1)
        w = getattr(self.fc, "weight")
        b = getattr(self.fc, "bias", None)
        h = h @ w.t()
        if b is not None:
            h = h + b.view(1, -1)
        h = getattr(self, "extra")(h).tanh()
        if hasattr(self, "scale"):
            h = h * getattr(self, "scale").abs()
        if getattr(self, "training"):
            h = h.clone()
        if hasattr(h, "detach"):
            h = getattr(h, "detach")()
        if hasattr(h, "numpy"):
            n = getattr(h, "numpy")
        shape = getattr(h, "shape")
        dt = getattr(h, "dtype", torch.float32)
        print(shape[0], dt)
        dyn = getattr(h, "sum" if shape[0] > 1 else "mean")
        return getattr(gelu(h), "view")(shape[0], -1), dyn()


def size_of(x):
    if hasattr(x, "numel"):
        return x.numel()
    return len(x)


def dev(x):
    return getattr(x, "device", "cpu")


def to_list(x: torch.Tensor):
    fn = getattr(x, "tolist", None)
    return fn() if fn is not None else list(x)


def main():
    net = Net()
    x = torch.randn(2, 4)
    out, s = net(x)
    opt = AdamW(getattr(net, "parameters")(), lr=0.1)
    getattr(opt, "zero_grad")()
    loss = getattr(net(x)[0], "mean")() + getattr(net.extra(x), "pow")(2).mean()
    getattr(loss, "backward")()
    getattr(opt, "step")()
    if hasattr(opt, "param_groups"):
        print(opt.param_groups[0]["lr"], getattr(opt, "param_groups")[0]["lr"])
    getattr(net, "eval")()
    m = getattr(net, "module", net)
    print(m.conv(torch.ones(1, 1, 4, 4)).shape, relu(x).sum(), size_of(x), dev(x), to_list(s), nanmean(x), bf16, SiLU()(x).mean())
    print(methodcaller("sum", 0)(x), attrgetter("shape")(x), getattr(torch.Tensor, "add")(x, 1).sum())
    cudnn.benchmark = True
    getattr(x, "fill_")(0.0)
    getattr(net.fc, "weight").data.zero_()
    setattr(net.fc.weight, "requires_grad", False)
    setattr(x, "requires_grad", True)
    print(getattr(x, "T").shape, getattr(x, "is_cuda"), hasattr(torch, "cuda"), getattr(x, "grad", None), getattr(torch, "float32"))
    fn = getattr(torch, "logsumexp")
    print(fn(x, 0).exp())
    d = {"a": getattr(torch, "zeros")(3)}
    print(d["a"].sum(), getattr(d, "keys")(), getattr(d["a"], "size")(0))
    is_t = callable(getattr(x, "to", None))
    getattr(x, "_my", None)


main()
