"""A trainer as teams keep one: optional DDP, AMP with a scaler, EMA, accumulation, checkpoints, resume, logging."""
import argparse
import logging
import os
import tempfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.cuda.amp import GradScaler
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, SequentialSampler

logger = logging.getLogger(__name__)
LOCAL_RANK = int(os.getenv("LOCAL_RANK", -1))
RANK = int(os.getenv("RANK", -1))
WORLD_SIZE = int(os.getenv("WORLD_SIZE", 1))


class Series(Dataset):
    def __init__(self, n=48):
        rng = np.random.default_rng(8)
        self.x = rng.standard_normal((n, 8)).astype(np.float32)
        self.y = np.tanh(self.x[:, :2].sum(1) - self.x[:, 2] ** 2).astype(np.float32)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return {"x": torch.from_numpy(self.x[i]), "y": torch.tensor(self.y[i])}


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 1))
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            n = module.weight.numel()
            module.weight.data.copy_((torch.arange(n).float() * 0.618).sin().view_as(module.weight)).mul_(0.3)
            module.bias.data.zero_()

    def forward(self, x):
        return self.layers(x).flatten()


class Trainer:
    def __init__(self, cfg, save_dir):
        self.cfg, self.save_dir = cfg, Path(save_dir)
        self.device = torch.device(f"cuda:{LOCAL_RANK}" if torch.cuda.is_available() else "cpu")
        self.model = Regressor().to(self.device)
        self.ema = AveragedModel(self.model, avg_fn=lambda avg, new, n: 0.8 * avg + 0.2 * new)
        if RANK != -1:
            dist.init_process_group(backend="nccl" if dist.is_nccl_available() else "gloo")
            self.model = DDP(self.model, device_ids=[LOCAL_RANK], output_device=LOCAL_RANK)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.scheduler = torch.optim.lr_scheduler.MultiStepLR(self.optimizer, milestones=[2, 3], gamma=0.3)
        self.scaler = GradScaler(enabled=self.device.type == "cuda")
        self.start_epoch, self.global_step, self.history = 0, 0, []
        data = Series()
        sampler = DistributedSampler(data) if RANK != -1 else SequentialSampler(data)
        self.loader = DataLoader(data, batch_size=cfg.batch, sampler=sampler, num_workers=0, pin_memory=True, drop_last=True)

    @property
    def raw_model(self):
        return self.model.module if hasattr(self.model, "module") else self.model

    def autocast(self):
        if self.device.type == "cuda":
            return torch.autocast("cuda", dtype=torch.float16)
        return nullcontext()

    def save(self, epoch):
        if RANK in (-1, 0):
            ckpt = {"epoch": epoch, "model": self.raw_model.state_dict(), "ema": self.ema.module.state_dict(),
                    "optimizer": self.optimizer.state_dict(), "scheduler": self.scheduler.state_dict(),
                    "scaler": self.scaler.state_dict(), "step": self.global_step, "args": vars(self.cfg)}
            torch.save(ckpt, self.save_dir / "last.pt")

    def resume(self, path):
        ckpt = torch.load(path, map_location=self.device, weights_only=False)
        self.raw_model.load_state_dict(ckpt["model"], strict=True)
        self.ema.module.load_state_dict(ckpt["ema"])
        self.optimizer.load_state_dict(ckpt["optimizer"])
        self.scheduler.load_state_dict(ckpt["scheduler"])
        self.scaler.load_state_dict(ckpt["scaler"])
        self.start_epoch, self.global_step = ckpt["epoch"] + 1, ckpt["step"]
        print("resume", self.start_epoch, self.global_step, ckpt["args"]["batch"])

    def train_one_epoch(self, epoch):
        self.model.train()
        if isinstance(self.loader.sampler, DistributedSampler):
            self.loader.sampler.set_epoch(epoch)
        running = 0.0
        self.optimizer.zero_grad(set_to_none=True)
        for i, batch in enumerate(self.loader):
            x, y = batch["x"].to(self.device, non_blocking=True), batch["y"].to(self.device, non_blocking=True)
            with self.autocast():
                loss = nn.functional.huber_loss(self.model(x), y) / self.cfg.accum
            self.scaler.scale(loss).backward()
            if (i + 1) % self.cfg.accum == 0:
                self.scaler.unscale_(self.optimizer)
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad(set_to_none=True)
                self.ema.update_parameters(self.raw_model)
                self.global_step += 1
            running += loss.item() * self.cfg.accum
        return running / len(self.loader)

    @torch.no_grad()
    def evaluate(self, model):
        model.eval()
        total = torch.zeros(2, device=self.device)
        for batch in self.loader:
            err = (model(batch["x"].to(self.device)) - batch["y"].to(self.device)).abs()
            total += torch.stack([err.sum(), torch.tensor(float(err.numel()), device=self.device)])
        if RANK != -1:
            dist.all_reduce(total)
        return (total[0] / total[1]).item()

    def fit(self, epochs):
        for epoch in range(self.start_epoch, epochs):
            loss = self.train_one_epoch(epoch)
            self.scheduler.step()
            mae, ema_mae = self.evaluate(self.raw_model), self.evaluate(self.ema.module)
            self.history.append(loss)
            logger.info("epoch %d", epoch)
            lr = self.optimizer.param_groups[0]["lr"]
            print(f"{epoch} loss {loss:.5f} mae {mae:.4f} ema {ema_mae:.4f} lr {lr:.5f} step {self.global_step}")
            self.save(epoch)


def parse_opt():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--accum", type=int, default=2)
    parser.add_argument("--clip", type=float, default=1.0)
    return parser.parse_known_args([])[0]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        Trainer(parse_opt(), tmp).fit(2)
        second = Trainer(parse_opt(), tmp)
        second.resume(Path(tmp) / "last.pt")
        second.fit(4)
        print(len(second.history), round(min(second.history), 5))
