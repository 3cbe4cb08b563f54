"""A character model of LSTM cells in a loop: truncated backpropagation, a schedule by hand, sampling by temperature."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "the cat sat on the mat and the dog sat on the log " * 4
CHARS = sorted(set(TEXT))
STOI = {c: i for i, c in enumerate(CHARS)}


@dataclass
class Options:
    hidden: int = 12
    layers: int = 2
    steps: int = 8
    batch: int = 4
    lr: float = 0.05
    dropout: float = 0.0


class StackedCells(nn.Module):
    def __init__(self, opts, vocab):
        super().__init__()
        self.opts = opts
        self.embed = nn.Embedding(vocab, opts.hidden)
        self.cells = nn.ModuleList()
        for _ in range(opts.layers):
            self.cells.append(nn.LSTMCell(opts.hidden, opts.hidden))
        self.decode = nn.Linear(opts.hidden, vocab)
        for k, p in enumerate(self.parameters()):
            p.data.copy_(torch.sin(torch.arange(p.numel()).float() * 0.9 + k).view_as(p) * 0.3)

    def init_state(self, batch):
        zeros = torch.zeros(batch, self.opts.hidden)
        return [(zeros.clone(), zeros.clone()) for _ in self.cells]

    def step(self, token, state):
        x = self.embed(token)
        new = []
        for i, cell in enumerate(self.cells):
            h, c = cell(x, state[i])
            x = h if i == 0 else h + x
            new.append((h, c))
        return self.decode(x), new

    def forward(self, tokens, state):
        logits = []
        for t in range(tokens.size(1)):
            out, state = self.step(tokens[:, t], state)
            logits.append(out)
        return torch.stack(logits, dim=1), state


def detach(state):
    return [tuple(s.detach() for s in pair) for pair in state]


def cosine(step, total, base):
    return base * 0.5 * (1 + math.cos(math.pi * step / total))


def main():
    opts = Options()
    ids = torch.tensor([STOI[c] for c in TEXT])
    length = len(ids) // opts.batch
    data = ids[: length * opts.batch].view(opts.batch, length)
    model = StackedCells(opts, len(CHARS))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=opts.lr)
    total = (length - 1) // opts.steps
    for epoch in range(2):
        state, history = model.init_state(opts.batch), []
        for k in range(total):
            for group in optimizer.param_groups:
                group["lr"] = cosine(epoch * total + k, 2 * total, opts.lr)
            at = k * opts.steps
            x, y = data[:, at:at + opts.steps], data[:, at + 1:at + 1 + opts.steps]
            logits, state = model(x, detach(state))
            loss = F.cross_entropy(logits.reshape(-1, len(CHARS)), y.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            history.append(loss.item())
        print(epoch, "%.4f" % (sum(history) / len(history)), round(math.exp(history[-1]), 3))
    model.eval()
    with torch.no_grad():
        state, token, out = model.init_state(1), torch.tensor([STOI["t"]]), []
        for _ in range(20):
            logits, state = model.step(token, state)
            token = F.softmax(logits / 0.5, dim=-1).argmax(dim=-1)
            out.append(CHARS[token.item()])
    print(repr("".join(out)))


if __name__ == "__main__":
    main()
