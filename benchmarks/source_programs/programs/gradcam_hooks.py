"""Grad-CAM and guided backpropagation by hooks on modules, with the handles removed afterwards."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyVGG(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(4, 6, 3, padding=1), nn.ReLU())
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(6 * 9, 12), nn.ReLU(), nn.Linear(12, classes))
        for k, p in enumerate(self.parameters()):
            with torch.no_grad():
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float) * 1.1 + k).view_as(p) * 0.35)

    def forward(self, x):
        return self.classifier(self.features(x))


class GradCam:
    def __init__(self, model, target_layer):
        self.model = model
        self.target_layer = target_layer
        self.gradients = None
        self.activations = None
        self.hooks = []
        self._register()

    def _register(self):
        def forward_hook(module, args, output):
            self.activations = output

        def backward_hook(module, grad_input, grad_output):
            self.gradients = grad_output[0]

        self.hooks.append(self.target_layer.register_forward_hook(forward_hook))
        self.hooks.append(self.target_layer.register_full_backward_hook(backward_hook))

    def remove(self):
        for hook in self.hooks:
            hook.remove()

    def generate(self, image, class_idx=None):
        self.model.eval()
        logits = self.model(image)
        if class_idx is None:
            class_idx = logits.argmax(dim=1).item()
        self.model.zero_grad()
        score = logits[0, class_idx]
        score.backward()
        weights = self.gradients.mean(dim=[2, 3], keepdim=True)
        cam = (weights * self.activations).sum(dim=1, keepdim=True)
        cam = F.relu(cam)
        cam = F.interpolate(cam, size=image.shape[-2:], mode="bilinear", align_corners=False)
        cam = cam - cam.min()
        cam = cam / (cam.max() + 1e-8)
        return cam.squeeze().detach().cpu().numpy(), class_idx


class ActivationStats:
    """Mean and sparsity of each ReLU, gathered while the network runs."""

    def __init__(self, model):
        self.stats = {}
        self.handles = [m.register_forward_hook(self._hook(n)) for n, m in model.named_modules() if isinstance(m, nn.ReLU)]

    def _hook(self, name):
        def hook(module, inp, out):
            self.stats.setdefault(name, []).append((out.mean().item(), (out == 0).float().mean().item()))
        return hook

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()


def saliency(model, image, label):
    image = image.clone().requires_grad_(True)
    loss = F.cross_entropy(model(image), label)
    loss.backward()
    return image.grad.abs().amax(dim=1)


rng = np.random.RandomState(0)
net = TinyVGG()
images = torch.from_numpy(rng.rand(4, 1, 6, 6)).float()
labels = torch.tensor([0, 1, 2, 0])
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(images), labels)
    loss.backward()
    optimizer.step()
    print("loss", round(loss.item(), 4))
cam = GradCam(net, net.features[3])
for target in (None, 2):
    heat, index = cam.generate(images[:1], target)
    print("cam", index, heat.shape, round(float(heat.mean()), 4), int(heat.argmax()))
cam.remove()
with ActivationStats(net) as gathered, torch.no_grad():
    for i in range(2):
        net(images[i:i + 1])
print({k: [tuple(round(v, 4) for v in pair) for pair in stats] for k, stats in gathered.stats.items()})
print(len(net.features[3]._forward_hooks))
s = saliency(net, images, labels)
print(tuple(s.shape), s.sum().item(), s.flatten(1).argmax(1).tolist())
