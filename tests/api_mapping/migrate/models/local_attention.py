import math

import torch
from torch import nn, einsum
import torch.nn.functional as F

# constant

TOKEN_SELF_ATTN_VALUE = -5e4

# helper functions

def exists(val):
    return val is not None

def default(value, d):
    return d if not exists(value) else value

def max_neg_value(tensor):
    return -torch.finfo(tensor.dtype).max

def pad_to_multiple(tensor, multiple, dim=-1, value=0):
    seqlen = tensor.shape[dim]
    m = seqlen / multiple
    if m.is_integer():
        return False, tensor
    remainder = math.ceil(m) * multiple - seqlen
    pad_offset = (0,) * (-1 - dim) * 2
    return True, F.pad(tensor, (*pad_offset, 0, remainder), value = value)

def look_around(x, backward = 1, forward = 0, pad_value = -1, dim = 2):
    t = x.shape[1]
    dims = (len(x.shape) - dim) * (0, 0)
    padded_x = F.pad(x, (*dims, backward, forward), value = pad_value)
    tensors = [padded_x[:, ind:(ind + t), ...] for ind in range(forward + backward + 1)]
    return torch.cat(tensors, dim = dim)

# rotary

class SinusoidalEmbeddings(nn.Module):
    def __init__(self, dim):
        super().__init__()
        inv_freq = 1. / (10000 ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer('inv_freq', inv_freq, persistent = False)

    def forward(self, seq_len):
        t = torch.arange(seq_len, device = self.inv_freq.device).type_as(self.inv_freq)
        freqs = einsum('i , j -> i j', t, self.inv_freq)
        return torch.cat((freqs, freqs), dim = -1)

def rotate_half(x):
    b, h, n, d = x.shape
    x = x.reshape(b, h, n, 2, d // 2)
    x1, x2 = x.unbind(dim = -2)
    return torch.cat((-x2, x1), dim = -1)

def apply_rotary_pos_emb(t, freqs):
    return (t * freqs.cos()) + (rotate_half(t) * freqs.sin())

# main class

class LocalAttention(nn.Module):
    def __init__(
        self,
        window_size,
        causal = False,
        look_backward = 1,
        look_forward = None,
        dropout = 0.,
        autopad = False,
    ):
        super().__init__()
        look_forward = default(look_forward, 0 if causal else 1)
        assert not (causal and look_forward > 0), 'you cannot look forward if causal'

        self.window_size = window_size
        self.autopad = autopad
        self.causal = causal

        self.look_backward = look_backward
        self.look_forward = look_forward

        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, mask = None):
        b, h, n, d = q.shape
        (needed_pad, q), (_, k), (_, v) = map(lambda t: pad_to_multiple(t.reshape(b * h, n, d), self.window_size, dim = -2) if self.autopad else (False, t.reshape(b * h, n, d)), (q, k, v))

        bh, padded, dim_head = q.shape
        device, dtype = q.device, q.dtype
        scale = dim_head ** -0.5
        assert (padded % self.window_size) == 0, f'sequence length {padded} must be divisible by window size {self.window_size} for local attention'

        windows = padded // self.window_size

        seq = torch.arange(padded, device = device)
        b_t = seq.view(1, windows, self.window_size)

        # bucketing

        bq, bk, bv = map(lambda t: t.reshape(bh, windows, self.window_size, dim_head), (q, k, v))
        bq = bq * scale

        look_around_kwargs = dict(
            backward =  self.look_backward,
            forward =  self.look_forward,
            pad_value = -1
        )

        bk = look_around(bk, **look_around_kwargs)
        bv = look_around(bv, **look_around_kwargs)

        bq_t = b_t
        bq_k = look_around(b_t, **look_around_kwargs)

        bq_t = bq_t[..., :, None]
        bq_k = bq_k[..., None, :]

        sim = einsum('b h i e, b h j e -> b h i j', bq, bk)
        mask_value = max_neg_value(sim)

        if self.causal:
            causal_mask = bq_t < bq_k
            sim = sim.masked_fill(causal_mask, mask_value)
            del causal_mask

        pad_mask = bq_k == -1
        sim = sim.masked_fill(pad_mask, mask_value)

        attn = sim.softmax(dim = -1)
        attn = self.dropout(attn)

        out = einsum('b h i j, b h j e -> b h i e', attn, bv)
        out = out.reshape(bh, padded, dim_head)

        if self.autopad:
            out = out[:, :n, :]

        return out.reshape(b, h, n, d)


class LocalTransformerBlock(nn.Module):
    def __init__(self, dim = 16, heads = 2, window_size = 4):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.rel_pos = SinusoidalEmbeddings(dim = dim // heads)
        self.to_qkv = nn.Linear(dim, dim * 3, bias = False)
        self.attn_fn = LocalAttention(window_size, causal = True, autopad = True)
        self.to_out = nn.Linear(dim, dim, bias = False)
        self.ff = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, dim * 2),
            nn.GELU(),
            nn.Linear(dim * 2, dim)
        )

    def forward(self, x, mask = None):
        residual = x
        x = self.norm(x)
        b, n, _ = x.shape

        q, k, v = self.to_qkv(x).chunk(3, dim = -1)
        q, k, v = map(lambda t: t.view(b, n, self.heads, -1).transpose(1, 2), (q, k, v))

        freqs = self.rel_pos(n)
        q, k = map(lambda t: apply_rotary_pos_emb(t, freqs), (q, k))

        out = self.attn_fn(q, k, v)
        out = out.transpose(1, 2).reshape(b, n, -1)
        x = self.to_out(out) + residual
        return self.ff(x) + x


def build():
    return nn.Sequential(LocalTransformerBlock(), LocalTransformerBlock(window_size = 3))


def inputs():
    torch.manual_seed(0)
    return (torch.randn(2, 10, 16),)
