"""Steps on one line: apart they are the same code, and each name keeps its place in the file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project

HEAD = "import torch\nnet = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
LAYOUTS = {
    "three": "loss = net(x)\nopt.zero_grad(); loss.backward(); opt.step()\n",
    "with a comment": "l = net(x); l.backward(); opt.step()  # a; b\ny = torch.ones(2)\n",
    "in a loop": "for x in data:\n    opt.zero_grad(); net(x).backward(); opt.step(); n = 1\n",
    "behind a colon": "for x in data: opt.zero_grad(); net(x).backward(); opt.step()\n",
    "in a branch": "l.backward()\nif x: opt.step(); opt.zero_grad()\nelse: opt.step(); f()\n",
    "in a method": "class A:\n\tdef f(self):\n\t\tl = net(1); l.backward()\n\t\tif l: opt.step()\n",
    "two lines of a header": "l.backward()\nif (x and\n        l): opt.step(); y = 2\nz = 1\n",
    "a semicolon at the end": "l = net(x); l.backward(); opt.step();\n",
    "a semicolon in a text": "l = net(';'); l.backward(); print('; '); opt.step()\n",
    "a statement of two lines": "l = net(\n    x); l.backward(); opt.step(\n)\nz = torch.ones(1)\n",
    "characters of two bytes": "ä = net('ö'); ä.backward(); opt.step(); ü = torch.ones(3)\n",
    "a text of two lines": 's = """a\nb"""; l = net(s); l.backward(); opt.step()\n',
    "with": "with torch.no_grad(): l = net(x); l.backward(); opt.step()\n",
    "try": "try: l = net(x); l.backward(); opt.step()\nexcept E: opt.zero_grad(); l.backward()\n",
    "a def": "def f(x): l = net(x); l.backward(); opt.step(); return l\n",
    "a nested line": "while x:\n  if y: l.backward(); opt.step()\n  else: y = 1; z = 2\n",
}
AS_IT_WAS = {
    "no step": "l = net(x); y = torch.ones(2); l.backward\n",
    "alone": "for x in y:\n    l = net(x)\n    l.backward()\n    opt.step()\na = 1; b = 2\n",
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_apart_it_is_the_same_code(name: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    written = (HEAD + LAYOUTS[name]).replace("\n", end)
    path.write_bytes(written.encode())
    analysis = Project([path], [tmp_path]).analyse(path)
    source = analysis.source
    assert source.original == written
    assert source.places and source.text != written  # noqa: PT018
    assert source.text.replace(end, "").count("\n") == 0 or end == "\n"
    assert ast.dump(ast.parse(source.text)) == ast.dump(ast.parse(written))
    for body in (node for node in ast.walk(source.tree) if isinstance(node, ast.Expr)):
        step = ast.unparse(body)
        if step.endswith((".step()", ".backward()", ".zero_grad()")):
            assert source.lines[body.lineno - 1].strip().rstrip(";").partition("  #")[0] in (
                *(step, step.replace("()", "(")),
            )
    lines = written.split(end)
    for use in analysis.uses:
        name_of_use = use.api.rpartition(".")[2]
        assert lines[use.line - 1][use.column - 1 :].startswith(
            (name_of_use, "torch", "net", "opt")
        )


@pytest.mark.parametrize("name", AS_IT_WAS)
def test_others_stay_as_they_were(name: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAD + AS_IT_WAS[name])
    source = Project([path], [tmp_path]).analyse(path).source
    assert source.text == source.original == HEAD + AS_IT_WAS[name]
    assert not source.places
