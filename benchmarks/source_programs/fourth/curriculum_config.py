"""A trainer class: dataclass configuration over argparse, logging, a curriculum of lengths, LambdaLR with warm-up, early stopping."""
import argparse
import dataclasses
import logging
import math
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

import numpy as np
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Subset, TensorDataset

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
logger = logging.getLogger("trainer")


@dataclass
class Config:
    hidden: int = 12
    lr: float = 2e-2
    weight_decay: float = 1e-3
    batch_size: int = 8
    epochs: int = 8
    warmup_steps: int = 4
    patience: int = 2
    min_delta: float = 1e-3
    stages: List[int] = field(default_factory=lambda: [3, 5, 8])
    seed: int = 0
    device: str = "cuda" if torch.cuda.is_available() else "cpu"

    @classmethod
    def from_args(cls, argv: Optional[List[str]] = None) -> "Config":
        parser = argparse.ArgumentParser()
        for f in dataclasses.fields(cls):
            if f.name == "stages":
                parser.add_argument("--stages", type=int, nargs="+", default=[3, 5, 8])
            else:
                parser.add_argument(f"--{f.name.replace('_', '-')}", type=type(f.default), default=f.default)
        return cls(**vars(parser.parse_args(argv)))


def seed_everything(seed: int):
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


class EarlyStopping:
    def __init__(self, patience: int, min_delta: float, path: Path):
        self.patience, self.min_delta, self.path = patience, min_delta, path
        self.best, self.counter = math.inf, 0

    def __call__(self, value: float, model: nn.Module) -> bool:
        if value < self.best - self.min_delta:
            self.best, self.counter = value, 0
            torch.save(model.state_dict(), self.path)
        else:
            self.counter += 1
            logger.info("EarlyStopping counter: %d out of %d", self.counter, self.patience)
        return self.counter >= self.patience


class AddingRNN(nn.Module):
    """The adding problem: the sum of the two numbers that are marked."""

    def __init__(self, hidden: int):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h_n = self.rnn(x)
        return self.head(h_n[-1]).squeeze(-1)


def adding_problem(n: int, length: int, rng: np.random.RandomState) -> TensorDataset:
    values = rng.rand(n, length)
    marks = np.zeros((n, length))
    for i in range(n):
        marks[i, rng.choice(length, 2, replace=False)] = 1.0
    x = torch.tensor(np.stack([values, marks], -1), dtype=torch.float32)
    y = torch.tensor((values * marks).sum(1), dtype=torch.float32)
    return TensorDataset(x, y)


class Trainer:
    def __init__(self, cfg: Config, model: nn.Module, workdir: Path):
        self.cfg = cfg
        self.model = model.to(cfg.device)
        self.criterion = nn.SmoothL1Loss(beta=0.5)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.total_steps = cfg.epochs * 3 * len(cfg.stages)
        self.scheduler = LambdaLR(self.optimizer, lr_lambda=self._lr_lambda)
        self.workdir = workdir
        self.global_step = 0
        self.history: Dict[str, List[float]] = {"train": [], "valid": []}

    def _lr_lambda(self, step: int) -> float:
        if step < self.cfg.warmup_steps:
            return (step + 1) / self.cfg.warmup_steps
        progress = (step - self.cfg.warmup_steps) / max(1, self.total_steps - self.cfg.warmup_steps)
        return max(0.05, 0.5 * (1.0 + math.cos(math.pi * progress)))

    def _run_epoch(self, loader: DataLoader, train: bool) -> float:
        self.model.train(train)
        total, count = 0.0, 0
        with torch.set_grad_enabled(train):
            for x, y in loader:
                x, y = x.to(self.cfg.device, non_blocking=True), y.to(self.cfg.device, non_blocking=True)
                pred = self.model(x)
                loss = self.criterion(pred, y)
                if train:
                    self.optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                    grad_norm = nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                    self.optimizer.step()
                    self.scheduler.step()
                    self.global_step += 1
                    if self.global_step % 8 == 0:
                        logger.info("step %d grad_norm %.3f lr %.5f", self.global_step, grad_norm.item(), self.scheduler.get_last_lr()[0])
                total += loss.item() * x.shape[0]
                count += x.shape[0]
        return total / count

    def fit_stage(self, length: int) -> int:
        rng = np.random.RandomState(self.cfg.seed + length)
        data = adding_problem(32, length, rng)
        train = DataLoader(Subset(data, range(24)), batch_size=self.cfg.batch_size, shuffle=False)
        valid = DataLoader(Subset(data, range(24, 32)), batch_size=self.cfg.batch_size)
        stopper = EarlyStopping(self.cfg.patience, self.cfg.min_delta, self.workdir / f"stage_{length}.pt")
        for epoch in range(1, self.cfg.epochs + 1):
            self.history["train"].append(self._run_epoch(train, True))
            self.history["valid"].append(self._run_epoch(valid, False))
            logger.info("len %d epoch %d train %.4f valid %.4f", length, epoch, self.history["train"][-1], self.history["valid"][-1])
            if stopper(self.history["valid"][-1], self.model):
                break
        self.model.load_state_dict(torch.load(stopper.path, map_location=self.cfg.device, weights_only=True))
        return epoch


def main(argv=None):
    cfg = Config.from_args(argv)
    seed_everything(cfg.seed)
    logger.info("config %s", {k: v for k, v in dataclasses.asdict(cfg).items() if k != "device"})
    model = AddingRNN(cfg.hidden)
    weights = np.random.RandomState(21)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.from_numpy(weights.randn(*p.shape) * 0.3))
    with tempfile.TemporaryDirectory() as tmp:
        trainer = Trainer(cfg, model, Path(tmp))
        for length in cfg.stages:
            epochs = trainer.fit_stage(length)
            print(f"stage {length}: {epochs} epochs, best {min(trainer.history['valid'][-epochs:]):.4f}, lr {trainer.optimizer.param_groups[0]['lr']:.6f}")
        print(sorted(os.listdir(tmp)))
    x, y = adding_problem(4, 6, np.random.RandomState(99)).tensors
    trainer.model.eval()
    with torch.inference_mode():
        print(trainer.model(x).numpy().round(3), y.numpy().round(3))


if __name__ == "__main__":
    main(["--epochs", "4", "--stages", "3", "5"])
