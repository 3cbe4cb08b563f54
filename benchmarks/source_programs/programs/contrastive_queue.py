"""Momentum contrast with a feature queue, then a linear probe on the frozen encoder."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(inplace=True), nn.Linear(16, dim))

    def forward(self, x):
        return self.net(x)


class MomentumContrast(nn.Module):
    def __init__(self, base_encoder, dim=8, K=24, m=0.9, T=0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = base_encoder(dim)
        self.projector = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        for k, p in enumerate(self.parameters()):
            if p.ndim == 2:
                p.data.copy_(torch.sin(torch.arange(p.numel()).float() * 0.9 + k).view_as(p) * 0.4)
            elif k != 2:
                p.data.zero_()
        self.encoder_k = copy.deepcopy(self.encoder_q)
        self.projector_k = copy.deepcopy(self.projector)
        for p in [*self.encoder_k.parameters(), *self.projector_k.parameters()]:
            p.requires_grad = False
        queue = torch.cos(torch.arange(dim * K).float()).view(dim, K)
        self.register_buffer("queue", F.normalize(queue, dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in ((self.encoder_q, self.encoder_k), (self.projector, self.projector_k)):
            for param_q, param_k in zip(q.parameters(), k.parameters()):
                param_k.data = param_k.data * self.m + param_q.data * (1.0 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        batch_size = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % batch_size == 0
        self.queue[:, ptr:ptr + batch_size] = keys.T
        self.queue_ptr[0] = (ptr + batch_size) % self.K

    @torch.no_grad()
    def _batch_shuffle(self, x, order):
        idx_shuffle = torch.as_tensor(order)
        return x[idx_shuffle], torch.argsort(idx_shuffle)

    def forward(self, im_q, im_k, order):
        q = F.normalize(self.projector(self.encoder_q(im_q)), dim=1)
        with torch.no_grad():
            self._momentum_update()
            im_k, idx_unshuffle = self._batch_shuffle(im_k, order)
            k = F.normalize(self.projector_k(self.encoder_k(im_k)), dim=1)
            k = k[idx_unshuffle]
        l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long, device=logits.device)
        self._dequeue_and_enqueue(k)
        return logits, labels


class LinearProbe(nn.Module):
    def __init__(self, encoder, dim, classes):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, classes)
        nn.init.constant_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        with torch.no_grad():
            h = self.encoder(x)
        return self.head(h)

    def train(self, mode=True):
        super().train(mode)
        self.encoder.eval()
        return self


def views(x, rng):
    noisy = lambda: torch.from_numpy((x + rng.normal(0, 0.1, x.shape)).astype(np.float32))
    return noisy(), noisy()


def main():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    x = rng.normal(size=(24, 10)) * 0.5 + np.eye(3, 10)[y] * 2
    model = MomentumContrast(Encoder)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.03, momentum=0.9)
    for epoch in range(3):
        model.train()
        losses = []
        for start in range(0, 24, 8):
            im_q, im_k = views(x[start:start + 8], rng)
            logits, labels = model(im_q, im_k, rng.permutation(8))
            loss = F.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(epoch, round(float(np.mean(losses)), 4), model.queue_ptr.item(), round(model.queue.sum().item(), 4))
    probe = LinearProbe(model.encoder_q, 8, 3)
    opt = torch.optim.LBFGS(probe.head.parameters(), lr=0.5, max_iter=5)
    xs, ys = torch.from_numpy(x).float(), torch.from_numpy(y)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(probe(xs), ys)
        loss.backward()
        return loss

    probe.train()
    for _ in range(2):
        print("probe", round(float(opt.step(closure)), 4))
    print(probe.encoder.training, probe.head.training, (probe(xs).argmax(1) == ys).float().mean().item())


if __name__ == "__main__":
    main()
