"""What the networks are fed with: shapes and classes as the issue names them."""

import numpy as np

SIZES = {
    "lenet": ("LeNet, batch 64", (64, 1, 28, 28), 10),
    "resnet18": ("ResNet-18, batch 16, 32x32", (16, 3, 32, 32), 1000),
    "resnet50": ("ResNet-50, batch 4, 224x224", (4, 3, 224, 224), 1000),
    "mobilenet": ("MobileNetV2, batch 8, 224x224", (8, 3, 224, 224), 1000),
    "transformer": ("Transformer, 4 layers, d 256, 128 words, batch 8", (8, 128), 10),
    "lstm": ("LSTM, h 256, 64 words, batch 32", (32, 64), 10),
}
"""Title, shape of the input (images or words), number of classes."""

CONVOLUTIONAL = ("lenet", "resnet18", "resnet50", "mobilenet")


def batch(name):
    """Inputs and labels."""
    _, shape, classes = SIZES[name]
    random = np.random.RandomState(0)
    if len(shape) == 4:
        x = random.rand(*shape).astype(np.float32)
    else:
        x = random.randint(0, 1000, shape).astype(np.int32)
    return x, random.randint(0, classes, shape[0]).astype(np.int32)
