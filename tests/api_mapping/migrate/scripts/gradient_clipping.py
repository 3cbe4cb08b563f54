import numpy as np
import torch
import torch.nn as nn


class SentimentRNN(nn.Module):
    """A GRU that reads a sentence and a linear layer on what it read."""

    def __init__(self, vocab_size, embed_dim=16, hidden_dim=24):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.fc = nn.Linear(hidden_dim, 1)

    def forward(self, tokens):
        embedded = self.embedding(tokens)
        _, hidden = self.rnn(embedded)
        return self.fc(hidden[-1]).squeeze(1)


def make_batches(num_batches, batch_size=8, length=12, vocab_size=50):
    rng = np.random.default_rng(3)
    for _ in range(num_batches):
        tokens = rng.integers(0, vocab_size, size=(batch_size, length))
        target = (tokens.mean(axis=1) > vocab_size / 2).astype(np.float32)
        yield torch.from_numpy(tokens), torch.from_numpy(target)


def main():
    model = SentimentRNN(vocab_size=50)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
    max_norm = 0.5

    losses, norms = [], []
    for step, (tokens, target) in enumerate(make_batches(20), start=1):
        logits = model(tokens)
        loss = criterion(logits, target)

        optimizer.zero_grad()
        loss.backward()
        # prevents exploding gradients
        total_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()

        losses.append(loss.item())
        norms.append(total_norm.item())
        if step % 5 == 0:
            print(f"step {step:3d} | loss {loss.item():.4f} | grad norm {total_norm:.3f}")
    return losses + norms


if __name__ == "__main__":
    losses = main()
