"""A data module with stages; fit with its sanity check, validate, test and predict."""

import pytorch_lightning as pl
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, first, count):
        self.first, self.count = first, count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        x = torch.sin(torch.arange(3.0) * (self.first + i))
        return x, int(x.sum() > 0)


class PointsModule(pl.LightningDataModule):
    def __init__(self, batch_size: int = 4):
        super().__init__()
        self.batch_size = batch_size

    def prepare_data(self):
        print("prepared")

    def setup(self, stage):
        print("setup", stage)
        if stage == "fit":
            self.train = Points(0, 14)
        self.held_out = Points(20, 6)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size)

    def val_dataloader(self):
        return DataLoader(self.held_out, batch_size=self.batch_size)

    def test_dataloader(self):
        return DataLoader(self.held_out, batch_size=3)

    def predict_dataloader(self):
        return DataLoader(self.held_out, batch_size=5)


class Logistic(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        nn.init.constant_(self.linear.weight, 0.1)
        nn.init.zeros_(self.linear.bias)
        self.criterion = nn.CrossEntropyLoss()
        self.seen = []

    def forward(self, x):
        return self.linear(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        correct = (logits.argmax(dim=1) == y).float().mean()
        self.seen.append(correct.item())
        self.log("val/loss", self.criterion(logits, y))
        self.log("val/acc", correct, prog_bar=True)

    def on_validation_epoch_end(self):
        print("seen", len(self.seen), self.trainer.sanity_checking)
        self.seen.clear()

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test/loss", self.criterion(self(x), y), batch_size=len(y))

    def predict_step(self, batch, batch_idx):
        x, _ = batch
        return self(x).softmax(dim=-1)

    def configure_optimizers(self):
        return optim.Adam(self.parameters(), lr=0.05)


points = PointsModule()
model = Logistic()
trainer = pl.Trainer(
    max_epochs=2,
    accelerator="cpu",
    devices=1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, datamodule=points)
print({k: round(float(v), 4) for k, v in sorted(trainer.callback_metrics.items())})
(checked,) = trainer.validate(model, datamodule=points, verbose=False)
print({k: round(v, 4) for k, v in sorted(checked.items())})
(tested,) = trainer.test(model, datamodule=points, verbose=False)
print({k: round(v, 4) for k, v in tested.items()})
batches = trainer.predict(model, datamodule=points)
print(len(batches), batches[0].shape[0], round(torch.cat(batches)[:, 1].sum().item(), 4))
