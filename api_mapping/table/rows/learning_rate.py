"""torch.optim.lr_scheduler, and the scheduler of torch.optim.swa_utils."""

from ..facts.spelling import OWN_BASES
from ..families import missing
from ..rule import Rule

OPTIMIZER = "optim.SGD(params, lr=0.1, momentum=0.9)"
LAMBDA = "The epoch that lr_lambda gets is a Tensor of float32 in MindSpore."
MOMENTUM = "MindSpore's CyclicLR leaves the momentum alone."


AS_MINDSPORE_TAKES = {
    "step_size": "whole_number(step_size)",
    **{name: f"whole_number({name})" for name in ("total_iters", "T_max", "T_0", "T_mult")},
    "milestones": "list_of_steps(milestones)",
}
"""Arguments that PyTorch takes as any number or sequence."""


def scheduler(name: str, arguments: str, *examples: str, note: str = "") -> Rule:
    """The row of a scheduler whose arguments are the same; the examples are its arguments."""
    names = [part.partition("=")[0].strip() for part in arguments.split(", ")]
    handed = ", ".join(f"{n}={AS_MINDSPORE_TAKES.get(n, n)}" for n in [*names, "last_epoch"])
    return Rule(
        f"torch.optim.lr_scheduler.{name}(optimizer, {arguments}, last_epoch=-1)",
        f"ms.experimental.optim.lr_scheduler.{name}(optimizer, {handed})",
        note=note,
        example=tuple(trained(f"lr_scheduler.{name}(optimizer, {e})") for e in examples),
    )


def trained(schedule: str) -> str:
    return f"train(lambda params: {OPTIMIZER}, lambda optimizer: {schedule})"


SCHEDULERS = (
    scheduler(
        "StepLR",
        "step_size, gamma=0.1",
        "2",
        "step_size=3, gamma=0.5",
        "2.0",
        "len(x) / 1, gamma=0.5",
    ),
    scheduler(
        "MultiStepLR",
        "milestones, gamma=0.1",
        "[2, 4]",
        "milestones=[1, 3], gamma=0.5",
        "(1, 3)",
        "range(1, 4, 2)",
        "[0.5 * 2, 3]",
    ),
    scheduler("ExponentialLR", "gamma", "0.8", "gamma=0.5"),
    scheduler("ConstantLR", "factor=1 / 3, total_iters=5", "total_iters=3", "factor=0.5"),
    scheduler(
        "LinearLR",
        "start_factor=1 / 3, end_factor=1.0, total_iters=5",
        "total_iters=3",
        "start_factor=0.5, end_factor=0.1, total_iters=4",
    ),
    scheduler("PolynomialLR", "total_iters=5, power=1.0", "total_iters=4", "power=2.0"),
    scheduler("CosineAnnealingLR", "T_max, eta_min=0.0", "4", "T_max=3, eta_min=0.01"),
    scheduler(
        "CosineAnnealingWarmRestarts",
        "T_0, T_mult=1, eta_min=0.0",
        "2",
        "T_0=2, T_mult=2, eta_min=0.01",
    ),
    scheduler(
        "LambdaLR",
        "lr_lambda",
        "lambda epoch: 0.9 ** epoch",
        "lr_lambda=[lambda epoch: 1 / (epoch + 1)]",
        "lambda epoch: min(1.0, (epoch + 1) / 3)",
        note=LAMBDA,
    ),
    scheduler("MultiplicativeLR", "lr_lambda", "lambda epoch: 0.9", note=LAMBDA),
    Rule(
        "torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr, max_lr, step_size_up=2000, "
        "step_size_down=None, mode='triangular', gamma=1.0, scale_fn=None, scale_mode='cycle', "
        "cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1)",
        "ms.experimental.optim.lr_scheduler.CyclicLR(optimizer, base_lr, max_lr, "
        "step_size_up=step_size_up, step_size_down=step_size_down, mode=mode, gamma=gamma, "
        "scale_fn=scale_fn, scale_mode=scale_mode, last_epoch=last_epoch)",
        note=MOMENTUM,
        drop=("cycle_momentum",),
        example=(
            trained("lr_scheduler.CyclicLR(optimizer, 0.01, 0.1, 2, cycle_momentum=False)"),
            trained(
                "lr_scheduler.CyclicLR(optimizer, 0.01, 0.1, step_size_up=2, step_size_down=3, "
                "mode='exp_range', gamma=0.9, cycle_momentum=False)"
            ),
        ),
    ),
    Rule(
        "torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps=None, epochs=None, "
        "steps_per_epoch=None, pct_start=0.3, anneal_strategy='cos', cycle_momentum=True, "
        "base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, "
        "three_phase=False, last_epoch=-1)",
        "compat.OneCycleLR(optimizer, max_lr, total_steps=total_steps, epochs=epochs, "
        "steps_per_epoch=steps_per_epoch, pct_start=pct_start, anneal_strategy=anneal_strategy, "
        "cycle_momentum=cycle_momentum, base_momentum=base_momentum, max_momentum=max_momentum, "
        "div_factor=div_factor, final_div_factor=final_div_factor, three_phase=three_phase)",
        example=(
            trained("lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=7)"),
            trained(
                "lr_scheduler.OneCycleLR(optimizer, max_lr=0.3, epochs=2, steps_per_epoch=5, "
                "pct_start=0.4, anneal_strategy='linear', cycle_momentum=False, three_phase=True)"
            ),
            "train(lambda params: optim.AdamW(params, lr=0.1), "
            "lambda optimizer: lr_scheduler.OneCycleLR(optimizer, [0.2], 8, div_factor=10))",
        ),
    ),
    Rule(
        "torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode='min', factor=0.1, "
        "patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, eps=1e-08)",
        "ms.experimental.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode=mode, "
        "factor=factor, patience=patience, threshold=threshold, threshold_mode=threshold_mode, "
        "cooldown=cooldown, min_lr=min_lr, eps=eps)",
        example=(
            f"train(lambda params: {OPTIMIZER}, "
            "lambda optimizer: lr_scheduler.ReduceLROnPlateau(optimizer, patience=1), "
            "follow=lambda scheduler: scheduler.step(2.0))",
            f"train(lambda params: {OPTIMIZER}, lambda optimizer: "
            "lr_scheduler.ReduceLROnPlateau(optimizer, 'max', factor=0.5, patience=0, "
            "cooldown=1, threshold_mode='abs', min_lr=0.02), "
            "follow=lambda scheduler: scheduler.step(2.0))",
        ),
    ),
    Rule(
        "torch.optim.lr_scheduler.SequentialLR(optimizer, schedulers, milestones, last_epoch=-1)",
        "ms.experimental.optim.lr_scheduler.SequentialLR(optimizer, schedulers, milestones, "
        "last_epoch=last_epoch)",
        example=trained(
            "lr_scheduler.SequentialLR(optimizer, [lr_scheduler.ConstantLR(optimizer, "
            "total_iters=2), lr_scheduler.ExponentialLR(optimizer, 0.9)], milestones=[3])"
        ),
    ),
    Rule(
        "torch.optim.lr_scheduler.ChainedScheduler(schedulers, optimizer=None)",
        "compat.ChainedScheduler(schedulers)",
        drop=("optimizer",),
        example=trained(
            "lr_scheduler.ChainedScheduler([lr_scheduler.ExponentialLR(optimizer, 0.9), "
            "lr_scheduler.StepLR(optimizer, 2, gamma=0.5)])"
        ),
    ),
)

BASE = Rule(
    "torch.optim.lr_scheduler.LRScheduler(optimizer, last_epoch=-1)",
    "ms.experimental.optim.lr_scheduler.LRScheduler(optimizer, last_epoch=last_epoch)",
    example="lr_scheduler.LRScheduler.__name__",
    check="runs",
)

STEP = f"train(lambda params: {OPTIMIZER}, lambda optimizer: lr_scheduler.StepLR(optimizer, 2), "
MADE = "optimizer = optim.SGD([weight], lr=0.1)\nscheduler = lr_scheduler.StepLR(optimizer, 1)\n"

OWN = OWN_BASES["torch.optim.lr_scheduler.LRScheduler"]


def of_own(name: str, target: str, returns: str = "other") -> Rule:
    """The row of what methods of own schedulers use."""
    return Rule(
        f"{OWN}.{name}",
        target,
        returns=returns,
        check="runs",
        example="lr_scheduler._LRScheduler.__name__",
    )


OF_OWN = (
    *(of_own(name, f"self.{name}") for name in ("optimizer", "base_lrs", "_last_lr")),
    *(of_own(name, f"self.{name}", "int") for name in ("last_epoch", "_step_count")),
    of_own("get_lr(self)", "self.get_lr()", "list"),
    of_own("get_last_lr(self)", "compat.last_rates(self)", "list"),
    of_own("step(self, epoch=None)", "self.step(epoch)", "none"),
    of_own("state_dict(self)", "self.state_dict()"),
    of_own("load_state_dict(self, state_dict)", "self.load_state_dict(state_dict)", "none"),
)

METHODS = (
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.step(self, epoch=None)",
        "self.step(epoch)",
        returns="none",
        example=(
            f"{STEP}follow=lambda scheduler: scheduler.step())",
            f"{STEP}follow=lambda scheduler: scheduler.step(5))",
        ),
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.get_last_lr(self)",
        "[float(rate) for rate in self.get_last_lr()]",
        note="MindSpore's learning rates are Tensors.",
        returns="list",
        example=f"{MADE}scheduler.step()\nscheduler.get_last_lr()",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.get_lr(self)",
        "self.get_lr()",
        note="MindSpore's learning rates are Tensors.",
        returns="list",
        example=f"{MADE}[float(rate) for rate in scheduler.get_lr()]",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.last_epoch",
        "int(self.last_epoch)",
        note="MindSpore's count is a Parameter.",
        returns="int",
        example=f"{MADE}scheduler.step()\nscheduler.last_epoch",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.base_lrs",
        "[float(rate) for rate in self.base_lrs]",
        note="MindSpore's learning rates are Tensors.",
        returns="list",
        example=f"{MADE}scheduler.base_lrs",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.optimizer",
        "self.optimizer",
        returns="optimizer",
        example=f"{MADE}scheduler.optimizer is optimizer",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.state_dict(self)",
        "compat.scheduler_state(self)",
        returns="other",
        example=f"{MADE}scheduler.step()\nfloat(scheduler.state_dict()['last_epoch'])",
    ),
    Rule(
        "torch.optim.lr_scheduler.LRScheduler.load_state_dict(self, state_dict)",
        "compat.load_scheduler_state(self, state_dict)",
        returns="none",
        example=f"{MADE}scheduler.step()\nstate = scheduler.state_dict()\n"
        "scheduler = lr_scheduler.StepLR(optim.SGD([kernel], lr=0.1), 1)\n"
        "scheduler.load_state_dict(state)\nscheduler.step()\nfloat(scheduler.last_epoch)",
    ),
)

RULES = (
    *SCHEDULERS,
    BASE,
    Rule(
        f"{OWN}(optimizer, last_epoch=-1)",
        "compat.LRScheduler(optimizer, last_epoch=last_epoch)",
        example="lr_scheduler._LRScheduler.__name__",
        check="runs",
    ),
    *OF_OWN,
    *METHODS,
    *missing(
        "use ms.experimental.optim.lr_scheduler.LinearLR, or CosineAnnealingLR",
        "torch.optim.swa_utils.SWALR(optimizer, swa_lr, anneal_epochs=10, anneal_strategy='cos', "
        "last_epoch=-1)",
    ),
)
