"""Small sources: what must be found in each, and what must be left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from .analysed import analysed, told

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
"""Three lines that stand before each case; its own first line is line 4."""

FOUND: dict[str, tuple[str, list[str]]] = {
    "alias by assignment": (
        "L = nn.Linear\nL(3, 4)\nrelu = F.relu\nrelu(1)",
        [
            "4 reference nn.Linear",
            "5 call nn.Linear",
            "6 reference nn.functional.relu",
            "7 call nn.functional.relu",
        ],
    ),
    "imports in functions": (
        "def f():\n    from torch.nn import Conv2d as C\n    return C(1, 2, 3)",
        ["6 call nn.Conv2d"],
    ),
    "conditional imports": (
        "try:\n    from torch.cuda import amp\nexcept ImportError:\n    amp = None\namp.autocast()",
        ["8 call cuda.amp.autocast"],
    ),
    "a stand-in for old versions": (
        "try:\n    from torch import _assert\nexcept ImportError:\n    def _assert(x, y):\n"
        "        pass\n_assert(1, 2)\ndef f():\n    _assert(3, 4)",
        ["9 call _assert", "11 call _assert"],
    ),
    "private homes": (
        "from torch.nn.modules.conv import Conv2d\nConv2d(1, 2, 3)\n"
        "from torch.nn.parameter import Parameter\nParameter(3)\n"
        "torch.optim.adam.Adam([])\ntorch.utils.data.dataloader.DataLoader(3)",
        [
            "5 call nn.Conv2d",
            "7 call nn.Parameter",
            "8 call optim.Adam",
            "9 call utils.data.DataLoader",
        ],
    ),
    "a parameter known by what is done with what it gives": (
        "def cut(x, n):\n    y = x.view(2, n)\n    return y.permute(1, 0)\n"
        "def half(x):\n    return x.size(1)",
        ["5 call Tensor.view", "6 call Tensor.permute", "8 call Tensor.size"],
    ),
    "a module by what only modules have": (
        "def f(m):\n    m.train()\n    return m.named_parameters()",
        ["5 call nn.Module.train", "6 call nn.Module.named_parameters"],
    ),
    "tensors that calls show": (
        "def f(g, y):\n    x = g(3)\n    F.mse_loss(x, y)\n    x.sum(), y.sum()\n"
        "    z = g(4)\n    nn.ReLU()(z)\n    z.sum()",
        [
            "6 call nn.functional.mse_loss",
            "7 call Tensor.sum",
            "7 call Tensor.sum",
            "9 call nn.ReLU",
            "10 call Tensor.sum",
        ],
    ),
    "a network by what takes its weights": (
        "def f(make, other):\n    net = make()\n    head, rest = other()\n"
        "    (body, tail) = make()\n    torch.optim.SGD(net.parameters(), 0.1)\n"
        "    nn.DataParallel(head)\n    tail.named_modules()\n"
        "    net.train(), head.eval(), rest.train(), body.train(), tail.eval()",
        [
            "8 call optim.SGD",
            "8 call nn.Module.parameters",
            "9 call nn.DataParallel",
            "10 call nn.Module.named_modules",
            "11 call nn.Module.train",
            "11 call nn.Module.eval",
            "11 call nn.Module.train ?",
            "11 call nn.Module.train ?",
            "11 call nn.Module.eval",
        ],
    ),
    "what stands beside a splat": (
        "def f(kind, x):\n    kind(3)(x).size(0)\n"
        "def g(*a, **k):\n    f(nn.ReLU, *a)\n    f(nn.Tanh, torch.ones(3), **k)",
        [
            "5 call Tensor.size",
            "7 reference nn.ReLU",
            "8 reference nn.Tanh",
            "8 call ones",
        ],
    ),
    "a declared parameter that gets a value": (
        "def f(x: torch.Tensor, g):\n    x = g(x)\n    return x.sum()",
        ["4 annotation Tensor", "6 call Tensor.sum"],
    ),
    "a case of tensors": (
        "def f(x):\n    match x:\n        case torch.Tensor() as y:\n            y.sum(), x.mean()",
        ["6 reference Tensor", "7 call Tensor.sum", "7 call Tensor.mean"],
    ),
    "a lambda over tensors": (
        "a, b = map(lambda t: t.numel(), torch.zeros(2).chunk(2))\n"
        "list(filter(lambda p: p.requires_grad, nn.Linear(1, 1).parameters()))",
        [
            "4 call Tensor.numel",
            "4 call zeros",
            "4 call Tensor.chunk",
            "5 attribute Tensor.requires_grad",
            "5 call nn.Linear",
            "5 call nn.Module.parameters",
        ],
    ),
    "layers in a loop": (
        "m = []\nfor _ in range(2):\n    m.append(nn.ReLU())\n    m.append(nn.Tanh())\n"
        "nn.Sequential(*m)(1).size()",
        ["6 call nn.ReLU", "7 call nn.Tanh", "8 call nn.Sequential", "8 call Tensor.size"],
    ),
    "modules by their keys": (
        "m = nn.ModuleDict(dict(a=nn.ReLU(), b=nn.Embedding(2, 3)))\n"
        "m.b.weight.numel()\nm['a'](1).size()\nm.keys()",
        [
            "4 call nn.ModuleDict",
            "4 call nn.ReLU",
            "4 call nn.Embedding",
            "5 attribute nn.Embedding.weight",
            "5 call Tensor.numel",
            "6 call Tensor.size",
            "7 call nn.ModuleDict.keys",
        ],
    ),
    "layers one by one": (
        "m = nn.Sequential()\nm.add_module('a', nn.ReLU())\nm.add_module('b', nn.Tanh())\n"
        "m(1).size()",
        [
            "4 call nn.Sequential",
            "5 call nn.Module.add_module",
            "5 call nn.ReLU",
            "6 call nn.Module.add_module",
            "6 call nn.Tanh",
            "7 call Tensor.size",
        ],
    ),
    "unused import": (
        "from torch.optim import Adam, SGD\nSGD([])",
        ["4 import optim.Adam", "5 call optim.SGD"],
    ),
    "import_module": (
        "import importlib\nt = importlib.import_module('torch')\nt.zeros(3)",
        ["6 call zeros"],
    ),
    "star import": (
        "from torch.nn import *\nLinear(3, 4)\nprint(3)",
        ["4 star nn", "5 call nn.Linear"],
    ),
    "getattr": (
        "getattr(nn, 'LSTM')(3, 4)\nhasattr(torch, 'compile')\nname = input()\ngetattr(F, name)(3)",
        ["4 call nn.LSTM", "5 getattr compile", "7 dynamic nn.functional.*"],
    ),
    "decorators": (
        "@torch.no_grad()\ndef f(): pass\n@torch.jit.script\ndef g(): pass",
        ["4 decorator no_grad", "6 decorator jit.script"],
    ),
    "annotations": (
        "from typing import Optional\ndef f(x: torch.Tensor, y: 'Optional[torch.Tensor]') -> "
        "list[torch.Tensor]: pass\nz: nn.Module = None",
        [
            "5 annotation Tensor",
            "5 annotation Tensor",
            "5 annotation Tensor",
            "6 annotation nn.Module",
        ],
    ),
    "references": (
        "from functools import partial\ndef f(act=nn.GELU): pass\npartial(F.softmax, dim=1)\n"
        "d = {'a': nn.ReLU}\nd['a']()",
        ["5 reference nn.GELU", "6 reference nn.functional.softmax", "7 reference nn.ReLU"],
    ),
    "what a partial gives": (
        "from functools import partial\nf = partial(F.softmax, dim=1)\nf(3).sum()",
        ["5 reference nn.functional.softmax", "6 call Tensor.sum"],
    ),
    "dtypes": (
        "x = torch.zeros(3, dtype=torch.long)\nd = torch.float16\nx.to(d)",
        ["4 call zeros", "4 dtype long", "5 dtype float16", "6 call Tensor.to", "6 dtype float16"],
    ),
    "properties": (
        "x = torch.zeros(3)\nx.shape, x.T.dtype\nx.grad = None\nx.requires_grad = True",
        [
            "4 call zeros",
            "5 attribute Tensor.shape",
            "5 attribute Tensor.T",
            "5 attribute Tensor.dtype",
            "6 attribute Tensor.grad",
            "7 attribute Tensor.requires_grad",
        ],
    ),
    "settings": (
        "torch.backends.cudnn.benchmark = True",
        ["4 attribute backends.cudnn.benchmark"],
    ),
    "unbound methods": (
        "torch.Tensor.add(torch.ones(3), 1).sum()",
        ["4 call Tensor.add", "4 call ones", "4 call Tensor.sum"],
    ),
    "pairs": (
        "x = torch.zeros(3)\nv, i = x.max(1)\nv.sum()\nx.max(dim=1).values.sum()\nx.max().item()\n"
        "x.topk(3)[0].sum()",
        [
            "4 call zeros",
            "5 call Tensor.max",
            "6 call Tensor.sum",
            "7 call Tensor.max",
            "7 attribute return_types.values",
            "7 call Tensor.sum",
            "8 call Tensor.max",
            "8 call Tensor.item",
            "9 call Tensor.topk",
            "9 call Tensor.sum",
        ],
    ),
    "walrus, conditional, comprehension": (
        "if (n := torch.ones(3)) is not None: n.sum()\nm = n if n else n + 1\nm.sum()\n"
        "[t.sum() for t in (n, m)]",
        ["4 call ones", "4 call Tensor.sum", "6 call Tensor.sum", "7 call Tensor.sum"],
    ),
    "a list that grows": (
        "xs = []\nfor i in range(3):\n    xs.append(torch.ones(i))\nfor x in xs:\n    x.sum()",
        ["6 call ones", "8 call Tensor.sum"],
    ),
    "a tensor or nothing": (
        "x = None\nif input():\n    x = torch.ones(3)\nx.sum()",
        ["6 call ones", "7 call Tensor.sum"],
    ),
    "isinstance": (
        "def f(m):\n    if isinstance(m, nn.Conv2d):\n        m.weight.sum()",
        ["5 reference nn.Conv2d", "6 call Tensor.sum"],
    ),
    "is_tensor": (
        "def f(m):\n    if torch.is_tensor(m):\n        m.sum()\n    return 3",
        ["5 call is_tensor", "6 call Tensor.sum"],
    ),
    "functions by their calls": (
        "def f(x, k):\n    return x.sum(k)\nf(torch.ones(3), 1).item()\nf(torch.ones(4), 2)",
        ["5 call Tensor.sum", "6 call ones", "6 call Tensor.item", "7 call ones"],
    ),
    "a closure": (
        "def f():\n    x = torch.ones(3)\n    def g():\n        return x.sum()\n"
        "    return g().item()",
        ["5 call ones", "7 call Tensor.sum", "8 call Tensor.item"],
    ),
    "swapped names": (
        "a, b = torch.ones(3), 'x'\na, b = b, a\na.split(), b.sum()",
        ["4 call ones", "6 call Tensor.sum"],
    ),
    "recurrent layers": (
        "m = nn.LSTM(3, 4)\nout, (h, c) = m(torch.ones(3))\nout.sum(), h.sum(), c.sum()",
        ["4 call nn.LSTM", "5 call ones", *["6 call Tensor.sum"] * 3],
    ),
    "wrapped modules": (
        "m = nn.DataParallel(nn.Linear(3, 4))\nm(3).sum()\nm.module.weight.sum()",
        [
            "4 call nn.DataParallel",
            "4 call nn.Linear",
            "5 call Tensor.sum",
            "6 attribute nn.DataParallel.module",
            "6 call Tensor.sum",
        ],
    ),
    "optimizers and schedulers": (
        "o = torch.optim.Adam([])\ns = torch.optim.lr_scheduler.StepLR(o, 3)\no.step(), s.step()\n"
        "for g in o.param_groups:\n    for p in g['params']:\n        p.grad.zero_()",
        [
            "4 call optim.Adam",
            "5 call optim.lr_scheduler.StepLR",
            "6 call optim.Optimizer.step",
            "6 call optim.lr_scheduler.LRScheduler.step",
            "7 attribute optim.Optimizer.param_groups",
            "9 attribute Tensor.grad",
            "9 call Tensor.zero_",
        ],
    ),
    "a loader's own collation": (
        "from torch.utils.data import DataLoader\nfor b in DataLoader(input()):\n"
        "    b['x'].cuda()\n    b.items()",
        ["5 call utils.data.DataLoader", "6 call Tensor.cuda"],
    ),
    "a tensor's subclass": (
        "class Box(torch.Tensor):\n    format: str\n    def area(self): return self.sum()\n"
        "b = Box(3)\nb.format, b.area().sum(), b.shape",
        [
            "4 base Tensor",
            "6 call Tensor.sum",
            "8 call Tensor.sum",
            "8 attribute Tensor.shape",
        ],
    ),
    "attributes of tensors that are set": (
        "p = nn.Parameter(torch.ones(3))\np.no_decay = True\np.no_decay\np._version",
        ["4 call nn.Parameter", "4 call ones", "7 attribute Tensor._version"],
    ),
    "layers called where they are made": (
        "nn.Softmax(dim=1)(torch.ones(3)).sum()\ngetattr(torch, 'relu')(torch.ones(3))",
        ["4 call nn.Softmax", "4 call ones", "4 call Tensor.sum", "5 call relu", "5 call ones"],
    ),
    "deleted": ("x = torch.ones(3)\ndel torch\ntorch.zeros(3)", ["4 call ones"]),
}

MODULE = """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.register_buffer("mask", torch.ones(3))
        self.layers = nn.ModuleList()
        self.layers.append(nn.ReLU())
    def helper(self, y):
        return self.fc(y)
    def forward(self, x, flag=False, other=None):
        x = self.helper(x)
        {body}
"""
MODULE_USES = [
    "5 base nn.Module",
    "8 call nn.Linear",
    "9 call nn.Module.register_buffer",
    "9 call ones",
    "10 call nn.ModuleList",
    "11 call nn.ModuleList.append",
    "11 call nn.ReLU",
]

IN_FORWARD: dict[str, tuple[str, list[str]]] = {
    "buffers": ("self.mask.sum()", ["Tensor.sum"]),
    "layers in lists": ("[layer(x).sum() for layer in self.layers]", ["Tensor.sum"]),
    "training": ("self.training", ["nn.Module.training"]),
    "methods": ("x.sum(), self.parameters()", ["Tensor.sum", "nn.Module.parameters"]),
    "forward by name": ("self.forward(x).sum()", ["nn.Module.forward", "Tensor.sum ?"]),
    "a flag": ("flag.real", []),
    "what it is given": ("other.sum()", ["Tensor.sum"]),
    "unknown": ("self.made(other).sum()", ["Tensor.sum ?"]),
    "parts of it": ("a, b = other; a.size(), b.std()", ["Tensor.size", "Tensor.std"]),
    "one part": ("other['image'].size(), other[0].std()", ["Tensor.size", "Tensor.std"]),
    "each part": ("[o.repeat(1, 2) for o in other]", ["Tensor.repeat"]),
    "what a mask selects of": (
        "m = torch.zeros(3) > 1; other[m].sum()",
        ["zeros", "Tensor.sum"],
    ),
    "a part of a list": ("other.append(3); other[0].std()", ["Tensor.std ?"]),
    "sorted parts": ("other.sort(); other[0].std()", ["Tensor.std"]),
    "by use": ("other.unsqueeze(0); other.sum()", ["Tensor.unsqueeze", "Tensor.sum"]),
    "not by use as a list": ("other.append(3); other.unsqueeze(0)", ["Tensor.unsqueeze ?"]),
    "own names": ("self.helper, self.nothing", []),
}

LEFT_ALONE: dict[str, str] = {
    "attributes that are set": "def f(x):\n    x.hess = 3\n    return x.hess",
    "builtins": "'a'.split(), [1].copy(), {}.copy(), {1}.add(2), [].sort(), abs(3), 'x'.index('x')",
    "files": "f = open('x'); f.close(); f.read()",
    "numpy": "import numpy as np\na = np.ones(3)\na.sum(), a.view(3), np.mean(a).reshape(2)",
    "standard library": "import os, re\nos.path.exists('x'); re.compile('x').split('y')",
    "settings of no type": "def f(config):\n    config.data, config.size, config.device",
    "a parameter named torch": "def f(torch):\n    torch.zeros_like",
    "a local named torch": "def f():\n    torch = {}\n    torch.get('x')",
    "a local bound later": "def f():\n    print(torch)\n    torch = 3",
    "a loop's variable": "for nn in range(3):\n    nn.real",
    "own classes": (
        "class A:\n    def __init__(self):\n        self.data = []\n    def view(self): return 3\n"
        "    def sum(self): return 4\nA().view(); A().sum(); A().data.sort()"
    ),
    "own function of the same name": "def relu(x): return x\nrelu(3)",
    "names of modules": "a = nn\nb = torch.nn.functional\nprint(a, b)",
    "members of shapes": "import numpy\ns = numpy.ones(3).shape\ns.index(3)",
    "self in another class": "class B:\n    def step(self): self.step()\n    train = step",
}


@pytest.mark.parametrize("name", FOUND)
def test_uses_are_found(tmp_path: Path, name: str) -> None:
    source, expected = FOUND[name]
    analysis = analysed(tmp_path, HEAD + source)
    assert [told(use) for use in analysis.uses] == expected
    assert analysis.problems == []


@pytest.mark.parametrize("name", IN_FORWARD)
def test_uses_in_forward_are_found(tmp_path: Path, name: str) -> None:
    body, expected = IN_FORWARD[name]
    analysis = analysed(tmp_path, HEAD + MODULE.replace("{body}", body))
    found = [told(use) for use in analysis.uses]
    assert found[: len(MODULE_USES)] == MODULE_USES
    assert [line.split(" ", 2)[2] for line in found[len(MODULE_USES) :]] == expected


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_looks_alike_is_left_alone(tmp_path: Path, name: str) -> None:
    assert [told(use) for use in analysed(tmp_path, HEAD + LEFT_ALONE[name]).uses] == []


UNKNOWN: dict[str, tuple[str, list[str]]] = {
    "tensor or list": (
        "x = torch.ones(3) if input() else [3]\nx.sum()",
        ["4 call ones", "5 call Tensor.sum ?"],
    ),
    "calls that disagree": (
        "def f(x):\n    x.sum()\nf(torch.ones(3))\nf([3])",
        ["5 call Tensor.sum ?", "6 call ones"],
    ),
    "handed elsewhere": (
        "def f(x):\n    x.sum()\nf(torch.ones(3))\nmap(f, input())",
        ["5 call Tensor.sum ?", "6 call ones"],
    ),
    "one of several APIs": (
        "A = nn.ReLU if input() else nn.GELU\nA()",
        ["4 reference nn.ReLU", "4 reference nn.GELU", "5 call nn.ReLU ?"],
    ),
    "changed by a loop": (
        "x = torch.ones(3)\nfor i in range(3):\n    x.sum()\n    x = [x]",
        ["4 call ones", "6 call Tensor.sum ?"],
    ),
    "a global that functions set": (
        "x = torch.ones(3)\ndef f():\n    global x\n    x = 3\ndef g():\n    x.sum()",
        ["4 call ones", "9 call Tensor.sum ?"],
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_sure_is_unknown(tmp_path: Path, name: str) -> None:
    source, expected = UNKNOWN[name]
    assert [told(use) for use in analysed(tmp_path, HEAD + source).uses] == expected
