"""Grad-CAM as a function with a dictionary of hooks, and Grad-CAM++ weights on the same layer."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 5, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(5, 4)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        return self.fc(self.pool(x).flatten(1))


def fill(model):
    for i, p in enumerate(model.parameters()):
        p.data = torch.sin(torch.arange(p.numel()).float() * 0.9 + i).view_as(p) * 0.4


def gradcam(model, x, layer, target=None, plus=False):
    store = {}

    def save_activation(module, inp, out):
        store["act"] = out.detach()

    def save_gradient(module, grad_in, grad_out):
        store["grad"] = grad_out[0].detach()

    h1 = layer.register_forward_hook(save_activation)
    h2 = layer.register_full_backward_hook(save_gradient)
    try:
        logits = model(x)
        target = int(logits.argmax(1)[0]) if target is None else target
        model.zero_grad(set_to_none=True)
        logits[:, target].sum().backward()
    finally:
        h1.remove()
        h2.remove()
    grad, act = store["grad"], store["act"]
    if plus:
        alpha = grad ** 2 / (2 * grad ** 2 + (act * grad ** 3).sum((2, 3), keepdim=True) + 1e-7)
        weights = (alpha * F.relu(grad)).sum((2, 3), keepdim=True)
    else:
        weights = grad.mean((2, 3), keepdim=True)
    cam = F.relu((weights * act).sum(1))
    return cam / (cam.amax((1, 2), keepdim=True) + 1e-8), target


model = Net().eval()
fill(model)
image = torch.cos(torch.arange(2 * 3 * 8 * 8).float() * 0.31).view(2, 3, 8, 8)
for plus in (False, True):
    for target in (None, 1):
        cam, cls = gradcam(model, image, model.conv2, target, plus)
        print(plus, cls, tuple(cam.shape), [round(v, 4) for v in cam.mean((1, 2)).tolist()])
print(len(model.conv2._forward_hooks), len(model.conv2._backward_hooks))
