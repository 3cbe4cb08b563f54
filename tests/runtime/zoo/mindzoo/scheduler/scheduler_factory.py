"""create_scheduler: the rate of each step."""

from .dynamic_lr import (cosine_decay_lr, cyclic_lr, exponential_lr, linear_refined_lr, multi_step_lr, one_cycle_lr,
                         polynomial_lr, polynomial_refined_lr, warmup_and_cosine_decay_lr)
from .schedule_cells import MultiStepLR, PolynomialWithWarmUp, TriStageLR, WarmUpCosineDecayLR


def create_scheduler(name, lr=0.1, steps_per_epoch=2, epochs=3):
    by_epoch = dict(lr=lr, steps_per_epoch=steps_per_epoch, epochs=epochs)
    steps = steps_per_epoch * epochs
    if name == "constant":
        return [lr] * steps
    lists = {
        "linear": lambda: linear_refined_lr(0.1, 1.0, 4, **by_epoch),
        "polynomial": lambda: polynomial_lr(3, 0.9, **by_epoch),
        "polynomial_refined": lambda: polynomial_refined_lr(steps, 2.0, **by_epoch),
        "exponential": lambda: exponential_lr(0.7, **by_epoch),
        "multi_step": lambda: multi_step_lr([1, 2], 0.3, **by_epoch),
        "cosine": lambda: cosine_decay_lr(2, 1e-3, eta_max=lr, steps_per_epoch=steps_per_epoch, epochs=epochs,
                                          num_cycles=2, cycle_decay=0.5),
        "warmup_cosine": lambda: warmup_and_cosine_decay_lr(2, lr, 1e-4, steps_per_epoch=steps_per_epoch, epochs=epochs),
        "cyclic": lambda: cyclic_lr(1e-3, lr, 2, "triangular2", steps=steps),
        "one_cycle": lambda: one_cycle_lr(lr, steps=steps),
    }
    cells = {
        "warmup_cosine_cell": lambda: WarmUpCosineDecayLR(1e-3, lr, 2, steps),
        "polynomial_cell": lambda: PolynomialWithWarmUp(lr, 1e-3, 2, steps, 1.0),
        "multi_step_cell": lambda: MultiStepLR(lr, [1, 3], 0.3),
        "tri_stage_cell": lambda: TriStageLR(lr, 2, 1, 4),
    }
    if name in lists:
        return lists[name]()
    if name in cells:
        return cells[name]()
    raise ValueError(f"Invalid scheduler: {name}")
