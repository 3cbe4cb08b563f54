"""GRU encoder and decoder with additive attention: packed inputs, teacher forcing, greedy decoding."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

SOS, EOS, PAD = 1, 2, 0


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hid, hid)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)))
        return outputs, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, enc, dec):
        super().__init__()
        self.Wa = nn.Linear(dec, dec)
        self.Ua = nn.Linear(enc, dec)
        self.Va = nn.Linear(dec, 1, bias=False)

    def forward(self, query, keys, mask):
        scores = self.Va(torch.tanh(self.Wa(query).unsqueeze(1) + self.Ua(keys))).squeeze(2)
        scores = scores.masked_fill(mask == 0, -1e10)
        weights = F.softmax(scores, dim=1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.attention = BahdanauAttention(2 * hid, hid)
        self.cell = nn.GRUCell(emb + 2 * hid, hid)
        self.out = nn.Linear(3 * hid + emb, vocab)

    def forward(self, token, hidden, keys, mask):
        embedded = self.embedding(token)
        context, weights = self.attention(hidden, keys, mask)
        hidden = self.cell(torch.cat([embedded, context], dim=-1), hidden)
        return self.out(torch.cat((hidden, context, embedded), dim=1)), hidden, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, src, lengths, trg, teacher_forcing_ratio=0.5):
        keys, hidden = self.encoder(src, lengths)
        mask = src != PAD
        outputs = []
        token = trg[:, 0]
        for t in range(1, trg.shape[1]):
            output, hidden, _ = self.decoder(token, hidden, keys, mask)
            outputs.append(output)
            teacher_force = random.random() < teacher_forcing_ratio
            token = trg[:, t] if teacher_force else output.argmax(1)
        return torch.stack(outputs, dim=1)

    @torch.no_grad()
    def translate(self, src, lengths, limit=7):
        self.eval()
        keys, hidden = self.encoder(src, lengths)
        token = torch.full((src.size(0),), SOS, dtype=torch.long)
        done = torch.zeros(src.size(0), dtype=torch.bool)
        words, attentions = [], []
        for _ in range(limit):
            output, hidden, weights = self.decoder(token, hidden, keys, src != PAD)
            token = output.argmax(-1)
            words.append(torch.where(done, torch.zeros_like(token), token))
            attentions.append(weights)
            done |= token == EOS
            if done.all():
                break
        return torch.stack(words, 1), torch.stack(attentions, 1)


def init_weights(m):
    for k, (name, param) in enumerate(m.named_parameters()):
        if "weight" in name:
            nn.init.constant_(param.data, 0.0)
            flat = param.data.view(-1)
            flat += 0.4 * torch.cos(torch.arange(flat.numel()) * 1.3 + k)
        else:
            nn.init.constant_(param.data, 0)


def main():
    random.seed(4)
    pairs = [([3 + (i + j) % 9 for j in range(2 + i % 4)]) for i in range(12)]
    sources = pad_sequence([torch.tensor(p + [EOS]) for p in pairs], batch_first=True)
    targets = pad_sequence([torch.tensor([SOS] + p[::-1] + [EOS]) for p in pairs], batch_first=True)
    lengths = torch.tensor([len(p) + 1 for p in pairs])
    model = Seq2Seq(Encoder(12, 6, 8), Decoder(12, 6, 8))
    init_weights(model)
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    for epoch in range(4):
        model.train()
        epoch_loss = 0
        for start in range(0, len(pairs), 4):
            src, trg, n = sources[start:start + 4], targets[start:start + 4], lengths[start:start + 4]
            src = src[:, : int(n.max())]
            optimizer.zero_grad()
            output = model(src, n, trg)
            loss = criterion(output.reshape(-1, output.shape[-1]), trg[:, 1:].reshape(-1))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
            optimizer.step()
            epoch_loss += loss.item()
        print(f"Epoch: {epoch + 1:02} | Train Loss: {epoch_loss / 3:.3f}")
    words, attentions = model.translate(sources[:3, : int(lengths[:3].max())], lengths[:3])
    print(words.tolist())
    print(attentions.shape[0], attentions.sum(-1).mean().item())


if __name__ == "__main__":
    main()
