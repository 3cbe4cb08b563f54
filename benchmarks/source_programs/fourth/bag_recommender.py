"""Click prediction with bags: EmbeddingBag with offsets and weights, a factorisation machine, AUC and a ranking list."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

USERS, ITEMS, GENRES = 12, 20, 6


class Clicks(Dataset):
    def __init__(self, n, seed):
        rng = np.random.RandomState(seed)
        self.user = rng.randint(0, USERS, n)
        self.item = rng.randint(0, ITEMS, n)
        self.history = [sorted(rng.choice(ITEMS, rng.randint(1, 5), replace=False).tolist()) for _ in range(n)]
        self.dense = rng.rand(n, 3).astype("float32")
        taste = (self.user % GENRES == self.item % GENRES).astype(float)
        bonus = np.array([sum((h % GENRES) == (i % GENRES) for h in hist) for hist, i in zip(self.history, self.item)])
        self.label = ((taste + 0.7 * bonus + self.dense[:, 0] - 0.9) > 0).astype("float32")

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return self.user[i], self.item[i], self.history[i], self.dense[i], self.label[i]


def collate(batch):
    users, items, histories, dense, labels = zip(*batch)
    offsets = torch.tensor([0] + [len(h) for h in histories[:-1]]).cumsum(dim=0)
    flat = torch.tensor([i for h in histories for i in h], dtype=torch.int64)
    weights = torch.cat([torch.arange(1, len(h) + 1).float() / len(h) for h in histories])
    return {
        "user": torch.as_tensor(np.array(users)),
        "item": torch.as_tensor(np.array(items)),
        "history": flat,
        "offsets": offsets,
        "weights": weights,
        "dense": torch.from_numpy(np.stack(dense)),
        "label": torch.tensor(labels),
    }


class FactorizationMachine(nn.Module):
    def __init__(self, reduce_sum=True):
        super().__init__()
        self.reduce_sum = reduce_sum

    def forward(self, x):
        square_of_sum = torch.sum(x, dim=1) ** 2
        sum_of_square = torch.sum(x ** 2, dim=1)
        ix = square_of_sum - sum_of_square
        if self.reduce_sum:
            ix = torch.sum(ix, dim=1, keepdim=True)
        return 0.5 * ix


class MLP(nn.Sequential):
    def __init__(self, dims, dropout=0.0):
        layers = []
        for a, b in zip(dims[:-2], dims[1:-1]):
            layers += [nn.Linear(a, b, bias=False), nn.BatchNorm1d(b), nn.PReLU(), nn.Dropout(dropout)]
        super().__init__(*layers, nn.Linear(dims[-2], dims[-1]))


class DeepFM(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.user = nn.Embedding(USERS, dim, max_norm=None)
        self.item = nn.Embedding(ITEMS, dim)
        self.history = nn.EmbeddingBag(ITEMS, dim, mode="sum")
        self.recent = nn.EmbeddingBag(ITEMS, dim, mode="mean")
        self.bias = nn.EmbeddingBag(USERS + ITEMS, 1, mode="sum")
        self.dense = nn.Linear(3, dim)
        self.fm = FactorizationMachine()
        self.deep = MLP([5 * dim, 16, 8, 1])
        self.apply(self._init)

    @staticmethod
    def _init(m):
        rng = np.random.RandomState(11)
        if isinstance(m, (nn.Embedding, nn.EmbeddingBag)):
            m.weight.data = torch.tensor(0.2 * rng.randn(m.num_embeddings, m.embedding_dim), dtype=torch.float32)
        elif type(m) == nn.Linear:
            m.weight.data = torch.tensor(0.3 * rng.randn(m.out_features, m.in_features), dtype=torch.float32)
            if m.bias is not None:
                m.bias.data.zero_()

    def forward(self, batch):
        u, i = self.user(batch["user"]), self.item(batch["item"])
        h = self.history(batch["history"], batch["offsets"], per_sample_weights=batch["weights"])
        r = self.recent(batch["history"], batch["offsets"])
        d = self.dense(batch["dense"])
        fields = torch.stack([u, i, h, r, d], dim=1)
        pair = torch.stack([batch["user"], batch["item"] + USERS], dim=1)
        logit = self.bias(pair) + self.fm(fields) + self.deep(fields.flatten(1))
        return logit.squeeze(1)


def roc_auc(labels, scores):
    order = np.argsort(scores, kind="mergesort")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    pos = labels == 1
    n_pos, n_neg = pos.sum(), (~pos).sum()
    return (ranks[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def train_one_epoch(model, loader, opt, loss_fn):
    model.train()
    total, n = 0.0, 0
    for batch in loader:
        loss = loss_fn(model(batch), batch["label"])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * batch["label"].size(0)
        n += batch["label"].size(0)
    return total / n


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    scores, labels = [], []
    for batch in loader:
        scores.extend(torch.sigmoid(model(batch)).tolist())
        labels.extend(batch["label"].tolist())
    return roc_auc(np.array(labels), np.array(scores)), scores


if __name__ == "__main__":
    train_loader = DataLoader(Clicks(160, 0), batch_size=32, collate_fn=collate)
    valid_loader = DataLoader(Clicks(60, 1), batch_size=20, collate_fn=collate)
    model = DeepFM()
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim == 1 or "bias" in name else decay).append(p)
    opt = torch.optim.RMSprop([{"params": decay, "weight_decay": 1e-4}, {"params": no_decay}], lr=5e-3, alpha=0.9, momentum=0.5)
    loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(1.3))
    print(len(decay), len(no_decay), [g["weight_decay"] for g in opt.param_groups])
    for epoch in range(4):
        loss = train_one_epoch(model, train_loader, opt, loss_fn)
        auc, scores = evaluate(model, valid_loader)
        print(f"epoch {epoch}: loss={loss:.4f} auc={auc:.4f}")
    top = torch.tensor(scores).topk(5)
    print("top", top.indices.tolist(), [f"{v:.3f}" for v in top.values])
    print("max bag", nn.functional.embedding_bag(torch.tensor([[0, 1], [2, 3]]), model.item.weight.detach(), mode="max")[0, :3])
