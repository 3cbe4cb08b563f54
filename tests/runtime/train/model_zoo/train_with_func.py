"""Train with a functional step: value_and_grad, amp, loss scaler, gradient accumulation."""
import argparse
import json
import os
from time import time

import numpy as np

import mindspore as ms
from mindspore import amp, nn, ops
from mindspore.amp import DynamicLossScaler, StaticLossScaler, all_finite, auto_mixed_precision

from zoo.data import create_dataset, create_loader, create_transforms
from zoo.loss import create_loss
from zoo.models import create_model
from zoo.optim import create_optimizer
from zoo.scheduler import create_scheduler


class GradientAccumulator:
    def __init__(self, optimizer, accumulate_step):
        self.optimizer = optimizer
        self.accumulate_step = accumulate_step
        self.inner_grads = optimizer.parameters.clone(prefix="accumulate_", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros_", init="zeros")
        self.counter = ms.Parameter(ms.Tensor(1, ms.int32), "counter_")
        self.map = ops.HyperMap()

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.inner_grads, grads)
        if self.counter % self.accumulate_step == 0:
            self.optimizer(self.inner_grads)
            self.map(ops.partial(ops.assign), self.inner_grads, self.zeros)
        ops.assign_add(self.counter, ms.Tensor(1, ms.int32))
        return True


def train_epoch(network, dataset, loss_fn, optimizer, epoch, n_epochs, scaler, accumulator, jit):
    def forward_fn(data, label):
        logits = network(data)
        loss = loss_fn(logits, label)
        return scaler.scale(loss), logits

    grad_fn = ops.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    def train_step(data, label):
        (loss, logits), grads = grad_fn(data, label)
        loss = scaler.unscale(loss)
        grads = scaler.unscale(grads)
        is_finite = all_finite(grads)
        if is_finite:
            if accumulator is None:
                loss = ops.depend(loss, optimizer(grads))
            else:
                loss = ops.depend(loss, accumulator(grads))
        loss = ops.depend(loss, scaler.adjust(is_finite))
        return loss, logits

    if jit:
        train_step = ms.jit(train_step)

    network.set_train()
    n_batches = dataset.get_dataset_size()
    losses, correct, total = [], 0, 0
    for batch, (data, label) in enumerate(dataset.create_tuple_iterator()):
        loss, logits = train_step(data, label)
        correct += (logits.argmax(1) == label).asnumpy().sum()
        total += len(data)
        losses.append(float(loss.asnumpy()))
        if batch % 100 == 0 or batch == n_batches - 1:
            cur_step = optimizer.global_step.asnumpy()[0] - 1
            print(f"Epoch:[{epoch}/{n_epochs}], batch: [{batch}/{n_batches}], loss: {losses[-1]:.6f}, "
                  f"accuracy: {correct / total:.6f}, step: {cur_step}")
    return losses


def test_epoch(network, dataset):
    network.set_train(False)
    correct, total = 0, 0
    for data, label in dataset.create_tuple_iterator():
        pred = network(data)
        total += len(data)
        correct += (pred.argmax(1) == label).asnumpy().sum()
    correct /= total
    return float(correct)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="./data")
    parser.add_argument("--mode", type=int, default=0)
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--amp_level", default="O0")
    parser.add_argument("--opt", default="adamw")
    parser.add_argument("--loss_scale", default="dynamic")
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--ckpt_path", default="")
    parser.add_argument("--save", default="func.ckpt")
    args = parser.parse_args()
    ms.set_seed(1)
    ms.set_context(mode=args.mode)
    train_set = create_dataset("imagenet", args.data_dir, "train", shuffle=False)
    val_set = create_dataset("imagenet", args.data_dir, "val", shuffle=False)
    transform = create_transforms("imagenet", image_resize=32, is_training=False)
    train_loader = create_loader(train_set, 12, True, is_training=True, num_classes=3, transform=transform)
    val_loader = create_loader(val_set, 12, False, num_classes=3, transform=transform)
    network = create_model("tinynet_s", num_classes=3, checkpoint_path=args.ckpt_path)
    network = auto_mixed_precision(network, args.amp_level)
    loss_fn = create_loss("CE", label_smoothing=0.1)
    lrs = create_scheduler(train_loader.get_dataset_size(), "cosine_decay", lr=0.005, warmup_epochs=0, decay_epochs=2,
                           num_epochs=2)
    optimizer = create_optimizer(network, args.opt, lr=lrs, weight_decay=0.05, weight_decay_filter="norm_and_bias")
    if args.loss_scale == "dynamic":
        scaler = DynamicLossScaler(scale_value=2 ** 10, scale_factor=2, scale_window=3)
    else:
        scaler = StaticLossScaler(float(args.loss_scale))
    accumulator = GradientAccumulator(optimizer, args.accumulate) if args.accumulate > 1 else None
    losses, accs = [], []
    for t in range(2):
        begin = time()
        losses += train_epoch(network, train_loader, loss_fn, optimizer, t, 2, scaler, accumulator, args.jit)
        accs.append(test_epoch(network, val_loader))
        print(f"Epoch {t} done in {time() - begin:.1f}s")
    ms.save_checkpoint(network, args.save, async_save=False, append_dict={"epoch": t, "acc": accs[-1]})
    print(json.dumps({"losses": losses, "accs": accs, "scale": float(scaler.scale_value.asnumpy()) if hasattr(scaler, "scale_value") else 0}))


if __name__ == "__main__":
    main()
