"""torch.func: per-sample gradients for DP-SGD, a stacked ensemble, Jacobians and Hessian products."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, jvp, stack_module_state, vjp, vmap


class SimpleNet(nn.Module):
    def __init__(self, scale=1.0):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 3)
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() * scale + i).view_as(p) * 0.3

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def loss_fn(predictions, targets):
    return F.cross_entropy(predictions, targets)


model = SimpleNet()
data = torch.cos(torch.arange(24).float() * 0.8).view(6, 4)
targets = torch.tensor([0, 1, 2, 0, 1, 2])
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return loss_fn(predictions, target.unsqueeze(0))


ft_compute_sample_grad = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
per_sample = ft_compute_sample_grad(params, buffers, data, targets)
print({k: tuple(v.shape) for k, v in per_sample.items()})
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()]).norm(dim=0)
print([round(v, 4) for v in norms.tolist()])
clip = (0.5 / (norms + 1e-6)).clamp(max=1.0)
for step in range(3):
    per_sample = ft_compute_sample_grad(params, buffers, data, targets)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()]).norm(dim=0)
    clip = (0.5 / (norms + 1e-6)).clamp(max=1.0)
    clipped = {k: torch.einsum("n...,n->...", g, clip) / len(data) for k, g in per_sample.items()}
    params = {k: p - 0.5 * clipped[k] for k, p in params.items()}
    loss = loss_fn(functional_call(model, params, data), targets)
    print("dp-sgd", step, round(loss.item(), 4), round(norms.max().item(), 4))

models = [SimpleNet(s) for s in (0.7, 1.3, 2.1)]
stacked, stacked_buffers = stack_module_state(models)
base_model = copy.deepcopy(models[0])


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


predictions = vmap(fmodel, in_dims=(0, 0, None))(stacked, stacked_buffers, data)
print(tuple(predictions.shape), torch.allclose(predictions[1], models[1](data), atol=1e-5))
print(predictions.softmax(-1).mean(0).argmax(-1).tolist())


def energy(x):
    return (x ** 3).sum() + x.prod()


point = torch.tensor([1.0, 2.0, -0.5])
g, value = grad_and_value(energy)(point)
print(g.tolist(), value.item())
print(hessian(energy)(point).tolist())
jac = jacrev(lambda x: functional_call(model, params, x))(data[0])
print(tuple(jac.shape), round(jac.abs().sum().item(), 4))
batched = vmap(jacrev(lambda x: torch.tanh(x) * x.sum()))(data[:2])
print(tuple(batched.shape), round(batched.diagonal(dim1=1, dim2=2).sum().item(), 4))
out, tangent = jvp(energy, (point,), (torch.ones(3),))
_, pull = vjp(lambda x: x.sin() * 2, point)
print(round(out.item(), 4), round(tangent.item(), 4), [round(v, 4) for v in pull(torch.ones(3))[0].tolist()])
