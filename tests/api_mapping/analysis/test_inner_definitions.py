"""Classes and functions inside of functions of other files: what they make is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from .analysed import analysed, told

HEAD = "import torch\nfrom torch import nn\n\n\n"
BODY = "            def forward(self, x):\n                return x * 2\n"
MADE = {
    "a module": f"def make():\n    if True:\n        class Inner(nn.Module):\n{BODY}"
    "        return Inner()\n",
    "its class": f"def kind():\n    if True:\n        class Inner(nn.Module):\n{BODY}"
    "        return Inner\nmake = kind()\n",
    "a method's class": "class Owner:\n    def build(self):\n"
    f"        class Inner(nn.Module):\n{BODY}"
    "        return Inner()\ndef make():\n    return Owner().build()\n",
    "two of one name": f"def other():\n    if True:\n        class Inner(dict):\n{BODY}"
    f"        return Inner()\ndef make():\n    if True:\n        class Inner(nn.Module):\n{BODY}"
    "        return Inner()\n",
    "a base of a class": f"def kind():\n    if True:\n        class Inner(nn.Module):\n{BODY}"
    "        return Inner\nclass make(kind()):\n    pass\n",
    "a decorated one": "import functools\n@functools.lru_cache\ndef make():\n    if True:\n"
    f"        class Inner(nn.Module):\n{BODY}        return Inner()\n",
    "with a function in it": "def make():\n    def helper():\n"
    f"        class Inner(nn.Module):\n{BODY}        return Inner()\n    return helper()\n",
}


@pytest.mark.parametrize("case", MADE)
def test_what_inner_classes_of_other_files_make_is_known(tmp_path: Path, case: str) -> None:
    text = f"{HEAD}from library import make\nmade = make()\nx = made(torch.ones(2)).mul(3)\n"
    found = analysed(
        tmp_path, f"{text}for p in made.parameters():\n    p.zero_()\n", library=HEAD + MADE[case]
    )
    said = [told(use) for use in found.uses]
    assert any("nn.Module.parameters" in use for use in said), said
    assert not found.problems
