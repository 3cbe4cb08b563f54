import math
import torch
from torch import nn
from torch.nn import functional as F, init
from torch.nn.parameter import Parameter
class NoisyLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, std_init: float = 0.5):
        super(NoisyLinear, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.std_init = std_init
        self.weight_mu = nn.Parameter(torch.Tensor(out_features, in_features))
        self.weight_sigma = nn.Parameter(torch.empty(out_features, in_features))
        self.register_buffer("weight_epsilon", torch.Tensor(out_features, in_features))
        self.bias_mu = Parameter(torch.FloatTensor(out_features))
        self.reset_parameters()
    def reset_parameters(self):
        mu_range = 1 / math.sqrt(self.in_features)
        self.weight_mu.data.uniform_(-mu_range, mu_range)
        self.weight_sigma.data.fill_(self.std_init / math.sqrt(self.in_features))
        self.bias_mu.data.uniform_(-mu_range, mu_range)
        eps = torch.ones(self.out_features)
        self.weight_epsilon.copy_(eps.outer(torch.ones(self.in_features)))
    def forward(self, x):
        if self.training:
            return F.linear(x, self.weight_mu + self.weight_sigma * self.weight_epsilon, self.bias_mu)
        return F.linear(x, self.weight_mu, self.bias_mu)
    def extra_repr(self):
        return "in_features={}, out_features={}".format(self.in_features, self.out_features)
class GraphConv(nn.Module):
    def __init__(self, i, o, bias=True):
        super().__init__()
        self.weight = Parameter(torch.empty(i, o))
        if bias:
            self.bias = Parameter(torch.empty(o))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()
    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)
    def forward(self, x, adj):
        out = torch.mm(adj, torch.mm(x, self.weight))
        return out + self.bias if self.bias is not None else out
class LSTMCell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.x2h = nn.Linear(i, 4 * h, bias=True)
        self.h2h = nn.Linear(h, 4 * h, bias=False)
        self.W = nn.Parameter(nn.init.xavier_uniform_(torch.empty(i, h)))
        std = 1.0 / math.sqrt(h)
        for w in self.parameters():
            w.data.uniform_(-std, std)
    def forward(self, x, hc):
        h, c = hc
        gates = self.x2h(x) + self.h2h(h)
        i, f, g, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c) + x @ self.W, c
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.noisy = NoisyLinear(3, 4)
        self.gc = GraphConv(4, 4, bias=False)
        self.gc2 = GraphConv(4, 4)
        self.cell = LSTMCell(4, 4)
        self.alpha = nn.Parameter(torch.tensor([0.5]))
        self.logit_scale = nn.Parameter(torch.ones([]) * math.log(1 / 0.07))
        self.w2 = nn.Parameter(torch.randn(4, 4) / 2)
        self.bank = nn.ParameterList()
        for i in range(2):
            self.bank.append(nn.Parameter(torch.zeros(4)))
        self.ln = nn.LayerNorm(4, elementwise_affine=False)
        self.drop = nn.Dropout(p=0.2)
    def forward(self, x):
        x = self.noisy(x)
        adj = torch.softmax(x @ x.t(), dim=-1)
        x = self.gc2(self.gc(x, adj), adj)
        h = x.new_zeros(x.size(0), 4)
        h, c = self.cell(x, (h, h.clone()))
        x = self.ln(h + self.bank[0]) * self.alpha * self.logit_scale.exp()
        return x.matmul(self.w2) * (1 - self.drop.p)
def check(net: Net):
    with torch.no_grad():
        net.logit_scale.clamp_(0, 2)
        net.alpha.fill_(0.25)
        net.w2.div_(2.0)
        net.w2 += 1
        net.bank[0].copy_(torch.ones(4))
        net.gc.weight[0] = 3.0
        net.gc.weight.data[1, :2].fill_(4.0)
    return [net.logit_scale, net.alpha, net.w2, net.bank[0], net.gc.weight, net.alpha.item(), net.logit_scale.item(), net.noisy.in_features, "out_features=4" in repr(net.noisy)]
