"""Own autograd functions: binary weights, a rounded activation with learned step, a clipped gradient."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class BinarizeWeight(Function):
    @staticmethod
    def forward(ctx, weight):
        ctx.save_for_backward(weight)
        scale = weight.abs().mean(dim=1, keepdim=True)
        return torch.where(weight >= 0, scale, -scale)

    @staticmethod
    def backward(ctx, grad_output):
        weight, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[weight.abs() > 1] = 0
        return grad_input


class LSQ(Function):
    """Learned step size quantisation."""

    @staticmethod
    def forward(ctx, x, step, low, high):
        ctx.save_for_backward(x, step)
        ctx.other = (low, high)
        return (x / step).round().clamp(low, high) * step

    @staticmethod
    def backward(ctx, grad):
        x, step = ctx.saved_tensors
        low, high = ctx.other
        q = x / step
        smaller, bigger = (q < low).float(), (q > high).float()
        middle = 1.0 - smaller - bigger
        grad_step = ((smaller * low + bigger * high + middle * (q.round() - q)) * grad).sum()
        return middle * grad, grad_step.reshape(step.shape), None, None


class ScaleGrad(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-0.1, 0.1) * ctx.factor, None


binarize = BinarizeWeight.apply


class BinaryLinear(nn.Linear):
    def forward(self, input):
        return F.linear(input, binarize(self.weight), self.bias)


class QuantAct(nn.Module):
    def __init__(self, bits=3, signed=False):
        super().__init__()
        self.low = -(2 ** (bits - 1)) if signed else 0
        self.high = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        self.step = nn.Parameter(torch.tensor(0.25))

    def forward(self, x):
        return LSQ.apply(x, self.step, self.low, self.high)

    def extra_repr(self):
        return f"low={self.low}, high={self.high}"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 10)
        self.act1 = QuantAct()
        self.fc2 = BinaryLinear(10, 8)
        self.act2 = QuantAct(bits=4)
        self.fc3 = nn.Linear(8, 2)

    def forward(self, x, reverse=0.5):
        x = self.act1(F.relu(self.fc1(x)))
        x = self.act2(F.relu(self.fc2(x)))
        return self.fc3(ScaleGrad.apply(x, reverse))


net = Net()
with torch.no_grad():
    for i, (name, p) in enumerate(net.named_parameters()):
        if p.dim() == 2:
            p.copy_(torch.sin(torch.arange(p.numel()).float() * 0.61 + i).view(p.shape) * 0.8)
        elif name.endswith("bias"):
            p.fill_(0.1)
x = torch.cos(torch.arange(96).float() * 0.77).view(16, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
optimizer = torch.optim.Adam([
    {"params": [p for n, p in net.named_parameters() if "step" not in n]},
    {"params": [p for n, p in net.named_parameters() if "step" in n], "lr": 1e-3},
], lr=1e-2)
for epoch in range(6):
    out = net(x)
    loss = F.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    if epoch == 0:
        print("grads", [round(p.grad.abs().sum().item(), 4) for p in net.parameters()])
    optimizer.step()
    with torch.no_grad():
        net.fc2.weight.clamp_(-1, 1)
        for module in net.modules():
            if isinstance(module, QuantAct):
                module.step.clamp_(min=0.01)
    print(f"{epoch} {loss.item():.4f} {net.act1.step.item():.4f} {net.act2.step.item():.4f}")
levels = torch.unique(net.act1(F.relu(net.fc1(x))) / net.act1.step)
print(len(levels), net.act1.extra_repr())
signs = binarize(net.fc2.weight.detach())
print(signs.abs().mean(1).tolist()[:2], int((signs > 0).sum()))
