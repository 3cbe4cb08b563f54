"""GraphSAGE with sampled neighbours and a mini-batch loader; link prediction with negative pairs."""
import random
from collections import defaultdict

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


class MeanAggregator(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.features = features

    def forward(self, nodes, to_neighs, num_sample=3):
        samp_neighs = [sorted(n)[:num_sample] if len(n) >= num_sample else sorted(n) for n in to_neighs]
        unique_nodes_list = sorted(set.union(*[set(s) for s in samp_neighs]))
        unique_nodes = {n: i for i, n in enumerate(unique_nodes_list)}
        mask = torch.zeros(len(samp_neighs), len(unique_nodes))
        column_indices = [unique_nodes[n] for s in samp_neighs for n in s]
        row_indices = [i for i in range(len(samp_neighs)) for _ in range(len(samp_neighs[i]))]
        mask[row_indices, column_indices] = 1
        num_neigh = mask.sum(1, keepdim=True)
        mask = mask.div(num_neigh)
        embed_matrix = self.features(torch.LongTensor(unique_nodes_list))
        return mask.mm(embed_matrix)


class Encoder(nn.Module):
    def __init__(self, features, feature_dim, embed_dim, adj_lists, aggregator):
        super().__init__()
        self.features, self.adj_lists, self.aggregator = features, adj_lists, aggregator
        w = torch.empty(embed_dim, 2 * feature_dim)
        nn.init.constant_(w, 0.1)
        w += 0.3 * torch.cos(torch.arange(w.numel()).float()).view(w.size())
        self.weight = nn.Parameter(w)

    def forward(self, nodes):
        neigh_feats = self.aggregator(nodes, [self.adj_lists[int(node)] for node in nodes])
        self_feats = self.features(torch.LongTensor(nodes) if isinstance(nodes, list) else nodes)
        combined = torch.cat([self_feats, neigh_feats], dim=1)
        return F.relu(self.weight.mm(combined.t()))


class SupervisedGraphSage(nn.Module):
    def __init__(self, num_classes, enc, embed_dim):
        super().__init__()
        self.enc = enc
        self.xent = nn.CrossEntropyLoss()
        self.weight = nn.Parameter(torch.linspace(-0.5, 0.5, num_classes * embed_dim).reshape(num_classes, embed_dim))

    def forward(self, nodes):
        return self.weight.mm(self.enc(nodes)).t()

    def loss(self, nodes, labels):
        return self.xent(self.forward(nodes), labels.squeeze())

    def link(self, a, b):
        return torch.sigmoid((F.normalize(self.enc(a), dim=0) * F.normalize(self.enc(b), dim=0)).sum(0))


def load_graph(n=16):
    adj_lists = defaultdict(set)
    for i in range(n):
        for j in ((i + 1) % n, (i * 5 + 2) % n):
            if i != j:
                adj_lists[i].add(j)
                adj_lists[j].add(i)
    return adj_lists


def main():
    random.seed(1)
    n, dim = 16, 6
    adj_lists = load_graph(n)
    labels = torch.tensor([[i * 3 // n] for i in range(n)])
    features = nn.Embedding(n, dim)
    table = torch.sin(torch.arange(n * dim).float() * 0.3).reshape(n, dim)
    features.weight = nn.Parameter(table, requires_grad=False)
    agg1 = MeanAggregator(features)
    enc1 = Encoder(features, dim, 8, adj_lists, agg1)
    agg2 = MeanAggregator(lambda nodes: enc1(nodes).t())
    enc2 = Encoder(lambda nodes: enc1(nodes).t(), 8, 8, adj_lists, agg2)
    graphsage = SupervisedGraphSage(3, enc2, 8)
    params = [p for p in graphsage.parameters() if p.requires_grad] + [enc1.weight]
    optimizer = torch.optim.SGD(params, lr=0.5)
    train = list(range(n))
    random.shuffle(train)
    loader = DataLoader(train, batch_size=8, collate_fn=list)
    print(len(params), [tuple(p.shape) for p in params], train[:4])
    for epoch in range(4):
        for batch_nodes in loader:
            optimizer.zero_grad()
            loss = graphsage.loss(batch_nodes, labels[batch_nodes])
            loss.backward()
            optimizer.step()
        print(epoch, "{:.4f}".format(loss.item()))
    with torch.no_grad():
        output = graphsage(list(range(n)))
        print("accuracy", (output.argmax(1) == labels.squeeze()).float().mean().item())
        pos = graphsage.link([0, 1, 2], [1, 2, 3])
        neg = graphsage.link([0, 1, 2], [9, 12, 14])
        print([round(v, 4) for v in (pos - neg).tolist()])


main()
