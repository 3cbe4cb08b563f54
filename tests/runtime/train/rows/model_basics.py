"""Model: training, evaluation, prediction, and what it is told of data sets and epochs."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import differs, refused, rows

rows(
    """
    seen = Losses()
    m = model({"accuracy", "loss"})
    m.train(2, batches(), callbacks=[train.LossMonitor(2), seen])
    result = [seen.seen, m.eval(batches()), weights(m.train_network)]
    """,
    """
    m = model({"Accuracy": nn.Accuracy()})
    config = train.CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2)
    m.train(3, batches(), callbacks=train.ModelCheckpoint("net", "out", config))
    found = ms.load_checkpoint("out/net-3_3.ckpt")
    result = {name: value.asnumpy() for name, value in found.items()}
    """,
    """
    m = model({"acc"}, rate=0.05)
    m.fit(4, batches(), batches(8), valid_frequency=2, callbacks=train.LossMonitor())
    result = weights(m.train_network)
    """,
    """
    m = model({"loss"})
    m.fit(5, batches(), batches(8), [1, 4], train.LossMonitor(3))
    """,
    """
    m = model({"top_1_accuracy", "F1", "recall"})
    result = m.eval(batches())
    """,
    """
    m = model()
    y = m.predict(Tensor(values(2, 5)))
    result = [y, m.predict_network is m._network, type(m.train_network).__name__, m.eval_network]
    """,
    """
    m = model({"acc"})
    result = [type(m.eval_network).__name__, m.train_network.training, m._network.training]
    m.train(1, batches())
    result.append(m._network.training)
    m.eval(batches())
    result.append(m._network.training)
    m.train(1, batches())
    result.append(m._network.training)
    m.predict(Tensor(values(2, 5)))
    result.append(m._network.training)
    """,
    """
    net = Summed(Net())
    m = train.Model(net, optimizer=momentum(net))
    seen = Losses()
    m.train(2, batches(), callbacks=seen)
    result = seen.seen
    """,
    """
    net = Net()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss()), momentum(net)).set_train()
    seen = Losses()
    train.Model(step).train(2, batches(), callbacks=[seen])
    result = seen.seen
    """,
    """
    net = Net()
    m = train.Model(net, loss_fn=loss())
    result = type(m.train_network).__name__
    """,
    """
    net = Net()
    m = train.Model(net, eval_network=nn.WithEvalCell(net, loss()), metrics={"loss", "acc"},
                    eval_indexes=[0, 1, 2])
    result = m.eval(batches())
    """,
    """
    net = Net()
    metrics = {"acc": nn.Accuracy().set_indexes([1, 2]), "loss": nn.Loss().set_indexes([0])}
    m = train.Model(net, eval_network=nn.WithEvalCell(net, loss()), metrics=metrics)
    result = m.eval(batches())
    """,
    """
    class Right(train.Metric):
        def __init__(self):
            super().__init__()
            self.clear()
        def clear(self):
            self.seen, self.batches = 0, 0
        def update(self, *inputs):
            y_pred, y = self._convert_data(inputs[0]), self._convert_data(inputs[1])
            self.seen += (y_pred.argmax(1) == y).sum()
            self.batches += 1
        def eval(self):
            return {"right": int(self.seen), "batches": self.batches}
    m = model({"right": Right(), "loss": nn.Loss()})
    result = [m.eval(batches()), m.eval(batches(8))]
    """,
    """
    m = model()
    seen = Losses()
    m.train(5, batches(), callbacks=seen, initial_epoch=3)
    result = seen.seen
    """,
    """
    m = model()
    seen = Told()
    m.train(2, batches(), callbacks=seen, dataset_sink_mode=True)
    result = seen.seen
    """,
    """
    m = model()
    seen = Told()
    m.train(2, batches(), callbacks=seen, dataset_sink_mode=True, sink_size=2)
    result = seen.seen
    """,
    """
    m = model({"acc"})
    m.train(2, batches(10), callbacks=train.LossMonitor())
    m.train(1, batches(10, drop_remainder=True), callbacks=train.LossMonitor())
    result = m.eval(batches(10), dataset_sink_mode=True)
    """,
    """
    m = model()
    data = batches()
    m.train(1, data)
    m.train(1, data)
    result = weights(m.train_network)
    """,
    """
    net = Net()
    groups = [{"params": net.first.trainable_params(), "lr": 0.01, "weight_decay": 0.1},
              {"params": net.last.trainable_params()}]
    m = train.Model(net, loss(), nn.Adam(groups, 0.02), {"acc"})
    seen = Losses()
    m.train(2, batches(), callbacks=seen)
    result = [seen.seen, weights(m.train_network)]
    """,
    """
    rates = nn.cosine_decay_lr(0.001, 0.1, 6, 3, 2)
    m = model(rate=rates)
    seen = Losses()
    m.train(2, batches(), callbacks=seen)
    result = [seen.seen, weights(m.train_network)]
    """,
    """
    m = model(rate=nn.ExponentialDecayLR(0.1, 0.9, 2))
    seen = Losses()
    m.train(2, batches(), callbacks=seen)
    result = seen.seen
    """,
    """
    net = nn.SequentialCell(nn.Dense(5, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 3))
    for k, p in enumerate(net.get_parameters()):
        p.set_data(Tensor(values(*p.shape, seed=k)))
    m = train.Model(net, loss(), nn.SGD(net.trainable_params(), 0.1), {"acc", "loss"})
    seen = Losses()
    m.fit(3, batches(), batches(8), callbacks=seen)
    result = [seen.seen, m.eval(batches(8)), weights(net)]
    """,
    """
    m = model()
    try:
        m.train(1, batches().project(["x"]))
    except ValueError:
        result = "refused"
    """,
    """
    result = sorted(name for name in dir(train) if name[0].isupper() and name != "Model")
    result += sorted(name for name in dir(train) if name[0].isupper() and not hasattr(ms, name))
    """,
    "result = [ms.Model is train.Model, ms.LossMonitor is train.LossMonitor, "
    "nn.Accuracy is train.Accuracy, ms.Accuracy is train.Accuracy, ms.amp is train.amp or True]",
    tolerance=1e-5,
)

refused(
    "model().train(0, batches())",
    "model().train(1.5, batches())",
    "model().train(True, batches())",
    "model().train(2, batches(), initial_epoch=2)",
    "model().train(2, batches(), initial_epoch=-1)",
    "model().train(2, batches(), dataset_sink_mode=1)",
    "model().train(2, batches(), sink_size=0)",
    "model().train(2, batches(), sink_size=-2)",
    "model().train(2, batches(), sink_size=1.0)",
    "model().train(1, batches(2, 4, drop_remainder=True))",
    "model().train(1, batches(), callbacks=[1])",
    "model().train(1, batches(), callbacks=[train.LossMonitor])",
    "model().eval(batches())",
    "model({'acc'}).eval(batches(), dataset_sink_mode='no')",
    "model({'acc'}).eval(batches(), callbacks=3)",
    "model({'acc'}).eval(batches(), callbacks=(train.LossMonitor(),))",
    "model().fit(1, batches(), batches())",
    "model({'acc'}).fit(1, batches(), batches(), valid_frequency='1')",
    "model({'accurate'})",
    "model(['acc'])",
    "model({'acc': 'acc'})",
    "model({1: nn.Accuracy()})",
    "train.Model(1)",
    "train.Model(Net(), metrics={'acc'})",
    "train.Model(Net(), loss(), metrics={'acc'}, eval_network=Net(), eval_indexes=[0, 1])",
    "train.Model(Net(), loss(), metrics={'acc'}, eval_network=Net(), eval_indexes=(0, 1, 2))",
    "train.Model(Net(), loss(), amp_level='O2')",
    "train.Model(Net(), loss(), loss_scale_manager=ms.FixedLossScaleManager())",
    "model(amp_level='O9')",
    "model(boost_level='O3')",
    "model(keep_batchnorm=True)",
    "model().predict(np.ones((2, 5), np.float32))",
    "model().predict(Tensor(np.ones((0, 5), np.float32)))",
    "model().predict(Tensor(values(2, 5)), backend='onnx')",
    "model().infer_predict_layout(Tensor(values(2, 5)))",
    "model().infer_train_layout(batches())",
    """
    data = batches()
    model().train(1, data)
    model().train(1, data)
    """,
    """
    net = Net()
    m = train.Model(net, eval_network=net, metrics={"acc": nn.Accuracy()}, eval_indexes=[0, 1, 2])
    m.eval(batches().project(["x"]))
    """,
    "train.data_sink(lambda x: x, batches())",
    modes=("pynative",),
)

differs(
    "model().train(1, [1, 2])",
    here={"error": "TypeError"},
    because="MindSpore asks a list for get_dataset_size, and raises AttributeError",
    modes=("pynative",),
)
differs(
    "m = model({'acc'}); m.build(batches(), batches()); result = type(m.train_network).__name__",
    here={"error": None, "result": "TrainOneStepCell"},
    because="MindSpore builds for Ascend only",
)
differs(
    "model().build()",
    here={"error": "ValueError"},
    because="MindSpore refuses every build on the CPU, with a RuntimeError",
    modes=("pynative",),
)
