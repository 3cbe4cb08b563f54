import copy
import os
import tempfile
import torch
from einops import reduce
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3), nn.BatchNorm1d(3))
        self.table = nn.Embedding(4, 3)
        self.register_buffer("scale", torch.ones(3))
    def forward(self, x):
        return self.body(x) * self.scale + self.table.weight[0]
def averaged(net: Net, decay=0.5):
    shadow = {name: p.data.clone() for name, p in net.named_parameters()}
    for name, p in net.named_parameters():
        shadow[name].mul_(decay).add_(torch.ones_like(p), alpha=1 - decay)
    return shadow
def check(net: Net):
    state = net.state_dict()
    out = [state[name] * 1 for name, _ in net.named_parameters()]
    out += [k for k in state if k.endswith("weight") and "running" not in k]
    out += ["body.1.weight" in state, state.get("body.1.gamma") is None, state["body.2.running_mean"]]
    other = copy.deepcopy(state)
    other["body.1.weight"] = other["body.1.weight"] * 2
    net.load_state_dict(other)
    out.append(net.body[1].weight * 1)
    found = net.load_state_dict(averaged(net), strict=False)
    out += [net.body[1].weight * 1, net.table.weight * 1, list(found.unexpected_keys)]
    own = net.state_dict()
    own.update({k: v * 3 for k, v in own.items() if k.startswith("body.1")})
    net.load_state_dict(own)
    for (k, v), (name, p) in zip(net.state_dict().items(), net.named_parameters()):
        out.append(k == name)
        break
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.pt")
        torch.save(net.state_dict(), path)
        net.body[1].weight.data.zero_()
        net.load_state_dict(torch.load(path))
        torch.save({"net": net.state_dict(), "epoch": 3}, path)
        net.body[1].bias.data.fill_(5)
        loaded = torch.load(path)
        net.load_state_dict(loaded["net"])
    x = torch.arange(24.0).view(2, 3, 4) / 8
    out += [reduce(x, "b c d -> d b", "prod"), reduce(x > 1, "b c d -> b", "any"), reduce(x > 1, "b c d -> c", "all")]
    Float, Long = (torch.cuda.FloatTensor, torch.cuda.LongTensor) if torch.cuda.is_available() else (torch.FloatTensor, torch.LongTensor)
    out += [x.type(Long), Float([1, 2]), Float(2, 3).fill_(0), Long([[1, 2]])]
    return out + [loaded["epoch"], net.body[1].weight * 1, net.body[1].bias * 1]
