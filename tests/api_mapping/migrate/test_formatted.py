"""Tensors in formatted text: MindSpore's take no format, so that their numbers are written."""

from __future__ import annotations

import pytest

from msconvert.tests.api_mapping.verification import mindspore_python

from .snippets import Fate, Snippet, judged

pytest.importorskip("torch")

HEAD = "import torch\nt = torch.tensor([1.25, -2.5])\n"
TEXTS = (
    'format(t[0], ".2f")',
    'format(t[0] + 1, f".{1 + 1}f")',
    'format(format(t.sum(), ".1f"), ">10")',
    'format(3.5, ".2f") + format("a", ">3")',
    '"{:.2f} {:>8.1f}".format(t[0], t.max())',
    'f"{t[0]:.3f} {t.sum():.1e}"',
    '"%.2f" % t[0]',
    '",".join(map(lambda x: format(x, ".1f"), t.tolist()))',
)
EQUAL = {Fate.EQUAL}
OWN = 'def format(x, text):\n    return text + str(x.shape[0])\nresult = format(t, "x")\n'


def test_the_text_is_pytorchs() -> None:
    snippets = [Snippet(text, "format", f"{HEAD}result = {text}\n") for text in TEXTS]
    snippets.append(Snippet("own", "format", HEAD + OWN))
    found = judged(snippets, mindspore_python())
    sides = 2 if mindspore_python() is not None else 1
    assert len(found) == len(snippets)
    wrong = [(f.snippet.id, *f.fates, f.mindspore) for f in found if set(f.fates[:sides]) != EQUAL]
    assert wrong == []
