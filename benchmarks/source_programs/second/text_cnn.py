"""Sentence classification with convolutions over words: vocabulary, collate function with padding, metrics by class."""
import logging
import re
import sys
from collections import Counter, OrderedDict
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

logging.basicConfig(stream=sys.stderr, level=logging.INFO)
log = logging.getLogger(__name__)
GOOD = ["a fine film", "truly fine and warm", "what a warm and lovely film", "lovely acting", "fine acting indeed"]
BAD = ["a dull film", "dull and slow", "what a slow and awful plot", "awful acting", "a slow dull awful film"]


def tokenize(text: str) -> List[str]:
    return re.findall(r"[a-z]+", text.lower())


class Vocab:
    def __init__(self, texts: List[str], min_freq: int = 1):
        counts = Counter(w for t in texts for w in tokenize(t))
        self.itos = ["<pad>", "<unk>"] + sorted(w for w, c in counts.items() if c >= min_freq)
        self.stoi: Dict[str, int] = {w: i for i, w in enumerate(self.itos)}

    def __call__(self, text: str) -> Tensor:
        return torch.tensor([self.stoi.get(w, 1) for w in tokenize(text)], dtype=torch.int64)

    def __len__(self) -> int:
        return len(self.itos)


class TextCNN(nn.Module):
    def __init__(self, vocab: int, dim: int = 8, widths: Tuple[int, ...] = (2, 3), filters: int = 6, classes: int = 2):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, filters, w) for w in widths)
        self.head = nn.Sequential(OrderedDict([
            ("norm", nn.LayerNorm(filters * len(widths))),
            ("drop", nn.Dropout(0.0)),
            ("fc", nn.Linear(filters * len(widths), classes)),
        ]))
        self._init()

    def _init(self) -> None:
        with torch.no_grad():
            for i, (name, p) in enumerate(self.named_parameters()):
                if "norm" in name:
                    continue
                p.copy_(torch.cos(torch.arange(p.numel()) * 0.61 + i).reshape(p.shape) * 0.4)
            self.embedding.weight[0].fill_(0)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens).transpose(1, 2)
        pooled = [torch.relu(conv(x)).amax(dim=-1) for conv in self.convs]
        return self.head(torch.cat(pooled, dim=1))


def collate(batch):
    texts, labels = zip(*batch)
    lengths = torch.tensor([len(t) for t in texts])
    tokens = pad_sequence(texts, batch_first=True, padding_value=0)
    if tokens.shape[1] < 3:
        tokens = nn.functional.pad(tokens, (0, 3 - tokens.shape[1]))
    return tokens, torch.tensor(labels), lengths


def report(pred: Tensor, target: Tensor) -> Dict[str, float]:
    tp = ((pred == 1) & (target == 1)).sum().item()
    fp = ((pred == 1) & (target == 0)).sum().item()
    fn = ((pred == 0) & (target == 1)).sum().item()
    precision, recall = tp / max(tp + fp, 1), tp / max(tp + fn, 1)
    return {"precision": round(precision, 3), "recall": round(recall, 3), "acc": round((pred == target).float().mean().item(), 3)}


def main() -> int:
    vocab = Vocab(GOOD + BAD)
    rows = [(vocab(t), 1) for t in GOOD] + [(vocab(t), 0) for t in BAD]
    rows = rows[::2] + rows[1::2]
    model = TextCNN(len(vocab))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.Adam([
        {"params": model.embedding.parameters(), "lr": 0.02},
        {"params": [p for n, p in model.named_parameters() if not n.startswith("embedding")], "weight_decay": 1e-3},
    ], lr=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=[lambda e: 0.9 ** e, lambda e: 1 / (1 + e)])
    for epoch in range(4):
        model.train()
        total, seen = 0.0, 0
        for tokens, labels, lengths in DataLoader(rows, batch_size=4, collate_fn=collate):
            optimizer.zero_grad()
            loss = criterion(model(tokens), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
            seen += int(lengths.sum())
        scheduler.step()
        log.info("epoch %d", epoch)
        print(epoch, round(total / len(rows), 4), seen, [round(v, 5) for v in scheduler.get_last_lr()])
    model.eval()
    with torch.no_grad():
        tokens, labels, _ = collate(rows)
        print(report(model(tokens).argmax(dim=1), labels))
        print(model(vocab("a warm zebra film").unsqueeze(0)).softmax(1).squeeze().tolist(), model.embedding.weight[0].abs().sum().item())
    return 0


if __name__ == "__main__":
    sys.exit(main())
