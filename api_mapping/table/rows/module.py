"""torch.nn.Module and its methods."""

from dataclasses import replace

from ..families import missing
from ..rule import Rule

LINEAR = "layer = nn.Linear(4, 3)\n"
NORMED = "layer = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))\n"
INNER = (
    'layer = nn.Sequential(nn.Conv1d(3, 3, 3, padding=1, padding_mode="circular"), nn.LSTM(3, 3))\n'
)
STATE = {
    "weight": "gamma",
    "bias": "beta",
    "running_mean": "moving_mean",
    "running_var": "moving_variance",
}
SECOND = {f"1.{name}": f"1.{new}" for name, new in STATE.items()}
COUNTED = "MindSpore's BatchNorm counts no batches: there is no num_batches_tracked."
DEVICE = "MindSpore computes on the device of its context: ms.set_device."
METHOD = "torch.nn.Module."


def same(signature: str, target: str, returns: str, *examples: str) -> Rule:
    return Rule(f"{METHOD}{signature}", target, returns=returns, example=examples, state=SECOND)


CLASS = (
    Rule(
        "torch.nn.Module",
        "nn.Cell",
        note="A new Cell is in evaluation mode until set_train(); it computes in `construct`.",
        example="isinstance(nn.Linear(4, 3), nn.Module)",
    ),
    Rule(f"{METHOD}__init__", "self.__init__", example="callable(nn.ReLU().__init__)"),
    Rule(f"{METHOD}__call__", "self.__call__", example=f"{LINEAR}layer.__call__(x)"),
    Rule(f"{METHOD}forward", "self.construct", example=f"{LINEAR}layer.forward(x)"),
    Rule(
        f"{METHOD}extra_repr",
        "self.extend_repr",
        example=f"{LINEAR}isinstance(layer.extra_repr(), str)",
    ),
    Rule(
        f"{METHOD}training",
        "self.training",
        returns="bool",
        example=(
            "layer = nn.Dropout(0.5)\nlayer.eval()\nlayer.training",
            "layer = nn.Dropout(0.5)\nlayer.train()\nlayer.training",
        ),
    ),
    Rule(
        f"{METHOD}_get_name(self)",
        "type(self).__name__",
        returns="str",
        example="layer = nn.Dropout(0.5)\nlayer._get_name()",
    ),
    Rule(
        f"{METHOD}_modules",
        "self.name_cells()",
        note="MindSpore gives a copy: set attributes instead.",
        returns="other",
        state=SECOND,
        example=f"{NORMED}list(layer._modules)",
    ),
    *(
        Rule(f"{METHOD}{name}", f"self.{name}", example=f"{LINEAR}callable(layer.{name})")
        for name in ("get_extra_state", "set_extra_state")
    ),
)

MODES = (
    same(
        "train(self, mode=True)",
        "self.set_train(mode)",
        "module",
        "layer = nn.Dropout(0.5)\nlayer.eval()\nlayer.train()\nlayer.training",
        "layer = nn.Dropout(0.5)\nlayer.train(False)\nlayer(x)",
    ),
    Rule(
        f"{METHOD}eval(self)",
        "self.set_train(False)",
        note="MindSpore has one method for both modes.",
        returns="module",
        example=(
            "layer = nn.BatchNorm2d(3)\nlayer.eval()\nlayer(image)",
            "layer = nn.Dropout(0.5)\nlayer.eval()\nlayer.training",
        ),
        state=STATE,
    ),
    same(
        "requires_grad_(self, requires_grad=True)",
        "compat.requires_grad_(self, requires_grad)",
        "module",
        f"{LINEAR}layer.requires_grad_(False)\n[p.requires_grad for p in layer.parameters()]",
    ),
    Rule(
        f"{METHOD}zero_grad(self, set_to_none=True)",
        "None",
        note="MindSpore keeps no gradients in parameters: value_and_grad returns them.",
        drop=("self", "set_to_none"),
        returns="none",
        example=f"{LINEAR}layer.zero_grad()",
    ),
)

PLACES = (
    *(
        Rule(
            f"{METHOD}{name}(self, device=None)",
            "self",
            note=DEVICE,
            returns="module",
            example=f"{LINEAR}layer.{name}()(x)",
            check="alone",
        )
        for name in ("cuda", "ipu", "mtia", "xpu")
    ),
    Rule(
        f"{METHOD}cpu(self)",
        "self",
        note=DEVICE,
        returns="module",
        example=f"{LINEAR}layer.cpu()(x)",
    ),
    Rule(
        f"{METHOD}to_empty(self, *, device, recurse=True)",
        "self",
        note="A Cell has its parameters' memory from the beginning, whatever the device.",
        drop=("device", "recurse"),
        returns="module",
        example=f'{LINEAR}layer.to_empty(device="cpu")(x).shape',
    ),
    same(
        "to(self, dtype, non_blocking=False)",
        "self.to(dtype)",
        "module",
        f"{LINEAR}layer.to(torch.float64)(d)",
        f"{LINEAR}layer.to(dtype=torch.float64)(d)",
    ),
    same(
        "to(self, device, dtype, non_blocking=False)",
        "self.to(dtype)",
        "module",
        f'{LINEAR}layer.to("cpu", torch.float64)(d)',
    ),
    Rule(
        f"{METHOD}to(self, device, non_blocking=False)",
        "self",
        note=DEVICE,
        kinds={"device": "device|str|int"},
        drop=("device",),
        returns="module",
        example=f'{LINEAR}layer.to("cpu")(x)',
    ),
    Rule(
        f"{METHOD}to(self, *, memory_format)",
        "self",
        note="How the numbers lie in memory is MindSpore's own affair.",
        drop=("memory_format",),
        returns="module",
        example=f"{LINEAR}layer.to(memory_format=torch.channels_last)(x)",
    ),
    same(
        "to(self, device)",
        "compat.moved(self, device)",
        "module",
        f"{LINEAR}layer.to(x.dtype)(x)",
        f"{LINEAR}layer.to(x)(x)",
    ),
    *(
        same(f"{name}(self)", f"self.to(ms.{dtype})", "module", f"{LINEAR}layer.{name}(){then}")
        for name, dtype, then in (
            ("float", "float32", "(x)"),
            ("double", "float64", "(d)"),
            ("half", "float16", ".weight.dtype"),
            ("bfloat16", "bfloat16", ".weight.dtype"),
        )
    ),
    same(
        "type(self, dst_type)",
        "self.to(dst_type)",
        "module",
        f"{LINEAR}layer.type(torch.float64)(d)",
    ),
)
# The types are written out, which no argument says; they are what the methods' names say.
PLACES = tuple(
    replace(rule, note="One method for all element types.")
    if rule.target.startswith("self.to(ms.")
    else replace(rule, kinds={"dtype": "dtype"})
    if rule.signature.startswith(f"{METHOD}to(self, dtype")
    else rule
    for rule in PLACES
)

MEMBERS = (
    same(
        "parameters(self, recurse=True)",
        "compat.parameters(self, recurse=recurse)",
        "tensors",
        f"{NORMED}[p.shape for p in layer.parameters()]",
        f"{NORMED}sum(p.numel() for p in layer.parameters())",
        f"{LINEAR}next(layer.parameters()).dtype",
    ),
    same(
        "named_parameters(self, prefix='', recurse=True, remove_duplicate=True)",
        "compat.named_parameters(self, prefix=prefix, recurse=recurse)",
        "other",
        f"{LINEAR}[(name, p.shape) for name, p in layer.named_parameters()]",
        f'{LINEAR}[name for name, _ in layer.named_parameters(prefix="net")]',
        f"{NORMED}[name for name, _ in layer.named_parameters()]",
    ),
    Rule(
        f"{METHOD}buffers(self, recurse=True)",
        "compat.buffers(self, recurse=recurse)",
        note=COUNTED,
        returns="tensors",
        state=STATE,
        example=(
            'layer = nn.ReLU()\nlayer.register_buffer("b", x)\nlist(layer.buffers())',
            "layer = nn.BatchNorm2d(3)\nlist(layer.buffers())[:2]",
        ),
    ),
    Rule(
        f"{METHOD}named_buffers(self, prefix='', recurse=True, remove_duplicate=True)",
        "compat.named_buffers(self, prefix=prefix, recurse=recurse)",
        note=COUNTED,
        drop=("remove_duplicate",),
        returns="other",
        state=STATE,
        example=(
            'layer = nn.ReLU()\nlayer.register_buffer("b", x)\ndict(layer.named_buffers())',
            "layer = nn.BatchNorm2d(3)\n[name for name, _ in layer.named_buffers()][:2]",
        ),
    ),
    same(
        "children(self)",
        "self.cells()",
        "other",
        f"{NORMED}[isinstance(c, nn.Linear) for c in layer.children()]",
    ),
    same(
        "named_children(self)",
        "self.name_cells().items()",
        "other",
        f"{NORMED}[name for name, _ in layer.named_children()]",
    ),
    same(
        "modules(self, remove_duplicate=True)",
        "compat.modules(self)",
        "other",
        f"{NORMED}[isinstance(m, nn.Linear) for m in layer.modules()]",
        f"{INNER}len(list(layer.modules()))",
    ),
    same(
        "named_modules(self, memo=None, prefix='', remove_duplicate=True)",
        "compat.named_modules(self, prefix)",
        "other",
        f"{INNER}[name for name, _ in layer.named_modules()]",
        f"{NORMED}[name for name, _ in layer.named_modules()]",
        f'{NORMED}[name for name, _ in layer.named_modules(prefix="net")]',
    ),
    same(
        "get_parameter(self, target)",
        "dict(self.parameters_and_names())[target]",
        "tensor",
        f'{NORMED}layer.get_parameter("0.weight").shape',
    ),
    same(
        "get_submodule(self, target)",
        "self.get_sub_cell(target)",
        "module",
        f'{NORMED}layer.get_submodule("0")(x)',
    ),
    same(
        "get_buffer(self, target)",
        "self.get_buffer(target)",
        "tensor",
        f'{LINEAR}layer.register_buffer("b", x)\nlayer.get_buffer("b")',
    ),
    same(
        "set_submodule(self, target, module, strict=False)",
        "compat.set_submodule(self, target, module)",
        "none",
        f'{NORMED}layer.set_submodule("1", nn.ReLU())\nlayer(x)',
    ),
    same(
        "add_module(self, name, module)",
        "compat.add_module(self, name, module)",
        "none",
        'layer = nn.Sequential()\nlayer.add_module("relu", nn.ReLU())\nlayer(x)',
        f'{LINEAR}layer.add_module("relu", nn.ReLU())\nlayer.relu(x)',
    ),
    same(
        "add_module(self, *args)",
        "compat.add_module(self, *args)",
        "none",
        "layer = nn.Sequential()\n"
        'for each in [("relu", nn.ReLU())]:\n    layer.add_module(*each)\nlayer(x)',
    ),
    same(
        "register_module(self, name, module)",
        "compat.add_module(self, name, module)",
        "none",
        'layer = nn.Sequential()\nlayer.register_module("relu", nn.ReLU())\nlayer(x)',
    ),
    same(
        "register_parameter(self, name, param)",
        "self.insert_param_to_cell(name, param)",
        "none",
        f'{LINEAR}layer.register_parameter("b", None)\nlayer.b',
        f'{LINEAR}layer.register_parameter("b", nn.Parameter(x))\nlayer.b * 1',
    ),
    Rule(
        f"{METHOD}register_buffer(self, name, tensor, persistent=True)",
        "self.register_buffer(name, tensor, persistent=persistent)",
        note="A buffer is not assigned to: write `self.name.copy_(value)`.",
        returns="none",
        example=(
            f'{LINEAR}layer.register_buffer("b", x)\nlayer.b + 1',
            f'{LINEAR}layer.register_buffer("b", x, persistent=False)\nlen(layer.state_dict())',
            f'{LINEAR}layer.register_buffer("b", None)\nlayer.b',
        ),
    ),
    same(
        "apply(self, fn)",
        "self.apply(fn)",
        "module",
        f"{NORMED}seen = []\nlayer.apply(lambda m: seen.append(isinstance(m, nn.Linear)))\nseen",
    ),
)

SAVED = (
    Rule(
        f"{METHOD}state_dict(self, *, prefix='', keep_vars=False)",
        "compat.state_dict(self, prefix=prefix, keep_vars=keep_vars)",
        note="The names are PyTorch's; a file that it is saved to has MindSpore's.",
        returns="other",
        example=(
            f"{LINEAR}{{k: v.shape for k, v in layer.state_dict().items()}}",
            f'{LINEAR}list(layer.state_dict(prefix="net.").keys())',
        ),
    ),
    Rule(
        f"{METHOD}load_state_dict(self, state_dict, strict=True, assign=False)",
        "compat.load_state_dict(self, state_dict, strict=strict)",
        note="The names may be PyTorch's or MindSpore's.",
        drop=("assign",),
        returns="other",
        example=(
            f"{LINEAR}layer.load_state_dict(layer.state_dict())\nlayer(x)",
            f"{LINEAR}layer.load_state_dict({{}}, strict=False)\nlayer(x)",
        ),
    ),
)


def hook(signature: str, target: str, function: str) -> Rule:
    name = signature.partition("(")[0]
    return Rule(
        f"{METHOD}{signature}",
        target,
        returns="other",
        reject={"prepend": "MindSpore calls hooks in the order in which they are registered"}
        if "backward" in name and "prepend" in signature
        else {},
        example=f"{LINEAR}handle = layer.{name}({function})\nlayer(x)",
    )


ALL = "prepend=prepend, with_kwargs=with_kwargs"
HOOKS = (
    hook(
        "register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False)",
        f"self.register_forward_hook(hook, {ALL}, always_call=always_call)",
        "lambda m, inputs, output: output * 2",
    ),
    hook(
        "register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False)",
        f"self.register_forward_pre_hook(hook, {ALL})",
        "lambda m, inputs: (inputs[0] * 2,)",
    ),
    hook(
        "register_backward_hook(self, hook)",
        "self.register_backward_hook(hook)",
        "lambda m, before, behind: None",
    ),
    hook(
        "register_full_backward_hook(self, hook, prepend=False)",
        "self.register_backward_hook(hook)",
        "lambda m, before, behind: None",
    ),
    hook(
        "register_full_backward_pre_hook(self, hook, prepend=False)",
        "self.register_backward_pre_hook(hook)",
        "lambda m, behind: None",
    ),
    *(
        hook(f"{name}(self, hook)", f"self.{name}(hook)", f"lambda *_: {value}")
        for name, value in (
            ("register_state_dict_pre_hook", "None"),
            ("register_load_state_dict_pre_hook", "None"),
            ("register_load_state_dict_post_hook", "None"),
        )
    ),
    hook(
        "register_state_dict_post_hook(self, hook)",
        "self.register_state_dict_post_hook(hook)",
        "lambda *_: None",
    ),
    hook(
        "_register_load_state_dict_pre_hook(self, hook)",
        "self.register_load_state_dict_pre_hook(lambda cell, *state: hook(*state))",
        "lambda *_: None",
    ),
    *(
        Rule(
            f"{METHOD}_{kind}_hooks",
            f'compat.hooks_of(self, "{kind}")',
            returns="dict",
            example=f"{LINEAR}handle = layer.register_{full}{kind}_hook(print)\n"
            f"before = len(layer._{kind}_hooks)\nhandle.remove()\nbefore, len(layer._{kind}_hooks)",
        )
        for kind, full in (("forward", ""), ("forward_pre", ""), ("backward", "full_"))
    ),
)

NOT_THERE = (
    *missing(
        "override register_load_state_dict_pre_hook's hook instead: it sees the same state",
        f"{METHOD}_load_from_state_dict(self, state_dict, prefix, local_metadata, strict, "
        "missing_keys, unexpected_keys, error_msgs)",
    ),
    *missing(
        "convert parameters one by one: p.set_data(fn(p)) for p in get_parameters()",
        f"{METHOD}_apply(self, fn, recurse=True)",
    ),
    *missing(
        "decorate `construct` with @ms.jit, or set_context(mode=ms.GRAPH_MODE)",
        f"{METHOD}compile(self, *args, **kwargs)",
    ),
    *missing(
        "delete it: processes of MindSpore do not share parameters",
        f"{METHOD}share_memory(self)",
    ),
    *missing(
        "delete it: nothing of MindSpore reads it",
        f"{METHOD}T_destination",
        f"{METHOD}call_super_init",
        f"{METHOD}dump_patches",
    ),
)

RULES = (*CLASS, *MODES, *PLACES, *MEMBERS, *SAVED, *HOOKS, *NOT_THERE)
