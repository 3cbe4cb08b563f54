"""Networks that only functional_call calls, and parametrizations, are in training when new."""

import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.utils import parametrize


def shown(t):
    return [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()]


def drops(t):
    return int((t == 0).sum()) > 0


x = torch.arange(12.0).reshape(4, 3)
net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
params = {name: p.detach() for name, p in net.named_parameters()}
buffers = {name: b.clone() for name, b in net.named_buffers()}
print(shown(functional_call(net, (params, buffers), (x,)))[::3])
print(shown(net[1].running_mean), shown(buffers["1.running_mean"]))
net.eval()
print(shown(functional_call(net, (params, buffers), (x,)))[::3])

dropping = nn.Sequential(nn.Linear(3, 40), nn.Dropout(0.5))
print(drops(functional_call(dropping, dict(dropping.named_parameters()), (x,))))
by_name = nn.Sequential(nn.Linear(3, 40), nn.Dropout(0.5))
print(drops(functional_call(module=by_name, parameter_and_buffer_dicts={}, args=(x,))))
evaluated = nn.Sequential(nn.Linear(3, 40), nn.Dropout(0.5)).eval()
print(drops(functional_call(evaluated, {}, (x,))))

nets = [nn.Sequential(nn.Linear(3, 20), nn.Dropout(0.5)) for _ in range(3)]
stacked, others = stack_module_state(nets)
base = copy.deepcopy(nets[0])


def called(p, b, t):
    return functional_call(base, (p, b), (t,))


print(drops(vmap(called, (0, 0, None), randomness="different")(stacked, others, x)))

layer = nn.Linear(30, 30)
parametrize.register_parametrization(layer, "weight", nn.Dropout(0.5))
print(drops(layer.weight))
layer.eval()
print(drops(layer.weight))
still = nn.Linear(30, 30)
still.eval()
parametrize.register_parametrization(still, "weight", nn.Dropout(0.5))
print(drops(still.weight))
named = nn.Linear(30, 30)
named.eval()
parametrize.register_parametrization(
    module=named, tensor_name="weight", parametrization=nn.Dropout(0.5)
)
print(drops(named.weight))
