"""Trains a small transformer: `python transformer_amp.py [graph|pynative] [transformer.ckpt]`.

AdamWeightDecay with a dynamic loss scale: a step whose gradients overflowed is left out. The
checkpoint is where training starts: it is read if it is there, and written if it is not.
"""

import math
import os
import sys

import mindspore as ms
import numpy as np
from mindspore import amp, nn, ops

STEPS, BATCH, LENGTH, WORDS, CLASSES = 10, 16, 24, 100, 4


class Attention(nn.Cell):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.scale = 1 / math.sqrt(d_model // num_heads)
        self.query = nn.Dense(d_model, d_model)
        self.key = nn.Dense(d_model, d_model)
        self.value = nn.Dense(d_model, d_model)
        self.output = nn.Dense(d_model, d_model)
        self.softmax = nn.Softmax(axis=-1)

    def split_heads(self, x):
        n, t, d = x.shape
        return x.reshape((n, t, self.num_heads, d // self.num_heads)).transpose((0, 2, 1, 3))

    def construct(self, x):
        q, k, v = (self.split_heads(f(x)) for f in (self.query, self.key, self.value))
        scores = ops.matmul(q, k.transpose((0, 1, 3, 2))) * self.scale
        context = ops.matmul(self.softmax(scores), v)
        return self.output(context.transpose((0, 2, 1, 3)).reshape(x.shape))


class EncoderLayer(nn.Cell):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.attention = Attention(d_model, num_heads)
        self.norm1 = nn.LayerNorm((d_model,))
        self.norm2 = nn.LayerNorm((d_model,))
        self.feed_forward = nn.SequentialCell(
            nn.Dense(d_model, 4 * d_model),
            nn.GELU(approximate=False),
            nn.Dense(4 * d_model, d_model),
        )

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class TextClassifier(nn.Cell):
    def __init__(self, d_model=32, num_heads=4, num_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, d_model)
        self.position = ms.Parameter(ops.zeros((LENGTH, d_model), ms.float32), name="position")
        layers = [EncoderLayer(d_model, num_heads) for _ in range(num_layers)]
        self.layers = nn.SequentialCell(layers)
        self.norm = nn.LayerNorm((d_model,))
        self.head = nn.Dense(d_model, CLASSES)

    def construct(self, tokens):
        x = self.layers(self.embedding(tokens) + self.position)
        return self.head(self.norm(x).mean(1))


def batches():
    """Sentences of random words; the most frequent kind of word tells the class."""
    random = np.random.RandomState(0)
    for _ in range(STEPS):
        label = random.randint(0, CLASSES, BATCH).astype(np.int32)
        tokens = random.randint(0, WORDS, (BATCH, LENGTH)).astype(np.int32)
        tokens[:, ::2] = tokens[:, ::2] // CLASSES * CLASSES + label[:, None]
        yield ms.Tensor(tokens), ms.Tensor(label)


def main(mode="graph", checkpoint="transformer.ckpt"):
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    net = TextClassifier()
    if os.path.exists(checkpoint):
        ms.load_checkpoint(checkpoint, net)
    else:
        ms.save_checkpoint(net, checkpoint)
    net.set_train()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=3e-3, weight_decay=0.01)
    scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=4)

    def forward(tokens, label):
        return scaler.scale(loss_fn(net(tokens), label))

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(tokens, label):
        loss, grads = grad_fn(tokens, label)
        is_finite = amp.all_finite(grads)
        if is_finite:
            optimizer(scaler.unscale(grads))
        loss = scaler.unscale(loss)
        scaler.adjust(is_finite)
        return loss

    for step, (tokens, label) in enumerate(batches(), 1):
        print(f"step {step} loss {float(train_step(tokens, label).asnumpy()):.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
