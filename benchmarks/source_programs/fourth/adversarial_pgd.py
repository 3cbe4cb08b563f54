"""Adversarial training: FGSM and PGD attacks as classes, mixed batches, a frozen stage whose group joins the optimiser later."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Attack:
    def __init__(self, model, eps):
        self.model = model
        self.eps = eps

    def __call__(self, images, labels):
        training = self.model.training
        self.model.eval()
        adv = self.perturb(images, labels)
        self.model.train(training)
        return adv

    def perturb(self, images, labels):
        raise NotImplementedError

    def __repr__(self):
        return "{}(eps={:g})".format(self.__class__.__name__, self.eps)


class FGSM(Attack):
    def perturb(self, images, labels):
        images = images.clone().detach()
        images.requires_grad = True
        outputs = self.model(images)
        loss = nn.CrossEntropyLoss()
        cost = loss(outputs, labels)
        grad = torch.autograd.grad(cost, images, retain_graph=False, create_graph=False)[0]
        adv_images = images + self.eps * grad.sign()
        return torch.clamp(adv_images, min=0, max=1).detach()


class PGD(Attack):
    def __init__(self, model, eps, alpha=0.02, steps=4, start=None):
        super().__init__(model, eps)
        self.alpha, self.steps, self.start = alpha, steps, start

    def perturb(self, images, labels):
        delta = torch.zeros_like(images) if self.start is None else self.start.expand_as(images).clone() * self.eps
        delta.requires_grad_()
        for _ in range(self.steps):
            loss = F.cross_entropy(self.model(images + delta), labels)
            loss.backward()
            grad = delta.grad.detach()
            delta.data = torch.clamp(delta + self.alpha * torch.sign(grad), min=-self.eps, max=self.eps)
            delta.data = torch.clamp(images + delta.data, 0, 1) - images
            delta.grad.zero_()
        return (images + delta).detach()


class SmallCNN(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.SiLU(), nn.AvgPool2d(2),
            nn.Conv2d(6, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(), nn.AdaptiveMaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(32, 12), nn.Hardswish(), nn.Linear(12, classes))

    def forward(self, x):
        return self.classifier(self.features(x))


def load_fixed(model):
    rng = np.random.RandomState(31)
    sd = model.state_dict()
    new = {}
    for k, v in sd.items():
        if v.dtype.is_floating_point and v.dim() > 1:
            new[k] = torch.from_numpy(rng.normal(0, (2.0 / v[0].numel()) ** 0.5, size=tuple(v.shape))).type(v.dtype)
        elif k.endswith("bias"):
            new[k] = torch.zeros_like(v)
    result = model.load_state_dict(new, strict=False)
    return len(result.missing_keys) > 0


def patterns(n, seed):
    rng = np.random.RandomState(seed)
    x = 0.25 + 0.1 * rng.rand(n, 1, 8, 8)
    y = rng.randint(0, 3, n)
    for i, k in enumerate(y):
        if k == 0:
            x[i, 0, ::2] += 0.5
        elif k == 1:
            x[i, 0, :, ::2] += 0.5
        else:
            x[i, 0, 2:6, 2:6] += 0.5
    return torch.from_numpy(x).float(), torch.from_numpy(y)


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        _, predicted = torch.max(model(x).data, 1)
    return (predicted == y).sum().item() / len(y)


def robust_accuracy(model, x, y, attack):
    return accuracy(model, attack(x, y), y)


def stage(model, optimizer, batches, attack, epochs, mix=0.5, name=""):
    for epoch in range(epochs):
        model.train()
        total = 0
        for x, y in batches:
            x, y = Variable(x), Variable(y)
            adv = attack(x, y)
            optimizer.zero_grad()
            logits = model(torch.cat([x, adv]))
            clean, hard = logits[: x.size(0)], logits[x.size(0):]
            loss = mix * F.cross_entropy(clean, y) + (1 - mix) * F.cross_entropy(hard, y, label_smoothing=0.1)
            loss.backward()
            optimizer.step()
            total += float(loss)
        print(f"{name}{epoch} {attack}: {total / len(batches):.4f}")


x, y = patterns(36, 0)
x_test, y_test = patterns(18, 1)
batches = [(x[i:i + 12], y[i:i + 12]) for i in range(0, 36, 12)]
model = SmallCNN()
print("partly", load_fixed(model))
for p in model.features.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(model.classifier.parameters(), lr=0.05, momentum=0.9)
stage(model, optimizer, batches, FGSM(model, 0.05), 2, name="head ")
for p in model.features.parameters():
    p.requires_grad = True
optimizer.add_param_group({"params": model.features.parameters(), "lr": 0.01})
print([len(g["params"]) for g in optimizer.param_groups], [g["lr"] for g in optimizer.param_groups])
start = torch.sin(torch.arange(64.0)).view(1, 1, 8, 8)
stage(model, optimizer, batches, PGD(model, 0.06, start=start), 3, name="all ")
print("clean", accuracy(model, x_test, y_test))
for attack in (FGSM(model, 0.05), PGD(model, 0.1, steps=3)):
    adv = attack(x_test, y_test)
    print(attack, round(robust_accuracy(model, x_test, y_test, attack), 3), f"{(adv - x_test).abs().max():.3f} {(adv - x_test).norm():.3f}")
with torch.no_grad():
    print("logits", model(x_test[:2]).numpy().round(2))
