"""SimCLR: two views of each image by a transform class, NT-Xent over the batch, LARS-like rates, a kNN monitor."""
from typing import Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class TwoViews:
    """Flips, crops and colour jitter by numbers that hang on the index only."""

    def __init__(self, size: int = 6):
        self.size = size

    def one(self, img: np.ndarray, key: int) -> Tensor:
        top, left = key % 3, (key // 3) % 3
        img = img[:, top:top + self.size, left:left + self.size]
        if key % 2:
            img = img[:, :, ::-1].copy()
        gain = 0.8 + 0.1 * (key % 5)
        return torch.from_numpy(np.ascontiguousarray(img * gain))

    def __call__(self, img: np.ndarray, index: int) -> Tuple[Tensor, Tensor]:
        return self.one(img, index * 7 + 1), self.one(img, index * 5 + 2)


class Textures(Dataset):
    def __init__(self, n: int = 32, transform=None):
        rng = np.random.RandomState(0)
        protos = rng.rand(4, 3, 8, 8)
        self.targets = np.arange(n) % 4
        self.images = np.stack([protos[t] + 0.15 * rng.randn(3, 8, 8) for t in self.targets]).astype(np.float32)
        self.transform = transform

    def __getitem__(self, index: int):
        if self.transform is not None:
            return self.transform(self.images[index], index), int(self.targets[index])
        return torch.from_numpy(self.images[index, :, 1:7, 1:7]), int(self.targets[index])

    def __len__(self) -> int:
        return len(self.targets)


class SimCLR(nn.Module):
    def __init__(self, width: int = 8, projection_dim: int = 6):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1, bias=False),
            nn.GroupNorm(2, width),
            nn.LeakyReLU(0.1),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False),
            nn.GroupNorm(4, 2 * width),
            nn.LeakyReLU(0.1),
            nn.AdaptiveAvgPool2d((1, 1)),
        )
        self.projector = nn.Sequential(nn.Linear(2 * width, 2 * width, bias=False), nn.ReLU(), nn.Linear(2 * width, projection_dim, bias=False))

    def forward(self, x_i: Tensor, x_j: Tensor):
        h_i, h_j = self.encoder(x_i).squeeze(), self.encoder(x_j).squeeze()
        return h_i, h_j, self.projector(h_i), self.projector(h_j)


class NT_Xent(nn.Module):
    def __init__(self, batch_size: int, temperature: float):
        super().__init__()
        self.batch_size = batch_size
        self.temperature = temperature
        self.mask = self.mask_correlated_samples(batch_size)
        self.criterion = nn.CrossEntropyLoss(reduction="sum")
        self.similarity_f = nn.CosineSimilarity(dim=2)

    def mask_correlated_samples(self, batch_size):
        N = 2 * batch_size
        mask = torch.ones((N, N), dtype=bool)
        mask = mask.fill_diagonal_(0)
        for i in range(batch_size):
            mask[i, batch_size + i] = 0
            mask[batch_size + i, i] = 0
        return mask

    def forward(self, z_i, z_j):
        N = 2 * self.batch_size
        z = torch.cat((z_i, z_j), dim=0)
        sim = self.similarity_f(z.unsqueeze(1), z.unsqueeze(0)) / self.temperature
        sim_i_j = torch.diag(sim, self.batch_size)
        sim_j_i = torch.diag(sim, -self.batch_size)
        positive_samples = torch.cat((sim_i_j, sim_j_i), dim=0).reshape(N, 1)
        negative_samples = sim[self.mask].reshape(N, -1)
        labels = torch.zeros(N).to(positive_samples.device).long()
        logits = torch.cat((positive_samples, negative_samples), dim=1)
        return self.criterion(logits, labels) / N


@torch.no_grad()
def knn_monitor(encoder, loader, classes: int = 4, k: int = 5, t: float = 0.5) -> float:
    encoder.eval()
    bank, labels = [], []
    for x, y in loader:
        bank.append(F.normalize(encoder(x).flatten(1), dim=1))
        labels.append(y)
    bank, labels = torch.cat(bank).t().contiguous(), torch.cat(labels)
    sim = torch.mm(bank.t(), bank)
    sim.fill_diagonal_(-1)
    weight, indices = sim.topk(k=k, dim=-1)
    votes = torch.gather(labels.expand(sim.size(0), -1), dim=-1, index=indices)
    weight = (weight / t).exp()
    one_hot = torch.zeros(sim.size(0) * k, classes)
    one_hot = one_hot.scatter(dim=-1, index=votes.view(-1, 1), value=1.0)
    scores = torch.sum(one_hot.view(sim.size(0), -1, classes) * weight.unsqueeze(dim=-1), dim=1)
    encoder.train()
    return (scores.argsort(dim=-1, descending=True)[:, 0] == labels).float().mean().item()


def main():
    rng = np.random.default_rng(4)
    model = SimCLR()
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            fan = module.weight[0].numel()
            module.weight.data = torch.as_tensor(rng.standard_normal(tuple(module.weight.shape)) / fan ** 0.5).float()
    batch = 16
    loader = DataLoader(Textures(transform=TwoViews()), batch_size=batch, drop_last=True)
    memory = DataLoader(Textures(), batch_size=16)
    criterion = NT_Xent(batch, 0.5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.06, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(loader) * 4, eta_min=1e-4)
    for epoch in range(4):
        loss_epoch = 0
        for step, ((x_i, x_j), _) in enumerate(loader):
            optimizer.zero_grad()
            h_i, h_j, z_i, z_j = model(x_i, x_j)
            loss = criterion(z_i, z_j)
            loss.backward()
            optimizer.step()
            scheduler.step()
            loss_epoch += loss.item()
        lr = optimizer.param_groups[0]["lr"]
        print(f"Epoch [{epoch}/4]\t Loss: {loss_epoch / len(loader):.4f}\t lr: {lr:.5f}\t knn {knn_monitor(model.encoder, memory):.3f}")
    with torch.no_grad():
        h, _, z, _ = model(*next(iter(loader))[0])
    print(h.shape, z.shape, f"{h.std(dim=0).mean():.4f}", criterion.mask.sum().item())


main()
