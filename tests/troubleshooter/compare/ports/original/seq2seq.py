import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.src_embed = nn.Embedding(12, d)
        self.tgt_embed = nn.Embedding(12, d)
        self.encoder = nn.GRU(d, d, batch_first=True)
        self.decoder = nn.GRU(d, d, batch_first=True)
        self.attn_q = nn.Linear(d, d)
        self.attn_k = nn.Linear(d, d)
        self.combine = nn.Linear(2 * d, d)
        self.generator = nn.Linear(d, 12)

    def forward(self, src, tgt):
        memory, h = self.encoder(self.src_embed(src))
        y, _ = self.decoder(self.tgt_embed(tgt), h)
        a = (self.attn_q(y) @ self.attn_k(memory).transpose(1, 2)).softmax(-1)
        y = torch.tanh(self.combine(torch.cat([y, a @ memory], -1)))
        return F.log_softmax(self.generator(y), -1)


def build():
    return Net()


def inputs():
    return torch.randint(0, 12, (2, 6)), torch.randint(0, 12, (2, 4))
