"""Evaluates a checkpoint of ResNet-50 on a folder of images."""

import argparse

import mindspore as ms
import _ms_compat as compat
from data import create_eval_loader
from resnet import resnet50


@ms._no_grad()
def evaluate(model, loader, device):
    """Top-1 accuracy in percent."""
    model.set_train(False)
    correct = total = 0
    for images, labels in loader:
        correct += (model(images).argmax(1) == labels).sum().item()
        total += labels.shape[0]
    return 100.0 * correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--data", default="data")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--num-classes", type=int, default=4)
    args = parser.parse_args()
    device = "cuda" if ms.get_current_device().device_target != "CPU" else "cpu"
    checkpoint = compat.load(args.checkpoint)
    model = resnet50(args.num_classes, args.width)
    compat.load_state_dict(model, checkpoint["model"])
    accuracy = evaluate(model, create_eval_loader(args.data, args.size, 8), device)
    print(f"epoch {checkpoint['epoch']}: accuracy {accuracy:.2f} %")


if __name__ == "__main__":
    main()
