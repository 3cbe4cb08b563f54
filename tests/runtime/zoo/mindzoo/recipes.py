"""What is run of the package, by name: each model with a step, and each part of a training.

A recipe is a function without arguments that gives arrays by name; it is run in both modes.
"""

from functools import partial

import numpy as np

import mindspore as ms
from mindspore import Tensor, nn, ops

from . import create_loss, create_model, create_optimizer, create_scheduler, trainer
from .loss import DistillationLoss
from .models.convolutional.repvgg import repvgg_model_convert
from .scheduler import WarmUpCosineDecayWD
from .trainer.amp import AMP_WHITE_LIST

CLASSES = 10
MODELS = {
    # the name: its loss, its optimiser
    "alexnet": ("ce", "momentum"),
    "vgg11_bn": ("soft_ce", "adamw"),
    "ecaresnet14": ("focal", "adan"),
    "seresnext14": ("bce", "lamb"),
    "skresnet14": ("asl_single_label", "momentum"),
    "bit_resnet14": ("jsd", "adamw"),
    "nfnet_f0": ("ce", "adan"),
    "res2net14": ("soft_ce", "lamb"),
    "resnest14": ("focal", "momentum"),
    "regnet_y_tiny": ("bce", "adamw"),
    "repvgg_a0": ("asl_single_label", "adan"),
    "densenet11": ("jsd", "lamb"),
    "googlenet": ("ce", "momentum"),
    "inception_v3": ("ce", "adamw"),
    "xception": ("focal", "adan"),
    "squeezenet1_1": ("bce", "lamb"),
    "mobilenet_v2_100": ("asl_single_label", "momentum"),
    "mixnet_s": ("jsd", "adamw"),
    "shufflenet_v1_g2": ("ce", "adan"),
    "shufflenet_v2_x0_5": ("soft_ce", "lamb"),
    "ghostnet_100": ("focal", "momentum"),
    "efficientnet_b0": ("bce", "adamw"),
    "dpn14": ("asl_single_label", "adan"),
    "rexnet_09": ("jsd", "lamb"),
    "hrnet_w8": ("ce", "momentum"),
    "vit_lora_tiny": ("soft_ce", "adamw"),
    "cait_xxs4": ("focal", "adan"),
    "swinv2_tiny": ("bce", "lamb"),
    "pvt_tiny": ("asl_single_label", "momentum"),
    "pvt_v2_b0": ("jsd", "adamw"),
    "pit_ti": ("ce", "adan"),
    "poolformer_s4": ("soft_ce", "lamb"),
    "mlp_mixer_s": ("focal", "momentum"),
    "convit_tiny": ("bce", "adamw"),
    "visformer_tiny": ("asl_single_label", "adan"),
    "crossvit_ti": ("jsd", "lamb"),
    "xcit_tiny": ("ce", "momentum"),
    "volo_d0": ("soft_ce", "adamw"),
    "mobilevit_xxs": ("focal", "adan"),
    "convnextv2_atto": ("binary_focal", "lamb"),
}
SMOOTH = {"momentum": {}, "adamw": {"eps": 0.1}, "adan": {"eps": 0.1}, "lamb": {"eps": 0.1}, "lion": {}}
"""With a small eps a gradient of nothing but rounding moves a weight as far as any other does."""


def fill(net, seed=0):
    """Reproducible weights, of a size that keeps the numbers of deep networks near 1."""
    for k, p in enumerate(net.get_parameters()):
        state = np.random.RandomState(1000 * seed + k)
        array = state.uniform(-1, 1, p.shape)
        if "attn_mask" in p.name:
            continue
        if any(part in p.name for part in ("gamma", "variance", "gain", "temperature")) or p.name.endswith(".p"):
            array = 1.5 + 0.5 * array
        elif len(p.shape) > 1:
            array = array * np.sqrt(3 / max(np.prod(p.shape[1:]), 1))
        else:
            array = array * 0.2
        p.set_data(Tensor(array.astype(np.float32)))
    return net


def images(seed=0, batch=4, size=32):
    return Tensor(np.random.RandomState(seed).uniform(-1, 1, (batch, 3, size, size)).astype(np.float32))


def labels(seed=0, batch=4):
    return Tensor(np.random.RandomState(seed).randint(0, CLASSES, batch).astype(np.int32))


def weights(net):
    return {p.name: p.asnumpy().copy() for p in net.get_parameters()}


def changes(before, net):
    return {f"change {name}": value - before[name] for name, value in weights(net).items()}


def model(name):
    """Names of parameters, the evaluation's output, the loss of a step, and what the step changed."""
    loss_name, opt_name = MODELS[name]
    net = fill(create_model(name, num_classes=CLASSES))
    names = [p.name for p in net.get_parameters()]
    net.set_train(False)
    found = {"output": net(images()).asnumpy()}
    before = weights(net)
    loss = create_loss(loss_name, label_smoothing=0.1, aux_factor=0.3)
    opt = create_optimizer(net.trainable_params(), opt_name, lr=0.1, weight_decay=0.01, weight_decay_filter="auto",
                           **SMOOTH[opt_name])
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()
    found["loss"] = step(images(1), labels(1)).asnumpy()
    found.update(changes(before, net))
    found["names"] = "\n".join(names)
    return found


class Small(nn.Cell):
    def __init__(self, pair=False):
        super().__init__()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(12, 8)
        self.norm = nn.LayerNorm((8,))
        self.act = nn.Tanh()
        self.fc2 = nn.Dense(8, CLASSES)
        self.head_dist = nn.Dense(8, CLASSES) if pair else None

    def construct(self, x):
        x = self.act(self.norm(self.fc1(self.flatten(x))))
        if self.head_dist is not None:
            return self.fc2(x), self.head_dist(x)
        return self.fc2(x)


def trained(make_step, net, steps=4, batch=4):
    """Losses of some steps and the weights after them."""
    losses = []
    before = weights(net)
    for k in range(steps):
        losses.append(make_step(images(k, batch, 2), labels(k, batch)).asnumpy())
    return {"losses": np.array(losses, np.float32).reshape(-1), **changes(before, net)}


def plain_step(net, optimizer, loss="ce"):
    loss = create_loss(loss, label_smoothing=0.1) if isinstance(loss, str) else loss
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()


def with_optimizer(name, lr=0.05, **settings):
    net = fill(Small())
    lr = create_scheduler(lr, 0.05) if isinstance(lr, str) else lr
    opt = create_optimizer(net.trainable_params(), name, lr=lr, **{**SMOOTH[name], **settings})
    return trained(plain_step(net, opt), net)


def with_loss(name, **settings):
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05)
    return trained(plain_step(net, opt, create_loss(name, **settings)), net, 2)


def with_schedule(name):
    """The rates as the optimiser tells them, and a training with them."""
    net = fill(Small())
    rate = create_scheduler(name, 0.1)
    opt = create_optimizer(net.trainable_params(), "momentum", lr=rate)
    step = plain_step(net, opt)
    rates = []
    for k in range(6):
        rates.append(opt.get_lr().asnumpy().reshape(()))
        step(images(k, 4, 2), labels(k))
    return {"rates": np.array(rates), **weights(net)}


def groups_with_rates(name):
    """Two groups with rates of their own, one of them a schedule."""
    net = fill(Small())
    params = net.trainable_params()
    groups = [{"params": params[:3], "lr": create_scheduler("warmup_cosine_cell"), "weight_decay": 0.02},
              {"params": params[3:], "lr": 0.02}, {"order_params": params}]
    opt = create_optimizer(groups, name, lr=0.05, **SMOOTH[name])
    return trained(plain_step(net, opt), net)


def decay_by_schedule(name):
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), name, lr=0.05, weight_decay=WarmUpCosineDecayWD(0.01, 0.1, 4),
                           **SMOOTH[name])
    return trained(plain_step(net, opt), net)


def train_step(steps=4, loss_scale=1.0, **settings):
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05)
    step = trainer.TrainStep(nn.WithLossCell(net, create_loss("ce")), opt, loss_scale, **settings).set_train()
    found = trained(step, net, steps)
    return {**found, **weights(step)}


def loss_with_ema():
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "adamw", lr=0.05, eps=0.1)
    ema = trainer.EMA(net)
    step = trainer.LossWithEMA(nn.WithLossCell(net, create_loss("ce")), opt, ema).set_train()
    found = trained(step, net)
    ema.swap_before_eval()
    found["averaged"] = net(images(9, 4, 2)).asnumpy()
    ema.swap_after_eval()
    found["again"] = net(images(9, 4, 2)).asnumpy()
    return found


def mixed(level):
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05, loss_scale=8.0)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(trainer.auto_mixed_precision(net, level), create_loss("ce")), opt, 8.0).set_train()
    found = trained(step, net, 2)
    return {f"half {name}": value for name, value in found.items()}


def scaled_by_manager():
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05)
    step = trainer.build_train_network(net, create_loss("focal"), opt, "O0").set_train()
    losses = []
    for k in range(3):
        loss, overflow, scale = step(images(k, 4, 2), labels(k))
        losses.append([float(loss.asnumpy()), float(overflow.asnumpy()), float(scale.asnumpy())])
    return {"losses": np.array(losses, np.float32), **weights(net)}


def distilled(kind, pair):
    net, teacher = fill(Small(pair)), fill(Small(), 5)
    loss = DistillationLoss(create_loss("ce"), teacher, kind)
    opt = create_optimizer(net.trainable_params(), "lamb", lr=0.05, eps=0.1)
    step = nn.TrainOneStepCell(trainer.DistillationCell(net, loss), opt).set_train()
    return {**trained(step, net), **{f"teacher {k}": v for k, v in weights(teacher).items()}}


def self_distilled():
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "adan", lr=0.05, eps=0.1)
    return trained(nn.TrainOneStepCell(trainer.SelfDistilled(net, create_loss("ce")), opt).set_train(), net)


def accumulated():
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05)
    return trained(trainer.AccumulatingStep(nn.WithLossCell(net, create_loss("ce")), opt).set_train(), net, 5)


def sharpness_aware():
    net = fill(Small())
    opt = create_optimizer(net.trainable_params(), "momentum", lr=0.05)
    return trained(trainer.StepWithSam(nn.WithLossCell(net, create_loss("ce")), opt).set_train(), net)


def by_function(optimizer="momentum", scaled=False, clip=None):
    net = fill(Small()).set_train()
    opt = create_optimizer(net.trainable_params(), optimizer, lr=0.05, **SMOOTH[optimizer])
    scaler = ms.amp.DynamicLossScaler(16.0, 2, 100) if scaled else None
    return trained(trainer.train_function(net, create_loss("ce"), opt, scaler, clip), net)


def features():
    net = create_model("ecaresnet14", num_classes=CLASSES, features_only=True, out_indices=[0, 2])
    fill(net).set_train(False)
    first, last = net(images())
    return {"first": first.asnumpy(), "last": last.asnumpy(), "channels": np.array(net.out_channels)}


def deployed():
    """RepVGG after its branches are one convolution: about the same, and so on both sides."""
    net = fill(create_model("repvgg_a0", num_classes=CLASSES)).set_train(False)
    before = net(images()).asnumpy()
    after = repvgg_model_convert(net).set_train(False)(images()).asnumpy()
    return {"before": before, "after": after, "names": "\n".join(p.name for p in net.get_parameters())}


def checkpoint_of_averages():
    """Saved under "ema.", loaded by create_model with another head."""
    import os
    import tempfile

    net = fill(create_model("mlp_mixer_s", num_classes=CLASSES))
    path = os.path.join(tempfile.mkdtemp(), "averages.ckpt")
    ms.save_checkpoint([{"name": "ema." + p.name, "data": p} for p in net.get_parameters()], path)
    again = create_model("mlp_mixer_s", num_classes=CLASSES, checkpoint_path=path, ema=True).set_train(False)
    return {"output": again(images()).asnumpy(), "names": "\n".join(p.name for p in again.get_parameters())}


def frozen():
    """Only the low ranks and the head of a ViT are trained."""
    net = fill(create_model("vit_lora_tiny", num_classes=CLASSES))
    for p in net.get_parameters():
        p.requires_grad = "lora" in p.name or p.name.startswith("head")
    opt = create_optimizer(net.trainable_params(), "adamw", lr=0.05, eps=0.1)
    before = weights(net)
    step = plain_step(net, opt)
    losses = [step(images(k), labels(k)).asnumpy() for k in range(2)]
    return {"losses": np.array(losses), **changes(before, net)}


def white_list():
    net = create_model("visformer_tiny", num_classes=CLASSES)
    kinds = [type(cell).__name__ for _, cell in net.cells_and_names() if isinstance(cell, AMP_WHITE_LIST)]
    return {"names": "\n".join([*kinds, str(net)])}


PARTS = {}
for _name in ("adamw", "lion", "lamb", "adan"):
    PARTS[f"{_name}"] = partial(with_optimizer, _name)
    PARTS[f"{_name} decay"] = partial(with_optimizer, _name, weight_decay=0.05)
    PARTS[f"{_name} groups"] = partial(with_optimizer, _name, weight_decay=0.05, weight_decay_filter="norm_and_bias")
    PARTS[f"{_name} list"] = partial(with_optimizer, _name, "warmup_cosine")
    PARTS[f"{_name} cell"] = partial(with_optimizer, _name, "polynomial_cell")
    PARTS[f"{_name} group rates"] = partial(groups_with_rates, _name)
    PARTS[f"{_name} decay schedule"] = partial(decay_by_schedule, _name)
    PARTS[f"{_name} function"] = partial(by_function, _name)
PARTS["adamw clip"] = partial(with_optimizer, "adamw", clip=True, loss_scale=2.0)
PARTS["lion clip"] = partial(with_optimizer, "lion", clip=True, loss_scale=2.0)
PARTS["adan no_prox"] = partial(with_optimizer, "adan", no_prox=True, weight_decay=0.1, loss_scale=2.0)
for _name in ("ce", "bce", "soft_ce", "focal", "binary_focal", "asl_multi_label", "asl_single_label", "jsd"):
    PARTS[f"loss {_name}"] = partial(with_loss, _name, label_smoothing=0.1)
PARTS["loss focal weight"] = partial(with_loss, "focal", weight=[0.5 + 0.1 * k for k in range(CLASSES)])
PARTS["loss ce none"] = partial(with_loss, "ce", weight=Tensor(np.linspace(0.5, 2, CLASSES).astype(np.float32)))
PARTS["loss bce sum"] = partial(with_loss, "bce", reduction="sum")
for _name in ("linear", "polynomial", "polynomial_refined", "exponential", "multi_step", "cosine", "warmup_cosine",
              "cyclic", "one_cycle", "warmup_cosine_cell", "polynomial_cell", "multi_step_cell", "tri_stage_cell"):
    PARTS[f"schedule {_name}"] = partial(with_schedule, _name)
PARTS["step"] = train_step
PARTS["step ema"] = partial(train_step, ema=True, ema_decay=0.9)
PARTS["step clip scale"] = partial(train_step, loss_scale=16.0, clip_grad=True, clip_value=0.5)
PARTS["step accumulate"] = partial(train_step, 5, gradient_accumulation_steps=2)
PARTS["step all"] = partial(train_step, 4, loss_scale=4.0, ema=True, clip_grad=True, clip_value=1.0,
                            gradient_accumulation_steps=2)
PARTS["ema swap"] = loss_with_ema
PARTS["amp O1"] = partial(mixed, "O1")
PARTS["amp O2"] = partial(mixed, "O2")
PARTS["scale manager"] = scaled_by_manager
PARTS["distillation soft"] = partial(distilled, "soft", True)
PARTS["distillation hard"] = partial(distilled, "hard", True)
PARTS["distillation one head"] = partial(distilled, "soft", False)
PARTS["self distillation"] = self_distilled
PARTS["accumulation by hand"] = accumulated
PARTS["sharpness aware"] = sharpness_aware
PARTS["function scaled"] = partial(by_function, scaled=True)
PARTS["function clip"] = partial(by_function, clip=0.01)
PARTS["features only"] = features
PARTS["deployed"] = deployed
PARTS["checkpoint of averages"] = checkpoint_of_averages
PARTS["frozen"] = frozen
PARTS["printed"] = white_list

RECIPES = {**{f"model {name}": partial(model, name) for name in MODELS}, **PARTS}
