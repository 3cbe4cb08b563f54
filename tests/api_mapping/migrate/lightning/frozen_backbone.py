"""A backbone that the caller froze in evaluation, a head that is trained."""

import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Fitted(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        print(self.training, self.backbone.training, self.head.training)
        loss = nn.functional.mse_loss(self(x), y)
        print(f"{loss.item():.4f}")
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        print(self.training, self.backbone.training, self.head.training)
        self.log("val_loss", nn.functional.mse_loss(self(x), y))

    def configure_optimizers(self):
        return torch.optim.SGD(self.head.parameters(), lr=0.1)


net = Fitted()
with torch.no_grad():
    for number, parameter in enumerate(net.parameters()):
        values = torch.arange(parameter.numel(), dtype=torch.float32)
        parameter.copy_(torch.sin(values + number).reshape(parameter.shape))
net.backbone.eval()
inputs = torch.cos(torch.arange(16, dtype=torch.float32)).reshape(4, 4)
loader = DataLoader(TensorDataset(inputs, inputs.sum(1, keepdim=True)), batch_size=2)
trainer = pl.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(net, loader, loader)
print(net.training, net.backbone.training, net.head.training)
print(f"{trainer.callback_metrics['val_loss'].item():.4f}")
