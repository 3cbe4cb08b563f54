"""BERT-like masked language modelling with nn.TransformerEncoder, padding masks and a tied decoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, MASK, FIRST, VOCAB = 0, 1, 2, 20


class Sentences(Dataset):
    def __init__(self, n):
        self.rows = [[FIRST + (3 * i + j * (i % 3 + 1)) % (VOCAB - FIRST) for j in range(4 + i % 5)] for i in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        ids, labels = list(row), [-100] * len(row)
        for j in range(index % 3, len(row), 3):
            labels[j] = row[j]
            ids[j] = MASK
        return {"input_ids": torch.tensor(ids), "labels": torch.tensor(labels)}


def collate(batch):
    input_ids = pad_sequence([b["input_ids"] for b in batch], batch_first=True, padding_value=PAD)
    labels = pad_sequence([b["labels"] for b in batch], batch_first=True, padding_value=-100)
    return {"input_ids": input_ids, "labels": labels, "attention_mask": (input_ids != PAD).long()}


class Embeddings(nn.Module):
    def __init__(self, dim, max_len=16):
        super().__init__()
        self.word = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.position = nn.Embedding(max_len, dim)
        self.norm = nn.LayerNorm(dim, eps=1e-12)
        self.register_buffer("position_ids", torch.arange(max_len).expand((1, -1)), persistent=False)

    def forward(self, input_ids):
        positions = self.position_ids[:, : input_ids.shape[1]]
        return self.norm(self.word(input_ids) + self.position(positions))


class MaskedLM(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.embeddings = Embeddings(dim)
        layer = nn.TransformerEncoderLayer(dim, 4, dim_feedforward=32, dropout=0.0, activation="gelu",
                                           batch_first=True, norm_first=False)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim))
        self.bias = nn.Parameter(torch.zeros(VOCAB))

    def forward(self, input_ids, attention_mask=None, labels=None):
        mask = attention_mask == 0 if attention_mask is not None else None
        hidden = self.encoder(self.embeddings(input_ids), src_key_padding_mask=mask)
        logits = F.linear(self.transform(hidden), self.embeddings.word.weight, self.bias)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits.view(-1, VOCAB), labels.view(-1))
        return {"loss": loss, "logits": logits}


def deterministic(model):
    for i, (name, p) in enumerate(model.named_parameters()):
        if p.dim() == 2:
            wave = torch.sin(torch.arange(p.numel(), dtype=torch.float32) * (0.37 + 0.01 * i))
            p.data = wave.reshape(p.shape) * 0.25
        elif name.endswith("bias"):
            p.data.zero_()
    with torch.no_grad():
        model.embeddings.word.weight[PAD].fill_(0)


def main():
    model = MaskedLM()
    deterministic(model)
    no_decay = ["bias", "norm.weight", "norm1.weight", "norm2.weight"]
    grouped = [
        {"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(grouped, lr=3e-3, eps=1e-8)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=12, pct_start=0.25)
    loader = DataLoader(Sentences(20), batch_size=5, collate_fn=collate)
    for epoch in range(3):
        model.train()
        running, tokens = 0.0, 0
        for batch in loader:
            batch = {k: v.to("cpu") for k, v in batch.items()}
            outputs = model(**batch)
            loss = outputs["loss"]
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            n = int((batch["labels"] != -100).sum())
            running += loss.item() * n
            tokens += n
        print(f"epoch {epoch}: loss {running / tokens:.4f} lr {scheduler.get_last_lr()[0]:.6f} tokens {tokens}")
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for batch in loader:
            predictions = model(batch["input_ids"], batch["attention_mask"])["logits"].argmax(-1)
            wanted = batch["labels"] != -100
            hits += (predictions[wanted] == batch["labels"][wanted]).sum().item()
            total += wanted.sum().item()
    print("accuracy", hits, total)


main()
