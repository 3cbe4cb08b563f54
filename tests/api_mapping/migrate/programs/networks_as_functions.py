"""Networks that are called with other weights: functional_call, grad, vmap and jacobians of it."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, grad_and_value, jacrev, stack_module_state, vmap


def shown(t):
    return [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()]


class Net(nn.Module):
    def __init__(self, shift=0.0):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.norm = nn.LayerNorm(4)
        self.fc2 = nn.Linear(4, 2)
        self.register_buffer("scale", torch.tensor(2.0))
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() + i + shift).view_as(p) * 0.5

    def forward(self, x, flip=False):
        y = self.fc2(torch.tanh(self.norm(self.fc1(x)))) * self.scale
        return -y if flip else y


net = Net()
x = torch.cos(torch.arange(15.0)).view(5, 3)
y = torch.tensor([0, 1, 1, 0, 1])
weights = {k: v.detach() for k, v in net.named_parameters()}
buffers = dict(net.named_buffers())

print(shown(functional_call(net, weights, (x,))) == shown(net(x)))
halved = {k: v * 0.5 for k, v in weights.items()}
print(shown(functional_call(net, halved, x)), shown(net(x))[:2])
print(shown(functional_call(net, (halved, {"scale": torch.tensor(1.0)}), (x[:1],), {"flip": True})))
print(shown(functional_call(net, {"fc2.bias": torch.zeros(2)}, (x[:1],))))


def loss_of(params, buffers, sample, target):
    out = functional_call(net, (params, buffers), (sample.unsqueeze(0),))
    return F.cross_entropy(out, target.unsqueeze(0))


per_sample = vmap(grad(loss_of), in_dims=(None, None, 0, 0))(weights, buffers, x, y)
print({k: tuple(v.shape) for k, v in per_sample.items()})
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()]).norm(dim=0)
print(shown(norms))


def whole_loss(params, x, y):
    return F.cross_entropy(functional_call(net, params, (x,)), y)


state = {k: v.clone() for k, v in weights.items()}
for _ in range(3):
    grads, value = grad_and_value(whole_loss)(state, x, y)
    state = {k: state[k] - 0.5 * grads[k] for k in state}
    print(round(value.item(), 4))
print(shown(state["norm.weight"]), shown(net.norm.weight))
print(shown(grad(lambda p, t: functional_call(net, p, t).sum(), argnums=1)(weights, x[:1])))
with_aux = grad(lambda p: (whole_loss(p, x, y), functional_call(net, p, (x,))), has_aux=True)
found, out = with_aux(weights)
print(shown(found["fc2.bias"]), shown(out[0]))

J = vmap(jacrev(lambda t: functional_call(net, weights, t)))(x)
print(tuple(J.shape), shown(J[0]))

nets = [Net(0.1), Net(0.2), Net(0.3)]
params, stacked_buffers = stack_module_state(nets)
outs = vmap(lambda p, b, t: functional_call(nets[0], (p, b), (t,)), in_dims=(0, 0, None))(
    params, stacked_buffers, x
)
print(tuple(outs.shape), torch.allclose(outs[2], nets[2](x), atol=1e-5))
print(tuple(vmap(lambda t: functional_call(net, weights, t), out_dims=1)(x).shape))


def scaled(params, t, factor):
    return functional_call(net, params, t).pow(2).sum() * factor


once, twice = (grad(scaled)(weights, x, factor=k) for k in (1.0, 2.0))
print(shown(twice["fc2.bias"]) == shown(once["fc2.bias"] * 2))
print(shown(grad_and_value(scaled)(weights, t=x, factor=2.0)[1]))
print(shown(vmap(scaled, (None, 0))(weights, x, factor=3.0)))
both = vmap(lambda t: (functional_call(net, weights, t), t.sum()), out_dims=(1, 0))(x)
print([tuple(part.shape) for part in both])
