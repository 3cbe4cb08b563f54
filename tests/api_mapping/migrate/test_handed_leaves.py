"""Tensors that a function is handed and trains: marked, as MindSpore trains Parameters alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.target import Settings, Target

HEAD = "import torch\n"
TAIL = """    for _ in range(3):
        optimizer.zero_grad()
        loss = (x - 1).pow(2).sum()
        loss.backward()
        optimizer.step()
    return x

fit(torch.zeros(2, 4))
"""
LISTED = "fit([torch.zeros(2)])\n"

MARKED = {
    "argument": f"""def fit(x):
    x.requires_grad_(True)
    optimizer = torch.optim.SGD([x], lr=0.2)
{TAIL}""",
    "without a flag": f"""def fit(x):
    x.requires_grad_()
    optimizer = torch.optim.Adam([x])
{TAIL}""",
    "by its keyword": f"""def fit(x, rate=0.1):
    x.requires_grad_(requires_grad=True)
    optimizer = torch.optim.AdamW(params=[x], lr=rate)
{TAIL}""",
    "list": f"""def fit(prompts):
    for p in prompts:
        p.requires_grad_()
    optimizer = torch.optim.Adam(prompts)
{LISTED}""",
    "beside others": f"""def fit(x):
    y = torch.zeros(3, requires_grad=True)
    x.requires_grad_()
    optimizer = torch.optim.SGD([y, x], lr=0.1)
{TAIL}""",
}
UNMARKED = {
    "made in the function": f"""def fit(x):
    x = x.clone()
    y = x * 2
    y.requires_grad_()
    optimizer = torch.optim.SGD([y], lr=0.2)
{TAIL}""",
    "not trained": "def fit(x):\n    x.requires_grad_()\n    return x\n\nfit(torch.zeros(2))\n",
    "Parameters": f"""def fit(x):
    weights = torch.nn.Parameter(x)
    weights.requires_grad_()
    optimizer = torch.optim.SGD([weights], lr=0.2)
{TAIL}""",
    "of a network": """net = torch.nn.Linear(2, 2)

def fit(weights):
    for p in weights:
        p.requires_grad_(True)
    return torch.optim.SGD(weights, lr=0.2)

fit(list(net.parameters()))
""",
    "frozen": "def fit(x):\n    x.requires_grad_(False)\n    return x\n\nfit(torch.zeros(2))\n",
}


def converted(folder: Path, code: str) -> str:
    path = folder / "net.py"
    path.write_text(HEAD + code)
    project = Project([path], [folder])
    text = migrate_file(project, path, "net.py", Settings(Target.MINDSPORE)).text
    return " ".join(text.replace("#", " ").split())


@pytest.mark.parametrize("case", MARKED)
def test_what_a_function_is_handed_and_trains_is_marked(tmp_path: Path, case: str) -> None:
    text = converted(tmp_path, MARKED[case])
    assert "MindSpore's optimizers change Parameters: make x = ms.Parameter(x) here" in text
    assert ".requires_grad_(" in text  # as it was


@pytest.mark.parametrize("case", UNMARKED)
def test_what_is_its_own_or_a_parameter_is_not(tmp_path: Path, case: str) -> None:
    assert "optimizers change Parameters" not in converted(tmp_path, UNMARKED[case])
