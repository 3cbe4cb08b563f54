"""The autoencoder of Lightning's quick start: LightningDataModule, one optimizer, trainer.fit, own loop after."""
import logging
import warnings

import lightning_utilities  # noqa: F401
import numpy as np
import pytorch_lightning as L
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Waves(Dataset):
    def __init__(self, count, width=12):
        grid = np.arange(width) / width * 2 * np.pi
        self.rows = [np.sin(grid * (1 + i % 3) + i).astype(np.float32) for i in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i]), i % 3


class WavesModule(L.LightningDataModule):
    def __init__(self, batch_size=8):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        self.train, self.val = Waves(32), Waves(8)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


class LitAutoEncoder(L.LightningModule):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.losses = []

    def training_step(self, batch, batch_idx):
        x, _ = batch
        x = x.view(x.size(0), -1)
        z = self.encoder(x)
        x_hat = self.decoder(z)
        loss = nn.functional.mse_loss(x_hat, x)
        self.log("train_loss", loss)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, batch_idx):
        x, _ = batch
        self.log("val_loss", nn.functional.mse_loss(self.decoder(self.encoder(x)), x))

    def configure_optimizers(self):
        return optim.Adam(self.parameters(), lr=1e-2)


encoder = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3))
decoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 12))
for k, p in enumerate([*encoder.parameters(), *decoder.parameters()]):
    nn.init.constant_(p, 0.05)
    p.data += 0.4 * torch.cos(torch.arange(p.numel()).float() * (k + 1)).view(p.shape)
autoencoder = LitAutoEncoder(encoder, decoder)
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(model=autoencoder, datamodule=WavesModule())
print("steps", trainer.global_step, len(autoencoder.losses))
print([round(v, 4) for v in autoencoder.losses])
print("val", round(trainer.callback_metrics["val_loss"].item(), 4))
autoencoder.eval()
with torch.no_grad():
    codes = autoencoder.encoder(torch.stack([Waves(6)[i][0] for i in range(6)]))
print(tuple(codes.shape), codes.mean().item(), codes.std().item())
optimizer = optim.SGD(autoencoder.decoder.parameters(), lr=0.1)
for _ in range(2):
    x = torch.from_numpy(np.stack(Waves(4).rows))
    loss = nn.functional.l1_loss(autoencoder.decoder(autoencoder.encoder(x).detach()), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("tuned", round(loss.item(), 4))
