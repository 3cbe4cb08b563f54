"""torch.optim: optimisers, their methods, averages of weights."""

from ..facts.spelling import OWN_BASES
from ..families import missing
from ..rule import Rule

GRADS = "Gradients are values in MindSpore: optimizer(grads), with the grads of ms.value_and_grad."
LAST = "maximize=False, foreach=None, capturable=False, differentiable=False, fused=None"
HOME = "ms.experimental.optim"
GROUPS = '[{"params": params[:1], "lr": 0.5}, {"params": params[1:]}]'


def optimizer(
    name: str,
    arguments: str,
    *handed: str,
    examples: tuple[str, ...],
    note: str = "",
    home: str = HOME,
) -> Rule:
    """The row of an optimiser; the examples are its arguments after the parameters."""
    passed = "".join(f", {argument}={argument}" for argument in handed)
    rest = LAST if "maximize" in handed else LAST.replace("maximize=False, ", "")
    return Rule(
        f"torch.optim.{name}(params, {arguments}, *, {rest})",
        f"{home}.{name}(params{passed})",
        note=note,
        example=tuple(f"train(lambda params: optim.{name}({e}))" for e in examples),
    )


MOMENTS = "betas", "eps", "weight_decay"
ADAM = "lr=0.001, betas=(0.9, 0.999), eps=1e-08"

OWN = OWN_BASES["torch.optim.Optimizer"]

OPTIMIZERS = (
    Rule(
        "torch.optim.SGD(params, lr=0.001, momentum=0, dampening=0, weight_decay=0, "
        f"nesterov=False, *, {LAST})",
        "ms.experimental.optim.SGD(params, lr=always(lr), momentum=momentum, "
        "dampening=dampening, weight_decay=weight_decay, nesterov=nesterov, "
        "maximize=maximize)",
        note="MindSpore has no default learning rate.",
        example=(
            "train(lambda params: optim.SGD(params))",
            "train(lambda params: optim.SGD(params, lr=0.05, momentum=0.9, weight_decay=1e-2))",
            "train(lambda params: optim.SGD(params, 0.05, 0.9, nesterov=True))",
            "train(lambda params: optim.SGD(params, 0.05, 0.9, dampening=0.5, maximize=True))",
            f"train(lambda params: optim.SGD({GROUPS}, lr=0.1))",
        ),
    ),
    optimizer(
        "Adam",
        f"{ADAM}, weight_decay=0, amsgrad=False",
        *("lr", *MOMENTS, "amsgrad", "maximize"),
        examples=(
            "params",
            "params, lr=0.1, betas=(0.8, 0.95), weight_decay=0.1",
            "params, 0.01, amsgrad=True",
            "params, 0.1, eps=0.1",
            f"{GROUPS}, lr=0.1",
        ),
        home="compat",
    ),
    optimizer(
        "AdamW",
        f"{ADAM}, weight_decay=0.01, amsgrad=False",
        *("lr", *MOMENTS, "amsgrad", "maximize"),
        examples=("params, lr=0.1", "params, 0.1, (0.8, 0.95), weight_decay=0.2, amsgrad=True"),
    ),
    optimizer(
        "Adamax",
        "lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0",
        *("lr", *MOMENTS, "maximize"),
        examples=("params, lr=0.1", "params, 0.1, weight_decay=0.1, maximize=True"),
    ),
    optimizer(
        "NAdam",
        "lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, "
        "decoupled_weight_decay=False",
        *("lr", *MOMENTS, "momentum_decay"),
        examples=("params, lr=0.1", "params, 0.1, weight_decay=0.1, momentum_decay=0.01"),
    ),
    optimizer(
        "RAdam",
        f"{ADAM}, weight_decay=0, decoupled_weight_decay=False",
        *("lr", *MOMENTS),
        examples=("params, lr=0.1", "params, 0.1, (0.8, 0.9), weight_decay=0.1"),
    ),
    optimizer(
        "RMSprop",
        "lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False",
        *("lr", "alpha", "eps", "weight_decay", "momentum", "centered", "maximize"),
        examples=(
            "params",
            "params, lr=0.02, alpha=0.9, momentum=0.9, weight_decay=0.1",
            "params, 0.02, centered=True",
        ),
    ),
    optimizer(
        "Adagrad",
        "lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10",
        *("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps", "maximize"),
        examples=(
            "params, lr=0.1",
            "params, 0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.2",
        ),
        home="compat",
    ),
    optimizer(
        "Adadelta",
        "lr=1.0, rho=0.9, eps=1e-06, weight_decay=0",
        *("lr", "rho", "eps", "weight_decay", "maximize"),
        examples=("params", "params, lr=0.5, rho=0.8, weight_decay=0.1"),
    ),
    optimizer(
        "ASGD",
        "lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0",
        *("lr", "lambd", "alpha", "t0", "weight_decay", "maximize"),
        examples=("params, lr=0.1", "params, 0.1, lambd=0.01, alpha=0.5, weight_decay=0.1"),
    ),
    optimizer(
        "Rprop",
        "lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50)",
        *("lr", "etas", "step_sizes", "maximize"),
        examples=("params, lr=0.1", "params, 0.1, etas=(0.4, 1.5), step_sizes=(1e-3, 0.3)"),
    ),
    Rule(
        "torch.optim.Optimizer(params, defaults)",
        "ms.experimental.optim.Optimizer(params, defaults)",
        note="A subclass has construct(self, gradients) in the place of step().",
        example="train(lambda params: optim.Optimizer(params, dict(lr=0.1)), "
        "step=lambda optimizer, grads: grads)",
    ),
    Rule(
        "torch.optim.LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, "
        "tolerance_change=1e-09, history_size=100, line_search_fn=None)",
        "compat.LBFGS(params, lr=lr, max_iter=max_iter, max_eval=max_eval, "
        "tolerance_grad=tolerance_grad, tolerance_change=tolerance_change, "
        "history_size=history_size, line_search_fn=line_search_fn)",
        note="Its step takes the function that ms.value_and_grad makes of the closure.",
        example="train(lambda params: optim.LBFGS(params, lr=0.5, max_iter=4), "
        "step=lambda optimizer, grads: grads)",
    ),
    *missing(
        "nn.AdaFactor is near, with other settings and defaults: give relative_step=False and a "
        "learning_rate",
        "torch.optim.Adafactor(params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, "
        "weight_decay=0.0, *, foreach=None, maximize=False)",
    ),
    *missing(
        "derive it from ms.experimental.optim.Optimizer, or use ms.experimental.optim.AdamW",
        "torch.optim.Muon(params, lr=0.001, weight_decay=0.1, momentum=0.95, nesterov=True, "
        "ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-07, ns_steps=5, adjust_lr_fn=None)",
    ),
    *missing(
        "MindSpore's gradients are dense: use ms.experimental.optim.Adam",
        "torch.optim.SparseAdam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, maximize=False)",
    ),
    *missing(
        "assign the parameters and the state one by one with ops.assign",
        "torch.optim.swap_in_optimizer_params_and_state(optimizer, swapin_parameters, "
        "swapin_optim_state)",
    ),
)

METHODS = (
    Rule(
        "torch.optim.Optimizer.step(self)",
        "self(grads)",
        note=GRADS,
        returns="none",
        example="train(lambda params: optim.SGD(params, lr=0.1), "
        "step=lambda optimizer, grads: optimizer.step())",
    ),
    Rule(
        "torch.optim.Optimizer.step(self, closure)",
        advice="compute loss and grads by ms.value_and_grad(closure), then optimizer(grads)",
    ),
    Rule(
        "torch.optim.Optimizer.zero_grad(self, set_to_none=True)",
        "None",
        note="Gradients are values in MindSpore: there is nothing to clear.",
        drop=("self", "set_to_none"),
        returns="none",
        example="train(lambda params: optim.SGD(params, lr=0.1), "
        "step=lambda optimizer, grads: optimizer.zero_grad())",
    ),
    Rule(
        "torch.optim.Optimizer.param_groups",
        "self.param_groups",
        note="The learning rate of a group is a Parameter: ops.assign(group['lr'], rate) sets it.",
        returns="list",
        example="optimizer = optim.SGD([weight], lr=0.1)\n"
        "[sorted(group)[0] for group in optimizer.param_groups]",
        check="runs",
    ),
    *missing(
        "read it from optimizer.state_dict(): MindSpore's state is Parameters with their names",
        "torch.optim.Optimizer.state",
    ),
    *missing(
        "read it from a group: optimizer.param_groups[0]",
        "torch.optim.Optimizer.defaults",
    ),
    Rule(
        "torch.optim.Optimizer.add_param_group(self, param_group)",
        "compat.add_param_group(self, param_group)",
        note="MindSpore's own makes no state for the new parameters.",
        returns="none",
        example="optimizer = optim.SGD([weight], lr=0.1)\n"
        "optimizer.add_param_group({'params': [kernel], 'lr': 0.2})\n"
        "[round(float(group['lr']), 3) for group in optimizer.param_groups]",
    ),
    Rule(
        "torch.optim.Optimizer.state_dict(self)",
        "compat.optimizer_state(self)",
        note="MindSpore's own has neither groups nor rates, but the weights.",
        returns="other",
        example=(
            "optimizer = optim.Adam([weight], lr=0.1)\n"
            "optimizer.state_dict()['param_groups'][0]['lr']",
            "optimizer = optim.SGD([weight], lr=0.1)\nsorted(optimizer.state_dict())",
        ),
    ),
    Rule(
        "torch.optim.Optimizer.load_state_dict(self, state_dict)",
        "compat.load_optimizer_state(self, state_dict)",
        note="MindSpore's own load_state_dict refuses the state of its optimisers.",
        returns="none",
        example=(
            "optimizer = optim.Adam([weight], lr=0.1)\n"
            "optimizer.load_state_dict(optimizer.state_dict())",
            "optimizer = optim.Adam([weight], lr=0.1)\nstate = optimizer.state_dict()\n"
            "optimizer = optim.Adam([weight], lr=0.5)\noptimizer.load_state_dict(state)\n"
            "round(float(optimizer.param_groups[0]['lr']), 4)",
        ),
    ),
    *missing(
        "do it where state_dict or load_state_dict is called",
        "torch.optim.Optimizer.register_load_state_dict_post_hook(self, hook, prepend=False)",
        "torch.optim.Optimizer.register_load_state_dict_pre_hook(self, hook, prepend=False)",
        "torch.optim.Optimizer.register_state_dict_post_hook(self, hook, prepend=False)",
        "torch.optim.Optimizer.register_state_dict_pre_hook(self, hook, prepend=False)",
    ),
    *missing(
        "do it before or after optimizer(grads)",
        "torch.optim.Optimizer.register_step_post_hook(self, hook)",
        "torch.optim.Optimizer.register_step_pre_hook(self, hook)",
    ),
)

SWA = "torch.optim.swa_utils."
AVERAGED = (
    "net = nn.Linear(4, 3)\nit = optim.swa_utils.AveragedModel(net{given})\n"
    "it.update_parameters(net)\nwith torch.no_grad():\n    net.weight.mul_(2)\n"
    "it.update_parameters(net)\n"
)


def function(name: str, target: str, shown: str) -> Rule:
    """A row of what gives an average."""
    example = f"average = optim.swa_utils.{shown}\naverage(x, 2 * x, 3)"
    return Rule(f"{SWA}{name}", target, returns="other", example=example)


def writing(name: str, target: str, shown: str) -> Rule:
    """A row of what writes averages into a list."""
    example = AVERAGED.format(given=f", multi_avg_fn=optim.swa_utils.{shown}") + "it(x)"
    return Rule(f"{SWA}{name}", target, returns="other", example=example)


AVERAGES = (
    Rule(
        f"{SWA}AveragedModel(model, device=None, avg_fn=None, multi_avg_fn=None, "
        "use_buffers=False)",
        "compat.AveragedModel(model, avg_fn=avg_fn, multi_avg_fn=multi_avg_fn, "
        "use_buffers=use_buffers)",
        drop=("device",),
        returns="module",
        example=(
            AVERAGED.format(given="") + "it(x)",
            AVERAGED.format(given=", avg_fn=lambda a, b, n: 0.3 * a + 0.7 * b") + "it(x)",
            AVERAGED.format(given=", use_buffers=True") + "it(x)",
        ),
    ),
    Rule(
        f"{SWA}AveragedModel.update_parameters(self, model)",
        "self.update_parameters(model)",
        returns="none",
        example=AVERAGED.format(given="") + "it(x)",
    ),
    Rule(
        f"{SWA}AveragedModel.module",
        "self.module",
        returns="module",
        example=AVERAGED.format(given="") + "it.module(x)",
    ),
    Rule(
        f"{SWA}AveragedModel.n_averaged",
        "self.n_averaged",
        returns="tensor",
        example=AVERAGED.format(given="") + "int(it.n_averaged)",
    ),
    function("get_ema_avg_fn(decay=0.999)", "compat.ema_average(decay)", "get_ema_avg_fn(0.9)"),
    function("get_swa_avg_fn()", "compat.swa_average", "get_swa_avg_fn()"),
    writing(
        "get_ema_multi_avg_fn(decay=0.999)",
        "compat.of_all(compat.ema_average(decay))",
        "get_ema_multi_avg_fn(0.9)",
    ),
    writing(
        "get_swa_multi_avg_fn()", "compat.of_all(compat.swa_average)", "get_swa_multi_avg_fn()"
    ),
    Rule(
        f"{SWA}update_bn(loader, model, device=None)",
        "compat.update_bn(loader, model)",
        drop=("device",),
        returns="none",
        state={
            "weight": "gamma",
            "bias": "beta",
            "running_mean": "moving_mean",
            "running_var": "moving_variance",
        },
        example="layer = nn.BatchNorm1d(3)\n"
        "optim.swa_utils.update_bn([x.view(-1, 3)[:4], 2 * x.view(-1, 3)[:2]], layer)\n"
        "layer.eval()\nlayer(x.view(-1, 3))",
    ),
)

OWN_BASE = Rule(
    f"{OWN}(params, defaults)",
    "compat.Optimizer(params, defaults)",
    example="isinstance(1, optim.Optimizer)",
    check="runs",
)
HELD = "Optimisers of the project's own have gradients in p.grad, which optimizer(grads) sets."


def of_own(name: str, target: str, returns: str = "other", note: str = HELD) -> Rule:
    """The row of what methods of own optimisers use."""
    return Rule(
        f"{OWN}.{name}",
        target,
        note=note,
        returns=returns,
        check="runs",
        example="isinstance(1, optim.Optimizer)",
    )


OF_OWN = (
    of_own("grad", "self.grad", "tensor"),
    of_own("state", "self.state"),
    of_own("defaults", "self.defaults"),
    of_own("param_groups", "self.param_groups", "list"),
    of_own("add_param_group(self, param_group)", "self.add_param_group(param_group)", "none"),
    of_own("step(self, closure=None)", "compat.step_of(self, closure=closure)"),
    of_own("zero_grad(self, set_to_none=True)", "self.zero_grad()", "none"),
    of_own("state_dict(self)", "self.state_dict()"),
    of_own("load_state_dict(self, state_dict)", "self.load_state_dict(state_dict)", "none"),
)

RULES = (OWN_BASE, *OF_OWN, *OPTIMIZERS, *METHODS, *AVERAGES)
