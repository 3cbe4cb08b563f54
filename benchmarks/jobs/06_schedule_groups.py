"""Parameter groups, cosine decay with warm-up, weight decay, clipping by value_and_grad in a loop."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.RandomState(2)
images = rng.rand(48, 3, 12, 12).astype(np.float32)
labels = (images.mean((1, 2, 3)) * 300 % 4).astype(np.int32)
data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(8)


class Block(nn.Cell):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, has_bias=False)
        self.norm = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.norm(self.conv(x)))


net = nn.SequentialCell(
    [
        Block(3, 8),
        nn.MaxPool2d(2, 2),
        Block(8, 16),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dense(16, 4),
    ]
)
epochs, steps = 3, data.get_dataset_size()
warm = nn.warmup_lr(0.1, steps, steps, 1)
lr = warm + nn.cosine_decay_lr(0.001, 0.1, steps * (epochs - 1), steps, epochs - 1)
print([round(v, 5) for v in lr])
decayed = [p for p in net.trainable_params() if p.ndim > 1]
others = [p for p in net.trainable_params() if p.ndim <= 1]
opt = nn.Momentum(
    [
        {"params": decayed, "weight_decay": 1e-3},
        {"params": others},
        {"order_params": net.trainable_params()},
    ],
    lr,
    0.9,
)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)


def forward(image, label):
    logits = net(image)
    return loss_fn(logits, label), logits


grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)


def train_step(image, label):
    (loss, _), grads = grad_fn(image, label)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
    return loss


net.set_train()
for epoch in range(epochs):
    losses = [
        float(train_step(image, label).asnumpy()) for image, label in data.create_tuple_iterator()
    ]
    print(epoch, " ".join("%.4f" % v for v in losses))
net.set_train(False)
top = train.TopKCategoricalAccuracy(2)
matrix = train.ConfusionMatrix(4)
for image, label in data.create_tuple_iterator():
    out = net(image)
    top.update(out, label)
    matrix.update(ops.softmax(out), label)
print("%.4f" % top.eval(), matrix.eval().astype(int).tolist())
print(
    sorted(p.name for p in net.get_parameters())[:4],
    round(float(net[0].norm.moving_mean.asnumpy().sum()), 4),
)
