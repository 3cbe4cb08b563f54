"""Files that Lightning's Trainer writes unless told not to: the one it becomes writes none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit

TRAINER = "pytorch_lightning.Trainer"
WRITTEN = {"logger": "logs", "enable_checkpointing": "checkpoints"}
"""The settings that are on by themselves, and what is written then."""
HEAD = "import pytorch_lightning as pl\n"


@limit(
    "MS244",
    ast.Call,
    advice="call ms.save_checkpoint behind fit and mindspore.SummaryRecord in a callback, or give "
    "logger=False and enable_checkpointing=False",
    found=(
        f"{HEAD}trainer = pl.Trainer()  # !",
        f"{HEAD}trainer = pl.Trainer(max_epochs=3, logger=False)  # !",
        f"{HEAD}trainer = pl.Trainer(enable_checkpointing=False)  # !",
        "from lightning import Trainer\nTrainer(max_epochs=2).fit(net, loader)  # !",
        f"{HEAD}def f(epochs):\n    return pl.Trainer(max_epochs=epochs, devices=1)  # !",
    ),
    clean=(
        f"{HEAD}trainer = pl.Trainer(logger=False, enable_checkpointing=False)",
        f"{HEAD}pl.Trainer(max_epochs=2, enable_checkpointing=False, logger=False)",
        "class Trainer:\n    pass\ntrainer = Trainer()",
    ),
    about=TRAINER.__eq__,
)
def trainer_that_writes(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """A Trainer that is not told to write neither logs nor checkpoints."""
    given = {keyword.arg for keyword in node.keywords}
    missing = [what for name, what in WRITTEN.items() if name not in given]
    if facts.api(node) == TRAINER and missing:
        yield Hit(node, f"the Trainer writes no {' and no '.join(missing)}")
