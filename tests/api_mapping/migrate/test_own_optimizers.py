"""Optimisers and schedulers that a project derives from PyTorch's bases."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis.optimizer_methods import applies, asks_first

from .test_file import migrated

HEAD = (
    "import torch\nfrom torch import nn\nfrom torch.optim import Optimizer\n"
    "class Own(Optimizer):\n    def __init__(self, params, lr=0.1):\n"
    "        super().__init__(params, dict(lr=lr))\n"
)
STEP = "    def step(self, closure=None):\n"
BODY = (
    "        for group in self.param_groups:\n            for p in group['params']:\n"
    "                p.data.add_(p.grad, alpha=-group['lr'])\n"
)
LOOP = (
    "net, x = nn.Linear(2, 1), torch.ones(3, 2)\nopt = Own(net.parameters())\n"
    "def closure():\n    opt.zero_grad()\n    loss = net(x).sum()\n    loss.backward()\n"
    "    return loss\nfor _ in range(2):\n    loss = opt.step(closure)\n"
)

FIRST = (
    "loss = None\nif closure is not None:\n    loss = closure()\nself.go()",
    "loss = closure() if closure is not None else None\nself.go()",
    "if closure:\n    with torch.enable_grad():\n        loss = closure()\nself.go()",
    "assert closure is not None\nclosure()\nfor p in self.params:\n    self.go()",
    "'''One step.'''\nloss = closure and closure()\nself.go()",
    "self.go()",
)
IN_BETWEEN = (
    "self.first_step()\nclosure()\nself.second_step()",
    "closure = torch.enable_grad()(closure)\nself.go()\nclosure()",
    "for _ in range(3):\n    loss = closure()",
    "loss = closure()\nself.go()\nloss = closure()",
    "loss = self.search(closure)",
    "while True:\n    if closure():\n        break",
    "loss = closure()\nself.inner.step(closure)",
)


def function(body: str) -> ast.FunctionDef:
    rows = "".join(f"    {row}\n" for row in body.splitlines())
    found = ast.parse(f"def step(self, closure=None):\n{rows}").body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize("body", FIRST[:1] + FIRST[1:4] + FIRST[5:])
def test_a_closure_may_be_called_first(body: str) -> None:
    assert asks_first(function(body))


@pytest.mark.parametrize("body", IN_BETWEEN)
def test_or_in_between(body: str) -> None:
    assert not asks_first(function(body))


@pytest.mark.parametrize(
    ("body", "is_applying"),
    [
        ("for p in self.params:\n    p.sub_(p.grad)", True),
        ("self.inner.step()", True),
        ("return [p.grad.norm() for p in self.params]", True),
        ("self.optimizer.step(closure)", True),
        ("return self.param_groups[0]['lr']", False),
        ("self.count += 1", False),
    ],
)
def test_what_applies_gradients_reads_them_or_has_another_do_so(
    body: str, is_applying: bool
) -> None:
    assert applies(function(body)) is is_applying


@pytest.mark.parametrize("body", IN_BETWEEN[:2] + IN_BETWEEN[2:5])
def test_a_step_that_calls_its_closure_in_between_stays(tmp_path: Path, body: str) -> None:
    rows = "".join(f"        {row}\n" for row in body.splitlines())
    found = migrated(tmp_path, HEAD + STEP + rows + LOOP)
    assert any("in the midst" in use.refusal for use in found.left)
    assert "loss = opt.step(closure)" in found.text


@pytest.mark.parametrize("body", FIRST[:4])
def test_others_are_differentiated(tmp_path: Path, body: str) -> None:
    rows = "".join(f"        {row}\n" for row in body.splitlines() if "self" not in row)
    found = migrated(tmp_path, HEAD + STEP + rows + BODY + LOOP)
    assert not found.left
    assert "opt(grads)" in found.text


@pytest.mark.parametrize(
    "read",
    [
        "print(net.weight.grad)",
        "g = [p.grad for p in net.parameters()]",
        "net.weight.grad = None",
        "def f(p: torch.Tensor):\n    return p.grad",
        "class A(nn.Module):\n    def forward(self, x: torch.Tensor):\n        return x.grad",
    ],
)
def test_gradients_elsewhere_stay_as_they_were(tmp_path: Path, read: str) -> None:
    before = migrated(
        tmp_path, f"import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\n{read}"
    )
    after = migrated(tmp_path, f"{HEAD}net = nn.Linear(2, 1)\n{read}\n")
    told = [use.api for use in before.left]
    assert [use.api for use in after.left] == told


STATES = (
    "state = self.state[p]\n{0}m = state.setdefault('m', torch.zeros_like(p))\n{0}m.mul_(0.9)",
    "state = self.state[p]\n{0}for k in 'ab':\n{0}    state[k] = torch.zeros_like(p)\n"
    "{0}state['a'].mul_(0.9)",
    "state = self.state[p]\n{0}state['m'] = torch.zeros_like(p)\n{0}m = state.get('m')\n"
    "{0}m.mul_(0.9)",
    "state = self.state[p]\n{0}state['m'] = torch.zeros_like(p)\n{0}m = state['m']\n{0}m.mul_(0.9)",
    "self.state[p]['m'] = torch.zeros_like(p)\n{0}self.state[p]['m'].mul_(0.9)",
    "s = self.state[p]\n{0}m = s['m'] = torch.clone(p)\n{0}n = s['m']\n{0}n.mul_(0.9)",
    "state = self.state[p]\n{0}state['m'] = p.data.clone()\n{0}m, k = state['m'], 1\n{0}m.mul_(2)",
    "state = self.state[p]\n{0}state['m'] = p.grad.clone()\n{0}state['m'].mul_(0.9).add_(p.grad)",
)


@pytest.mark.parametrize("body", STATES)
def test_what_is_kept_for_a_parameter_is_written_where_it_is(tmp_path: Path, body: str) -> None:
    inner = " " * 16
    code = BODY.replace("p.data.add_(p.grad, alpha=-group['lr'])", body.format(inner))
    found = migrated(tmp_path, f"{HEAD}{STEP}{code}")
    assert not found.left
    assert ".copy_(" in found.text
    assert ".mul_(" not in found.text


@pytest.mark.parametrize(
    "call",
    [
        "opt.first_step(zero_grad=True)",
        "opt.first_step()",
        "norm = opt.first_step(1)",
        "opt.first_step(*[True])",
        "opt.first_step(scale=2.0)",
    ],
)
def test_other_methods_are_steps_too(tmp_path: Path, call: str) -> None:
    method = "    def first_step(self, *args, **kwargs):\n" + BODY
    loop = (
        "net, x = nn.Linear(2, 1), torch.ones(3, 2)\nopt = Own(net.parameters())\n"
        f"for _ in range(2):\n    opt.zero_grad()\n    loss = net(x).sum()\n    loss.backward()\n"
        f"    {call}\n"
    )
    found = migrated(tmp_path, HEAD + method + loop)
    assert not found.left
    assert f"opt.given(grads).{call.partition('opt.')[2]}" in found.text


DERIVED = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")


@pytest.mark.parametrize("base", DERIVED)
def test_what_derives_from_an_optimizer_of_pytorchs_has_no_gradients_in_its_parameters(
    tmp_path: Path, base: str
) -> None:
    code = (
        f"import torch\nclass Own(torch.optim.{base}):\n    def step(self, closure=None):\n"
        "        for group in self.param_groups:\n            for p in group['params']:\n"
        "                p.grad.clamp_(-1, 1)\n        return super().step(closure)\n"
    )
    found = migrated(tmp_path, code)
    told = {use.api for use in found.left}
    assert told == {"torch.Tensor.grad", "torch.optim.Optimizer.step"}


KEPT = (
    ("{}.data = value", True),
    ("{}.data = value * 2", True),
    ("{}.data = {}.data - value", True),
    ("{}.data.mul_(0.5)", True),
    ("{}.data = {}.data.half()", False),
    ("{}.data = value.to(torch.float64)", False),
)


@pytest.mark.parametrize(("line", "is_assigned"), KEPT)
def test_weights_are_written_where_they_are(tmp_path: Path, line: str, is_assigned: bool) -> None:
    line = line.replace("{}", "net.weight")
    head = "import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\n"
    code = f"{head}value = torch.ones(1, 2)\n{line}\n"
    last = migrated(tmp_path, code).text.splitlines()[-1]
    assert last.startswith(("ops.assign(net.weight, ", "net.weight.copy_(")) is is_assigned
    assert "set_data" not in last
