"""Early stopping on a plateau, a rate that follows the metric, a callback that watches."""

import torch
from pytorch_lightning import Callback, LightningModule, Trainer, seed_everything
from pytorch_lightning.callbacks import EarlyStopping
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset

seed_everything(3)


class Watcher(Callback):
    def __init__(self):
        self.epochs = []

    def on_fit_start(self, trainer, pl_module):
        print("begins", trainer.max_epochs)

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs.append(trainer.current_epoch)

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            print("validated", round(trainer.callback_metrics["val_loss"].item(), 4))

    def on_train_end(self, trainer, pl_module):
        print("ends", self.epochs)


class Fit(LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.scale = nn.Parameter(torch.tensor([0.5]))
        self.shift = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x * self.scale + self.shift

    def step(self, batch):
        x, y = batch
        return ((self(x) - y) ** 2).mean()

    def training_step(self, batch):
        return self.step(batch)

    def validation_step(self, batch):
        self.log("val_loss", self.step(batch))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.lr)
        return {
            "optimizer": optimizer,
            "lr_scheduler": ReduceLROnPlateau(optimizer, factor=0.1, patience=1),
            "monitor": "val_loss",
        }


x = torch.linspace(-1, 1, 24).view(-1, 1)
train = DataLoader(TensorDataset(x, x * 3 + 1), batch_size=6)
held_out = DataLoader(TensorDataset(x[::3], x[::3] * 2), batch_size=5)
watcher = Watcher()
stopping = EarlyStopping(monitor="val_loss", patience=2, mode="min")
model = Fit(lr=0.05)
trainer = Trainer(
    max_epochs=12,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    num_sanity_val_steps=0,
    callbacks=[watcher, stopping],
)
trainer.fit(model, train_dataloaders=train, val_dataloaders=held_out)
print(trainer.current_epoch, stopping.stopped_epoch, round(float(stopping.best_score), 4))
print(round(model.scale.item(), 4), round(model.shift.item(), 4))
print(round(trainer.optimizers[0].param_groups[0]["lr"], 6))
