import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, adj):
        output = torch.spmm(adj, torch.mm(input, self.weight))
        return output if self.bias is None else output + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass, bias=False)

    def forward(self, x, adj):
        return F.log_softmax(self.gc2(F.relu(self.gc1(x, adj)), adj), dim=1)


def sparse_of(matrix):
    rows, cols = np.nonzero(matrix)
    indices = torch.from_numpy(np.vstack((rows, cols)).astype(np.int64))
    values = torch.from_numpy(matrix[rows, cols].astype(np.float32))
    return torch.sparse_coo_tensor(indices, values, matrix.shape, check_invariants=True)


n = 12
edges = np.eye(n)
for i in range(n):
    edges[i, (i + 1) % n] = edges[(i + 1) % n, i] = edges[i, (i * 5 + 2) % n] = 1
adj = sparse_of(edges / edges.sum(1, keepdims=True))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
adj = adj.to(device)
features = torch.FloatTensor(np.abs(np.sin(np.arange(n * 5).reshape(n, 5))))
labels = torch.LongTensor([i % 3 for i in range(n)])
model = GCN(5, 6, 3)
for k, p in enumerate(model.parameters()):
    p.data.copy_(torch.sin(torch.arange(p.numel()).float() + k).view_as(p))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.nll_loss(model(features, adj)[:8], labels[:8])
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")

coo = torch.sparse_coo_tensor(
    [[0, 2, 0], [1, 0, 1]], [1.0, 2.0, 3.0], (3, 3), check_invariants=True
)
print(coo.to_dense().tolist(), coo.coalesce().values().tolist(), coo.coalesce().indices().tolist())
print((coo @ torch.ones(3, 2)).tolist(), (2 * coo).to_dense().sum().item(), coo._nnz())
print(torch.sparse.mm(coo.transpose(0, 1), torch.eye(3)).tolist(), coo.shape[0], coo.size(1))
dense = torch.relu(torch.arange(6.0).view(2, 3) - 3)
print(dense.to_sparse().indices().tolist(), torch.sparse.mm(dense.to_sparse(), dense.T).tolist())
weights = nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([weights], lr=0.1)
places = torch.tensor([[0, 1, 2], [2, 1, 0]])
mixed = torch.sparse_coo_tensor(places, weights, (3, 3), check_invariants=True)
loss = torch.sparse.mm(mixed, torch.arange(3.0).view(3, 1)).pow(2).sum()
opt.zero_grad()
loss.backward()
opt.step()
print([round(v, 4) for v in weights.tolist()])
