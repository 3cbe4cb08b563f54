"""Model.fit with validation, EarlyStopping, ReduceLROnPlateau, History and TimeMonitor's epochs."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.RandomState(5)
x = rng.randn(96, 8).astype(np.float32)
y = (x[:, :3].sum(1) > 0).astype(np.int32)


def pipeline(first, last, batch):
    return ds.NumpySlicesDataset({"x": x[first:last], "y": y[first:last]}, shuffle=False).batch(
        batch
    )


net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 2))
loss = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), learning_rate=0.5, momentum=0.9)
model = train.Model(net, loss, opt, metrics={"accuracy", "loss"})
history = train.History()
stop = train.EarlyStopping(monitor="loss", patience=3, verbose=True, mode="min", min_delta=0.001)
plateau = train.ReduceLROnPlateau(
    monitor="eval_loss", factor=0.5, patience=2, verbose=True, mode="min"
)
model.fit(14, pipeline(0, 64, 16), pipeline(64, 96, 16), callbacks=[history, plateau, stop])
print(history.epoch["epoch"])
print(
    [
        [round(float(v), 4) for v in values]
        for name, values in sorted(history.history.items())
        if name != "loss"
    ]
    and sorted(history.history)
)
print(round(float(opt.learning_rate.asnumpy()), 6))
result = model.eval(pipeline(64, 96, 8))
print({k: round(float(result[k]), 4) for k in sorted(result)})
