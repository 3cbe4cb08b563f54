"""Callbacks: the order of hooks, what they are told, and what each one prints and changes."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import differs, refused, rows

rows(
    """
    seen = []
    m = model({"acc"})
    m.train(2, batches(), callbacks=[Order("a ", seen), Order("b ", seen)])
    m.eval(batches(8), callbacks=[Order("c ", seen), Order("d ", seen)])
    result = seen
    """,
    """
    seen = Order()
    m = model({"acc"})
    m.fit(3, batches(8), batches(4), valid_frequency=2, callbacks=seen)
    result = seen.seen
    """,
    """
    seen = Told()
    m = model({"acc", "loss"})
    m.train(2, batches(), callbacks=[seen, train.LossMonitor()])
    result = seen.seen
    """,
    """
    seen = Told()
    m = model({"acc": nn.Accuracy(), "loss": nn.Loss()})
    m.fit(2, batches(8), batches(4), callbacks=[seen, train.LossMonitor(), train.TimeMonitor()])
    result = seen.seen
    """,
    """
    seen = Told()
    m = model({"acc", "loss"})
    m.eval(batches(), callbacks=[seen])
    result = seen.seen
    """,
    """
    seen = Told()
    m = model({"acc", "loss"}, loss_scale_manager=ms.FixedLossScaleManager(8.0, False))
    m.train(1, batches(), callbacks=[seen])
    result = seen.seen
    """,
    """
    class Old(train.Callback):
        def begin(self, run_context): print("begin", run_context.original_args()["mode"])
        def epoch_begin(self, run_context): print("epoch_begin")
        def step_begin(self, run_context): print("step_begin")
        def step_end(self, run_context): print("step_end", run_context.original_args().cur_step_num)
        def epoch_end(self, run_context): print("epoch_end")
        def end(self, run_context): print("end")
    m = model({"acc"})
    m.train(2, batches(8), callbacks=Old())
    m.eval(batches(8), callbacks=[Old()])
    """,
    """
    class Stop(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 4:
                run_context.request_stop()
    seen = Order()
    m = model()
    m.train(5, batches(), callbacks=[Stop(), seen, train.LossMonitor()])
    result = seen.seen
    """,
    """
    class Stop(train.Callback):
        def on_eval_step_end(self, run_context):
            run_context.request_stop()
    seen = Order()
    result = [model({"acc"}).eval(batches(), callbacks=[Stop(), seen]), seen.seen]
    """,
    """
    class Stop(train.Callback):
        def on_train_epoch_end(self, run_context):
            run_context.request_stop()
    seen = Order()
    m = model({"loss"})
    m.fit(3, batches(8), batches(8), callbacks=[Stop(), seen])
    result = seen.seen
    """,
    """
    class Fails(train.Callback):
        def on_train_step_end(self, run_context):
            raise OSError("on purpose")
    seen = Order()
    try:
        model().train(2, batches(8), callbacks=[seen, Fails()])
    except OSError:
        result = seen.seen
    """,
    """
    class Tells(train.Callback):
        def on_train_begin(self, run_context):
            told = run_context.original_args()
            told.mine, told["yours"] = 1, [2]
        def on_train_end(self, run_context):
            told = run_context.original_args()
            print(told.mine, told.yours, "mine" in told, told.get("ours", 3))
    model().train(1, batches(), callbacks=Tells())
    """,
    """
    class Evaluates(train.Callback):
        def __init__(self, model): self.model = model
        def on_train_epoch_end(self, run_context):
            print(self.model.eval(batches(8)))
    m = model({"loss"})
    m.train(2, batches(), callbacks=[Evaluates(m), train.LossMonitor()])
    """,
    """
    class Given(train.Callback):
        def __enter__(self): return Order("inner ", seen)
    seen = []
    model().train(1, batches(4), callbacks=[Given()])
    result = seen
    """,
    # LossMonitor
    "model().train(2, batches(), callbacks=train.LossMonitor(0))",
    "model().train(3, batches(), callbacks=train.LossMonitor(per_print_times=4))",
    "model().train(1, batches(20), callbacks=[train.LossMonitor(3), train.LossMonitor(2)])",
    """
    monitor = train.LossMonitor(3)
    m = model()
    for _ in range(3):
        m.train(1, batches(16), callbacks=monitor)
    """,
    """
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor(np.ones(1, np.float32)), "w")
        def construct(self, x, label):
            return (self.w * 2.5).mean(), (x * self.w).sum()
    train.Model(Two()).train(1, batches(8), callbacks=train.LossMonitor())
    """,
    # TimeMonitor
    "model().train(2, batches(), callbacks=train.TimeMonitor())",
    "model().train(2, batches(), callbacks=train.TimeMonitor(data_size=3, data_time=True))",
    "model({'acc'}).eval(batches(), callbacks=train.TimeMonitor())",
    "model({'acc'}).fit(2, batches(), batches(8), callbacks=train.TimeMonitor())",
    # History
    """
    h = train.History()
    model({"acc"}).train(2, batches(), callbacks=[h])
    print(h.epoch)
    result = [h.epoch, h.history]
    """,
    """
    h = train.History()
    m = model({"acc", "loss"})
    m.fit(2, batches(), batches(8), callbacks=[h])
    result = [h.epoch, h.history]
    """,
    """
    h = train.History()
    m = model({"acc"})
    m.eval(batches(), callbacks=h)
    result = [h.epoch, list(h.history)]
    """,
    # LambdaCallback
    """
    shown = train.LambdaCallback(
        on_train_begin=lambda rc: print("begin"),
        on_train_epoch_end=lambda rc: print("epoch", rc.original_args().cur_epoch_num),
        on_train_step_end=lambda rc: print("loss: %.3f" % rc.original_args().net_outputs.asnumpy()),
        on_eval_end=lambda rc: print("eval", rc.original_args().mode))
    m = model({"acc"})
    m.fit(2, batches(), batches(4), callbacks=[shown])
    """,
    # LearningRateScheduler
    """
    seen = []
    def rate(lr, step):
        seen.append([lr, step])
        return lr * 0.5 if step % 2 == 0 else lr
    m = model(rate=0.3)
    m.train(2, batches(), callbacks=[train.LearningRateScheduler(rate), train.LossMonitor()])
    result = [seen, m._optimizer.learning_rate]
    """,
    """
    seen = []
    m = model(rate=0.000123456789)
    keep = lambda lr, step: seen.append(lr) or lr
    m.train(1, batches(), callbacks=train.LearningRateScheduler(keep))
    result = seen
    """,
    # EarlyStopping
    """
    m = model({"loss"}, rate=0.2)
    stop = train.EarlyStopping(patience=1, verbose=True, min_delta=0.04)
    m.fit(8, batches(), batches(8), callbacks=[stop, train.LossMonitor()])
    result = [stop.stopped_epoch, stop.wait, float(stop.best)]
    """,
    """
    m = model(rate=1.5)
    stop = train.EarlyStopping("loss", patience=2, verbose=True, min_delta=0.05)
    m.train(8, batches(), callbacks=[stop, train.LossMonitor(3)])
    result = [stop.stopped_epoch, stop.wait]
    """,
    """
    m = model({"acc"}, rate=0.3)
    stop = train.EarlyStopping("acc", patience=1, restore_best_weights=True, verbose=True)
    m.fit(6, batches(), batches(8), callbacks=[stop])
    result = [stop.stopped_epoch, weights(m.train_network)]
    """,
    """
    m = model({"loss"}, rate=0.1)
    stop = train.EarlyStopping("eval_loss", patience=2, baseline=0.01, mode="min")
    m.fit(6, batches(), batches(8), callbacks=[stop])
    result = [stop.stopped_epoch, stop.wait]
    """,
    """
    m = model({"loss"})
    stop = train.EarlyStopping("acc")
    m.fit(2, batches(), batches(8), callbacks=[stop])
    result = stop.stopped_epoch
    """,
    """
    m = model({"loss"})
    stop = train.EarlyStopping("loss", mode="max")
    m.fit(4, batches(), batches(8), callbacks=[stop])
    result = stop.stopped_epoch
    """,
    # ReduceLROnPlateau
    """
    m = model({"loss"}, rate=1.0)
    reduce = train.ReduceLROnPlateau(patience=1, factor=0.5, verbose=True, min_delta=0.2)
    m.fit(6, batches(), batches(8), callbacks=[reduce, train.LossMonitor(3)])
    result = m._optimizer.learning_rate
    """,
    """
    m = model(rate=0.5)
    reduce = train.ReduceLROnPlateau("loss", patience=0, factor=0.1, min_lr=0.2, verbose=True,
                                     cooldown=1, min_delta=0.5)
    m.train(5, batches(), callbacks=reduce)
    result = m._optimizer.learning_rate
    """,
    """
    m = model({"acc"}, rate=0.5)
    reduce = train.ReduceLROnPlateau("acc", patience=1, mode="max", min_delta=1.0)
    m.fit(4, batches(), batches(), callbacks=reduce)
    result = [m._optimizer.learning_rate, reduce.wait, reduce.cooldown_counter]
    """,
    # BackupAndRestore
    """
    m = model()
    m.train(2, batches(), callbacks=train.BackupAndRestore("backup", delete_checkpoint=False))
    other = model()
    seen = Losses()
    other.train(1, batches(), callbacks=[train.BackupAndRestore("backup"), seen])
    result = seen.seen
    """,
    """
    keep = train.BackupAndRestore("backup", save_freq=2, delete_checkpoint=False)
    model().train(3, batches(), callbacks=keep)
    result = sorted(ms.load_checkpoint("backup/backup.ckpt"))
    """,
    # RunContext
    """
    rc = train.RunContext({"a": 1})
    result = [rc.original_args(), rc.get_stop_requested()]
    rc.request_stop()
    result.append(rc.get_stop_requested())
    """,
    tolerance=1e-5,
)

refused(
    "train.LossMonitor(-1)",
    "train.LossMonitor(1.5)",
    "train.LossMonitor('1')",
    "train.TimeMonitor(data_time=1)",
    "train.RunContext([])",
    "train.EarlyStopping(1)",
    "train.EarlyStopping(patience=-1)",
    "train.EarlyStopping(patience=1.0)",
    "train.EarlyStopping(mode='best')",
    "train.EarlyStopping(verbose=1)",
    "train.EarlyStopping(min_delta='0')",
    "train.EarlyStopping(restore_best_weights=0)",
    "train.ReduceLROnPlateau(factor=1.0)",
    "train.ReduceLROnPlateau(factor=0.0)",
    "train.ReduceLROnPlateau(factor=1)",
    "train.ReduceLROnPlateau(patience=-1)",
    "train.ReduceLROnPlateau(cooldown=-1)",
    "train.ReduceLROnPlateau(mode='best')",
    "train.ReduceLROnPlateau(min_lr='0')",
    "train.BackupAndRestore(1)",
    "train.BackupAndRestore('')",
    "train.BackupAndRestore('b', save_freq=0)",
    "train.BackupAndRestore('b', save_freq='step')",
    "train.BackupAndRestore('b', delete_checkpoint=1)",
    "train.OnRequestExit(save_ckpt=1)",
    "train.OnRequestExit(save_mindir='no')",
    "train.OnRequestExit(sig='TERM')",
    "import signal\ntrain.OnRequestExit(sig=signal.SIGKILL)",
    "model({'acc'}).fit(1, batches(), batches(), callbacks=type('Old', (train.Callback,), "
    "{'step_end': lambda self, rc: None})())",
    "model(rate=nn.ExponentialDecayLR(0.1, 0.9, 2)).train(1, batches(), "
    "callbacks=train.ReduceLROnPlateau('loss'))",
    """
    class Nan(nn.Cell):
        def construct(self, x, label):
            return x.mean() / (x.mean() * 0)
    train.Model(Nan()).train(1, batches(), callbacks=train.LossMonitor())
    """,
    """
    class Nan(nn.Cell):
        def construct(self, x, label):
            return (x.mean() * 0) / (x.mean() * 0)
    train.Model(Nan()).train(1, batches(), callbacks=train.LossMonitor(0))
    """,
    modes=("pynative",),
)

differs(
    "model(rate=nn.ExponentialDecayLR(0.1, 0.9, 2)).train(1, batches(), "
    "callbacks=train.LearningRateScheduler(lambda lr, step: lr))",
    here={"error": "ValueError"},
    because="MindSpore asks the schedule for asnumpy, and raises AttributeError",
    modes=("pynative",),
)
rows(
    """
    from mindspore.train.callback import _CallbackManager, _InternalCallbackParam
    net = Net()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss()), momentum(net)).set_train()
    config = train.CheckpointConfig(2, keep_checkpoint_max=2)
    calls = [train.ModelCheckpoint("net", "out", config), train.LossMonitor(), train.TimeMonitor()]
    told = _InternalCallbackParam()
    told.train_network, told.epoch_num, told.batch_num, told.cur_step_num = step, 2, 3, 0
    told.cur_epoch_num, told.dataset_sink_mode, told["mode"] = 1, False, "train"
    run_context = train.RunContext(told)
    with _CallbackManager(calls) as manager:
        manager.on_train_begin(run_context)
        for epoch in range(2):
            told.cur_epoch_num = epoch + 1
            manager.on_train_epoch_begin(run_context)
            for x, label in batches().create_tuple_iterator(num_epochs=1):
                told.cur_step_num += 1
                manager.on_train_step_begin(run_context)
                told.net_outputs = step(x, label)
                manager.on_train_step_end(run_context)
            manager.epoch_end(run_context)
        manager.end(run_context)
    result = [sorted(told), told.cur_step_num]
    """,
    """
    from mindspore.train.callback._callback import Callback, _handle_loss
    from mindspore.train.callback._loss_monitor import LossMonitor
    from mindspore.train.callback._checkpoint import ModelCheckpoint, CheckpointConfig
    from mindspore.train.model import Model
    from mindspore.train.loss_scale_manager import FixedLossScaleManager
    from mindspore.train.amp import build_train_network
    from mindspore.train.metrics.accuracy import Accuracy
    from mindspore.train.dataset_helper import DatasetHelper
    from mindspore.nn.metrics import Top5CategoricalAccuracy
    result = [Callback is train.Callback, Model is ms.Model, LossMonitor is ms.LossMonitor,
              Accuracy is nn.Accuracy, _handle_loss((Tensor(1.5), 2)), _handle_loss(Tensor(2.5))]
    """,
    """
    from mindspore.train import serialization
    names = ("async_ckpt_thread_status", "build_searched_strategy", "ckpt_to_safetensors", "export",
             "export_split_mindir", "get_ckpt_path_with_strategy", "load", "load_checkpoint",
             "load_checkpoint_async", "load_distributed_checkpoint", "load_param_into_net",
             "merge_sliced_parameter", "restore_group_info_list", "safetensors_to_ckpt",
             "save_checkpoint", "ParamDictFuture")
    result = [[hasattr(serialization, name), hasattr(train, name)] for name in names]
    """,
    """
    helper = train.DatasetHelper(batches(), dataset_sink_mode=False, epoch_num=2)
    result = [[len(row) for row in helper] for _ in range(2)]
    """,
    tolerance=1e-5,
)
rows(
    "model({'acc'}).eval(batches(), callbacks=train.LossMonitor())",
    "model().train(1, batches(), callbacks=(train.LossMonitor(),))",
    "model().train(1, batches(), callbacks=iter([train.LossMonitor()]))",
    "model().train(1, batches(), callbacks=[])",
    """
    class Two(train.LossMonitor):
        def on_train_step_end(self, run_context):
            super().on_train_step_end(run_context)
            print("two")
    model().train(1, batches(8), callbacks=Two())
    """,
    """
    class Rate(train.Callback):
        def on_train_epoch_begin(self, run_context):
            told = run_context.original_args()
            rate = told.optimizer.learning_rate
            ops.assign(rate, Tensor(0.1 / told.cur_epoch_num, ms.float32))
    m, seen = model(), Losses()
    m.train(3, batches(), callbacks=[Rate(), seen])
    result = [seen.seen, m._optimizer.learning_rate]
    """,
    """
    class Best(train.Callback):
        def __init__(self, model, data):
            self.model, self.data, self.best = model, data, 0.0
        def on_train_epoch_end(self, run_context):
            told = run_context.original_args()
            found = self.model.eval(self.data)["acc"]
            if found > self.best:
                self.best = found
                ms.save_checkpoint(told.train_network, "best.ckpt")
                print(f"The best accuracy is {found} at epoch {told.cur_epoch_num}")
    m = model({"acc"}, rate=0.3)
    m.train(4, batches(), callbacks=[Best(m, batches(8))])
    result = m._network.training
    """,
    """
    class Freeze(train.Callback):
        def on_train_begin(self, run_context):
            for p in run_context.original_args().network.first.get_parameters():
                p.requires_grad = False
    net, seen = Net(), Losses()
    for p in net.first.get_parameters():
        p.requires_grad = False
    m = train.Model(net, loss(), momentum(net))
    m.train(2, batches(), callbacks=[Freeze(), seen])
    result = [seen.seen, weights(m.train_network)]
    """,
    """
    class Average(train.Callback):
        def __init__(self, net, decay):
            self.kept = {p.name: p.asnumpy().copy() for p in net.trainable_params()}
            self.net, self.decay = net, decay
        def on_train_step_end(self, run_context):
            for p in self.net.trainable_params():
                self.kept[p.name] = self.decay * self.kept[p.name] + (1 - self.decay) * p.asnumpy()
    m = model()
    average = Average(m._network, 0.9)
    m.train(2, batches(), callbacks=average)
    result = {name: value for name, value in average.kept.items()}
    """,
    tolerance=1e-5,
)
refused(
    "model({'acc'}).eval(batches(), callbacks=train.ModelCheckpoint('net', 'out'))",
    "model({'acc'}).eval(batches(), callbacks=train.LearningRateScheduler(lambda lr, step: lr))",
    modes=("pynative",),
)
