"""WithLossCell, TrainOneStepCell, WithEvalCell, networks with two losses, and gradient accumulation by hand."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(12)
rng = np.random.RandomState(1)
x = rng.randn(32, 5).astype(np.float32)
a, b = x.sum(1, keepdims=True), x.prod(1, keepdims=True)
data = ds.NumpySlicesDataset({"x": x, "a": a, "b": b}, shuffle=False).batch(8)


class TwoHeads(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(5, 8, activation="tanh")
        self.one, self.two = nn.Dense(8, 1), nn.Dense(8, 1)

    def construct(self, x):
        x = self.body(x)
        return self.one(x), self.two(x)


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.mse, self.mae = net, nn.MSELoss(), nn.L1Loss()

    def construct(self, x, a, b):
        one, two = self.net(x)
        return self.mse(one, a) + 0.5 * self.mae(two, b)


class Eval(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, a, b):
        one, two = self.net(x)
        return one, a, two, b


class Accumulated(nn.Cell):
    def __init__(self, network, optimizer, steps):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.steps = network, optimizer, steps
        self.weights = optimizer.parameters
        self.sums = self.weights.clone(prefix="sums", init="zeros")
        self.count = ms.Parameter(ms.Tensor(0, ms.int32), name="count", requires_grad=False)
        self.grad = ops.value_and_grad(network, None, self.weights)
        self.add = ops.HyperMap()

    def construct(self, *inputs):
        loss, grads = self.grad(*inputs)
        self.add(ops.partial(ops.assign_add), self.sums, grads)
        self.count += 1
        if self.count % self.steps == 0:
            self.optimizer(self.sums)
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


net = TwoHeads()
step = nn.TrainOneStepCell(Loss(net), nn.RMSProp(net.trainable_params(), 0.01))
step.set_train()
for epoch in range(2):
    print(["%.4f" % float(step(*row).asnumpy()) for row in data.create_tuple_iterator()])
model = train.Model(
    Loss(net),
    optimizer=nn.Adagrad(net.trainable_params(), 0.05),
    eval_network=Eval(net),
    eval_indexes=[0, 0, 1],
    metrics={"mae": train.MAE()},
)
model.train(2, data, callbacks=train.LossMonitor(4))
mae = train.MAE().set_indexes([2, 3])
check = train.Model(Loss(net), eval_network=Eval(net), metrics={"two": mae})
print({k: round(float(v), 4) for k, v in check.eval(data).items()})
accumulated = Accumulated(Loss(net), nn.SGD(net.trainable_params(), 0.01), 2)
accumulated.set_train()
print(["%.4f" % float(accumulated(*row).asnumpy()) for row in data.create_tuple_iterator()])
print(["%.4f" % float(p.asnumpy().sum()) for p in net.trainable_params()])
