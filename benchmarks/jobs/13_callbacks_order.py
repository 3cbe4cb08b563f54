"""Every hook of a callback in its order, LambdaCallback, RunContext and early stops."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(2)
x, y = np.arange(24, dtype=np.float32).reshape(12, 2) / 24, np.ones((12, 1), np.float32)
told = []


class Everything(train.Callback):
    pass


def hook(name):
    def call(self, run_context):
        cb = run_context.original_args()
        told.append(
            (
                name,
                cb.get("cur_epoch_num"),
                cb.get("cur_step_num"),
                cb.get("mode"),
                cb.get("batch_num"),
            )
        )
        if name == "on_train_step_end" and cb.cur_step_num == 5:
            run_context.request_stop()

    return call


for stage in ("train", "eval"):
    for moment in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
        setattr(Everything, f"on_{stage}_{moment}", hook(f"on_{stage}_{moment}"))
net = nn.Dense(2, 1)
model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), {"mae"})
data = lambda: ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)
model.fit(3, data(), data(), valid_frequency=1, callbacks=[Everything()])
for line in told:
    print(line)
seen = []
shown = train.LambdaCallback(
    on_train_step_end=lambda c: seen.append(
        round(float(c.original_args().net_outputs.asnumpy()), 4)
    ),
    on_train_end=lambda c: seen.append("end"),
)
model.train(2, data(), callbacks=[shown, train.LossMonitor(2)])
print(seen)
rates = []


def rate(lr, step):
    return lr * 0.5 if step == 3 else lr


model.train(
    2,
    data(),
    callbacks=[
        train.LearningRateScheduler(rate),
        train.LambdaCallback(
            on_train_step_end=lambda c: rates.append(
                round(float(c.original_args().optimizer.learning_rate.asnumpy()), 5)
            )
        ),
    ],
)
print(rates)
