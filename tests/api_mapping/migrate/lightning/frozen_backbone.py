"""A network of convolutions with running statistics, a frozen part, and outputs kept by hand."""

import pytorch_lightning as pl
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Features(nn.Module):
    def __init__(self, channels=2):
        super().__init__()
        self.conv = nn.Conv2d(1, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x))).mean(dim=(2, 3))


class Tuned(pl.LightningModule):
    def __init__(self, backbone, classes=3, lr=0.1):
        super().__init__()
        self.save_hyperparameters(ignore=["backbone"])
        self.backbone = backbone
        self.head = nn.Linear(2, self.hparams.classes)
        for k, p in enumerate(self.parameters()):
            with torch.no_grad():
                p.copy_(torch.sin(torch.arange(p.numel()).float() + k).view_as(p) * 0.5)
        for p in self.backbone.conv.parameters():
            p.requires_grad = False
        self.outputs = []

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        images, labels = batch
        loss = F.cross_entropy(self(images), labels)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        print("train", round(self.trainer.callback_metrics["train_loss"].item(), 4))

    def validation_step(self, batch, batch_idx):
        images, labels = batch
        logits = self(images)
        self.outputs.append((logits, labels))
        return logits

    def on_validation_epoch_end(self):
        logits = torch.cat([one for one, _ in self.outputs])
        labels = torch.cat([one for _, one in self.outputs])
        self.log("val_loss", F.cross_entropy(logits, labels))
        self.outputs.clear()

    def configure_optimizers(self):
        wanted = filter(lambda p: p.requires_grad, self.parameters())
        optimizer = torch.optim.SGD(wanted, lr=self.hparams.lr, momentum=0.5)
        return [optimizer], [torch.optim.lr_scheduler.MultiStepLR(optimizer, [1], gamma=0.5)]


images = torch.sin(torch.arange(9 * 36.0)).view(9, 1, 6, 6)
labels = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0])
data = TensorDataset(images, labels)
model = Tuned(Features())
trainer = pl.Trainer(
    max_epochs=3,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    check_val_every_n_epoch=2,
    limit_val_batches=2,
)
trainer.fit(model, DataLoader(data, batch_size=3), DataLoader(data, batch_size=4))
print(round(trainer.callback_metrics["val_loss"].item(), 4))
print([round(v, 4) for v in model.backbone.norm.running_mean.tolist()])
print(dict(model.hparams), sum(p.numel() for p in model.parameters() if p.requires_grad))
