"""Transformers: tensor methods in chains, einsum, masks, element types."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as func


@dataclass
class Config:
    data: str = "text"
    size: int = 256
    heads: int = 4
    dropout: float = 0.1
    device: str = "cpu"
    shape: tuple = (1, 2)


class Attention(nn.Module):  #: nn.Module
    def __init__(self, config: Config):
        super().__init__()
        self.heads = config.heads
        self.dim = config.size // config.heads
        self.qkv = nn.Linear(config.size, 3 * config.size)  #: nn.Linear
        self.proj = nn.Linear(config.size, config.size)  #: nn.Linear
        self.drop = nn.Dropout(config.dropout)  #: nn.Dropout
        mask = torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64)  #: torch.tril torch.ones T.view
        self.register_buffer("mask", mask, persistent=False)  #: M.register_buffer
        self.device = config.device

    def forward(self, x: torch.Tensor, padding: Optional[torch.Tensor] = None) -> torch.Tensor:  #: torch.Tensor torch.Tensor torch.Tensor
        b, t, c = x.shape  #: T.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)  #: T.chunk
        q = q.view(b, t, self.heads, self.dim).transpose(1, 2)  #: T.view T.transpose
        k = k.view(b, t, self.heads, self.dim).transpose(1, 2)  #: T.view T.transpose
        v = v.reshape(b, t, self.heads, -1).permute(0, 2, 1, 3).contiguous()  #: T.reshape T.permute T.contiguous
        scores = q @ k.transpose(-2, -1) / self.dim**0.5  #: T.transpose
        scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))  #: T.masked_fill
        if padding is not None:
            scores = scores.masked_fill(padding.unsqueeze(1).bool(), torch.finfo(scores.dtype).min)  #: T.masked_fill T.unsqueeze T.bool torch.finfo torch.finfo.min T.dtype
        weights = func.softmax(scores, dim=-1)  #: F.softmax
        weights = self.drop(weights)
        out = torch.einsum("bhts,bhsd->bhtd", weights, v)  #: torch.einsum
        out = out.transpose(1, 2).contiguous().view(b, t, c)  #: T.transpose T.contiguous T.view
        return self.proj(out)


class Block(nn.Module):  #: nn.Module
    def __init__(self, config):
        super().__init__()
        self.ln1 = nn.LayerNorm(config.size)  #: nn.LayerNorm
        self.attention = Attention(config)
        self.mlp = nn.Sequential(  #: nn.Sequential
            nn.Linear(config.size, 4 * config.size),  #: nn.Linear
            nn.GELU(),  #: nn.GELU
            nn.Linear(4 * config.size, config.size),  #: nn.Linear
        )

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.mlp(x)


class GPT(nn.Module):  #: nn.Module
    def __init__(self, config: Config, vocabulary: int):
        super().__init__()
        self.config = config
        self.tok = nn.Embedding(vocabulary, config.size)  #: nn.Embedding
        self.pos = nn.Parameter(torch.zeros(1, 64, config.size))  #: nn.Parameter torch.zeros
        self.blocks = nn.ModuleList([Block(config) for _ in range(4)])  #: nn.ModuleList
        self.norms = nn.ModuleDict({"last": nn.LayerNorm(config.size)})  #: nn.ModuleDict nn.LayerNorm
        self.head = nn.Linear(config.size, vocabulary, bias=False)  #: nn.Linear
        self.apply(self._init_weights)  #: M.apply

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):  #: nn.Linear
            nn.init.normal_(module.weight, mean=0.0, std=0.02)  #: init.normal_
            if module.bias is not None:
                nn.init.zeros_(module.bias)  #: init.zeros_

    def forward(self, tokens: torch.LongTensor, targets=None) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:  #: torch.LongTensor torch.Tensor torch.Tensor
        x = self.tok(tokens) + self.pos[:, : tokens.size(1)]  #: T.size
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norms["last"](x))
        loss = None
        if targets is not None:
            loss = func.cross_entropy(logits.flatten(0, 1), targets.view(-1), ignore_index=-1)  #: F.cross_entropy T.flatten T.view
        return logits, loss

    @torch.no_grad()  #: torch.no_grad
    def generate(self, tokens: torch.Tensor, steps: int):  #: torch.Tensor
        for _ in range(steps):
            logits, _ = self(tokens)
            logits = logits[:, -1].float()  #: T.float
            values, _ = torch.topk(logits, 10)  #: torch.topk
            logits[logits < values[:, [-1]]] = -float("inf")
            nxt = torch.multinomial(logits.softmax(dim=-1), num_samples=1)  #: torch.multinomial T.softmax
            tokens = torch.cat((tokens, nxt), dim=1)  #: torch.cat
        return tokens


config = Config()
print(config.data, config.size, config.device, config.shape)
model = GPT(config, 100)
total = sum(p.numel() for p in model.parameters() if p.requires_grad)  #: T.numel M.parameters T.requires_grad
half = {name: p.half() for name, p in model.named_parameters()}  #: T.half M.named_parameters
