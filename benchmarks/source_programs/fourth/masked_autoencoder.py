"""A masked autoencoder on patches: random masking by argsort and gather, accumulation, clipping, a shadow model, layer-wise rates."""
import copy
import math
from functools import partial

import numpy as np
import torch
import torch.nn as nn


class PatchEmbed(nn.Module):
    def __init__(self, img_size=8, patch_size=2, in_chans=1, embed_dim=16):
        super().__init__()
        self.patch_size = (patch_size, patch_size)
        self.num_patches = (img_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, dim, num_heads, mlp_ratio=2.0, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)
        self.norm2 = norm_layer(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, int(dim * mlp_ratio)), nn.GELU(), nn.Linear(int(dim * mlp_ratio), dim))

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class MaskedAutoencoderViT(nn.Module):
    def __init__(self, dim=16, depth=2, decoder_dim=12, norm_layer=partial(nn.LayerNorm, eps=1e-6), norm_pix_loss=True):
        super().__init__()
        self.patch_embed = PatchEmbed(embed_dim=dim)
        n = self.patch_embed.num_patches
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, n + 1, dim), requires_grad=False)
        self.blocks = nn.ModuleList([Block(dim, 4, norm_layer=norm_layer) for i in range(depth)])
        self.norm = norm_layer(dim)
        self.decoder_embed = nn.Linear(dim, decoder_dim, bias=True)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, decoder_dim))
        self.decoder_pos_embed = nn.Parameter(torch.zeros(1, n + 1, decoder_dim), requires_grad=False)
        self.decoder_blocks = nn.ModuleList([Block(decoder_dim, 2, norm_layer=norm_layer)])
        self.decoder_norm = norm_layer(decoder_dim)
        self.decoder_pred = nn.Linear(decoder_dim, 4, bias=True)
        self.norm_pix_loss = norm_pix_loss
        self.initialize_weights()

    def initialize_weights(self):
        self.pos_embed.data.copy_(torch.from_numpy(sincos(self.pos_embed.shape[-1], 4)).float().unsqueeze(0))
        self.decoder_pos_embed.data.copy_(torch.from_numpy(sincos(self.decoder_pos_embed.shape[-1], 4)).float().unsqueeze(0))
        rng = np.random.RandomState(17)
        for name, p in self.named_parameters():
            if p.requires_grad and p.ndim > 1:
                p.data.copy_(torch.from_numpy(rng.randn(*p.shape) * 0.2))
            elif name.endswith("bias"):
                nn.init.constant_(p, 0)

    def patchify(self, imgs):
        p = self.patch_embed.patch_size[0]
        h = w = imgs.shape[2] // p
        x = imgs.reshape(shape=(imgs.shape[0], 1, h, p, w, p))
        x = torch.einsum("nchpwq->nhwpqc", x)
        return x.reshape(shape=(imgs.shape[0], h * w, p ** 2 * 1))

    def unpatchify(self, x):
        p = self.patch_embed.patch_size[0]
        h = w = int(x.shape[1] ** 0.5)
        assert h * w == x.shape[1]
        x = x.reshape(shape=(x.shape[0], h, w, p, p, 1))
        x = torch.einsum("nhwpqc->nchpwq", x)
        return x.reshape(shape=(x.shape[0], 1, h * p, h * p))

    def random_masking(self, x, mask_ratio, noise):
        N, L, D = x.shape
        len_keep = int(L * (1 - mask_ratio))
        ids_shuffle = torch.argsort(noise, dim=1)
        ids_restore = torch.argsort(ids_shuffle, dim=1)
        ids_keep = ids_shuffle[:, :len_keep]
        x_masked = torch.gather(x, dim=1, index=ids_keep.unsqueeze(-1).repeat(1, 1, D))
        mask = torch.ones([N, L], device=x.device)
        mask[:, :len_keep] = 0
        mask = torch.gather(mask, dim=1, index=ids_restore)
        return x_masked, mask, ids_restore

    def forward_encoder(self, x, mask_ratio, noise):
        x = self.patch_embed(x)
        x = x + self.pos_embed[:, 1:, :]
        x, mask, ids_restore = self.random_masking(x, mask_ratio, noise)
        cls_token = self.cls_token + self.pos_embed[:, :1, :]
        cls_tokens = cls_token.expand(x.shape[0], -1, -1)
        x = torch.cat((cls_tokens, x), dim=1)
        for blk in self.blocks:
            x = blk(x)
        return self.norm(x), mask, ids_restore

    def forward_decoder(self, x, ids_restore):
        x = self.decoder_embed(x)
        mask_tokens = self.mask_token.repeat(x.shape[0], ids_restore.shape[1] + 1 - x.shape[1], 1)
        x_ = torch.cat([x[:, 1:, :], mask_tokens], dim=1)
        x_ = torch.gather(x_, dim=1, index=ids_restore.unsqueeze(-1).repeat(1, 1, x.shape[2]))
        x = torch.cat([x[:, :1, :], x_], dim=1) + self.decoder_pos_embed
        for blk in self.decoder_blocks:
            x = blk(x)
        return self.decoder_pred(self.decoder_norm(x))[:, 1:, :]

    def forward_loss(self, imgs, pred, mask):
        target = self.patchify(imgs)
        if self.norm_pix_loss:
            mean = target.mean(dim=-1, keepdim=True)
            var = target.var(dim=-1, keepdim=True)
            target = (target - mean) / (var + 1.e-6) ** .5
        loss = ((pred - target) ** 2).mean(dim=-1)
        return (loss * mask).sum() / mask.sum()

    def forward(self, imgs, noise, mask_ratio=0.75):
        latent, mask, ids_restore = self.forward_encoder(imgs, mask_ratio, noise)
        pred = self.forward_decoder(latent, ids_restore)
        return self.forward_loss(imgs, pred, mask), pred, mask


def sincos(dim, size):
    omega = 1.0 / 10000 ** (np.arange(dim // 4, dtype=np.float64) / (dim / 4.0))
    gy, gx = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    parts = [f(g.reshape(-1)[:, None] * omega[None]) for g in (gx, gy) for f in (np.sin, np.cos)]
    return np.concatenate([np.zeros([1, dim]), np.concatenate(parts, axis=1)], axis=0)


class ModelEma:
    def __init__(self, model, decay=0.9):
        self.ema = copy.deepcopy(model).eval()
        self.decay = decay
        for param in self.ema.parameters():
            param.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        msd = model.state_dict()
        for k, ema_v in self.ema.state_dict().items():
            ema_v.copy_(ema_v * self.decay + (1.0 - self.decay) * msd[k].detach())


def param_groups_lrd(model, weight_decay=0.05, layer_decay=0.75):
    groups = {}
    num_layers = len(model.blocks) + 1
    for n, p in model.named_parameters():
        if not p.requires_grad:
            continue
        wd = 0.0 if p.ndim == 1 else weight_decay
        layer = int(n.split(".")[1]) + 1 if n.startswith("blocks.") else 0 if n.startswith("patch_embed") else num_layers
        g = groups.setdefault((layer, wd), {"lr_scale": layer_decay ** (num_layers - layer), "weight_decay": wd, "params": []})
        g["params"].append(p)
    return list(groups.values())


def adjust_learning_rate(optimizer, epoch, base=2e-2, warmup=1, total=4):
    lr = base * epoch / warmup if epoch < warmup else 0.5 * base * (1 + math.cos(math.pi * (epoch - warmup) / (total - warmup)))
    for group in optimizer.param_groups:
        group["lr"] = lr * group.get("lr_scale", 1.0)
    return lr


rng = np.random.RandomState(0)
base = np.sin(np.arange(64).reshape(8, 8) / 6.0)
imgs = torch.from_numpy(np.stack([np.roll(base, i, axis=i % 2) for i in range(24)])[:, None]).float()
model = MaskedAutoencoderViT()
ema = ModelEma(model)
optimizer = torch.optim.AdamW(param_groups_lrd(model), lr=2e-2, betas=(0.9, 0.95))
print(len(optimizer.param_groups), sum(p.numel() for p in model.parameters()))
accum_iter = 2
for epoch in range(4):
    optimizer.zero_grad()
    losses = []
    for it, samples in enumerate(imgs.split(6)):
        if it % accum_iter == 0:
            lr = adjust_learning_rate(optimizer, it / 4 + epoch)
        loss, _, mask = model(samples, torch.from_numpy(rng.rand(6, 16)).float())
        losses.append(loss.item())
        loss = loss / accum_iter
        loss.backward()
        if (it + 1) % accum_iter == 0:
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            ema.update(model)
    print(f"epoch {epoch} loss {np.mean(losses):.4f} norm {norm:.3f} lr {lr:.5f}")
with torch.no_grad():
    loss, pred, mask = ema.ema(imgs[:2], torch.linspace(0, 1, 16).repeat(2, 1))
    print("ema %.4f" % loss.item(), mask[0].int().tolist(), model.unpatchify(pred)[0, 0, 0, :4])
print(torch.equal(model.unpatchify(model.patchify(imgs)), imgs))
