"""A LightningModule in canonical use: steps, self.log, a scheduler, a callback, Trainer.fit and test."""
import logging
import os
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class LitClassifier(pl.LightningModule):
    def __init__(self, hidden=16, lr=0.02):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 3))
        self.validation_losses = []
        for k, p in enumerate(self.net.parameters()):
            p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float32) + k).view_as(p) * 0.3

    def forward(self, x):
        return self.net(x)

    def shared_step(self, batch):
        x, y = batch
        logits = self(x)
        return F.cross_entropy(logits, y), (logits.argmax(1) == y).float().mean()

    def training_step(self, batch, batch_idx):
        loss, acc = self.shared_step(batch)
        self.log("train_loss", loss)
        self.log("train_acc", acc, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, acc = self.shared_step(batch)
        self.log("val_loss", loss, prog_bar=True)
        self.log("val_acc", acc)

    def test_step(self, batch, batch_idx):
        loss, acc = self.shared_step(batch)
        self.log("test_loss", loss)
        self.log("test_acc", acc)

    def on_train_epoch_end(self):
        print("epoch", self.current_epoch, round(self.trainer.optimizers[0].param_groups[0]["lr"], 5))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=0.01)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        return [optimizer], [scheduler]


class Printer(Callback):
    def on_validation_epoch_end(self, trainer, module):
        if not trainer.sanity_checking:
            print("val", round(float(trainer.callback_metrics["val_loss"]), 4))


def loaders():
    rng = np.random.RandomState(0)
    x = rng.randn(36, 4).astype(np.float32)
    y = np.digitize(x.sum(1), [-1, 1]).astype(np.int64)
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    return DataLoader(data, batch_size=6), DataLoader(data, batch_size=12)


def main():
    train, val = loaders()
    model = LitClassifier(hidden=8)
    trainer = pl.Trainer(max_epochs=3, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                         enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
                         callbacks=[Printer()], gradient_clip_val=1.0)
    trainer.fit(model, train, val)
    print("train_loss", round(float(trainer.callback_metrics["train_loss"]), 4))
    results = trainer.test(model, val, verbose=False)
    print({k: round(v, 4) for k, v in results[0].items()})
    model.eval()
    with torch.no_grad():
        print(model(torch.ones(1, 4))[0].tolist(), model.hparams.hidden, model.hparams.lr)


if __name__ == "__main__":
    main()
