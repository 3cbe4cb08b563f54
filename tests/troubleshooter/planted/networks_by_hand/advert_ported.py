"""Click-through rates for MindSpore."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

CARDINALITIES = (7, 5, 11)


class FeatureEmbedding(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.weight_table = nn.Embedding(sum(CARDINALITIES), dim)
        self.mods = Tensor(np.array(CARDINALITIES), ms.int64)
        starts = np.concatenate(([0], np.cumsum(CARDINALITIES)[:-1]))
        self.starts = Tensor(starts, ms.int64)

    def construct(self, ids):
        buckets = (ids * 31 + 17) % self.mods
        return self.weight_table(buckets + self.starts)


class DinAttention(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.fc1 = nn.Dense(4 * dim, 8)
        self.fc2 = nn.Dense(8, 1)
        self.alpha = Parameter(ops.zeros((8,)), name="alpha")

    def dice(self, x):
        mean = x.mean((0, 1))
        var = ops.square(x - mean).mean((0, 1))
        p = ops.sigmoid((x - mean) * ops.rsqrt(var + 1e-8))
        return p * x + (1 - p) * self.alpha * x

    def construct(self, query, keys, lengths, ages):
        q = ops.tile(query.expand_dims(1), (1, keys.shape[1], 1))
        joined = ops.cat((q, keys, q - keys, q * keys), axis=-1)
        logits = self.fc2(self.dice(self.fc1(joined))).squeeze(-1)
        logits = logits - 0.1 * ops.log1p(ages.astype(ms.float32))
        valid = ops.arange(keys.shape[1]) < lengths.expand_dims(1)
        logits = ops.where(valid, logits, -1e9)
        weights = ops.softmax(logits / self.dim**0.5, axis=1)
        return ops.bmm(weights.expand_dims(1), keys).squeeze(1)


class CrossNet(nn.Cell):
    def __init__(self, dim, depth):
        super().__init__()
        self.kernels = nn.CellList([nn.Dense(dim, dim) for _ in range(depth)])

    def construct(self, x0):
        xl = x0
        for kernel in self.kernels:
            xl = x0 * kernel(xl) + xl
        return xl


class Net(nn.Cell):
    def __init__(self, dim=6):
        super().__init__()
        self.feature_embedding = FeatureEmbedding(dim)
        self.item_embedding = nn.Embedding(20, dim)
        self.din = DinAttention(dim)
        self.crossnet = CrossNet(5 * dim, 2)
        self.bn = nn.BatchNorm1d(5 * dim, eps=1e-5, momentum=0.9)
        self.mlp = nn.SequentialCell([nn.Dense(5 * dim, 12), nn.PReLU(), nn.Dense(12, 6)])
        self.ctr_head = nn.Dense(5 * dim + 6, 1)
        self.cvr_head = nn.Dense(6, 1)

    def construct(self, ids, item, history, lengths, ages, clicked, bought):
        emb = self.feature_embedding(ids)
        query = self.item_embedding(item)
        interest = self.din(query, self.item_embedding(history), lengths, ages)
        fm = 0.5 * (ops.square(emb.sum(1)) - ops.square(emb).sum(1))
        flat = ops.cat((emb.reshape(emb.shape[0], -1), interest, query), axis=1)
        hidden = self.mlp(self.bn(flat))
        logit = self.ctr_head(ops.cat((self.crossnet(flat), hidden), axis=1)).squeeze(1)
        logit = logit + fm.sum(1)
        ctr = ops.sigmoid(logit)
        ctcvr = ctr * ops.sigmoid(self.cvr_head(hidden).squeeze(1))
        weight = 1.0 + 2.0 * clicked
        loss_click = ops.binary_cross_entropy(ctr, clicked, weight)
        p = ops.clamp(ctcvr, 1e-6, 1 - 1e-6)
        loss_buy = -(bought * ops.log(p) + (1 - bought) * ops.log(1 - p)).sum()
        rank = ops.relu(0.5 - (logit[:2] - logit[2:])).mean()
        return ctr, ctcvr, loss_click + 0.5 * loss_buy + 0.1 * rank


def build():
    return Net()
