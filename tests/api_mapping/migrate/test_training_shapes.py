"""Shapes of training steps: what becomes of each, and what stays with a skeleton beside it."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.table.target import Settings, Target

HEAD = """\
import torch
from torch import nn

net, criterion = nn.Linear(2, 2), nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.train()
"""


def migrated(folder: Path, code: str) -> Migrated:
    path = folder / "train.py"
    path.write_text(code, encoding="utf-8")
    settings = Settings(Target.MINDSPORE)
    return migrate_file(Project([path], [folder]), path, "train.py", settings)


def converted(folder: Path, code: str) -> str:
    """What stands behind the head, converted; twice is as once."""
    text = migrated(folder, HEAD + dedent(code)).text
    assert migrated(folder, text).text == text
    return text.partition("net.set_train()\n")[2].strip("\n")


CASES = {
    "comments go with their statements": (
        """
        for x, y in data:
            optimizer.zero_grad()
            out = net(x)  # forward
            # the loss
            loss = criterion(out, y)
            loss.backward()  # gradients
            optimizer.step()
            print(out)
        """,
        """
        def forward_fn(x, y):
            out = net(x)  # forward
            # the loss
            loss = criterion(out, y)
            return loss, out


        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

        for x, y in data:
            (_, out), grads = grad_fn(x, y)
            # gradients
            optimizer(grads)
            print(out)
        """,
    ),
    "an accumulated loss begins in the function": (
        """
        for x, y in data:
            total = 0
            for part in x:
                total = total + criterion(net(part), y)
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
        """,
        """
        def forward_fn(x, y):
            total = 0
            for part in x:
                total = total + criterion(net(part), y)
            return total


        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

        for x, y in data:
            _, grads = grad_fn(x, y)
            optimizer(grads)
        """,
    ),
    "gradients that nothing clears add up": (
        """
        for x, y in data:
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
        """,
        """
        def forward_fn(x, y):
            loss = criterion(net(x), y)
            return loss


        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)
        grads = None

        for x, y in data:
            _, more_grads = grad_fn(x, y)
            grads = compat.accumulated(grads, more_grads)
            optimizer(grads)
        """,
    ),
    "names that the code has stay its own": (
        """
        for x, y in data:
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            grads = x + y
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            print(grads)
        """,
        """
        def forward_fn(x, y):
            loss = criterion(net(x), y)
            return loss


        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

        for x, y in data:
            _, grads_ = grad_fn(x, y)
            grads = x + y
            grads_ = ops.clip_by_global_norm(grads_, 1.0)
            optimizer(grads_)
            print(grads)
        """,
    ),
    "a function goes on from what its last call has left": (
        """
        def epoch(data, steps):
            for i, (x, y) in enumerate(data):
                loss = criterion(net(x), y) / steps
                loss.backward()
                if i % steps == 0:
                    optimizer.step()
                    optimizer.zero_grad()

        optimizer.zero_grad()
        """,
        """
        def epoch(data, steps):

            def forward_fn(x, y):
                loss = criterion(net(x), y) / steps
                return loss

            grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

            for i, (x, y) in enumerate(data):
                _, more_grads = grad_fn(x, y)
                grads = compat.held_grads(optimizer.parameters, more_grads)
                if i % steps == 0:
                    optimizer(grads)
                    compat.clear_grads(optimizer.parameters)

        compat.clear_grads(optimizer.parameters)
        """,
    ),
    "a single step has nothing to add to": (
        """
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        """,
        """
        def forward_fn():
            loss = criterion(net(x), y)
            return loss

        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)
        _, grads = grad_fn()
        optimizer(grads)
        """,
    ),
    "a value without gradients stays outside": (
        """
        for x, y in data:
            optimizer.zero_grad()
            with torch.no_grad():
                target = net(y)
            loss = criterion(net(x), target)
            loss.backward()
            optimizer.step()
        """,
        """
        def forward_fn(x, target):
            loss = criterion(net(x), target)
            return loss


        grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

        for x, y in data:
            with ms._no_grad():
                target = net(y)
            _, grads = grad_fn(x, target)
            optimizer(grads)
        """,
    ),
    "rates of groups": (
        """
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
            group["lr"] = 0.1
            print(group["lr"])
        """,
        """
        for group in optimizer.param_groups:
            ops.assign(group["lr"], group["lr"] * 0.5)
            ops.assign(group["lr"], 0.1)
            print(group["lr"].item())
        """,
    ),
}


@pytest.mark.parametrize(("code", "wanted"), CASES.values(), ids=CASES)
def test_shape(code: str, wanted: str, tmp_path: Path) -> None:
    assert converted(tmp_path, code) == dedent(wanted).strip("\n")


REFUSED = {
    "backward has the argument create_graph": "net(x).sum().backward(create_graph=True)",
    "backward has the argument inputs": "net(x).sum().backward(inputs=[x])",
    "the forward pass is not among the statements before it": "x.sum().backward()",
}


@pytest.mark.parametrize(("reason", "lines"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_known_stays_with_a_skeleton(reason: str, lines: str, tmp_path: Path) -> None:
    code = f"""{HEAD}
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
    def forward(self, x):
        return self.head(x)

body = Body()
for x in torch.ones(3, 2):
    optimizer.zero_grad()
    {lines}
    optimizer.step()
"""
    found = migrated(tmp_path, code)
    told = " ".join(line.strip("# ") for line in found.text.splitlines())
    assert f"MS201 line: no training step of a known shape: {reason}; write it so:" in told
    assert "# grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)" in found.text
    last = lines.splitlines()[-1].strip()
    assert f"    {last}\n    optimizer.step()" in found.text
    assert found.left
    assert migrated(tmp_path, found.text).text == found.text


@pytest.mark.parametrize(
    "line", ["nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "optimizer.step()"]
)
def test_what_needs_gradients_of_others_stays(line: str, tmp_path: Path) -> None:
    found = migrated(tmp_path, f"{HEAD}\ndef finish():\n    {line}\n")
    told = " ".join(row.strip("# ") for row in found.text.splitlines())
    assert "MS201 line: no training step of a known shape: its gradients are computed" in told
    assert f"    {line}\n" in found.text
    assert found.left
    assert migrated(tmp_path, found.text).text == found.text


def test_a_loss_is_nothing_that_gradients_are_for(tmp_path: Path) -> None:
    code = f"""{HEAD}
class Held:
    def __init__(self):
        self.params = [torch.ones(2, 1)]
        for p in self.params:
            p.requires_grad_(True)
    def __call__(self, x):
        return x @ self.params[0]

held, loss = Held(), nn.MSELoss()
l = loss(held(torch.ones(3, 2)), torch.zeros(3, 1))
l.backward()
print([p.grad for p in held.params])
"""
    found = migrated(tmp_path, code)
    assert "l.backward()" in found.text
    assert "compat.backward(" not in found.text
    assert found.left


@pytest.mark.parametrize(
    "lines",
    [
        "print(loss.item(), w.grad)",
        "print(loss.item())\n    print(w.grad)",
        "w.grad *= 0 if loss.item() > 1 else 1",
        "small = loss.item() < 1\n    if small:\n        w.grad = None",
        "halved(w, loss)",
    ],
)
def test_gradients_of_before_that_wait_for_the_loss_stay(lines: str, tmp_path: Path) -> None:
    code = f"""import torch
def halved(w, loss):
    w.grad = w.grad / 2 if loss.item() > 1 else w.grad
w = torch.ones(2, requires_grad=True)
for x in torch.ones(3, 2):
    loss = (w * x).sum()
    {lines}
    loss.backward()
"""
    found = migrated(tmp_path, code)
    assert "    loss.backward()" in found.text
    assert "torch.Tensor.backward" in {use.api for use in found.left}


def test_statements_that_share_a_line_are_taken_apart(tmp_path: Path) -> None:
    code = (
        "import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in torch.ones(3, 4, 2):\n"
        "    y = net(x); loss = y.sum()\n    opt.zero_grad(); loss.backward(); opt.step()\n"
    )
    text = migrated(tmp_path, code).text
    assert "        y = net(x)\n        loss = y.sum()\n" not in text
    assert "    y = net(x)\n    loss = y.sum()\n    return loss\n" in text
    assert "    _, grads = grad_fn(x)\n    opt(grads)\n" in text


def test_statements_of_a_cell_that_share_a_line_are_marked(tmp_path: Path) -> None:
    steps = ["for x in torch.ones(3, 4, 2):", "    loss = net(x).sum(); opt.zero_grad()"]
    steps += ["    loss.backward(); opt.step()"]
    code = "import torch\nnet = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), 0.1)"
    cell = {"cell_type": "code", "source": f"{code}\n" + "\n".join(steps), "metadata": {}}
    path = tmp_path / "net.ipynb"
    path.write_text(json.dumps({"cells": [{**cell, "outputs": []}], "nbformat": 4, "metadata": {}}))
    found = migrate_file(Project([path], [tmp_path]), path, "net.ipynb", Settings(Target.BUNDLED))
    assert "statements of the step share a line" in " ".join(found.text.replace("#", "").split())
    assert "opt(grads)" not in found.text


OTHER_RETURNS = {
    "a part that was changed": "total.backward()\n    fit = fit * 2\n    return fit + size",
    "another sum": "total.backward()\n    return fit - size",
}


@pytest.mark.parametrize("ending", OTHER_RETURNS.values(), ids=OTHER_RETURNS)
def test_a_closure_that_returns_another_number_stays(ending: str, tmp_path: Path) -> None:
    code = f"""{HEAD}
def closure():
    optimizer.zero_grad()
    fit = net(torch.ones(3, 2)).pow(2).mean()
    size = net(torch.zeros(3, 2)).mean()
    total = fit + size
    {ending}

optimizer.step(closure)
"""
    told = " ".join(line.strip("# ") for line in migrated(tmp_path, code).text.splitlines())
    assert "the closure does not return the loss" in told
