"""VQ-VAE: straight-through quantiser with a codebook kept by moving averages, perplexity, dead codes, reconstructions."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Quantize(nn.Module):
    def __init__(self, dim, n_embed, decay=0.8, eps=1e-5):
        super().__init__()
        self.dim = dim
        self.n_embed = n_embed
        self.decay = decay
        self.eps = eps
        embed = torch.from_numpy(np.random.RandomState(2).randn(dim, n_embed)).float()
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n_embed))
        self.register_buffer("embed_avg", embed.clone())

    def forward(self, input):
        flatten = input.reshape(-1, self.dim)
        dist = (
            flatten.pow(2).sum(1, keepdim=True)
            - 2 * flatten @ self.embed
            + self.embed.pow(2).sum(0, keepdim=True)
        )
        _, embed_ind = (-dist).max(1)
        embed_onehot = F.one_hot(embed_ind, self.n_embed).type(flatten.dtype)
        embed_ind = embed_ind.view(*input.shape[:-1])
        quantize = self.embed_code(embed_ind)

        if self.training:
            embed_onehot_sum = embed_onehot.sum(0)
            embed_sum = flatten.transpose(0, 1) @ embed_onehot
            self.cluster_size.data.mul_(self.decay).add_(embed_onehot_sum, alpha=1 - self.decay)
            self.embed_avg.data.mul_(self.decay).add_(embed_sum, alpha=1 - self.decay)
            n = self.cluster_size.sum()
            cluster_size = (self.cluster_size + self.eps) / (n + self.n_embed * self.eps) * n
            embed_normalized = self.embed_avg / cluster_size.unsqueeze(0)
            self.embed.data.copy_(embed_normalized)

        diff = (quantize.detach() - input).pow(2).mean()
        quantize = input + (quantize - input).detach()
        return quantize, diff, embed_ind

    def embed_code(self, embed_id):
        return F.embedding(embed_id, self.embed.transpose(0, 1))


class ResBlock(nn.Module):
    def __init__(self, in_channel, channel):
        super().__init__()
        self.conv = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(in_channel, channel, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channel, in_channel, 1),
        )

    def forward(self, input):
        out = self.conv(input)
        out += input
        return out


class VQVAE(nn.Module):
    def __init__(self, channel=8, embed_dim=4, n_embed=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, channel, 4, stride=2, padding=1), ResBlock(channel, 4), nn.ReLU(inplace=True))
        self.quantize_conv = nn.Conv2d(channel, embed_dim, 1)
        self.quantize = Quantize(embed_dim, n_embed)
        blocks = [nn.Conv2d(embed_dim, channel, 3, padding=1)]
        blocks.extend([ResBlock(channel, 4), nn.ReLU(inplace=True)])
        blocks.append(nn.ConvTranspose2d(channel, 1, 4, stride=2, padding=1))
        self.dec = nn.Sequential(*blocks)

    def encode(self, input):
        quant = self.quantize_conv(self.enc(input)).permute(0, 2, 3, 1)
        quant, diff, id = self.quantize(quant)
        return quant.permute(0, 3, 1, 2), diff.unsqueeze(0), id

    def decode(self, quant):
        return self.dec(quant)

    def decode_code(self, code):
        return self.decode(self.quantize.embed_code(code).permute(0, 3, 1, 2))

    def forward(self, input):
        quant, diff, _ = self.encode(input)
        return self.decode(quant), diff


def init(model):
    for k, p in enumerate(model.parameters()):
        with torch.no_grad():
            p.copy_(torch.cos(torch.arange(p.numel(), dtype=torch.float32) * 1.7 + k).mul(0.25).view(p.size()))


def perplexity(ids, n):
    p = torch.bincount(ids.flatten(), minlength=n).float()
    p /= p.sum()
    return torch.exp(-(p * torch.log(p + 1e-10)).sum())


def images(n=24, size=8):
    grid = torch.arange(size, dtype=torch.float32)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    out = []
    for i in range(n):
        cx, cy, r = 2 + i % 4, 2 + (i * 3) % 5, 1.5 + (i % 3) * 0.5
        out.append((((xx - cx) ** 2 + (yy - cy) ** 2).sqrt() < r).float())
    return torch.stack(out)[:, None]


def train(epoch, batches, model, optimizer, latent_loss_weight=0.25):
    criterion = nn.MSELoss()
    mse_sum = mse_n = 0
    for i, img in enumerate(batches):
        model.zero_grad()
        out, latent_loss = model(img)
        recon_loss = criterion(out, img)
        latent_loss = latent_loss.mean()
        loss = recon_loss + latent_loss_weight * latent_loss
        loss.backward()
        optimizer.step()
        mse_sum += recon_loss.item() * img.shape[0]
        mse_n += img.shape[0]
    print(f"epoch: {epoch + 1}; mse: {recon_loss.item():.5f}; latent: {latent_loss.item():.4f}; avg mse: {mse_sum / mse_n:.5f}")


if __name__ == "__main__":
    data = images()
    model = VQVAE()
    init(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for epoch in range(5):
        train(epoch, data.split(8), model, optimizer)
    model.eval()
    with torch.no_grad():
        _, diff, ids = model.encode(data)
        again = model.decode_code(ids)
        direct, _ = model(data)
    print("same", torch.allclose(again, direct, atol=1e-5), ids.shape, diff.shape)
    print("perplexity %.3f" % perplexity(ids, 12), "dead", (model.quantize.cluster_size < 0.5).sum().item())
    print("embed", model.quantize.embed[0, :4], model.quantize.cluster_size.sum().item())
    print(sorted(k for k in model.state_dict() if k.startswith("quantize.")))
