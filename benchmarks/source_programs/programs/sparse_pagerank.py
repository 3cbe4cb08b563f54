"""Sparse matrices: PageRank by power iteration, a sparse graph convolution, a COO round trip."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


def sparse_mx_to_torch_sparse_tensor(rows, cols, values, shape):
    indices = torch.from_numpy(np.vstack((rows, cols)).astype(np.int64))
    values = torch.from_numpy(values.astype(np.float32))
    return torch.sparse_coo_tensor(indices, values, torch.Size(shape))


def normalize_adj(rows, cols, n):
    degree = np.bincount(rows, minlength=n).astype(np.float64)
    inv = np.power(degree, -0.5)
    inv[np.isinf(inv)] = 0.0
    return inv[rows] * inv[cols]


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        grid = torch.linspace(-stdv, stdv, self.weight.numel()).view(self.weight.size())
        self.weight.data.copy_(grid.sin())
        if self.bias is not None:
            self.bias.data.zero_()

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        return output if self.bias is None else output + self.bias

    def __repr__(self):
        return self.__class__.__name__ + " (" + str(self.in_features) + " -> " + str(self.out_features) + ")"


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super(GCN, self).__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


def accuracy(output, labels):
    preds = output.max(1)[1].type_as(labels)
    correct = preds.eq(labels).double()
    return (correct.sum() / len(labels)).item()


n = 12
links = [(i, (i * 3 + k) % n) for i in range(n) for k in (1, 2)] + [(i, i) for i in range(n)]
pairs = sorted(set(links) | {(b, a) for a, b in links})
rows, cols = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
adj = sparse_mx_to_torch_sparse_tensor(rows, cols, normalize_adj(rows, cols, n), (n, n)).coalesce()
print(adj.shape, adj.indices().shape, adj.values().sum().item(), adj.is_sparse)
features = torch.sin(torch.arange(n * 4).float()).view(n, 4)
labels = torch.tensor([i % 3 for i in range(n)])
model = GCN(4, 6, 3, dropout=0.0)
print(str(model.gc1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
idx_train = torch.LongTensor(range(8))
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss_train = F.nll_loss(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()
    print("Epoch: {:04d}".format(epoch + 1), "loss_train: {:.4f}".format(loss_train.item()))
model.eval()
print(accuracy(model(features, adj), labels))

transition = torch.zeros(n, n)
transition[cols, rows] = torch.from_numpy(1.0 / np.bincount(rows, minlength=n)[rows]).float()
sparse = transition.to_sparse()
rank = torch.full((n, 1), 1.0 / n)
for iteration in range(50):
    new = 0.85 * torch.sparse.mm(sparse, rank) + 0.15 / n
    if torch.norm(new - rank, p=1) < 1e-6:
        break
    rank = new
print(iteration, round(rank.sum().item(), 5), torch.argsort(rank.squeeze(), descending=True)[:3].tolist())
print(torch.equal(sparse.to_dense(), transition), sparse._nnz())
print(torch.sparse.sum(sparse, dim=0).to_dense().tolist()[:3])
