"""A graph autoencoder on a dense adjacency matrix: normalisation, negative pairs, average precision by sorting."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def ring_of_cliques(cliques, size):
    n = cliques * size
    adj = torch.zeros(n, n)
    for c in range(cliques):
        lo, hi = c * size, (c + 1) * size
        adj[lo:hi, lo:hi] = 1.0
        nxt = (hi) % n
        adj[hi - 1, nxt] = adj[nxt, hi - 1] = 1.0
    adj.fill_diagonal_(0)
    return adj


def normalise(adj):
    with_self = adj + torch.eye(adj.shape[0])
    degree = with_self.sum(dim=1)
    inv = torch.diag(degree.pow(-0.5))
    return inv @ with_self @ inv


class GraphConv(nn.Module):
    def __init__(self, in_dim, out_dim, act=None):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_dim, out_dim))
        self.register_parameter("bias", None)
        self.act = act
        self.reset_parameters()

    def reset_parameters(self):
        with torch.no_grad():
            values = torch.cos(torch.arange(self.weight.numel(), dtype=torch.float32) * 0.37)
            self.weight.copy_(values.reshape(self.weight.shape) * 0.4)

    def forward(self, x, adj):
        out = adj.mm(x.mm(self.weight))
        if self.bias is not None:
            out = out + self.bias
        return self.act(out) if self.act else out


class GAE(nn.Module):
    def __init__(self, features, hidden, latent):
        super().__init__()
        self.gc1 = GraphConv(features, hidden, act=F.elu)
        self.gc_mean = GraphConv(hidden, latent)
        self.gc_logvar = GraphConv(hidden, latent, act=lambda t: t.clamp(max=2.0))

    def encode(self, x, adj):
        h = self.gc1(x, adj)
        return self.gc_mean(h, adj), self.gc_logvar(h, adj)

    def forward(self, x, adj, noise=None):
        mean, logvar = self.encode(x, adj)
        z = mean if noise is None else mean + noise * torch.exp(0.5 * logvar)
        return torch.sigmoid(z @ z.t()), mean, logvar


def average_precision(score, label):
    order = torch.argsort(score, descending=True, stable=True)
    hits = label[order].float()
    precision = hits.cumsum(0) / torch.arange(1, len(hits) + 1)
    return (precision * hits).sum() / hits.sum()


adj = ring_of_cliques(3, 5)
n = adj.size(0)
pairs = torch.triu(torch.ones(n, n), diagonal=1).nonzero()
labels = adj[pairs[:, 0], pairs[:, 1]]
print(pairs.shape, int(labels.sum()))
keep = torch.arange(len(pairs)) % 6 != 0
train_adj = torch.zeros_like(adj)
kept = pairs[keep & (labels > 0)]
train_adj[kept[:, 0], kept[:, 1]] = 1
train_adj = torch.maximum(train_adj, train_adj.T)
a_hat = normalise(train_adj)
model = GAE(n, 8, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
pos_weight = (n * n - train_adj.sum()) / train_adj.sum()
weights = torch.where(train_adj == 1, pos_weight, torch.ones(()))
for epoch in range(12):
    optimizer.zero_grad()
    noise = torch.sin(torch.arange(n * 3).float() * (epoch + 1)).view(n, 3)
    recovered, mean, logvar = model(torch.eye(n), a_hat, noise)
    bce = F.binary_cross_entropy(recovered, train_adj, weight=weights)
    kl = -0.5 * torch.mean(torch.sum(1 + logvar - mean.pow(2) - logvar.exp(), dim=1)) / n
    loss = bce + kl
    loss.backward()
    optimizer.step()
    if epoch % 4 == 3:
        print(epoch, round(bce.item(), 4), round(kl.item(), 4))
with torch.no_grad():
    recovered, _, _ = model(torch.eye(n), a_hat)
held = ~keep
score = recovered[pairs[held][:, 0], pairs[held][:, 1]]
print("ap", round(average_precision(score, labels[held]).item(), 4), tuple(score.shape))
