import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD = 0


class Reviews(Dataset):
    """Tokenised sentences with a label."""

    def __init__(self):
        self.samples = []
        for i in range(12):
            n = 3 + (i * 5) % 7
            tokens = [(i * 7 + k * 3) % 19 + 1 for k in range(n)]
            self.samples.append((torch.tensor(tokens, dtype=torch.long), i % 2))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, idx):
        return self.samples[idx]


def collate(batch):
    seqs, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in seqs])
    padded = pad_sequence(seqs, batch_first=True, padding_value=PAD)
    return padded, lengths, torch.tensor(labels)


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, num_classes, num_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=PAD)
        self.lstm = nn.LSTM(
            embed_dim, hidden_dim, num_layers=num_layers, batch_first=True, bidirectional=True
        )
        self.fc = nn.Linear(hidden_dim * 2, num_classes)

    def forward(self, text, lengths):
        embedded = self.embedding(text)
        packed = pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed_output, (hidden, cell) = self.lstm(packed)
        output, output_lengths = pad_packed_sequence(packed_output, batch_first=True)
        hidden = torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)
        pooled = output.sum(dim=1) / output_lengths.unsqueeze(1).to(output.device).float()
        return self.fc(hidden + pooled)


def fill(net):
    with torch.no_grad():
        for k, (name, p) in enumerate(sorted(net.named_parameters(), key=lambda kv: kv[0])):
            values = torch.arange(p.numel(), dtype=torch.float32)
            p.copy_((torch.sin(values * 0.7 + len(name)) * 0.3).reshape(p.shape))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TextClassifier(20, 8, 6, 2).to(device)
    fill(model)
    loader = DataLoader(Reviews(), batch_size=4, shuffle=False, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    model.train()
    for epoch in range(3):
        total = 0.0
        for text, lengths, labels in loader:
            text, labels = text.to(device), labels.to(device)
            optimizer.zero_grad()
            logits = model(text, lengths)
            loss = criterion(logits, labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * labels.size(0)
        print(f"epoch {epoch} loss {total / 12:.2f}")
    model.eval()
    with torch.no_grad():
        for text, lengths, labels in loader:
            probs = F.softmax(model(text, lengths), dim=-1)
            print([[round(v, 2) for v in row] for row in probs.tolist()])


if True:
    main()
