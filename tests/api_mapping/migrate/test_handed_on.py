"""Methods that are handed on without a call: converted, executed and compared, or marked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from msconvert.tests.api_mapping.verification import mindspore_python

from .snippets import Fate, Judged, Snippet, judged

pytest.importorskip("torch")

HEAD = """\
from functools import partial
import torch
from torch import nn
x = torch.tensor([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])
others = [torch.ones(2, 3), torch.zeros(2, 3)]
torch.manual_seed(0)
net = nn.Sequential(nn.Identity(), nn.Dropout(0.5))
opt = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.5)
"""

METHODS = {
    "exact": ("exp", ""),
    "exact with an argument": ("add", "others[0]"),
    "renamed": ("sum", "dim=0"),
    "of overloads": ("mean", ""),
    "with a shape": ("view", "3, 2"),
    "differs": ("relu", ""),
    "composite": ("topk", "2"),
    "in place": ("add_", "1"),
    "made of others": ("masked_fill", "x > 0, 1.0"),
    "of a type": ("to", "torch.float16"),
    "no tensor": ("size", "0"),
}
FORMS = {
    "name": "p = x.{method}\nresult = p({given})",
    "statement": "p = x.{method}\np({given})\nresult = x",
    "display": "result = [x.{method}][0]({given})",
    "dictionary": "result = {{'a': x.{method}}}['a']({given})",
    "branch": "p = x.{method} if x.ndim else x.{method}\nresult = p({given})",
    "of an expression": "p = (x + 1).{method}\nresult = p({given})",
    "of its class": "p = torch.Tensor.{method}\nresult = p(x, {given})\np = 0",
    "handed on": "def call(function):\n    return function({given})\nresult = call(x.{method})",
    "class handed on": "result = [f(x, {given}) for f in [torch.Tensor.{method}]]",
}

WHOLE = {
    "map": "result = torch.stack(list(map(x.add, others)))",
    "map of a class": "result = torch.stack(list(map(torch.Tensor.exp, others)))",
    "partial": "result = partial(x.view, 3)(2)",
    "key": "result = sorted([1, 0], key=x[0].__getitem__)",
    "two calls": "p = x.sum\nresult = p() + p(dim=1).sum()",
    "train": "p = net.train\np(False)\nresult = net(x)",
    "train of a class": "list(map(nn.Module.eval, [net]))\nresult = net(x)",
    "eval": "p = net.eval\np()\nresult = net(x)",
    "parameters": "p = net.parameters\nresult = len(list(p()))",
    "step": "p = opt.step\np()\nresult = 1",
    "zero_grad": "p = opt.zero_grad\np()\nresult = 1",
    "rebound": "p = x.sum\nx = others[0]\nresult = p()",
}

WRITTEN = frozenset(
    {
        *("map", "map of a class", "partial", "key", "two calls", "train", "rebound"),
        *(f"{m}, {f}" for m in ("exact", "exact with an argument", "of a type") for f in FORMS),
        *(f"{m}, {f}" for m in ("renamed", "with a shape") for f in ("name", "display", "branch")),
    }
)
"""What there is code for; of the others, some may be marked."""


def snippets() -> Iterator[Snippet]:
    for kind, (method, given) in METHODS.items():
        for form, text in FORMS.items():
            code = text.format(method=method, given=given)
            yield Snippet(f"{kind}, {form}", f"torch.Tensor.{method}", f"{HEAD}{code}\n")
    for name, code in WHOLE.items():
        yield Snippet(name, "torch.Tensor", f"{HEAD}{code}\n")


@pytest.fixture(scope="module")
def results() -> dict[str, Judged]:
    return {found.snippet.id: found for found in judged(list(snippets()), mindspore_python())}


def test_methods_stay_with_their_objects(results: dict[str, Judged]) -> None:
    sides = 2 if mindspore_python() is not None else 1
    assert len(results) == len(list(snippets()))
    wrong = {
        (name, found.fates, found.runtime, found.mindspore)
        for name, found in results.items()
        if set(found.fates[:sides]) - {Fate.EQUAL, Fate.REFUSED}
    }
    assert not wrong, "\n".join(map(str, wrong))
    refused = {name for name, found in results.items() if found.fates[0] is Fate.REFUSED}
    assert refused & WRITTEN == set()
