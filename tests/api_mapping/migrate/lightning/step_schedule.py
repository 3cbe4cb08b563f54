"""A regression: hyperparameters, log_dict, a rate that falls at each step."""

import torch
import torch.nn.functional as F
from pytorch_lightning import LightningModule, Trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regression(LightningModule):
    def __init__(self, width: int = 4, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))
        for i, p in enumerate(self.parameters()):
            p.data = torch.cos(torch.arange(p.numel(), dtype=torch.float32) + i).view_as(p) * 0.4

    def forward(self, x):
        return self.layers(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        y_hat = self(x)
        loss = F.mse_loss(y_hat, y)
        self.log_dict({"mse": loss, "mae": (y_hat - y).abs().mean()}, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
        schedule = {"scheduler": scheduler, "interval": "step"}
        return {"optimizer": optimizer, "lr_scheduler": schedule}


x = torch.sin(torch.arange(40.0)).view(20, 2)
y = x[:, 0] * 2 - x[:, 1]
loader = DataLoader(TensorDataset(x, y), batch_size=8)
model = Regression(width=5)
trainer = Trainer(
    max_epochs=3,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, loader)
print(model.hparams.width, model.hparams["lr"], trainer.global_step, trainer.current_epoch)
print(sorted(trainer.callback_metrics))
print(round(trainer.callback_metrics["mse_epoch"].item(), 4))
print(round(trainer.callback_metrics["mae_step"].item(), 4))
print(round(trainer.callback_metrics["mae"].item(), 4))
model.eval()
with torch.no_grad():
    print(round(model(x).sum().item(), 4), model.training)
