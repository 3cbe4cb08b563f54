"""pytorch_lightning: modules with their own optimization, and the Trainer's loop on one device."""

from ..rule import Rule

LIGHTNING = "pytorch_lightning"
TRAINER = f"{LIGHTNING}.Trainer"
LIMITS = tuple(f"limit_{of}_batches" for of in ("train", "val", "test", "predict"))
TAKEN = (
    "callbacks=callbacks, num_sanity_val_steps=num_sanity_val_steps, "
    "check_val_every_n_epoch=check_val_every_n_epoch, "
    "accumulate_grad_batches=accumulate_grad_batches, gradient_clip_val=gradient_clip_val, "
    "gradient_clip_algorithm=gradient_clip_algorithm, "
    + ", ".join(f"{name}={name}" for name in LIMITS)
)
LEFT = (
    *(
        "accelerator",
        "log_every_n_steps",
        "enable_progress_bar",
        "enable_model_summary",
        "deterministic",
    ),
    *("benchmark", "default_root_dir"),
)


def named(name: str, *examples: str) -> Rule:
    """The row of a class that is derived from."""
    return Rule(
        f"{LIGHTNING}.{name}",
        f"compat.{name.rpartition('.')[2]}",
        returns="other",
        example=examples,
        check="alone",
    )


CLASSES = (
    named("LightningModule", "pytorch_lightning.LightningModule"),
    named("LightningDataModule", "pytorch_lightning.LightningDataModule"),
    named("Callback", "pytorch_lightning.Callback"),
    named("callbacks.Callback", "pytorch_lightning.callbacks.Callback"),
    Rule(
        f"{LIGHTNING}.callbacks.EarlyStopping(monitor, min_delta=0.0, patience=3, verbose=False, "
        'mode="min", strict=True)',
        "compat.EarlyStopping(monitor, min_delta=min_delta, patience=patience, mode=mode, "
        "strict=strict)",
        drop=("verbose",),
        returns="other",
        example="pytorch_lightning.callbacks.EarlyStopping('val_loss', patience=2)",
        check="alone",
    ),
    Rule(
        f"{TRAINER}(*, max_epochs=1000, callbacks=None, num_sanity_val_steps=2, "
        "check_val_every_n_epoch=1, accumulate_grad_batches=1, gradient_clip_val=None, "
        'gradient_clip_algorithm="norm", limit_train_batches=None, limit_val_batches=None, '
        'limit_test_batches=None, limit_predict_batches=None, accelerator="auto", devices=1, '
        "precision=32, logger=False, log_every_n_steps=50, enable_checkpointing=False, "
        "enable_progress_bar=False, enable_model_summary=False, deterministic=None, "
        "benchmark=None, default_root_dir=None)",
        f"compat.Trainer(max_epochs=max_epochs, {TAKEN})",
        note="No logs and no checkpoints are written; one device.",
        drop=LEFT,
        reject={
            "devices": "write the loop out with compat.grad_reducer for several processes",
            "precision": "ms.amp.auto_mixed_precision in a training loop that is written out",
            "logger": "leave it out, and write a callback with mindspore.SummaryRecord",
            "enable_checkpointing": "leave it out, and call ms.save_checkpoint behind fit",
        },
        returns="other",
        example="pytorch_lightning.Trainer(max_epochs=2, logger=False).current_epoch",
        check="alone",
    ),
)

NET = """\
class Net(pytorch_lightning.LightningModule):
    def training_step(self, batch):
        return (batch * weight).mean()

    def validation_step(self, batch):
        return batch.mean()

    test_step = validation_step
    predict_step = training_step

    def configure_optimizers(self):
        return optim.SGD([weight], lr=0.1)

net, batches = Net(), [weight * 2.0]
trainer = pytorch_lightning.Trainer(max_epochs=1)
"""


def of_trainer(signature: str, target: str, returns: str, example: str) -> Rule:
    """The row of a member; its example is code behind a network and its trainer."""
    return Rule(
        f"{TRAINER}.{signature}",
        target,
        returns=returns,
        example=f"{NET}{example}",
        check="alone",
    )


METHODS = (
    of_trainer(
        "fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None)",
        "self.fit(model, train_dataloaders=train_dataloaders, val_dataloaders=val_dataloaders, "
        "datamodule=datamodule)",
        "none",
        "trainer.fit(net, batches)",
    ),
    *(
        of_trainer(
            f"{name}(self, model=None, dataloaders=None, *, verbose=True, datamodule=None)",
            f"self.{name}(model=model, dataloaders=dataloaders, verbose=verbose, "
            "datamodule=datamodule)",
            "list",
            f"trainer.{name}(net, batches, verbose=False)",
        )
        for name in ("validate", "test")
    ),
    of_trainer(
        "predict(self, model=None, dataloaders=None, datamodule=None)",
        "self.predict(model=model, dataloaders=dataloaders, datamodule=datamodule)",
        "list",
        "trainer.predict(net, batches)",
    ),
    *(
        of_trainer(name, f"self.{name}", "", f"trainer.{name}")
        for name in (
            *("callback_metrics", "current_epoch", "global_step", "max_epochs", "optimizers"),
            *("sanity_checking", "should_stop", "lightning_module", "datamodule", "callbacks"),
        )
    ),
)

SEEDS = (
    Rule(
        f"{LIGHTNING}.seed_everything(seed, workers=False, verbose=True)",
        "compat.seed_everything(seed)",
        drop=("workers", "verbose"),
        returns="int",
        example="pytorch_lightning.seed_everything(3)",
        check="alone",
    ),
)

RULES = (*CLASSES, *METHODS, *SEEDS)
