"""A training that stops, and one that goes on from its checkpoint, with append_info."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
rng = np.random.RandomState(8)
x, y = rng.randn(40, 6).astype(np.float32), rng.randn(40, 2).astype(np.float32)


def pipeline():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(10)


class Losses(train.Callback):
    def __init__(self):
        self.seen = []

    def step_end(self, run_context):
        self.seen.append(round(float(run_context.original_args().net_outputs.asnumpy()), 4))


def made():
    ms.set_seed(6)
    net = nn.SequentialCell(nn.Dense(6, 10, activation="relu"), nn.Dense(10, 2))
    opt = nn.AdamWeightDecay(net.trainable_params(), 0.01, weight_decay=0.01)
    return net, opt, train.Model(net, nn.MSELoss(), opt, amp_level="O0")


net, opt, model = made()
whole = Losses()
model.train(6, pipeline(), callbacks=whole)
net, opt, model = made()
first = Losses()
config = train.CheckpointConfig(
    save_checkpoint_steps=4,
    keep_checkpoint_max=5,
    append_info=["epoch_num", "step_num", {"lr": 0.01}],
)
model.train(3, pipeline(), callbacks=[first, train.ModelCheckpoint("run", "saved", config)])
print(sorted(n for n in os.listdir("saved") if n.endswith("ckpt")))
found = ms.load_checkpoint("saved/run-3_4.ckpt")
print(
    {k: int(found[k].asnumpy()) for k in ("epoch_num", "step_num")},
    round(float(found["lr"].asnumpy()), 4),
    len(found),
)
net, opt, model = made()
ms.load_param_into_net(net, found)
left = ms.load_param_into_net(opt, found)
second = Losses()
model.train(6, pipeline(), callbacks=second, initial_epoch=3)
print(whole.seen)
print(first.seen + second.seen)
print(max(abs(a - b) for a, b in zip(whole.seen, first.seen + second.seen)) < 1e-3)
