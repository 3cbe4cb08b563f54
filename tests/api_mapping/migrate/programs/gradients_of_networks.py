import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore", message="Full backward hook")


def rounded(values):
    if isinstance(values, list):
        return [rounded(value) for value in values]
    return round(values, 4) + 0.0 if isinstance(values, float) else values


def twice():
    net = nn.Linear(2, 2)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    x = torch.tensor([[1.0, 2.0]])
    out = net(x)
    loss1 = out.sum()
    loss2 = (out**2).mean()
    loss1.backward(retain_graph=True)
    loss2.backward()
    print(rounded(net.weight.grad.tolist()), rounded(net.bias.grad.tolist()))


def stepfn():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def compute(model, x, y):
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss.item()

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = torch.tensor([[1.0], [0.0]])
    for i in range(3):
        opt.zero_grad()
        print(round(compute(net, x, y), 4))
        opt.step()


def norms():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    for p in net.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for i in range(3):
        loss = net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        total = 0.0
        for name, p in net.named_parameters():
            if p.grad is not None:
                total += p.grad.data.norm(2).item() ** 2
                print(name, round(p.grad.abs().mean().item(), 4))
        print(round(total**0.5, 4))
        opt.step()


def surgery():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for i in range(3):
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        for p in net.parameters():
            p.grad = p.grad / (p.grad.norm() + 1e-6)
            p.grad.mul_(0.5)
        opt.step()
        print(round(loss.item(), 4))
    print(rounded(net.weight.tolist()))


def saliency():
    net = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
    for i, p in enumerate(net.parameters()):
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    net.eval()
    img = torch.linspace(0, 1, 16).reshape(1, 1, 4, 4)
    img.requires_grad_()
    scores = net(img)
    idx = scores.argmax(1).item()
    scores[0, idx].backward()
    sal, _ = torch.max(img.grad.data.abs(), dim=1)
    print(idx, [round(v, 4) for v in sal.flatten().tolist()])


def lossfn():
    class Trainer:
        def __init__(self, model, lr):
            self.model = model
            self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

        def backward(self, loss):
            loss.backward()

        def step(self, x, y):
            self.optimizer.zero_grad()
            loss = ((self.model(x) - y) ** 2).mean()
            self.backward(loss)
            self.optimizer.step()
            return loss.item()

    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    tr = Trainer(net, 0.1)
    for i in range(3):
        print(round(tr.step(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0]])), 4))


def dqn():
    q = nn.Linear(2, 2)
    qt = nn.Linear(2, 2)
    for n in (q, qt):
        nn.init.constant_(n.weight, 0.5)
        nn.init.zeros_(n.bias)
    opt = torch.optim.Adam(q.parameters(), lr=0.1)
    s = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
    a = torch.tensor([0, 1])
    r = torch.tensor([1.0, 0.0])

    def optimize():
        qs = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            nxt = qt(s).max(1)[0]
        loss = nn.functional.smooth_l1_loss(qs, r + 0.9 * nxt)
        opt.zero_grad()
        loss.backward()
        for p in q.parameters():
            p.grad.data.clamp_(-1, 1)
        opt.step()
        return loss.item()

    for i in range(3):
        print(round(optimize(), 4))


def inits():
    W1 = nn.Parameter(torch.full((3, 4), 0.1))
    b1 = nn.Parameter(torch.zeros(4))
    W2 = nn.Parameter(torch.full((4, 2), 0.2))
    params = [W1, b1, W2]

    def relu(X):
        return torch.max(X, torch.zeros_like(X))

    def net(X):
        return relu(X @ W1 + b1) @ W2

    loss = nn.CrossEntropyLoss(reduction="none")
    updater = torch.optim.SGD(params, lr=0.1)
    X = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
    y = torch.tensor([0, 1])
    for i in range(3):
        l = loss(net(X), y)
        updater.zero_grad()
        l.mean().backward()
        updater.step()
        print(round(l.sum().item(), 5))


def clipping():
    def grad_clipping(net, theta):
        params = [p for p in net.parameters() if p.requires_grad]
        norm = torch.sqrt(sum(torch.sum((p.grad**2)) for p in params))
        if norm > theta:
            for param in params:
                param.grad[:] *= theta / norm

    net = nn.Linear(3, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.zeros_(net.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.tensor([[1.0, 2.0, 3.0]])
    for i in range(3):
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        grad_clipping(net, 1.0)
        opt.step()
        print(round(loss.item(), 5))


def gradreg():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    for p in model.parameters():
        nn.init.constant_(p, 0.2)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    hist = []
    for i in range(3):
        x = torch.full((2, 3), 0.5 + i)
        out = model(x)
        loss = nn.functional.mse_loss(out, torch.zeros_like(out))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        hist.append({n: p.grad.norm().item() for n, p in model.named_parameters()})
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        print(round(sum(p.grad.norm().item() for p in model.parameters()), 4))
        opt.step()
    print([round(h["0.weight"], 4) for h in hist])


def scalerhold():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            return self.fc(x)

    net = Net()
    nn.init.constant_(net.fc.weight, 0.5)
    nn.init.zeros_(net.fc.bias)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
    for step in range(4):
        loss = net(torch.tensor([[1.0, float(step)]])).pow(2).sum() / 2
        loss.backward()
        if (step + 1) % 2 == 0:
            for p in net.parameters():
                if p.grad is not None and torch.isnan(p.grad).any():
                    print("nan")
            opt.step()
            opt.zero_grad()
            sched.step()
        print(round(loss.item(), 5))


def gradcam():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, padding=1)
            self.fc = nn.Linear(2, 3)

        def forward(self, x):
            return self.fc(torch.relu(self.conv(x)).mean((2, 3)))

    net = Net()
    for p in net.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    saved = {}

    def forward_hook(module, inputs, output):
        saved["act"] = output

    def backward_hook(module, grad_input, grad_output):
        saved["grad"] = grad_output[0]

    net.conv.register_forward_hook(forward_hook)
    net.conv.register_full_backward_hook(backward_hook)
    x = torch.linspace(0, 1, 16).reshape(1, 1, 4, 4)
    out = net(x)
    out[0, 1].backward()
    w = saved["grad"].mean(dim=(2, 3), keepdim=True)
    cam = torch.relu((w * saved["act"]).sum(1))
    print([round(v, 4) for v in cam.flatten().tolist()])


twice()
stepfn()
norms()
surgery()
saliency()
lossfn()
dqn()
inits()
clipping()
gradreg()
scalerhold()
gradcam()
