"""Mixed precision by amp_level and auto_mixed_precision, with fixed and dynamic loss scales."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
rng = np.random.RandomState(4)
x, y = rng.randn(32, 10).astype(np.float32), rng.randint(0, 3, 32).astype(np.int32)


def made(seed=5):
    ms.set_seed(seed)
    return nn.SequentialCell(nn.Dense(10, 16), nn.LayerNorm((16,)), nn.ReLU(), nn.Dense(16, 3))


def pipeline():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8)


for level in ("O0", "O2"):
    net = made()
    scale = train.FixedLossScaleManager(128.0, drop_overflow_update=False)
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=128.0)
    model = train.Model(
        net, nn.CrossEntropyLoss(), opt, {"acc"}, amp_level=level, loss_scale_manager=scale
    )
    model.train(3, pipeline(), callbacks=train.LossMonitor(4))
    print(level, round(float(model.eval(pipeline())["acc"]), 2))
net = amp.auto_mixed_precision(made(), "O2", dtype=ms.float16)
print(net(ms.Tensor(x[:2])).dtype, sorted({str(p.dtype) for p in net.get_parameters()}))
net = made()
loss_fn, opt = nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.05)
scaler = amp.DynamicLossScaler(scale_value=2**8, scale_factor=2, scale_window=3)


def forward(image, label):
    loss = loss_fn(net(image), label)
    return scaler.scale(loss)


grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range(2):
    for image, label in pipeline().create_tuple_iterator():
        loss, grads = grad_fn(image, label)
        is_finite = amp.all_finite(grads)
        if is_finite:
            opt(scaler.unscale(grads))
        scaler.adjust(is_finite)
        print(
            "%.4f" % float(scaler.unscale(loss).asnumpy()),
            float(scaler.scale_value.asnumpy()),
            bool(is_finite),
        )
