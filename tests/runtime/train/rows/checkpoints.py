"""ModelCheckpoint: which files are written, when, and which of them stay."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import differs, refused, rows

SAVED = """
config = train.CheckpointConfig({config})
model().train(3, batches(), callbacks=train.ModelCheckpoint({place}config=config))
"""

rows(
    *[
        SAVED.format(config=config, place=place)
        for config, place in (
            ("", "directory='.', "),
            ("1, keep_checkpoint_max=100", "'all', 'out', "),
            ("2", "directory='a/b/c', "),
            ("3, keep_checkpoint_max=2", "'net', 'out', "),
            ("4, keep_checkpoint_max=1", "'net', 'out', "),
            ("50", "'net', 'out', "),
            ("save_checkpoint_steps=0, save_checkpoint_seconds=1000", "'net', 'out', "),
            ("save_checkpoint_steps=0, keep_checkpoint_max=3", "'net', 'out', "),
            ("save_checkpoint_steps=None, save_checkpoint_seconds=None", "'net', 'out', "),
            ("keep_checkpoint_max=0", "'net', 'out', "),
            ("keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1", "'net', 'out', "),
            ("keep_checkpoint_max=None, keep_checkpoint_per_n_minutes=5", "'net', 'out', "),
            ("2, integrated_save=False", "'net', 'out', "),
            ("2, async_save=True", "'net', 'out', "),
            ("2, async_save='thread'", "'net', 'out', "),
            ("2, crc_check=True", "'net', 'out', "),
            ("2, format='safetensors'", "'net', 'out', "),
            ("3, exception_save=True", "'net', 'out', "),
            ("9", "'with-dash', 'out', "),
            ("9", "'with_1', 'out', "),
        )
    ],
    """
    for _ in range(3):
        model().train(1, batches(), callbacks=train.ModelCheckpoint("net", "out"))
    """,
    """
    call = train.ModelCheckpoint("net", "out", train.CheckpointConfig(2, keep_checkpoint_max=2))
    m = model()
    m.train(1, batches(), callbacks=call)
    m.train(2, batches(), callbacks=call)
    import os
    result = os.path.basename(call.latest_ckpt_file_name)
    """,
    """
    a = train.ModelCheckpoint("net", "out", train.CheckpointConfig(2))
    b = train.ModelCheckpoint("network", "out", train.CheckpointConfig(3, keep_checkpoint_max=1))
    model().train(3, batches(), callbacks=[a, b])
    """,
    """
    config = train.CheckpointConfig(3, append_info=["epoch_num", "step_num", {"lr": 0.5, "n": 2}])
    model().train(2, batches(), callbacks=train.ModelCheckpoint("net", "out", config))
    found = ms.load_checkpoint("out/net-2_3.ckpt")
    result = [[name, plain(value)] for name, value in found.items() if name in
              ("epoch_num", "step_num", "lr", "n")]
    """,
    """
    config = train.CheckpointConfig(3, append_info=[{"epoch_num": 10, "step_num": 100}])
    model().train(2, batches(), callbacks=train.ModelCheckpoint("net", "out", config))
    found = ms.load_checkpoint("out/net-2_3.ckpt")
    result = [int(found["epoch_num"].asnumpy()), int(found["step_num"].asnumpy())]
    """,
    """
    config = train.CheckpointConfig(3, append_info=[{"flag": True, "word": "w",
                                                     "t": Tensor(np.ones(2, np.float32))}])
    model().train(1, batches(), callbacks=train.ModelCheckpoint("net", "out", config))
    found = ms.load_checkpoint("out/net-1_3.ckpt")
    result = [plain(found["flag"]), found["word"], plain(found["t"])]
    """,
    """
    net = Net()
    m = train.Model(net, loss(), momentum(net))
    config = train.CheckpointConfig(3, saved_network=net)
    m.train(1, batches(), callbacks=train.ModelCheckpoint("net", "out", config))
    found = ms.load_checkpoint("out/net-1_3.ckpt")
    result = [[k, float(v.asnumpy().sum())] for k, v in found.items()]
    """,
    """
    call = train.ModelCheckpoint(lambda told: f"at{told.cur_step_num}", "out",
                                 train.CheckpointConfig(2))
    model().train(2, batches(), callbacks=call)
    """,
    """
    call = train.ModelCheckpoint("net", lambda told: f"epoch{told.cur_epoch_num}",
                                 train.CheckpointConfig(2))
    model().train(2, batches(), callbacks=call)
    """,
    """
    class Fails(train.Callback):
        def on_train_step_begin(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise ValueError("on purpose")
    config = train.CheckpointConfig(100, exception_save=True)
    call = train.ModelCheckpoint("net", "out", config)
    for _ in range(2):
        try:
            model().train(3, batches(), callbacks=[call, Fails()])
        except ValueError as error:
            result = str(error)
    """,
    """
    class Fails(train.Callback):
        def on_train_step_begin(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise ValueError("on purpose")
    try:
        model().train(3, batches(), callbacks=[Fails(), train.ModelCheckpoint("net", "out",
                                               train.CheckpointConfig(2))])
    except ValueError as error:
        result = str(error)
    """,
    # resuming
    """
    whole, first, rest = Losses(), Losses(), Losses()
    model(rate=0.3).train(4, batches(), callbacks=whole)
    model(rate=0.3).train(2, batches(), callbacks=[first, train.ModelCheckpoint("net", "out")])
    m = model(rate=0.3)
    found = ms.load_checkpoint("out/net-2_3.ckpt")
    ms.load_param_into_net(m.train_network, found)
    m.train(4, batches(), callbacks=rest, initial_epoch=2)
    assert np.allclose(whole.seen, first.seen + rest.seen, atol=1e-6)
    result = whole.seen
    """,
    """
    def adam():
        net = Net()
        return train.Model(net, loss(), nn.Adam(net.trainable_params(), nn.cosine_decay_lr(
            0.0, 0.1, 12, 3, 4)))
    whole, rest = Losses(), Losses()
    adam().train(4, batches(), callbacks=whole)
    adam().train(1, batches(), callbacks=train.ModelCheckpoint("net", "out"))
    m = adam()
    ms.load_param_into_net(m.train_network, ms.load_checkpoint("out/net-1_3.ckpt"))
    m.train(4, batches(), callbacks=rest, initial_epoch=1)
    assert np.allclose(whole.seen[3:], rest.seen, atol=1e-6)
    result = whole.seen
    """,
    tolerance=1e-5,
)

rows(
    """
    c = train.CheckpointConfig()
    result = [c.get_checkpoint_policy(), c.integrated_save, c.async_save, c.enc_key, c.enc_mode,
              c.append_dict, c.crc_check, c.format, c.map_param_inc, c.exception_save]
    """,
    "result = train.CheckpointConfig(5, 10, 3, 7).get_checkpoint_policy()",
    "result = train.CheckpointConfig(0, 10, 0, 7).get_checkpoint_policy()",
    "result = train.CheckpointConfig(None, 10, None, None).get_checkpoint_policy()",
    "result = train.CheckpointConfig(append_info=['step_num', {'a': 1}]).append_dict",
    "result = train.CheckpointConfig(append_info=[]).append_dict",
    modes=("pynative",),
)

refused(
    "train.CheckpointConfig(-1)",
    "train.CheckpointConfig(1.5)",
    "train.CheckpointConfig('1')",
    "train.CheckpointConfig(0, 0, 0, 0)",
    "train.CheckpointConfig(None, None, None, None)",
    "train.CheckpointConfig(keep_checkpoint_max=-1)",
    "train.CheckpointConfig(save_checkpoint_seconds=-1)",
    "train.CheckpointConfig(saved_network=1)",
    "train.CheckpointConfig(integrated_save=1)",
    "train.CheckpointConfig(async_save='process?')",
    "train.CheckpointConfig(append_info='epoch_num')",
    "train.CheckpointConfig(append_info=['epochs'])",
    "train.CheckpointConfig(append_info=[1])",
    "train.CheckpointConfig(append_info=[{'a': 1}, {'b': 1}])",
    "train.CheckpointConfig(append_info=[{1: 1}])",
    "train.CheckpointConfig(append_info=[{'a': [1]}])",
    "train.CheckpointConfig(exception_save=1)",
    "train.CheckpointConfig(crc_check=1)",
    "train.CheckpointConfig(enc_key='key')",
    "train.CheckpointConfig(format='safetensors', crc_check=True)",
    "train.CheckpointConfig(format='safetensors', exception_save=True)",
    "train.CheckpointConfig(remove_redundancy='no')",
    "train.ModelCheckpoint('a/b')",
    "train.ModelCheckpoint(1)",
    "train.ModelCheckpoint(directory=1)",
    "train.ModelCheckpoint(directory='')",
    "train.ModelCheckpoint(config={})",
    "model().train(1, batches(), callbacks=train.ModelCheckpoint(lambda told: 'a/b'))",
    "model().train(1, batches(), callbacks=train.ModelCheckpoint(lambda told: 1))",
    modes=("pynative",),
)
ALONE = "MindSpore accepts what has no effect in one process, or refuses it at the first save"
for argument in ("remove_redundancy=True", "incremental=True", "savepoint=3"):
    differs(
        f"train.CheckpointConfig({argument})",
        here={"error": "ValueError"}, because=ALONE, modes=("pynative",),
    )  # fmt: skip
differs(
    "train.CheckpointConfig(enc_key=b'0123456789abcdef')",
    here={"error": "RuntimeError"}, because="checkpoints are not encrypted", modes=("pynative",),
)  # fmt: skip

CLOCK = """
import time
real, clock = time.time, [1000.0]
class Ticks(train.Callback):
    def on_train_step_begin(self, run_context):
        clock[0] += {seconds}
time.time = lambda: clock[0]
try:
    config = train.CheckpointConfig({config})
    model().train(4, batches(), callbacks=[Ticks(), train.ModelCheckpoint("net", "out", config)])
finally:
    time.time = real
"""
for seconds, config in (
    (4.0, "0, save_checkpoint_seconds=10, keep_checkpoint_max=10"),
    (4.0, "0, save_checkpoint_seconds=4, keep_checkpoint_max=10"),
    (6.0, "0, save_checkpoint_seconds=5, keep_checkpoint_max=3"),
    (30.0, "None, save_checkpoint_seconds=100, keep_checkpoint_max=10"),
    (1.0, "5, save_checkpoint_seconds=1, keep_checkpoint_max=10"),
):
    rows(CLOCK.replace("{seconds}", str(seconds)).replace("{config}", config))
