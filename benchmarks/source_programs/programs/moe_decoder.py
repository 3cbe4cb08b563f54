"""A decoder in the manner of transformers: config, RoPE, grouped queries, a cache, experts, generate."""
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    vocab_size: int = 30
    hidden_size: int = 16
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    intermediate_size: int = 24
    num_experts: int = 3
    top_k: int = 2
    rope_theta: float = 10000.0
    rms_norm_eps: float = 1e-6
    tie: bool = field(default=True)


class DynamicCache:
    def __init__(self):
        self.key_cache: List[torch.Tensor] = []
        self.value_cache: List[torch.Tensor] = []

    def update(self, k, v, layer_idx):
        if len(self.key_cache) <= layer_idx:
            self.key_cache.append(k)
            self.value_cache.append(v)
        else:
            self.key_cache[layer_idx] = torch.cat([self.key_cache[layer_idx], k], dim=-2)
            self.value_cache[layer_idx] = torch.cat([self.value_cache[layer_idx], v], dim=-2)
        return self.key_cache[layer_idx], self.value_cache[layer_idx]

    def get_seq_length(self) -> int:
        return self.key_cache[0].shape[-2] if self.key_cache else 0


class RMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2:]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, heads, slen, dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None, :, :].expand(batch, heads, n_rep, slen, dim).reshape(batch, heads * n_rep, slen, dim)


class Attention(nn.Module):
    def __init__(self, config: Config, layer_idx: int):
        super().__init__()
        self.layer_idx = layer_idx
        self.heads, self.kv = config.num_attention_heads, config.num_key_value_heads
        self.head_dim = config.hidden_size // self.heads
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.kv * self.head_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.kv * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=False)

    def forward(self, x, position_embeddings, mask=None, past: Optional[DynamicCache] = None):
        shape = (*x.shape[:-1], -1, self.head_dim)
        q = self.q_proj(x).view(shape).transpose(1, 2)
        k = self.k_proj(x).view(shape).transpose(1, 2)
        v = self.v_proj(x).view(shape).transpose(1, 2)
        q, k = apply_rotary_pos_emb(q, k, *position_embeddings)
        if past is not None:
            k, v = past.update(k, v, self.layer_idx)
        k, v = repeat_kv(k, self.heads // self.kv), repeat_kv(v, self.heads // self.kv)
        weights = torch.matmul(q, k.transpose(2, 3)) * self.head_dim ** -0.5
        if mask is not None:
            weights = weights + mask[:, :, :, : k.shape[-2]]
        weights = nn.functional.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous()
        return self.o_proj(out.reshape(*x.shape[:-1], -1))


class Expert(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.w1 = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.w2 = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.w3 = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class SparseMoe(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_experts, self.top_k = config.num_experts, config.top_k
        self.gate = nn.Linear(config.hidden_size, self.num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(config) for _ in range(self.num_experts)])

    def forward(self, hidden_states) -> Tuple[torch.Tensor, torch.Tensor]:
        b, s, d = hidden_states.shape
        hidden_states = hidden_states.view(-1, d)
        router_logits = self.gate(hidden_states)
        weights, selected = torch.topk(F.softmax(router_logits, dim=1, dtype=torch.float), self.top_k, dim=-1)
        weights /= weights.sum(dim=-1, keepdim=True)
        final = torch.zeros((b * s, d), dtype=hidden_states.dtype, device=hidden_states.device)
        expert_mask = torch.nn.functional.one_hot(selected, num_classes=self.num_experts).permute(2, 1, 0)
        for expert_idx in range(self.num_experts):
            idx, top_x = torch.where(expert_mask[expert_idx])
            if top_x.shape[0] == 0:
                continue
            current = hidden_states[None, top_x].reshape(-1, d)
            final.index_add_(0, top_x, self.experts[expert_idx](current) * weights[top_x, idx, None])
        return final.reshape(b, s, d), router_logits


class Layer(nn.Module):
    def __init__(self, config, i):
        super().__init__()
        self.self_attn, self.moe = Attention(config, i), SparseMoe(config)
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, x, rope, mask, past):
        x = x + self.self_attn(self.input_layernorm(x), rope, mask, past)
        out, router = self.moe(self.post_attention_layernorm(x))
        return x + out, router


class ForCausalLM(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config, i) for i in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        dim = config.hidden_size // config.num_attention_heads
        inv_freq = 1.0 / (config.rope_theta ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        if config.tie:
            self.lm_head.weight = self.embed_tokens.weight

    def forward(self, input_ids, past=None, labels=None):
        start = past.get_seq_length() if past is not None else 0
        n = input_ids.shape[1]
        position_ids = torch.arange(start, start + n, device=input_ids.device).unsqueeze(0)
        freqs = (self.inv_freq[None, :, None].float() @ position_ids[:, None, :].float()).transpose(1, 2)
        emb = torch.cat((freqs, freqs), dim=-1)
        mask = torch.full((n, start + n), torch.finfo(torch.float32).min)
        mask = torch.triu(mask, diagonal=start + 1)[None, None]
        x, routers = self.embed_tokens(input_ids), ()
        for layer in self.layers:
            x, router = layer(x, (emb.cos(), emb.sin()), mask, past)
            routers += (router,)
        logits = self.lm_head(self.norm(x))
        if labels is None:
            return logits
        loss = F.cross_entropy(logits[..., :-1, :].reshape(-1, self.config.vocab_size), labels[..., 1:].reshape(-1))
        return loss + 0.02 * self.balance(routers), logits

    def balance(self, routers):
        probs = torch.softmax(torch.cat(routers, dim=0), dim=-1)
        chosen = F.one_hot(torch.topk(probs, self.config.top_k, dim=-1)[1], self.config.num_experts).float()
        return torch.sum(chosen.mean(0) * probs.mean(0).unsqueeze(0)) * self.config.num_experts

    @torch.no_grad()
    def generate(self, ids, max_new_tokens=5):
        cache, step = DynamicCache(), ids
        for _ in range(max_new_tokens):
            token = self(step, past=cache)[:, -1].argmax(-1, keepdim=True)
            ids, step = torch.cat([ids, token], dim=-1), token
        return ids, cache.get_seq_length()


model = ForCausalLM(Config())
for i, (name, p) in enumerate(model.named_parameters()):
    if p.dim() > 1:
        p.data.copy_(torch.sin(torch.arange(p.numel()).float() * (0.5 + 0.013 * i)).view(p.shape) * 0.3)
print(len(list(model.parameters())), sum(p.numel() for p in model.parameters()))
ids = (torch.arange(24).reshape(3, 8) * 7) % 30
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(4):
    loss, _ = model(ids, labels=ids)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, f"{loss.item():.4f}")
model.eval()
out, length = model.generate(ids[:2, :3])
print(out.tolist(), length)
with torch.no_grad():
    cache = DynamicCache()
    whole, parts = model(ids), torch.cat([model(ids[:, :5], cache), model(ids[:, 5:], cache)], 1)
print(torch.allclose(whole, parts, atol=1e-4), whole.abs().mean().item())
