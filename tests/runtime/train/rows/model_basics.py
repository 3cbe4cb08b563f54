"""A model trained, evaluated and saved."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import rows

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
)
