"""Training steps in the many forms that people give them: converted, or left with the reason."""

from __future__ import annotations

HEAD = """\
import math

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def weights_of(*networks: nn.Module):
    return torch.cat([p.flatten() for n in networks for p in n.parameters()]).tolist()


net, G, D = Net(), nn.Linear(2, 4), nn.Linear(4, 1)
criterion, bce = nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.5)
opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
ones, zeros = torch.ones(6, 1), torch.zeros(6, 1)
data = torch.linspace(-1, 1, 24).reshape(6, 4)
batches = [(data * k, torch.tensor([0, 1, 2, 0, 1, 2])) for k in (1, 2, 3)]
"""
TAIL = "\nweights = weights_of(net, G, D)\n"

CONVERTED = {
    "a loss that is added to": """
for x, y in batches:
    loss = criterion(net(x), y)
    loss += 0.01 * net.fc1.weight.abs().sum()
    loss -= 0.02 * net.fc2.weight.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "a loss without a name": """
for x, y in batches:
    optimizer.zero_grad()
    criterion(net(x), y).backward()
    optimizer.step()
""",
    "a scaled loss without a name": """
for x, y in batches:
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(criterion(net(x), y)).backward()
    scaler.step(optimizer)
    scaler.update()
""",
    "a part of a sum without a name": """
optimizer.zero_grad()
for i, (x, y) in enumerate(batches):
    (criterion(net(x), y) / 2).backward()
    if (i + 1) % 2 == 0 or i + 1 == len(batches):
        optimizer.step()
        optimizer.zero_grad()
""",
    "a loss without a name in a method": """
class Trainer:
    def __init__(self, model, optimizer, loss_fn):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn

    def run(self, batches):
        self.model.train()
        for batch in batches:
            self.step(batch)

    def step(self, batch):
        x, y = batch
        self.optimizer.zero_grad()
        self.loss_fn(self.model(x), y).backward()
        self.optimizer.step()


Trainer(net, optimizer, criterion).run(batches)
""",
    "two steps in a round": """
for x, y in batches:
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    criterion(net(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a loss that is computed before its gradients are cleared": """
other = torch.optim.SGD(net.fc2.parameters(), lr=0.1)
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    penalty = 0.1 * net(x).pow(2).mean()
    other.zero_grad()
    penalty.backward()
    other.step()
""",
    "two losses of one pass": """
for x, y in batches:
    optimizer.zero_grad()
    out = net(x)
    loss1 = criterion(out, y)
    loss2 = 0.1 * out.pow(2).mean()
    loss1.backward(retain_graph=True)
    loss2.backward()
    optimizer.step()
""",
    "two networks, one loss each": """
for x, y in batches:
    value = D(x).squeeze(-1)
    advantage = x.sum(1) - value
    chosen = torch.log_softmax(net(x), -1).gather(1, y[:, None]).squeeze(1)
    actor_loss = -(chosen * advantage.detach()).mean()
    critic_loss = advantage.pow(2).mean()
    optimizer.zero_grad()
    opt_d.zero_grad()
    actor_loss.backward()
    critic_loss.backward()
    optimizer.step()
    opt_d.step()
""",
    "three losses of two networks": """
for real, _ in batches:
    noise = real[:, :2] * 0.5
    D.zero_grad()
    bce(D(real), ones).backward()
    fake = G(noise)
    bce(D(fake.detach()), zeros).backward()
    opt_d.step()
    G.zero_grad()
    bce(D(fake), ones).backward()
    opt_g.step()
""",
    "samples of the step before": """
for i, (real, _) in enumerate(batches):
    opt_g.zero_grad()
    generated = G(real[:, :2] * 0.5)
    g_loss = bce(D(generated), ones)
    g_loss.backward()
    opt_g.step()
    opt_d.zero_grad()
    real_loss = bce(D(real), ones)
    fake_loss = bce(D(generated.detach()), zeros)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    opt_d.step()
    if i % 2 == 0:
        print(d_loss.item(), g_loss.item())
""",
    "the loss of a method of what is not known": """
def train(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        loss = model.training_step(batch)
        loss.backward()
        optimizer.step()


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def training_step(self, batch):
        x, y = batch
        return F.cross_entropy(self.inner(x), y)


globals()["train"](Wrapped(net), batches, optimizer)
""",
    "a loss in a dict that is not known": """
def train(model, loader, optimizer, loss_fn):
    for x, y in loader:
        losses = loss_fn(model(x), y)
        optimizer.zero_grad()
        losses["total"].backward()
        optimizer.step()


def losses_of(out, y):
    return {"total": F.cross_entropy(out, y)}


globals()["train"](net, batches, optimizer, losses_of)
""",
    "a loss in what a network returns": """
class Output:
    def __init__(self, loss, logits):
        self.loss = loss
        self.logits = logits


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, labels=None):
        logits = self.inner(x)
        return Output(F.cross_entropy(logits, labels), logits)


def train(model, loader, optimizer):
    for x, y in loader:
        outputs = model(x, labels=y)
        outputs.loss.backward()
        optimizer.step()
        optimizer.zero_grad()


globals()["train"](Wrapped(net), batches, optimizer)
""",
    "gradients set to None by hand": """
for x, y in batches:
    for p in net.parameters():
        p.grad = None
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
""",
    "gradients set to zero by hand": """
for x, y in batches:
    for p in net.parameters():
        if p.grad is not None:
            p.grad.detach_()
            p.grad.zero_()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
""",
    "a step for finite losses": """
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    if torch.isfinite(loss) and math.isfinite(loss.item()):
        loss.backward()
        optimizer.step()
""",
    "a choice that carries no gradients": """
class Agent:
    def __init__(self):
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def act(self, state):
        q = net(state)
        return q.argmax(1)

    def learn(self, state, action, reward):
        q = net(state).gather(1, action[:, None]).squeeze(1)
        loss = F.mse_loss(q, reward)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
for x, _ in batches:
    action = agent.act(x)
    agent.learn(x, action, x.sum(1))
""",
    "a state that a function detaches": """
def detached(states):
    return [state.detach() for state in states]


def train(states):
    states = detached(states)
    for x, y in batches:
        optimizer.zero_grad()
        loss = criterion(net(x + 0.1 * states[0]), y)
        loss.backward()
        optimizer.step()


train([G(data[:, :2])])
""",
    "gradients summed in a loop and clipped behind it": """
limit = 1.0
while len(batches) > 1:
    for x, y in batches:
        loss = criterion(net(x), y) / len(batches)
        scaler.scale(loss).backward()
    if limit != 0.0:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(net.parameters(), limit)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    batches.pop()
""",
    "a second network that is trained now and then": """
for i, (x, y) in enumerate(batches):
    value_loss = F.mse_loss(D(x).view(-1), x.sum(1))
    opt_d.zero_grad()
    value_loss.backward()
    opt_d.step()
    if i % 2 == 0:
        actor_loss = -D(G(x[:, :2])).mean()
        opt_g.zero_grad()
        actor_loss.backward()
        opt_g.step()
""",
    "a penalty now and then": """
for i, (x, y) in enumerate(batches):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    if i % 2 == 0:
        penalty = 0.1 * net(x).pow(2).mean()
        penalty.backward()
    optimizer.step()
""",
    "gradients of one network summed up beside another's": """
for i, (x, y) in enumerate(batches):
    loss = criterion(net(x), y)
    loss.backward()
    if i % 2 == 1:
        optimizer.step()
        optimizer.zero_grad()
    opt_d.zero_grad()
    d_loss = F.mse_loss(D(x).view(-1), x.sum(1))
    d_loss.backward()
    opt_d.step()
""",
    "gradients that only another's clearing is near": """
for x, y in batches:
    opt_d.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
""",
    "a round that ends between a loss and its gradients": """
optimizer.zero_grad()
for i, (x, y) in enumerate(batches):
    out = net(x)
    if out.sum().item() > -100 and i == 0:
        continue
    loss = criterion(out, y) / 2
    loss.backward()
    if i % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()
""",
    "a call that ends between a loss and its gradients": """
def run(i, x, y):
    loss = criterion(net(x), y) / 2
    if i == 0:
        return
    loss.backward()
    if i % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()


optimizer.zero_grad()
for i, (x, y) in enumerate(batches):
    run(i, x, y)
""",
    "values that change within the forward pass": """
scale = 1
for x, y in batches:
    optimizer.zero_grad()
    k = 1
    out = net(x * k)
    k = 5
    x = x * 0
    loss = criterion(out, y) * k + x.sum()
    scale = scale / 2
    (loss * scale).backward()
    optimizer.step()
""",
    "targets that are made like the outputs and then filled": """
for x, y in batches:
    out = net(x).log_softmax(1)
    gold = y.clone()
    smooth = torch.full_like(out, 0.1)
    smooth.scatter_(1, gold.unsqueeze(1), 0.8)
    smooth[gold == 2] = 0
    loss = F.kl_div(out, smooth, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "targets that are made of outputs in several steps": """
for x, y in batches:
    out = net(x)
    target = torch.zeros_like(out)
    for row, place in enumerate(y):
        target[row, place] = 1.0
    target += 0.1
    weight = torch.ones(out.size(0))
    weight[y == 1] *= 2
    parts = (out - target).pow(2).sum(1)
    parts = parts * weight
    optimizer.zero_grad()
    parts.mean().backward()
    optimizer.step()
""",
    "weight decay beside what is frozen": """
for p in net.parameters():
    p.requires_grad = False
for p in net.fc2.parameters():
    p.requires_grad = True
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
""",
    "weight decay that nobody asks for, and methods without lines between them": """
class Trainer:
    def __init__(self, model):
        self.model = model
        self.model.fc1.requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.1, eps=1e-3)
    def run(self):
        for x, y in batches:
            self.optimizer.zero_grad()
            criterion(self.model(x), y).backward()
            self.optimizer.step()
Trainer(net).run()
""",
    "a loss in several statements, and none behind it": """
for i, (x, y) in enumerate(batches):
    optimizer.zero_grad()
    out = net(x)
    loss = total = criterion(out, y)
    for p in net.parameters():
        loss = loss + 0.01 * p.pow(2).sum()
    if i:
        loss += 0.1 * out.pow(2).mean()
    loss.backward()
    optimizer.step()
    print(total.item())
    del loss
""",
    "an optimiser by its number": """
models = [nn.Linear(4, 3), nn.Linear(4, 3)]
optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in models]
for x, y in batches:
    for k in range(2):
        optimizers[k].zero_grad()
        loss = criterion(models[k](x), y)
        torch.autograd.backward(loss)
        optimizers[k].step()
weights = torch.cat([p.flatten() for m in models for p in m.parameters()]).tolist()
""",
    "gradients that are clipped by hand": """
limit = 0.01
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    for param in net.parameters():
        if param.grad is not None:
            param.grad.data.clamp_(-limit, max=limit)
    optimizer.step()
""",
    "methods that go on from each other's attributes": """
class Model:
    def __init__(self):
        self.net = net
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def set_input(self, batch):
        self.x, self.y = batch

    def forward(self):
        self.out = self.net(self.x)

    def compute_loss(self):
        self.loss = F.cross_entropy(self.out, self.y)

    def optimize(self):
        self.forward()
        self.compute_loss()
        self.optimizer.zero_grad()
        self.loss.backward()
        self.optimizer.step()


model = Model()
for batch in batches:
    model.set_input(batch)
    model.optimize()
    print(model.loss.item())
""",
    "a number that is trained": """
log_alpha = torch.zeros(1, requires_grad=True)
alpha_optimizer = torch.optim.SGD([log_alpha], lr=0.1)
for x, y in batches:
    with torch.no_grad():
        log_pi = F.log_softmax(net(x), -1)
    alpha_loss = (-log_alpha.exp() * (log_pi - 2.0)).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
weights = log_alpha.tolist() + weights_of(net)
""",
    "gradients of another network's loss": """
for real, _ in batches:
    opt_g.zero_grad()
    opt_d.zero_grad()
    fake = G(real[:, :2])
    g_loss = bce(D(fake), ones)
    g_loss.backward()
    opt_g.step()
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    d_loss.backward()
    opt_d.step()
""",
    "gradients of the step before": """
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    penalty = 0.1 * net(x).pow(2).mean()
    penalty.backward()
    optimizer.step()
""",
    "gradients of a part that are cleared": """
for x, y in batches:
    net.fc1.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
""",
    "a norm of the gradients of one of two networks": """
both = torch.optim.SGD([*G.parameters(), *D.parameters()], lr=0.1)
for x, _ in batches:
    both.zero_grad()
    loss = bce(D(G(x[:, :2])), ones)
    loss.backward()
    nn.utils.clip_grad_norm_(D.parameters(), 0.01)
    both.step()
""",
    "a norm of the gradients of more than is trained": """
some = torch.optim.SGD(net.fc2.parameters(), lr=0.1)
for x, y in batches:
    some.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.01)
    some.step()
""",
    "gradients that are clipped by hand, and unevenly": """
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    for param in net.parameters():
        param.grad.data.clamp_(-0.01, 0.02)
    optimizer.step()
""",
    "gradients that are read": """
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    print(sum(p.grad.norm().item() for p in net.parameters()))
    optimizer.step()
""",
}
"""What is trained, and has the weights that PyTorch has."""


ELSEWHERE = "gradients flow on from {}: compute it beside the loss, or detach it"
WRAPS = "{} wraps the training (as Accelerator, Fabric and DeepSpeed do): train without it"
STALE = "{} has gradients of another loss still: clear them before"
STEP = "zero_grad", "backward", "step"

REFUSED = {
    "samples that a caller made": (
        ELSEWHERE.format("fake"),
        STEP,
        """
def train_generator(optimizer, fake):
    optimizer.zero_grad()
    loss = bce(D(fake), ones)
    loss.backward()
    optimizer.step()
    return loss


for real, _ in batches:
    fake = G(real[:, :2])
    train_generator(opt_g, fake)
""",
    ),
    "features that another method made": (
        ELSEWHERE.format("hidden"),
        STEP,
        """
class Trainer:
    def run(self):
        for x, y in batches:
            self.finish(net.fc1(x), y=y)

    def finish(self, hidden, y):
        optimizer.zero_grad()
        loss = criterion(net.fc2(hidden), y)
        loss.backward()
        optimizer.step()


Trainer().run()
""",
    ),
    "features that an attribute has": (
        ELSEWHERE.format("self.hidden"),
        STEP,
        """
class Trainer:
    def run(self):
        for x, y in batches:
            self.hidden = net.fc1(x)
            self.finish(y)

    def finish(self, y):
        optimizer.zero_grad()
        loss = criterion(net.fc2(self.hidden), y)
        loss.backward()
        optimizer.step()


Trainer().run()
""",
    ),
    "features of before the loop": (
        ELSEWHERE.format("hidden"),
        ("backward", "step"),
        """
for x, y in batches:
    optimizer.zero_grad()
    hidden = net.fc1(x)
    for _ in range(2):
        loss = criterion(net.fc2(hidden), y)
        loss.backward(retain_graph=True)
    optimizer.step()
""",
    ),
    "samples of the last round of a loop": (
        ELSEWHERE.format("fake"),
        STEP,
        """
for real, _ in batches:
    for k in range(2):
        fake = G(real[:, :2] * k)
        d_loss = D(fake).mean() - D(real).mean()
        D.zero_grad()
        d_loss.backward(retain_graph=True)
        opt_d.step()
    g_loss = -D(fake).mean()
    G.zero_grad()
    g_loss.backward()
    opt_g.step()
""",
    ),
    "a loss of before a block": (
        ELSEWHERE.format("loss"),
        ("backward", "step"),
        """
for x, y in batches:
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    with torch.autograd.set_detect_anomaly(True):
        loss.backward()
    optimizer.step()
""",
    ),
    "a forward pass that may end the round": (
        "a statement of the forward pass ends the round, or the function",
        STEP,
        """
for i, (x, y) in enumerate(batches):
    optimizer.zero_grad()
    if i != 1:
        out = net(x)
    else:
        continue
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
""",
    ),
    "samples of noise that is given another value": (
        "noise: given another value before its gradients are computed",
        (*STEP, *STEP),
        """
for real, _ in batches:
    noise = real[:, :2]
    fake = G(noise)
    d_loss = D(fake.detach()).mean() - D(real).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    noise = noise * 0
    g_loss = -D(fake).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
""",
    ),
    "a wrapper's backward": (
        WRAPS.format("accelerator"),
        STEP,
        """
def train(accelerator, model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
""",
    ),
    "a wrapper's backward and step": (
        WRAPS.format("engine"),
        ("backward",),
        """
def train(engine, loader):
    for x, y in loader:
        loss = criterion(engine(x), y)
        engine.backward(loss)
        engine.step()
""",
    ),
    "a closure that is called many times, perhaps": (
        "LBFGS calls the closure several times a step, and this may be one",
        STEP,
        """
def train(optimizer):  # of LBFGS, too
    for x, y in batches:

        def closure():
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)
""",
    ),
    "a closure that is called many times, and clips": (
        "the closure changes its gradients, and it is called several times a step",
        ("zero_grad", "backward", "clip_grad_norm_", "step"),
        """
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=4)
for x, y in batches:

    def closure():
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        return loss

    optimizer.step(closure)
""",
    ),
    "a closure with two losses": (
        "the closure has no single backward, or takes arguments",
        ("zero_grad", "backward", "backward", "step"),
        """
for x, y in batches:

    def closure():
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        net(x).pow(2).mean().backward()
        return loss

    optimizer.step(closure)
""",
    ),
    "gradients that a closure leaves behind": (
        "",
        ("grad",),
        """
v = nn.Parameter(torch.ones(2))
lbfgs = torch.optim.LBFGS([v], lr=0.5)


def closure():
    lbfgs.zero_grad()
    loss = (v * v).sum()
    loss.backward()
    return loss


lbfgs.step(closure)
left = v.grad
""",
    ),
    "gradients that a closure adds to": (
        "which optimiser takes the gradients is not to be seen here",
        ("backward", "step"),
        """
v = nn.Parameter(torch.ones(2))
lbfgs = torch.optim.LBFGS([v], lr=0.5)


def closure():
    loss = (v * v).sum()
    loss.backward()
    return loss


(3 * v).sum().backward()
lbfgs.step(closure)
""",
    ),
}
"""What stays: the reason, the uses that are left, and the code."""


def script(code: str) -> str:
    return f"{HEAD}{code}{'' if 'weights =' in code else TAIL}"
