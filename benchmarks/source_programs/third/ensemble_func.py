"""torch.func in small: per-sample gradient norms, a functional SGD loop over a dictionary, a Gauss-Newton matrix by jacrev."""
import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, jacfwd, jacrev, vmap

torch.set_printoptions(precision=4)
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
for i, p in enumerate(net.parameters()):
    p.data = torch.sin(torch.arange(p.numel()).float() * 1.9 + i).view(p.shape) * 0.6
X = torch.cos(torch.arange(24).float() * 0.7).reshape(8, 3)
Y = torch.tensor([0, 1, 1, 0, 1, 0, 0, 1])


def loss_of(params, x, y):
    logits = functional_call(net, params, (x,))
    return nn.functional.cross_entropy(logits, y)


def sample_loss(params, x, y):
    return loss_of(params, x[None], y[None])


weights = dict(net.named_parameters())
per_sample = vmap(grad(sample_loss), in_dims=(None, 0, 0))(weights, X, Y)
norm = sum(g.flatten(1).pow(2).sum(1) for g in per_sample.values()).sqrt()
print([round(v, 4) for v in norm.tolist()], sorted(per_sample))

state = {k: v.detach().clone() for k, v in net.named_parameters()}
step = grad_and_value(loss_of)
for i in range(5):
    grads, value = step(state, X, Y)
    state = {k: state[k] - 0.5 * grads[k] for k in state}
    print(i, f"{value.item():.5f}")
print(torch.allclose(net(X), functional_call(net, state, (X,))))

f = lambda x: functional_call(net, state, x)
J = vmap(jacrev(f))(X)
print(J.shape, round(torch.einsum("boi,boj->ij", J, J).trace().item(), 4))
Jf = jacfwd(f)(X[0])
print(torch.allclose(J[0], Jf, atol=1e-5))
net.load_state_dict(state)
print(round(loss_of(dict(net.named_parameters()), X, Y).item(), 5))
