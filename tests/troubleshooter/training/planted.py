"""Faults that are planted into training scripts for MindSpore, written down before any was run."""

from __future__ import annotations

from dataclasses import dataclass

IMAGES, ROWS = "Images()", "Rows()"
OF_IMAGES, OF_ROWS = ("8,3,8,8", "8:int32<5"), ("8,6", "8:int32<4")

PAIRS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "momentum": (IMAGES, OF_IMAGES, 4),
    "adamw": (ROWS, OF_ROWS, 4),
    "scaled": (ROWS, OF_ROWS, 4),
    "accumulated": (IMAGES, OF_IMAGES, 4),
    "accumulated_rest": (ROWS, OF_ROWS, 5),
    "rmsprop": (ROWS, ("8,6", "8,4"), 4),
    "averaged": (IMAGES, OF_IMAGES, 4),
    "cosine": (IMAGES, OF_IMAGES, 4),
    "labels": (ROWS, ("8,6", "8,4:uniform"), 4),
    "weighted": (IMAGES, OF_IMAGES, 4),
    "smoothed": (ROWS, OF_ROWS, 4),
}
"""The functions of both scripts: which network, which data, how many batches are an epoch."""


@dataclass(frozen=True)
class Planted:
    """What is written otherwise in B's function; the stages and causes that are right for it."""

    name: str
    pair: str
    old: str
    new: str
    stages: tuple[str, ...]
    causes: tuple[str, ...]


UPDATE = ("state", "weight")
GRADS = "        loss, grads = grad_fn(x, y)\n"

FAULTS = (
    # optimisers
    Planted("momentum-0.95", "momentum", "momentum=0.9)", "momentum=0.95)", UPDATE,
            ("optimizer-momentum",)),
    Planted("nesterov-set", "momentum", "momentum=0.9)", "momentum=0.9, use_nesterov=True)",
            UPDATE, ("nesterov",)),
    Planted("nesterov-missing", "averaged", ", nesterov=True", "", UPDATE, ("nesterov",)),
    Planted("dampening", "cosine", "momentum=0.9)", "momentum=0.9, dampening=0.1)", UPDATE,
            ("dampening",)),
    Planted("betas-swapped", "adamw", "(0.9, 0.98)", "(0.98, 0.9)", UPDATE, ("betas",)),
    Planted("epsilon", "adamw", "betas=(0.9, 0.98)", "betas=(0.9, 0.98), eps=1e-6", UPDATE,
            ("optimizer-epsilon",)),
    Planted("epsilon-inside", "rmsprop",
            "optim.RMSprop(net.trainable_params(), lr=1e-3, alpha=0.95, momentum=0.5)",
            "nn.RMSProp(net.trainable_params(), 1e-3, decay=0.95, momentum=0.5, epsilon=1e-8)",
            UPDATE, ("optimizer-epsilon", "optimizer-state")),  # its mean begins with 1, too
    Planted("alpha", "rmsprop", "alpha=0.95", "alpha=0.99", UPDATE, ("smoothing",)),
    Planted("l2-for-decoupled", "adamw", "optim.AdamW(", "optim.Adam(", UPDATE,
            ("weight-decay",)),
    Planted("uncorrected", "scaled", "optim.Adam(net.trainable_params(), lr=1e-2)",
            "nn.AdamWeightDecay(net.trainable_params(), 1e-2, eps=1e-8)", UPDATE,
            ("bias-correction",)),
    Planted("amsgrad-missing", "smoothed", ", amsgrad=True", "", (*UPDATE, "settings"),
            ("amsgrad",)),
    Planted("another-optimizer", "averaged",
            "optim.SGD(net.trainable_params(), 0.05, momentum=0.9, nesterov=True)",
            "nn.Adagrad(net.trainable_params(), learning_rate=0.05)", UPDATE,
            ("another-optimizer",)),
    Planted("uphill", "weighted", "optimizer(grads)", "optimizer([-g for g in grads])",
            ("used gradient", *UPDATE), ("direction",)),
    Planted("state-lost", "averaged", GRADS, GRADS
            + "        optimizer = optim.SGD(net.trainable_params(), 0.05, momentum=0.9, "
              "nesterov=True)\n", UPDATE, ("state-lost",)),
    # groups
    Planted("decay-of-all", "adamw", '"weight_decay": 0.0}', '"weight_decay": 0.05}', UPDATE,
            ("weight-decay",)),
    Planted("decay-missing", "smoothed", ", weight_decay=1e-2", "", UPDATE, ("weight-decay",)),
    Planted("head-left-out", "labels", '[{"params": rest}, {"params": head, "lr": 0.1}]',
            '[{"params": rest}]', ("weight", "steps"), ("not-in-optimizer",)),
    Planted("stem-trained", "labels", "p.requires_grad = False", "p.requires_grad = True",
            ("weight", "gradient", "used gradient"), ("frozen-trained",)),
    Planted("bias-frozen", "adamw", "    decayed = [", "    net.head.bias.requires_grad = False\n"
            "    decayed = [", ("weight", "gradient", "used gradient"), ("frozen",)),
    Planted("rate-of-head", "labels", '"lr": 0.1}', '"lr": 0.01}', ("rate",),
            ("learning-rate-of-group",)),
    # schedules
    Planted("per-step", "momentum", "k // 4", "k", ("rate",), ("per-step",)),
    Planted("one-step-late", "weighted", "[4, 8, 100]", "[5, 9, 100]", ("rate",),
            ("schedule-off-by-one", "milestones")),
    Planted("gamma", "momentum", "0.1 * 0.1 **", "0.1 * 0.5 **", ("rate",), ("gamma",)),
    Planted("gamma-per-step", "smoothed", "ExponentialLR(optimizer, 0.9)",
            "ExponentialLR(optimizer, 0.95)", ("rate",), ("gamma",)),
    Planted("milestones", "weighted", "[4, 8, 100]", "[3, 6, 100]", ("rate",), ("milestones",)),
    Planted("no-schedule", "smoothed", "        scheduler.step()\n", "", ("rate",),
            ("no-schedule",)),
    Planted("warm-up", "adamw", "(k + 1) / 4", "(k + 1) / 6", ("rate",), ("warm-up",)),
    Planted("warm-up-from-zero", "adamw", "(k + 1) / 4", "k / 4", ("rate",),
            ("warm-up", "schedule-off-by-one")),
    Planted("cosine-too-short", "cosine", "total = epochs * len(batches)",
            "total = 4 * len(batches)", ("rate",), ("schedule-length",)),
    Planted("rate", "scaled", "lr=1e-2", "lr=1e-3", ("rate",), ("learning-rate",)),
    # clipping
    Planted("clip-by-value", "adamw", "ops.clip_by_global_norm(grads, 0.05)",
            "ops.clip_by_value(grads, -0.05, 0.05)", ("used gradient",), ("clipping",)),
    Planted("clip-each", "adamw", "ops.clip_by_global_norm(grads, 0.05)",
            "[ops.clip_by_norm(g, 0.05) for g in grads]", ("used gradient",), ("clipping",)),
    Planted("clip-limit", "scaled", "(grads, 0.1)", "(grads, 0.5)", ("used gradient",),
            ("clipping",)),
    Planted("no-clip", "weighted", "        grads = ops.clip_by_value(grads, -0.02, 0.02)\n", "",
            ("used gradient",), ("clipping",)),
    Planted("clip-before-unscaling", "scaled",
            "        grads = [g / scale for g in grads]\n"
            "        grads = ops.clip_by_global_norm(grads, 0.1)\n",
            "        grads = ops.clip_by_global_norm(grads, 0.1)\n"
            "        grads = [g / scale for g in grads]\n", ("used gradient",),
            ("clipped-scaled",)),
    # accumulation, loss scale
    Planted("sum-for-mean", "accumulated", "        grads = [g / self.count for g in grads]\n", "",
            ("used gradient",), ("accumulation-mean",)),
    Planted("count", "accumulated", "Accumulator(net)", "Accumulator(net, 4)", ("steps",),
            ("accumulation-count",)),
    Planted("rest-left-out", "accumulated_rest", "last = state[\"n\"] % 5 == 0", "last = False",
            ("steps",), ("accumulation-partial",)),
    Planted("last-alone", "accumulated", "[h + g for h, g in zip(self.held, grads)]",
            "list(grads)", ("used gradient",), ("accumulation-lost",)),
    Planted("not-unscaled", "scaled", "        grads = [g / scale for g in grads]\n"
            "        grads = ops.clip_by_global_norm(grads, 0.1)\n", "", ("used gradient",),
            ("not-unscaled", "clipping")),
    # averages
    Planted("average-decay", "averaged", "Ema(net)", "Ema(net, 0.99)", ("average",),
            ("average-decay",)),
    Planted("average-early", "averaged",
            "        optimizer(grads)\n        ema.update()\n",
            "        ema.update()\n        optimizer(grads)\n", ("average",), ("average-early",)),
    # losses
    Planted("reduction", "rmsprop", "nn.MSELoss()", "nn.MSELoss(reduction='sum')", ("loss",),
            ("reduction",)),
    Planted("no-smoothing", "smoothed", ", label_smoothing=0.1", "", ("loss",),
            ("label-smoothing",)),
    Planted("no-weights", "weighted", "weight=weight, ", "", ("loss",), ("class-weights",)),
    Planted("no-ignore", "weighted", ", ignore_index=3", "", ("loss",), ("ignore-index",)),
    Planted("softmax-twice", "adamw", "ops.cross_entropy(net(x), y)",
            "ops.cross_entropy(ops.softmax(net(x), axis=-1), y)", ("loss",), ("softmax-twice",)),
    Planted("sigmoid-twice", "labels", "criterion(net(x), y)", "criterion(ops.sigmoid(net(x)), y)",
            ("loss",), ("softmax-twice", "logits")),
    Planted("evaluation", "momentum", "    one_step.set_train()\n", "", ("output",), ("mode",)),
    Planted("never-stepped", "scaled", "        optimizer(grads)\n", "", ("steps",),
            ("not-stepped",)),
)  # fmt: skip

LATER = (
    Planted(
        "sgd-for-adam",
        "scaled",
        "optim.Adam(net.trainable_params(), lr=1e-2)",
        "nn.SGD(net.trainable_params(), 1e-2)",
        ("state", "weight"),
        ("another-optimizer",),
    ),
    Planted(
        "lamb",
        "scaled",
        "optim.Adam(net.trainable_params(), lr=1e-2)",
        "nn.Lamb(net.trainable_params(), 1e-2)",
        ("state", "weight"),
        ("another-optimizer",),
    ),
    Planted("huber", "rmsprop", "nn.MSELoss()", "nn.SmoothL1Loss()", ("gradient",), ("reduction",)),
    Planted("l1", "rmsprop", "nn.MSELoss()", "nn.L1Loss()", ("loss",), ("another-loss",)),
    Planted(
        "detach",
        "labels",
        "criterion(net(x), y)",
        "criterion(ops.stop_gradient(net(x)), y)",
        ("gradient", "used gradient"),
        ("detached",),
    ),
    Planted(
        "gamma-step-2",
        "momentum",
        "k // 4",
        "k // 8",
        ("rate",),
        ("milestones", "schedule-length", "per-step"),
    ),
    Planted(
        "cosine-floor",
        "cosine",
        "CosineDecayLR(0.0, 0.1, total)",
        "CosineDecayLR(0.01, 0.1, total)",
        ("rate",),
        ("schedule-floor",),
    ),
    Planted(
        "ema-of-init",
        "averaged",
        "        ema.update()\n",
        "",
        ("average",),
        ("average-interval", "average-missing"),
    ),
    Planted(
        "ema-twice",
        "averaged",
        "        ema.update()\n",
        "        ema.update()\n        ema.update()\n",
        ("average",),
        ("average-decay",),
    ),
    Planted(
        "body-frozen",
        "labels",
        "    rest = [",
        "    net.hidden.weight.requires_grad = False\n    rest = [",
        ("weight", "gradient", "used gradient"),
        ("frozen",),
    ),
    Planted(
        "optimizer-loss-scale",
        "accumulated",
        "nn.SGD(net.trainable_params(), 0.2)",
        "nn.SGD(net.trainable_params(), 0.2, loss_scale=8.0)",
        ("state", "weight"),
        ("loss-scale", "not-unscaled", "learning-rate"),
    ),
    Planted(
        "steps-twice",
        "adamw",
        "        optimizer(grads)\n",
        "        optimizer(grads)\n        optimizer(grads)\n",
        ("steps", "state", "weight"),
        ("stepped-twice", "steps", "accumulation-count"),
    ),
)
"""Of a second list, written down when the first one was mended."""

FURTHER_PAIRS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "layered": (ROWS, OF_ROWS, 4),
    "segments": (IMAGES, OF_IMAGES, 4),
    "gathered": (ROWS, OF_ROWS, 6),
    "teacher": (ROWS, ("8,6", "8,4:uniform"), 4),
    "quick": (ROWS, ("8,6", "8,4"), 4),
    "slow": (IMAGES, OF_IMAGES, 4),
}
"""Of the scripts that were written when the others' faults had been named."""

FURTHER = (
    Planted("rate-of-depth", "layered", "0.5 ** depth[", "0.6 ** depth[", ("rate",),
            ("learning-rate-of-group", "learning-rate")),
    Planted("decay-of-vectors", "segments", '"weight_decay": 0.0}', '"weight_decay": 0.02}',
            UPDATE, ("weight-decay",)),
    Planted("power-early", "segments", "(1.0 - k / 20)", "(1.0 - (k + 1) / 20)", ("rate",),
            ("schedule-off-by-one",)),
    Planted("norm-for-value", "gathered", "[ops.clamp(g, -0.01, 0.01) for g in grads]",
            "ops.clip_by_global_norm(tuple(grads), 0.01)", ("used gradient",), ("clipping",)),
    Planted("scale-kept", "gathered", "self.scaler.unscale(tuple(self.sums))",
            "[g / 128.0 for g in self.sums]", ("used gradient",), ("not-unscaled",)),
    Planted("undivided", "gathered", "self.scaler.scale(loss / self.count), loss",
            "self.scaler.scale(loss), loss", ("used gradient", "gradient"),
            ("accumulation-mean",)),
    Planted("decay-at-once", "teacher", "min(0.4, (1 + count) / (10 + count))", "0.4",
            ("average",), ("average-decay",)),
    Planted("smoothing-twice", "segments", "label_smoothing=0.05", "label_smoothing=0.1",
            ("loss",), ("label-smoothing",)),
    Planted("adam-for-adamw", "layered", "optim.AdamW(", "optim.Adam(", UPDATE,
            ("weight-decay",)),
    Planted("undampened", "slow", ", dampening=0.8", "", UPDATE, ("dampening",)),
    Planted("nesterov-off", "segments", "nesterov=True", "nesterov=False", UPDATE,
            ("nesterov",)),
    Planted("warm-for-longer", "quick", "warm = 4", "warm = 8", ("rate",), ("warm-up",)),
    Planted("all-classes", "segments", ", ignore_index=4", "", ("loss",), ("ignore-index",)),
    Planted("weights-turned", "segments", "[0.5, 1.0, 2.0, 1.5, 1.0]",
            "[1.0, 0.5, 2.0, 1.5, 1.0]", ("loss",), ("class-weights",)),
    Planted("mean-over-size", "teacher", 'reduction="sum"', 'reduction="mean"', ("loss",),
            ("reduction", "loss-factor")),
    Planted("wider-delta", "quick", "delta=0.5", "delta=1.0", ("loss", "gradient"),
            ("loss-setting",)),
    Planted("more-momentum", "slow", "momentum=0.8,", "momentum=0.9,", UPDATE,
            ("optimizer-momentum",)),
    Planted("cosine-to-nothing", "layered", "0.1 + 0.9 * 0.5", "0.5", ("rate",),
            ("schedule-floor",)),
)  # fmt: skip
"""Of these, written down before any was compared."""

AGAIN = (
    Planted("limit-of-values", "gathered", "ops.clamp(g, -0.01, 0.01)",
            "ops.clamp(g, -0.02, 0.02)", ("used gradient",), ("clipping",)),
    Planted("half-for-third", "gathered", "loss / self.count", "loss / 2", ("used gradient",),
            ("not-unscaled", "loss-factor", "accumulation-mean")),
    Planted("warm-from-nothing", "layered", "return (k + 1) / 3", "return k / 3", ("rate",),
            ("warm-up", "schedule-off-by-one")),
    Planted("longer-cosine", "layered", "(k - 3) / 12", "(k - 3) / 24", ("rate",),
            ("schedule-length",)),
    Planted("less-decay", "layered", "0.1 if p.ndim > 1", "0.01 if p.ndim > 1", UPDATE,
            ("weight-decay",)),
    Planted("slower-squares", "layered", "(0.9, 0.95)", "(0.9, 0.999)", UPDATE, ("betas",)),
    Planted("unweighted", "segments", "weight=weights, ", "", ("loss",), ("class-weights",)),
    Planted("unsmoothed", "segments", ", label_smoothing=0.05", "", ("loss",),
            ("label-smoothing",)),
    Planted("slower-teacher", "teacher", "(10 + count)", "(20 + count)", ("average",),
            ("average-decay",)),
    Planted("logits-for-shares", "teacher", "p = ops.sigmoid(net(x))", "p = net(x)",
            ("loss", "output"), ("softmax-twice", "logits")),
    Planted("smooth-for-huber", "quick", "nn.HuberLoss(delta=0.5)",
            "nn.SmoothL1Loss(beta=0.5, reduction='mean')", ("loss", "used gradient"),
            ("another-loss", "loss-factor")),
    Planted("smooth-of-many", "quick", "nn.HuberLoss(delta=0.5)", "nn.SmoothL1Loss(beta=0.5)",
            ("loss", "used gradient"), ("reduction",)),  # MindSpore's default is 'none'
    Planted("falls-faster", "slow", "gamma=0.7", "gamma=0.5", ("rate",), ("gamma",)),
    Planted("falls-each-step", "slow",
            '        return loss\n\n    return {"step": step, "epoch": rate.step}',
            '        rate.step()\n        return loss\n\n    return {"step": step}', ("rate",),
            ("per-step",)),
    Planted("softmax-before", "slow", "ops.log_softmax(net(x), axis=-1)",
            "ops.log_softmax(ops.softmax(net(x), axis=-1), axis=-1)", ("loss",),
            ("softmax-twice",)),
    Planted("unclipped", "layered", "        grads = ops.clip_by_global_norm(grads, 0.2)\n", "",
            ("used gradient",), ("clipping",)),
)  # fmt: skip
"""Of these once more, written down when the first had been mended."""
