"""Small batches, summed to large ones."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ACCUMULATION_STEPS = 4
NUM_EPOCHS = 2


class Waves(Dataset):
    """Noisy sine waves; the target is their frequency."""

    def __init__(self, n: int, length: int = 32):
        random = np.random.RandomState(7)
        self.frequencies = random.uniform(0.5, 3.0, size=(n, 1)).astype(np.float32)
        t = np.linspace(0, 2 * np.pi, length, dtype=np.float32)
        noise = 0.1 * random.randn(n, length)
        self.signals = (np.sin(self.frequencies * t) + noise).astype(np.float32)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, idx):
        x = torch.from_numpy(self.signals[idx])
        y = torch.tensor(self.frequencies[idx])
        return x, y


model = nn.Sequential(
    nn.BatchNorm1d(32),
    nn.Linear(32, 64),
    nn.ReLU(inplace=True),
    nn.Linear(64, 1),
)
loader = DataLoader(Waves(80), batch_size=4)
loss_fn = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)

history = []
model.train()
opt.zero_grad()
for epoch in range(NUM_EPOCHS):
    for step, (x, y) in enumerate(loader):
        pred = model(x)
        loss = loss_fn(pred, y)
        history.append(loss.item())

        # Scale the loss so that gradients are averaged over the big batch
        loss = loss / ACCUMULATION_STEPS
        loss.backward()

        if (step + 1) % ACCUMULATION_STEPS == 0 or step + 1 == len(loader):
            opt.step()
            opt.zero_grad()

    print("epoch %d  loss %.4f" % (epoch, history[-1]))
