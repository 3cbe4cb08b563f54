"""Evaluates a checkpoint of `train.py`: `python eval.py resnet50/resnet50-6_8.ckpt --data data`."""

import argparse
import os

import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from train import create_dataset, resnet50


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--data", default="data")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--num_classes", type=int, default=4)
    args = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)
    net = resnet50(args.num_classes, args.width)
    ms.load_param_into_net(net, ms.load_checkpoint(args.checkpoint))
    net.set_train(False)
    model = Model(net, nn.CrossEntropyLoss(), metrics={"loss", "top_1_accuracy"})
    val = create_dataset(os.path.join(args.data, "val"), False, args.size, 8)
    print("accuracy:", model.eval(val, dataset_sink_mode=False))


if __name__ == "__main__":
    main()
