"""Linear regression over a GeneratorDataset, with a callback of its own and MAE, MSE."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(3)


def get_data(num, w=2.0, b=3.0):
    rng = np.random.RandomState(1)
    for _ in range(num):
        x = rng.uniform(-10.0, 10.0)
        noise = rng.normal(0, 1)
        yield np.array([x]).astype(np.float32), np.array([x * w + b + noise]).astype(np.float32)


def create_dataset(num_data, batch_size=16, repeat_size=1):
    data = ds.GeneratorDataset(list(get_data(num_data)), column_names=["data", "label"])
    data = data.batch(batch_size)
    return data.repeat(repeat_size)


class LinearNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(1, 1, Normal(0.02), Normal(0.02))

    def construct(self, x):
        return self.fc(x)


class Weights(train.Callback):
    def on_train_step_end(self, run_context):
        cb = run_context.original_args()
        if cb.cur_step_num % 10 == 0:
            w, b = (p.asnumpy().ravel()[0] for p in cb.train_network.trainable_params())
            print("step", cb.cur_step_num, "epoch", cb.cur_epoch_num, "w %.4f b %.4f" % (w, b))

    def on_train_epoch_end(self, run_context):
        cb = run_context.original_args()
        print(
            "epoch",
            cb.cur_epoch_num,
            "of",
            cb.epoch_num,
            "batches",
            cb.batch_num,
            "loss %.4f" % float(cb.net_outputs.asnumpy()),
        )


net = LinearNet()
model = train.Model(
    net,
    nn.MSELoss(),
    nn.Momentum(net.trainable_params(), 0.005, 0.9),
    metrics={"mae": train.MAE(), "mse": train.MSE()},
)
data = create_dataset(160, 16, 2)
print(data.get_dataset_size(), data.get_batch_size(), data.get_repeat_count(), data.output_shapes())
model.train(2, data, callbacks=[Weights()], dataset_sink_mode=False)
print({k: round(float(v), 3) for k, v in model.eval(create_dataset(48)).items()})
