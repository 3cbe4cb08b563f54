"""Trains ResNet-50 as MindSpore's migration guide does: `python train.py --data data`.

Around the migrated network: a pipeline with AutoAugment, label smoothing, a cosine with warm-up as
a list of rates, groups with and without weight decay, Momentum, a fixed loss scale, Model and its
callbacks. `--start` begins from a checkpoint of the network.
"""

import argparse
import math
import os
import sys

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.common import set_seed
from mindspore.dataset import transforms, vision
from mindspore.train import (
    CheckpointConfig,
    FixedLossScaleManager,
    LossMonitor,
    Model,
    ModelCheckpoint,
    TimeMonitor,
)  # fmt: skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "migrated"))
from resnet import resnet50

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]


def create_dataset(folder, training, size, batch_size, chance=True):
    """Batches of a folder of images; without `chance` the same ones each time."""
    shuffled = training and chance
    dataset = ds.ImageFolderDataset(folder, num_parallel_workers=2, shuffle=shuffled)
    if shuffled:
        images = [
            vision.RandomCropDecodeResize(size, scale=(0.5, 1.0), ratio=(0.75, 1.333)),
            vision.RandomHorizontalFlip(prob=0.5),
            vision.AutoAugment(vision.AutoAugmentPolicy.IMAGENET),
        ]
    else:
        images = [vision.Decode(), vision.Resize(size + size // 8), vision.CenterCrop(size)]
    images += [vision.Normalize(mean=MEAN, std=STD), vision.HWC2CHW()]
    dataset = dataset.map(images, "image", num_parallel_workers=2)
    dataset = dataset.map(transforms.TypeCast(ms.int32), "label")
    return dataset.batch(batch_size, drop_remainder=training)


def rates(lr, warmup, epochs, steps):
    """A rate for each step: up in a line, down by a cosine."""
    up = [lr * (step + 1) / (warmup * steps) for step in range(warmup * steps)]
    rest = (epochs - warmup) * steps
    return up + [0.5 * lr * (1 + math.cos(math.pi * step / rest)) for step in range(rest)]


def groups(net, weight_decay):
    """Weights decay, biases and normalisation do not."""
    decayed = [p for p in net.trainable_params() if p.ndim > 1]
    others = [p for p in net.trainable_params() if p.ndim <= 1]
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
        {"order_params": net.trainable_params()},
    ]


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data")
    parser.add_argument("--output", default="resnet50")
    parser.add_argument("--start", default="")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--num_classes", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--loss_scale", type=float, default=1024.0)
    parser.add_argument("--amp_level", default="O0")
    parser.add_argument("--mode", default="graph")
    parser.add_argument("--no_chance", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE)
    train, val = (
        create_dataset(
            os.path.join(args.data, part), part == "train", args.size, args.batch_size,
            not args.no_chance,
        )
        for part in ("train", "val")
    )  # fmt: skip
    steps = train.get_dataset_size()
    net = resnet50(args.num_classes, args.width)
    if args.start:
        ms.load_param_into_net(net, ms.load_checkpoint(args.start))
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = nn.Momentum(
        groups(net, 1e-4), rates(args.lr, args.warmup, args.epochs, steps), 0.9,
        loss_scale=args.loss_scale,
    )  # fmt: skip
    manager = FixedLossScaleManager(args.loss_scale, drop_overflow_update=False)
    model = Model(
        net, loss, optimizer, metrics={"top_1_accuracy"}, loss_scale_manager=manager,
        amp_level=args.amp_level,
    )  # fmt: skip
    config = CheckpointConfig(save_checkpoint_steps=steps, keep_checkpoint_max=2)
    callbacks = [LossMonitor(), TimeMonitor(), ModelCheckpoint("resnet50", args.output, config)]
    model.train(args.epochs, train, callbacks=callbacks, dataset_sink_mode=False)
    print("accuracy:", model.eval(val, dataset_sink_mode=False))


if __name__ == "__main__":
    main()
