########################################################################################################
# RWKV v4 in RNN mode, trained step by step
########################################################################################################

import os, types
import torch
from torch.nn import functional as F
import torch.nn as nn

RWKV_RESCALE_LAYER = int(os.environ.get("RWKV_RESCALE_LAYER", "6"))


class RWKV_ChannelMix(nn.Module):
    def __init__(self, layer_id, args):
        super().__init__()
        self.layer_id = layer_id

        self.time_shift = nn.ZeroPad2d((0, 0, 1, -1))

        self.time_mix_k = nn.Parameter(torch.ones(1, 1, args.n_embd) * 0.3)
        self.time_mix_r = nn.Parameter(torch.full((1, 1, args.n_embd), 0.6))

        hidden_sz = 4 * args.n_embd
        self.key = nn.Linear(args.n_embd, hidden_sz, bias=False)
        self.receptance = nn.Linear(args.n_embd, args.n_embd, bias=False)
        self.value = nn.Linear(hidden_sz, args.n_embd, bias=False)

        self.value.scale_init = 0
        self.receptance.scale_init = 0

    def forward(self, x):
        xx = self.time_shift(x)
        xk = x * self.time_mix_k + xx * (1 - self.time_mix_k)
        xr = x * self.time_mix_r + xx * (1 - self.time_mix_r)

        k = self.key(xk)
        k = torch.square(torch.relu(k))
        kv = self.value(k)

        rkv = torch.sigmoid(self.receptance(xr)) * kv
        return rkv


class RWKV_TimeMix(nn.Module):
    def __init__(self, layer_id, args):
        super().__init__()
        self.layer_id = layer_id
        self.args = args
        n_layer, n_embd = args.n_layer, args.n_embd

        with torch.no_grad():  # fancy init
            ratio_0_to_1 = (layer_id / max(n_layer - 1, 1))  # 0 to 1
            ratio_1_to_almost0 = (1.0 - (layer_id / n_layer))  # 1 to ~0

            # fancy time_decay
            decay_speed = torch.ones(n_embd)
            for h in range(n_embd):
                decay_speed[h] = -5 + 8 * (h / (n_embd - 1)) ** (0.7 + 1.3 * ratio_0_to_1)
            self.time_decay = nn.Parameter(decay_speed)

            # fancy time_first
            zigzag = (torch.tensor([(i + 1) % 3 - 1 for i in range(n_embd)]) * 0.5)
            self.time_first = nn.Parameter(torch.ones(n_embd) * torch.log(torch.tensor(0.3)) + zigzag)

            # fancy time_mix
            x = torch.ones(1, 1, n_embd)
            for i in range(n_embd):
                x[0, 0, i] = i / n_embd
            self.time_mix_k = nn.Parameter(torch.pow(x, ratio_1_to_almost0))
            self.time_mix_v = nn.Parameter(torch.pow(x, ratio_1_to_almost0) + 0.3 * ratio_0_to_1)
            self.time_mix_r = nn.Parameter(torch.pow(x, 0.5 * ratio_1_to_almost0))

        self.time_shift = nn.ZeroPad2d((0, 0, 1, -1))

        self.key = nn.Linear(n_embd, n_embd, bias=False)
        self.value = nn.Linear(n_embd, n_embd, bias=False)
        self.receptance = nn.Linear(n_embd, n_embd, bias=False)
        self.output = nn.Linear(n_embd, n_embd, bias=False)

    def wkv(self, w, u, k, v):
        B, T, C = k.size()
        aa = torch.zeros(B, C, dtype=k.dtype, device=k.device)
        bb = torch.zeros_like(aa)
        pp = torch.full_like(aa, -1e38)
        y = []
        w = -torch.exp(w)
        for t in range(T):
            kt, vt = k[:, t], v[:, t]
            ww = u + kt
            p = torch.maximum(pp, ww)
            e1 = torch.exp(pp - p)
            e2 = torch.exp(ww - p)
            y.append((e1 * aa + e2 * vt) / (e1 * bb + e2))
            ww = w + pp
            p = torch.maximum(ww, kt)
            e1 = torch.exp(ww - p)
            e2 = torch.exp(kt - p)
            aa = e1 * aa + e2 * vt
            bb = e1 * bb + e2
            pp = p
        return torch.stack(y, dim=1)

    def forward(self, x):
        # Mix x with the previous timestep to produce xk, xv, xr
        xx = self.time_shift(x)
        xk = x * self.time_mix_k + xx * (1 - self.time_mix_k)
        xv = x * self.time_mix_v + xx * (1 - self.time_mix_v)
        xr = x * self.time_mix_r + xx * (1 - self.time_mix_r)

        sr = torch.sigmoid(self.receptance(xr))
        rwkv = sr * self.wkv(self.time_decay, self.time_first, self.key(xk), self.value(xv))
        return self.output(rwkv)


class Block(nn.Module):
    def __init__(self, args, layer_id):
        super().__init__()
        self.args = args
        self.layer_id = layer_id

        self.ln1 = nn.LayerNorm(args.n_embd)
        self.ln2 = nn.LayerNorm(args.n_embd)

        if self.layer_id == 0:
            self.ln0 = nn.LayerNorm(args.n_embd)

        self.att = RWKV_TimeMix(layer_id, args)
        self.ffn = RWKV_ChannelMix(layer_id, args)

    def forward(self, x):
        if self.layer_id == 0:
            x = self.ln0(x)
        x = x + self.att(self.ln1(x))
        x = x + self.ffn(self.ln2(x))
        return x


class RWKV(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.emb = nn.Embedding(args.vocab_size, args.n_embd)
        self.blocks = nn.Sequential(*[Block(args, i) for i in range(args.n_layer)])
        self.ln_out = nn.LayerNorm(args.n_embd)
        self.head = nn.Linear(args.n_embd, args.vocab_size, bias=False)

    def forward(self, idx, targets=None):
        B, T = idx.size()
        x = self.emb(idx)
        x = self.blocks(x)
        x = self.ln_out(x)
        x = self.head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(x.view(-1, x.size(-1)), targets.view(-1))
        return x, loss


def build():
    args = types.SimpleNamespace()
    args.n_layer = 2
    args.n_embd = 8
    args.vocab_size = 16
    return RWKV(args)


def inputs():
    torch.manual_seed(0)
    idx = torch.randint(0, 16, (2, 5))
    return idx, torch.roll(idx, -1, 1)
