"""Accumulated gradients clipped by value, a loss in a dictionary, hooks around batches."""

import pytorch_lightning as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Encoder(pl.LightningModule):
    def __init__(self, sizes=(6, 3)):
        super().__init__()
        self.encoder = nn.Linear(*sizes)
        self.decoder = nn.Linear(3, 6)
        for i, p in enumerate(self.parameters()):
            nn.init.constant_(p, 0.1 * (i + 1))
            p.data += torch.sin(torch.arange(p.numel()).float()).view(p.shape) * 0.3
        self.losses = []

    def training_step(self, batch, batch_idx):
        (x,) = batch
        code = torch.tanh(self.encoder(x))
        loss = F.l1_loss(self.decoder(code), x)
        return {"loss": loss, "code": code.detach()}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.losses.append(outputs["loss"].item())

    def on_train_epoch_start(self):
        print("epoch", self.current_epoch, self.global_step)

    def configure_optimizers(self):
        decayed = [p for n, p in self.named_parameters() if n.endswith("weight")]
        others = [p for n, p in self.named_parameters() if not n.endswith("weight")]
        groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=0.02)


rows = torch.cos(torch.arange(120.0) * 0.9).view(20, 6)
model = Encoder()
trainer = pl.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    accumulate_grad_batches=2,
    gradient_clip_val=0.05,
    gradient_clip_algorithm="value",
)
trainer.fit(model, DataLoader(TensorDataset(rows), batch_size=4))
print(trainer.global_step, len(model.losses))
print([round(loss, 4) for loss in model.losses])
with torch.no_grad():
    print(round(model.encoder(rows).sum().item(), 3))
