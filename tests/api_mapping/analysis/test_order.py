"""What a file is told does not depend on which files came before it, nor on what was forgotten."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project, project

from .analysed import told

MADE = "import torch\ndef make():\n    return torch.zeros(3)\n"

PROJECTS = {
    "a base that is forgotten": {
        "base": "import torch\nclass Base:\n    def pixels(self, x) -> torch.Tensor: ...\n",
        "middle": "from base import Base\nclass Middle(Base):\n    pass\n",
        "first": "import torch\nfrom middle import Middle\nx = Middle().lost\n",
        "second": "import torch\nfrom middle import Middle\nMiddle().pixels(1).mul(2)\n",
        "third": "import torch\nfrom base import Base\nBase().pixels(1).mul(2)\n",
    },
    "a base above a base": {
        "base": MADE + "class Base:\n    def pixels(self):\n        return make()\n",
        "middle": "from base import Base\nclass Middle(Base):\n    pass\n",
        "lower": "from middle import Middle\nclass Lower(Middle):\n    def own(self): ...\n",
        "first": "import torch\nfrom lower import Lower\nLower().own()\n",
        "second": "import torch\nfrom lower import Lower\nLower().pixels().mul(2)\n",
        "third": "import torch\nfrom middle import Middle\nMiddle().pixels().mul(2)\n",
    },
    "an attribute of a forgotten class": {
        "base": MADE + "class Held:\n    def pixels(self):\n        return make()\n",
        "middle": "from base import Held\nclass Owner:\n    def __init__(self):\n"
        "        self.held = Held()\n",
        "first": "import torch\nfrom middle import Owner\nx = Owner().held\n",
        "second": "import torch\nfrom middle import Owner\nOwner().held.pixels().mul(2)\n",
    },
    "an instance at the top of a module": {
        "base": MADE + "class Held:\n    def pixels(self):\n        return make()\n",
        "middle": "from base import Held\nheld = Held()\n",
        "first": "import torch\nimport middle\nx = middle.held\n",
        "second": "import torch\nimport middle\nmiddle.held.pixels().mul(2)\n",
    },
    "a function of a function": {
        "base": MADE,
        "middle": "from base import make\ndef give():\n    return make()\n",
        "first": "import torch\nimport middle\nx = middle.give\n",
        "second": "import torch\nimport middle\nmiddle.give().mul(2)\n",
        "third": "import torch\nimport base\nbase.make().mul(2)\n",
    },
    "a name that is asked for from deep inside": {
        "base": MADE + "found = make()\n",
        "middle": "import base\ndef give():\n    return base.found\n",
        "outer": "import middle\ndef give():\n    return middle.give()\n",
        "first": "import torch\nimport outer\nouter.give().mul(2)\n",
        "second": "import torch\nimport base\nbase.found.mul(2)\n",
    },
    "an attribute of a class body that is asked for from deep inside": {
        "base": MADE + "class Settings:\n    found = make()\n",
        "middle": "from base import Settings\ndef give():\n    return Settings.found\n",
        "outer": "import middle\ndef give():\n    return middle.give()\n",
        "first": "import torch\nimport outer\nouter.give().mul(2)\n",
        "second": "import torch\nfrom base import Settings\nSettings.found.mul(2)\n",
    },
    "a name that needs the function which asks": {
        "base": "import torch\ndef make(kept=False):\n    if kept:\n        return usual\n"
        "    return torch.zeros(3)\nusual = make()\n",
        "first": "import torch\nimport base\nbase.make().mul(2)\n",
        "second": "import torch\nimport base\nbase.usual.mul(2)\n",
    },
    "stars in a circle": {
        "inner__one": "from inner.three import *\nfrom inner.two import *\n",
        "inner__two": "from inner.one import *\n",
        "inner__three": MADE,
        "first": "import torch\nimport inner.one\ninner.one.make().mul(2)\n",
        "second": "import torch\nimport inner.two\ninner.two.make().mul(2)\n",
    },
    "a circle of three stars": {
        "inner__one": "from inner.made import *\nfrom inner.two import *\n",
        "inner__two": "from inner.three import *\n",
        "inner__three": "from inner.one import *\n",
        "inner__made": MADE,
        "first": "import torch\nfrom inner.one import make\nmake().mul(2)\n",
        "second": "import torch\nfrom inner.two import make\nmake().mul(2)\n",
        "third": "import torch\nfrom inner.three import make\nmake().mul(2)\n",
    },
    "a list that functions of a module fill": {
        "base": "import torch\nheld = []\ndef fill():\n    held.append(torch.zeros(3))\n"
        "    return held[0]\n",
        "first": "import torch\nimport base\nbase.fill().mul(2)\n",
        "second": "import torch\nimport base\nbase.held[0].mul(2)\n",
    },
    "a global that functions of a module set": {
        "base": "import torch\nheld = None\nothers = {}\ndef fill():\n"
        "    others['a'] = torch.zeros(3)\n    return others['a']\n",
        "first": "import torch\nimport base\nbase.fill().mul(2)\n",
        "second": "import torch\nimport base\nbase.others['a'].mul(2)\n",
    },
}


@pytest.mark.parametrize("most", [0, 12, 100_000])
@pytest.mark.parametrize("case", PROJECTS)
def test_a_file_is_told_the_same_behind_any_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, most: int
) -> None:
    monkeypatch.setattr(project, "MAX_CACHED_LINES", most)
    for name, text in PROJECTS[case].items():
        path = tmp_path / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
    sources = sorted(tmp_path.rglob("*.py"))
    alone = {path: uses(Project(sources, [tmp_path]), path) for path in sources}
    assert any("Tensor.mul" in use for uses_ in alone.values() for use in uses_)
    for order in itertools.islice(itertools.permutations(sources), 24):
        together = Project(sources, [tmp_path])
        assert {path: uses(together, path) for path in order} == alone


def uses(together: Project, path: Path) -> list[str]:
    return [told(use) for use in together.analyse(path).uses]
