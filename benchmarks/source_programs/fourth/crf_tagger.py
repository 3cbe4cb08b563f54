"""A CRF over LSTM features: the partition function by logsumexp with masks, gold scores by gather, Viterbi with back pointers."""
import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

PAD, START, STOP = "<pad>", "<s>", "</s>"
TAGS = ["O", "B", "I"]


class CRF(nn.Module):
    def __init__(self, num_tags, batch_first=True):
        super().__init__()
        self.num_tags = num_tags
        self.batch_first = batch_first
        self.start_transitions = nn.Parameter(torch.empty(num_tags))
        self.end_transitions = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.constant_(self.start_transitions, 0.1)
        nn.init.constant_(self.end_transitions, -0.1)
        with torch.no_grad():
            for i in range(self.num_tags):
                for j in range(self.num_tags):
                    self.transitions[i, j] = 0.1 * (i - j)
            self.transitions[0, 2] = -2.0

    def forward(self, emissions, tags, mask=None, reduction="sum"):
        if mask is None:
            mask = torch.ones_like(tags, dtype=torch.uint8)
        if self.batch_first:
            emissions = emissions.transpose(0, 1)
            tags = tags.transpose(0, 1)
            mask = mask.transpose(0, 1)
        numerator = self._compute_score(emissions, tags, mask)
        denominator = self._compute_normalizer(emissions, mask)
        llh = numerator - denominator
        if reduction == "none":
            return llh
        if reduction == "sum":
            return llh.sum()
        return llh.sum() / mask.float().sum()

    def _compute_score(self, emissions, tags, mask):
        seq_length, batch_size = tags.shape
        mask = mask.float()
        score = self.start_transitions[tags[0]]
        score += emissions[0, torch.arange(batch_size), tags[0]]
        for i in range(1, seq_length):
            score += self.transitions[tags[i - 1], tags[i]] * mask[i]
            score += emissions[i, torch.arange(batch_size), tags[i]] * mask[i]
        seq_ends = mask.long().sum(dim=0) - 1
        last_tags = tags[seq_ends, torch.arange(batch_size)]
        score += self.end_transitions[last_tags]
        return score

    def _compute_normalizer(self, emissions, mask):
        seq_length = emissions.size(0)
        score = self.start_transitions + emissions[0]
        for i in range(1, seq_length):
            broadcast_score = score.unsqueeze(2)
            broadcast_emissions = emissions[i].unsqueeze(1)
            next_score = broadcast_score + self.transitions + broadcast_emissions
            next_score = torch.logsumexp(next_score, dim=1)
            score = torch.where(mask[i].unsqueeze(1), next_score, score)
        score += self.end_transitions
        return torch.logsumexp(score, dim=1)

    def decode(self, emissions, mask):
        emissions, mask = emissions.transpose(0, 1), mask.transpose(0, 1)
        seq_length, batch_size = mask.shape
        score = self.start_transitions + emissions[0]
        history = []
        for i in range(1, seq_length):
            next_score = score[:, :, None] + self.transitions + emissions[i][:, None, :]
            next_score, indices = next_score.max(dim=1)
            score = torch.where(mask[i].unsqueeze(1), next_score, score)
            history.append(indices)
        score += self.end_transitions
        seq_ends = mask.long().sum(dim=0) - 1
        best_tags_list = []
        for idx in range(batch_size):
            _, best_last_tag = score[idx].max(dim=0)
            best_tags = [best_last_tag.item()]
            for hist in reversed(history[:seq_ends[idx]]):
                best_last_tag = hist[idx][best_tags[-1]]
                best_tags.append(best_last_tag.item())
            best_tags.reverse()
            best_tags_list.append(best_tags)
        return best_tags_list


class BiLSTM_CRF(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim, padding_idx):
        super(BiLSTM_CRF, self).__init__()
        self.word_embeds = nn.Embedding(vocab_size, embedding_dim, padding_idx=padding_idx)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, num_layers=1, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(hidden_dim, len(TAGS))
        self.crf = CRF(len(TAGS))

    def _features(self, sentences):
        embeds = self.word_embeds(sentences)
        lstm_out, _ = self.lstm(embeds)
        return self.hidden2tag(lstm_out)

    def neg_log_likelihood(self, sentences, tags, mask):
        return -self.crf(self._features(sentences), tags, mask, reduction="mean")

    def forward(self, sentences, mask):
        return self.crf.decode(self._features(sentences), mask)


def prepare(n=12, seed=6):
    rng = np.random.RandomState(seed)
    xs, ys = [], []
    for _ in range(n):
        length = rng.randint(3, 8)
        words, tags, inside = [], [], False
        for _ in range(length):
            w = rng.randint(1, 10)
            tag = 0 if w < 5 else (2 if inside else 1)
            inside = w >= 5
            words.append(w)
            tags.append(tag)
        xs.append(torch.tensor(words))
        ys.append(torch.tensor(tags))
    x = pad_sequence(xs, batch_first=True, padding_value=0)
    y = pad_sequence(ys, batch_first=True, padding_value=0)
    lengths = torch.tensor([len(s) for s in xs])
    mask = torch.arange(x.size(1))[None, :] < lengths[:, None]
    return x, y, mask


def spans(tags):
    found, start = set(), None
    for i, t in enumerate(tags + [0]):
        if start is not None and t != 2:
            found.add((start, i))
            start = None
        if t == 1:
            start = i
    return found


torch.manual_seed(1)
x, y, mask = prepare()
model = BiLSTM_CRF(10, 6, 8, 0)
weights = np.random.RandomState(9)
for name, param in model.named_parameters():
    if not name.startswith("crf"):
        param.data = torch.from_numpy(weights.uniform(-0.5, 0.5, tuple(param.shape))).to(param)
with torch.no_grad():
    print("brute", model.crf(model._features(x), y, mask, reduction="none")[:3].numpy().round(4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=1e-4)
for epoch in range(15):
    model.zero_grad()
    loss = model.neg_log_likelihood(x, y, mask)
    loss.backward()
    optimizer.step()
    if epoch % 5 == 4:
        print("epoch %d nll %.4f" % (epoch, loss))
with torch.no_grad():
    predicted = model(x, mask)
gold = [t[m].tolist() for t, m in zip(y, mask)]
tp = sum(len(spans(a) & spans(b)) for a, b in zip(gold, predicted))
print("f1 %.3f" % (2 * tp / (sum(map(len, map(spans, gold))) + sum(map(len, map(spans, predicted))))))
print(predicted[0], gold[0], [TAGS[t] for t in predicted[1]])
print(model.crf.transitions.data)
