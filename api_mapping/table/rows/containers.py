"""torch.nn: containers of modules and parameters, and parameters themselves."""

from ..families import missing
from ..rule import Rule

LAYERS = "it = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])\n"
CHAIN = "it = nn.Sequential(nn.Linear(4, 4), nn.ReLU())\n"
NAMED = 'it = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})\n'
WEIGHTS = "it = nn.ParameterList([nn.Parameter(v), nn.Parameter(w)])\n"
NAMED_WEIGHTS = 'it = nn.ParameterDict({"v": nn.Parameter(v), "w": nn.Parameter(w)})\n'


def method(signature: str, returns: str, *examples: str, target: str = "") -> Rule:
    """A method of the same name, whose arguments are handed on."""
    name, _, parameters = signature.rpartition(".")[2].partition("(")
    handed = parameters.removesuffix(")").removeprefix("self").removeprefix(", ")
    plain = ", ".join(part.partition("=")[0] for part in handed.split(", "))
    return Rule(
        f"torch.nn.{signature}",
        target or f"self.{name}({plain})",
        returns=returns,
        example=examples,
    )


FILLED = "Cells that are put into a MindSpore container without any do not get its name."

MODULES = (
    Rule(
        "torch.nn.Sequential(module, *others)",
        "nn.SequentialCell(module, spread(others))",
        base="compat.Sequential",
        example=(
            "nn.Sequential(nn.Linear(4, 3), nn.ReLU())(x)",
            "nn.Sequential(nn.Linear(4, 3))(x)",
            "nn.Sequential(nn.Linear(4, 4), *[nn.ReLU(), nn.Tanh()])(x)",
        ),
    ),
    Rule(
        "torch.nn.Sequential()",
        "compat.Sequential()",
        note=FILLED,
        example="it = nn.Sequential()\nit.append(nn.Linear(4, 3))\nlen(it)",
    ),
    Rule(
        "torch.nn.Sequential(*args)",
        "nn.SequentialCell(spread(args))",
        example=(
            "layers = [nn.Linear(4, 3), nn.Tanh()]\nnn.Sequential(*layers)(x) * 0",
            "layers = [nn.Tanh()]\nnn.Sequential(*layers, nn.ReLU())(x)",
        ),
    ),
    Rule("torch.nn.Sequential.forward", "self.construct", example=f"{CHAIN}it.forward(x)"),
    method("Sequential.append(self, module)", "none", f"{CHAIN}it.append(nn.Tanh())\nlen(it)"),
    method(
        "Sequential.extend(self, sequential)",
        "none",
        f"{CHAIN}it.extend([nn.Tanh(), nn.ReLU()])\nlen(it)",
        target="compat.extend(self, sequential)",
    ),
    Rule(
        "torch.nn.ModuleList(modules)",
        "nn.CellList(listed(modules))",
        example=(
            "len(nn.ModuleList([]))",
            "nn.ModuleList([nn.Linear(4, 3), nn.ReLU()])[1](x)",
            "nn.ModuleList(nn.ReLU() for _ in range(2))[-1](x)",
            "len(nn.ModuleList((nn.ReLU(), nn.Tanh()))[:1])",
        ),
    ),
    Rule(
        "torch.nn.ModuleList()",
        "compat.ModuleList()",
        note=FILLED,
        example=(
            "len(nn.ModuleList())",
            "it = nn.ModuleList()\nit.append(nn.Linear(4, 3))\nlen(it), len(it[:1])",
        ),
    ),
    method("ModuleList.append(self, module)", "none", f"{LAYERS}it.append(nn.Tanh())\nit[2](x)"),
    method(
        "ModuleList.extend(self, modules)",
        "none",
        f"{LAYERS}it.extend([nn.Tanh()])\nit[2](x)",
        f"{LAYERS}it.extend(nn.Tanh() for _ in range(2))\nlen(it)",
        target="self.extend(listed(modules))",
    ),
    method(
        "ModuleList.insert(self, index, module)",
        "none",
        f"{LAYERS}it.insert(0, nn.Tanh())\nit[0](x)",
    ),
    Rule(
        "torch.nn.ModuleDict(modules=None)",
        "nn.CellDict(plain_layers(modules))",
        example='nn.ModuleDict({"relu": nn.ReLU()})["relu"](x)',
    ),
    Rule(
        "torch.nn.ModuleDict(modules=None)",
        "compat.ModuleDict(modules)",
        note="MindSpore's CellDict holds no SequentialCell or CellList.",
        example=(
            'nn.ModuleDict({"relu": nn.Sequential(nn.ReLU(), nn.Tanh())})["relu"](x)',
            'it = nn.ModuleDict()\nit["relu"] = nn.ReLU()\nit["relu"] = nn.Sequential(nn.Tanh())\n'
            'it["relu"](x)',
            'nn.ModuleDict([["relu", nn.ReLU()]])["relu"](x)',
            'layer = nn.ModuleDict()\nlayer["a"] = nn.ReLU()\nlen(layer)',
        ),
    ),
    Rule(
        "torch.nn.ModuleDict",
        "compat.ModuleDict",
        example=(
            'kind = nn.ModuleDict\nkind({"a": nn.Sequential(nn.Tanh())})["a"](x)',
            "isinstance(nn.ModuleDict(), nn.ModuleDict)",
        ),
    ),
    method("ModuleDict.clear(self)", "none", f"{NAMED}it.clear()\nlen(it)"),
    method("ModuleDict.items(self)", "other", f"{NAMED}[name for name, _ in it.items()]"),
    method("ModuleDict.keys(self)", "other", f"{NAMED}list(it.keys())"),
    method("ModuleDict.values(self)", "other", f"{NAMED}[layer(x) for layer in it.values()]"),
    method("ModuleDict.pop(self, key)", "module", f'{NAMED}it.pop("tanh")(x)'),
    method(
        "ModuleDict.update(self, modules)",
        "none",
        f'{NAMED}it.update({{"more": nn.Sigmoid()}})\nit["more"](x)',
    ),
    *missing(
        "build it again: nn.SequentialCell(*cells[:i], cell, *cells[i:])",
        "torch.nn.Sequential.insert(self, index, module)",
        "torch.nn.Sequential.pop(self, key)",
    ),
)

PARAMETER = "(data, requires_grad=True)"
PARAMETERS = (
    *(
        Rule(
            f"torch.nn.{path}{PARAMETER}",
            "ms.Parameter(data, requires_grad=requires_grad)",
            returns="tensor",
            example=(
                "nn.Parameter(x) * 2",
                "nn.Parameter(x, False).requires_grad",
                "nn.Parameter(data=x, requires_grad=False) + 1",
            ),
        )
        for path in ("Parameter", "parameter.Parameter")
    ),
    *(
        Rule(
            f"torch.nn.{path}(data, *, persistent=True)",
            "owner.register_buffer(attribute, data, persistent=persistent)",
            note="A buffer is registered, and not assigned to: write `self.name.copy_(value)`.",
            assigned=True,
            returns="tensor",
            example=(
                "layer = nn.Linear(4, 3)\nlayer.b = nn.Buffer(x)\nlist(layer.buffers())",
                "layer = nn.Linear(4, 3)\nlayer.b = nn.Buffer(x + 1, persistent=False)\n"
                "layer.b * 2, len(layer.state_dict())",
            ),
        )
        for path in ("Buffer", "parameter.Buffer")
    ),
    Rule(
        "torch.nn.ParameterList(values=None)",
        "compat.ParameterList(values)",
        example=(
            f"{WEIGHTS}it[1] * 1",
            f"{WEIGHTS}[p * 1 for p in it]",
            "len(nn.ParameterList())",
            "nn.ParameterList(nn.Parameter(v * k) for k in range(3))[-1] + 1",
        ),
    ),
    method(
        "ParameterList.append(self, value)",
        "none",
        f"{WEIGHTS}it.append(nn.Parameter(x))\nit[2] * 1",
    ),
    method("ParameterList.extend(self, values)", "none", f"{WEIGHTS}it.extend([v, w])\nit[-1] * 1"),
    Rule(
        "torch.nn.ParameterList.extra_repr",
        "self.extend_repr",
        example=f"{WEIGHTS}isinstance(it.extra_repr(), str)",
    ),
    Rule(
        "torch.nn.ParameterDict(parameters=None)",
        "compat.ParameterDict(parameters)",
        example=(
            f'{NAMED_WEIGHTS}it["w"] * 1',
            f'{NAMED_WEIGHTS}"v" in it',
            'layer = nn.ParameterDict()\nlayer["a"] = nn.Parameter(x)\nlen(layer)',
        ),
    ),
    method("ParameterDict.clear(self)", "none", f"{NAMED_WEIGHTS}it.clear()\nlen(it)"),
    method("ParameterDict.copy(self)", "other", f'{NAMED_WEIGHTS}it.copy()["w"] * 1'),
    method(
        "ParameterDict.get(self, key, default=None)",
        "tensor",
        f'{NAMED_WEIGHTS}it.get("w") * 1',
        f'{NAMED_WEIGHTS}it.get("z", 5)',
    ),
    method(
        "ParameterDict.items(self)", "other", f"{NAMED_WEIGHTS}[(k, p * 1) for k, p in it.items()]"
    ),
    method("ParameterDict.keys(self)", "other", f"{NAMED_WEIGHTS}list(it.keys())"),
    method("ParameterDict.values(self)", "tensors", f"{NAMED_WEIGHTS}[p * 1 for p in it.values()]"),
    method("ParameterDict.pop(self, key)", "tensor", f'{NAMED_WEIGHTS}it.pop("v") * 1'),
    method("ParameterDict.popitem(self)", "other", f"{NAMED_WEIGHTS}it.popitem()[0]"),
    method(
        "ParameterDict.setdefault(self, key, default=None)",
        "tensor",
        f'{NAMED_WEIGHTS}it.setdefault("v", x) * 1',
        f'{NAMED_WEIGHTS}it.setdefault("z", nn.Parameter(x)) * 1',
    ),
    method(
        "ParameterDict.update(self, parameters)",
        "none",
        f'{NAMED_WEIGHTS}it.update({{"v": nn.Parameter(w)}})\nit["v"] * 1',
    ),
    *missing(
        "write compat.ParameterDict({key: default for key in keys})",
        "torch.nn.ParameterDict.fromkeys(self, keys, default=None)",
    ),
)

LAZY = (
    *missing(
        "give the number of inputs, and write the layer without Lazy",
        "torch.nn.LazyLinear(out_features, bias=True)",
        *(
            f"torch.nn.Lazy{name}{axes}d"
            for name in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm")
            for axes in (1, 2, 3)
        ),
    ),
    *missing(
        "make the Parameter where its shape is known",
        "torch.nn.UninitializedBuffer(requires_grad=False, persistent=True)",
        "torch.nn.UninitializedParameter(requires_grad=True)",
        "torch.nn.parameter.UninitializedBuffer(requires_grad=False, persistent=True)",
        "torch.nn.parameter.UninitializedParameter(requires_grad=True)",
        "torch.nn.parameter.is_lazy(param)",
    ),
)

RULES = (*MODULES, *PARAMETERS, *LAZY)
