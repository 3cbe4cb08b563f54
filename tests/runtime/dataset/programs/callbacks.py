"""Callbacks of `map`: what they are told, in which order, and those that wait for a training."""

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import DSCallback, WaitedDSCallback


class Before(DSCallback):
    def tell(self, name, c):
        print(name, c.cur_epoch_num, c.cur_step_num_in_epoch, c.cur_step_num)

    def ds_begin(self, c):
        self.tell("begin", c)

    def ds_epoch_begin(self, c):
        self.tell("epoch begins", c)

    def ds_epoch_end(self, c):
        self.tell("epoch ends", c)

    def ds_step_begin(self, c):
        self.tell("step begins", c)


class Behind(DSCallback):
    def ds_step_end(self, c):
        print("step ends", c.cur_epoch_num, c.cur_step_num_in_epoch, c.cur_step_num)


def refused(make):
    try:
        print(make())
    except Exception as error:
        known = ("TypeError", "ValueError", "AttributeError", "RuntimeError")
        print([c.__name__ for c in type(error).__mro__ if c.__name__ in known])


def numbers(callbacks):
    source = ds.GeneratorDataset([1, 2, 3, 4], "a", shuffle=False, num_parallel_workers=1)
    return source.map(lambda x: x, "a", num_parallel_workers=1, callbacks=callbacks)


for callback in (Before(), Before(2), [Before(3)], Behind(), Behind(3)):
    rows = numbers(callback).create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        list(rows)
for wrong in (5, [5], DSCallback(), [Behind(), "x"], WaitedDSCallback()):
    refused(lambda wrong=wrong: len(list(numbers(wrong))))
for size in (0, -1, "a", 1.0, None, 3):
    refused(lambda size=size: Behind(size).step_size)

events = []


class Waiting(WaitedDSCallback):
    def tell(self, name, t, c):
        step = t.original_args().cur_step_num
        events.append((name, c.cur_epoch_num, c.cur_step_num, step))

    def sync_epoch_begin(self, t, c):
        self.tell("epoch of data", t, c)

    def sync_step_begin(self, t, c):
        self.tell("row of data", t, c)


class Training(ms.Callback):
    def on_train_epoch_end(self, run_context):
        events.append(("epoch", run_context.original_args().cur_epoch_num))

    def on_train_step_end(self, run_context):
        events.append(("step", run_context.original_args().cur_step_num))


class Net(nn.Cell):
    def construct(self, x, y):
        return x


for size in (1, 2):
    waiting = Waiting(size)
    column = [1, 2, 3, 4]
    data = ds.NumpySlicesDataset((column, column), ["x", "y"], shuffle=False)
    data = data.map(lambda x: x, "x", callbacks=waiting).batch(size)
    ms.Model(Net()).train(2, data, callbacks=[Training(), waiting], dataset_sink_mode=False)
    print(events)
    events.clear()
