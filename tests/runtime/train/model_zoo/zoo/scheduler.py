"""Scheduler Factory"""
import logging
import math
from bisect import bisect_right

_logger = logging.getLogger(__name__)


def linear_lr(start_factor, end_factor, total_iters, *, lr, steps_per_epoch, epochs):
    steps = steps_per_epoch * epochs
    start_lr, end_lr = lr * start_factor, lr * end_factor
    lrs = []
    for i in range(steps):
        epoch_idx = i // steps_per_epoch
        lrs.append(start_lr + (end_lr - start_lr) * min(epoch_idx, total_iters) / total_iters)
    return lrs


def linear_refined_lr(start_factor, end_factor, total_iters, *, lr, steps_per_epoch, epochs):
    steps = steps_per_epoch * epochs
    lrs, start_lr, end_lr = [], lr * start_factor, lr * end_factor
    for i in range(steps):
        epoch_idx = i / steps_per_epoch
        lrs.append(start_lr + (end_lr - start_lr) * min(epoch_idx, total_iters) / total_iters)
    return lrs


def cosine_decay_refined_lr(decay_epochs, eta_min, *, eta_max, steps_per_epoch, epochs, num_cycles=1, cycle_decay=1.0):
    steps, lrs = steps_per_epoch * epochs, []
    delta = 0.5 * (eta_max - eta_min)
    for i in range(steps):
        t_cur = math.floor(i) % int(decay_epochs * steps_per_epoch)
        lrs.append(eta_min + delta * (1.0 + math.cos(math.pi * t_cur / (decay_epochs * steps_per_epoch))))
    return lrs


def multi_step_lr(milestones, gamma, *, lr, steps_per_epoch, epochs):
    steps = steps_per_epoch * epochs
    return [lr * gamma ** bisect_right(milestones, i // steps_per_epoch) for i in range(steps)]


def create_scheduler(steps_per_epoch, scheduler="constant", lr=0.01, min_lr=1e-6, warmup_epochs=3, warmup_factor=0.0,
                     decay_epochs=10, decay_rate=0.9, milestones=None, num_epochs=200, num_cycles=1, cycle_decay=1.0,
                     lr_epoch_stair=False):
    milestones = milestones or []
    if warmup_epochs + decay_epochs > num_epochs:
        _logger.warning("warmup_epochs + decay_epochs > num_epochs. Please check and reduce decay_epochs!")
    if warmup_factor > 0 and warmup_epochs == 0:
        _logger.warning("warmup_factor > 0 but warmup_epochs == 0. lr warmup will be disabled.")

    warmup_lr_scheduler = []
    if warmup_epochs > 0:
        if warmup_factor == 0 and lr_epoch_stair:
            _logger.warning("The warmup factor is set to 0, lr of 0-th epoch is always zero!")
        warmup_func = linear_lr if lr_epoch_stair else linear_refined_lr
        warmup_lr_scheduler = warmup_func(start_factor=warmup_factor, end_factor=1.0, total_iters=warmup_epochs,
                                          lr=lr, steps_per_epoch=steps_per_epoch, epochs=warmup_epochs)
    main_epochs = num_epochs - warmup_epochs
    if scheduler in ["cosine_decay", "warmup_cosine_decay"]:
        main = cosine_decay_refined_lr(decay_epochs=decay_epochs, eta_min=min_lr, eta_max=lr,
                                       steps_per_epoch=steps_per_epoch, epochs=main_epochs)
    elif scheduler == "multi_step_decay":
        main = multi_step_lr(milestones=milestones, gamma=decay_rate, lr=lr, steps_per_epoch=steps_per_epoch,
                             epochs=main_epochs)
    elif scheduler == "constant":
        main = [lr for _ in range(steps_per_epoch * main_epochs)]
    else:
        raise ValueError(f"Invalid scheduler: {scheduler}")
    return warmup_lr_scheduler + main
