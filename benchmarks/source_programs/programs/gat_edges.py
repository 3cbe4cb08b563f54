"""Graph attention over an edge list: softmax per node by scatter_add and scatter_reduce, masks for training."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edge_index, num_nodes):
    loops = torch.arange(num_nodes, dtype=torch.long).unsqueeze(0).repeat(2, 1)
    return torch.cat([edge_index, loops], dim=1)


def segment_softmax(scores, index, num_nodes):
    expanded = index.unsqueeze(-1).expand_as(scores)
    top = torch.full((num_nodes, scores.size(1)), float("-inf")).scatter_reduce(
        0, expanded, scores, reduce="amax", include_self=False)
    exp = (scores - top[index]).exp()
    total = torch.zeros(num_nodes, scores.size(1)).scatter_add_(0, expanded, exp)
    return exp / (total[index] + 1e-16)


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2, concat=True, negative_slope=0.2):
        super().__init__()
        self.heads, self.out_features, self.concat = heads, out_features, concat
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_features))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_features))
        self.bias = nn.Parameter(torch.empty(heads * out_features if concat else out_features))
        self.leaky = nn.LeakyReLU(negative_slope)
        self.reset_parameters()

    def reset_parameters(self):
        for k, tensor in enumerate([self.lin.weight, self.att_src, self.att_dst]):
            fan = tensor.size(-1)
            grid = torch.arange(tensor.numel(), dtype=torch.float32).view_as(tensor)
            tensor.data = torch.sin(grid * 1.7 + k) / fan ** 0.5
        nn.init.zeros_(self.bias)

    def forward(self, x, edge_index, return_attention=False):
        n = x.size(0)
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.out_features)
        alpha_src, alpha_dst = (h * self.att_src).sum(-1), (h * self.att_dst).sum(-1)
        alpha = segment_softmax(self.leaky(alpha_src[src] + alpha_dst[dst]), dst, n)
        messages = h[src] * alpha.unsqueeze(-1)
        out = torch.zeros_like(h).index_add_(0, dst, messages)
        out = out.flatten(1) if self.concat else out.mean(dim=1)
        out = out + self.bias
        return (out, alpha) if return_attention else out


class GAT(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.conv1 = GATLayer(features, hidden)
        self.conv2 = GATLayer(2 * hidden, classes, concat=False)

    def forward(self, x, edge_index):
        x = F.elu(self.conv1(x, edge_index))
        return F.log_softmax(self.conv2(x, edge_index), dim=1)


def karate_like(num_nodes=18):
    edges = set()
    for i in range(num_nodes):
        for k in (1, 2, 3):
            j = (i * k + 3 * k) % num_nodes
            if i != j and (i < num_nodes // 2) == (j < num_nodes // 2):
                edges.update({(i, j), (j, i)})
    edges.update({(0, num_nodes - 1), (num_nodes - 1, 0)})
    return torch.tensor(sorted(edges), dtype=torch.long).t().contiguous()


def train_step(model, optimizer, x, edge_index, y, mask):
    model.train()
    optimizer.zero_grad()
    out = model(x, edge_index)
    loss = F.nll_loss(out[mask], y[mask])
    loss.backward()
    optimizer.step()
    return float(loss)


@torch.no_grad()
def test(model, x, edge_index, y, masks):
    model.eval()
    pred = model(x, edge_index).argmax(dim=-1)
    return [round(int((pred[m] == y[m]).sum()) / int(m.sum()), 4) for m in masks]


rng = np.random.default_rng(2)
n = 18
edge_index = add_self_loops(karate_like(n), n)
y = (torch.arange(n) >= n // 2).long()
x = torch.from_numpy(rng.normal(size=(n, 5)).astype(np.float32)) + y[:, None] * 0.8
train_mask = torch.zeros(n, dtype=torch.bool)
train_mask[torch.tensor([0, 2, 9, 11, 17])] = True
model = GAT(5, 4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
print(edge_index.shape, torch.bincount(edge_index[1], minlength=n).tolist())
for epoch in range(1, 13):
    loss = train_step(model, optimizer, x, edge_index, y, train_mask)
    if epoch % 4 == 0:
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}", test(model, x, edge_index, y, (train_mask, ~train_mask)))
with torch.no_grad():
    _, alpha = model.conv1(x, edge_index, return_attention=True)
    per_node = torch.zeros(n, 2).index_add(0, edge_index[1], alpha)
print(torch.allclose(per_node, torch.ones(n, 2), atol=1e-5), round(alpha.max().item(), 4))
