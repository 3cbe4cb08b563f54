"""LoRA: Linear layers of a trained network are wrapped by setattr, adapters are trained, saved alone, merged and taken out."""
import math
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 2, alpha: float = 4.0, dropout: float = 0.0):
        super().__init__()
        self.base = base
        self.r = r
        self.scaling = alpha / r
        self.lora_dropout = nn.Dropout(dropout) if dropout > 0.0 else nn.Identity()
        self.lora_A = nn.Parameter(base.weight.new_zeros((r, base.in_features)))
        self.lora_B = nn.Parameter(base.weight.new_zeros((base.out_features, r)))
        self.merged = False
        for p in self.base.parameters():
            p.requires_grad = False
        self.reset_parameters()

    def reset_parameters(self):
        n = torch.arange(self.lora_A.numel(), dtype=self.lora_A.dtype)
        self.lora_A.data = (torch.sin(n * 0.9) / math.sqrt(self.base.in_features)).view_as(self.lora_A)
        nn.init.zeros_(self.lora_B)

    def delta(self):
        return (self.lora_B @ self.lora_A) * self.scaling

    def merge(self):
        if not self.merged:
            self.base.weight.data += self.delta().data
            self.merged = True

    def unmerge(self):
        if self.merged:
            self.base.weight.data -= self.delta().data
            self.merged = False

    def forward(self, x):
        out = self.base(x)
        if not self.merged:
            out = out + self.lora_dropout(x) @ self.lora_A.t() @ self.lora_B.t() * self.scaling
        return out

    def extra_repr(self):
        return f"r={self.r}, scaling={self.scaling}"


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, self.heads, C // self.heads).transpose(1, 2) for f in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim)
        self.mlp = nn.Sequential(OrderedDict(fc1=nn.Linear(dim, 2 * dim), act=nn.GELU(approximate="tanh"), fc2=nn.Linear(2 * dim, dim)))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Classifier(nn.Module):
    def __init__(self, vocab=16, dim=8, depth=2, classes=3):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList([Block(dim) for _ in range(depth)])
        self.ln_f = nn.LayerNorm(dim)
        self.score = nn.Linear(dim, classes, bias=False)

    def forward(self, ids, labels=None):
        x = self.tok(ids)
        for block in self.blocks:
            x = block(x)
        logits = self.score(self.ln_f(x)[:, -1])
        loss = None if labels is None else F.cross_entropy(logits, labels)
        return {"logits": logits, "loss": loss}


def inject(model, targets=("q_proj", "v_proj", "fc1"), **kwargs):
    wrapped = []
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and name.split(".")[-1] in targets:
            parent_name, _, child = name.rpartition(".")
            parent = model.get_submodule(parent_name)
            setattr(parent, child, LoRALinear(module, **kwargs))
            wrapped.append(name)
    return wrapped


def eject(model):
    for name, module in list(model.named_modules()):
        for child_name, child in list(module.named_children()):
            if isinstance(child, LoRALinear):
                child.merge()
                setattr(module, child_name, child.base)


def lora_state_dict(model):
    return {k: v.detach().clone() for k, v in model.state_dict().items() if "lora_" in k}


def mark_only_lora_as_trainable(model, also=("score",)):
    for n, p in model.named_parameters():
        p.requires_grad = "lora_" in n or n.split(".")[0] in also


def count(model):
    total = sum(p.numel() for p in model.parameters())
    train = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return f"trainable params: {train} || all params: {total} || trainable%: {100 * train / total:.2f}"


rng = np.random.RandomState(8)
model = Classifier()
for name, p in model.named_parameters():
    if p.dim() == 2:
        p.data.copy_(torch.from_numpy(rng.randn(*p.shape).astype(np.float32) * 0.35))
    elif name.endswith("bias"):
        p.data.zero_()
ids = torch.from_numpy(rng.randint(0, 16, (18, 5)))
labels = (ids[:, 0] + ids[:, -1]) % 3
before = model(ids)["logits"]
print(count(model))
print(inject(model, r=2, alpha=4.0))
mark_only_lora_as_trainable(model)
print(count(model))
print("start equal", torch.allclose(model(ids)["logits"], before, atol=1e-6))
frozen = model.blocks[0].attn.q_proj.base.weight.clone()
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=0.03, weight_decay=0.0)
for step in range(12):
    batch = slice((step % 3) * 6, (step % 3) * 6 + 6)
    loss = model(ids[batch], labels=labels[batch])["loss"]
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if step % 4 == 3:
        print(f"step {step + 1} loss {loss.item():.4f}")
print("frozen", torch.equal(frozen, model.blocks[0].attn.q_proj.base.weight))
state = lora_state_dict(model)
print(len(state), list(state)[:2], f"{sum(v.abs().sum().item() for v in state.values()):.3f}")
with torch.no_grad():
    tuned = model(ids)["logits"]
    for m in model.modules():
        if isinstance(m, LoRALinear):
            m.merge()
    print("merged", torch.allclose(model(ids)["logits"], tuned, atol=1e-4))
    for m in model.modules():
        if hasattr(m, "unmerge"):
            m.unmerge()
    eject(model)
    after = model(ids)["logits"]
print("ejected", torch.allclose(after, tuned, atol=1e-4), type(model.blocks[1].attn.v_proj).__name__)
print("missing", model.load_state_dict(state, strict=False).unexpected_keys[:1], (after.argmax(-1) == labels).float().mean().item())
