#!/usr/bin/env python
"""Data-parallel training: torchrun --nproc_per_node=8 distributed.py --lr 0.1"""
import argparse
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def get_args():
    parser = argparse.ArgumentParser(description="Training")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_known_args()[0]


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


def is_main_process():
    return not dist.is_initialized() or dist.get_rank() == 0


class ResidualMLP(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.inp = nn.Linear(10, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU())
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        x = self.inp(x)
        return self.out(x + self.body(x))


def main():
    args = get_args()
    set_seed(args.seed)
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    distributed = world_size > 1
    if distributed:
        dist.init_process_group(backend="nccl")
        local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local_rank)
    device = torch.device(args.device)

    rng = np.random.RandomState(args.seed)
    x = rng.randn(80, 10).astype(np.float32)
    y = (x.sum(1) > 0).astype(np.int64)
    dataset = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    sampler = DistributedSampler(dataset) if distributed else None
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler,
                        num_workers=0, pin_memory=True)

    model = ResidualMLP().to(device)
    if distributed:
        model = DDP(model, device_ids=[local_rank])
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)

    losses = []
    for epoch in range(args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        model.train()
        for i, (inputs, target) in enumerate(loader):
            inputs, target = inputs.to(device), target.to(device)
            output = model(inputs)
            loss = criterion(output, target)

            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

            losses.append(loss.item())
            if is_main_process() and i % 5 == 0:
                print(f"epoch {epoch} iter {i}/{len(loader)} loss {loss:.4f}")

    if is_main_process():
        state = model.module.state_dict() if distributed else model.state_dict()
        print("saved", len(state), "tensors")
    if distributed:
        dist.destroy_process_group()
    return losses


if __name__ == "__main__":
    losses = main()
