"""Python source, notebooks and settings, changed by tokens, lines and nesting."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from random import Random

from .byte_changes import CANARY, TEXTS, changed
from .weight_files import changed_json

TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
PIECES = (
    *("import torch", "from torch import *", "import torch.nn as nn", "with torch.no_grad(): pass"),
    *("x = torch.zeros(2, 3).cuda()", "def forward(self, x): return x", "class A(nn.Module): pass"),
    *("loss.backward(); optimizer.step()", "for m in self.modules(): m.weight.data.fill_(0)", "@"),
    *(
        "getattr(torch, 'x')()",
        "x[:, 0:1].repeat(1, 2)",
        "lambda *a, **k: torch.cat(a)",
        "\\",
        "'''",
    ),
    *(
        "try:",
        "if True:",
        "    ",
        "\t",
        "return",
        "yield x",
        "await x",
        "async def f(): pass",
        ":=",
    ),
    *(
        "match x:\n    case torch.Tensor(): pass",
        "f'{x!r:>{y}}'",
        "del torch",
        "global torch",
        "0o9",
    ),
    *(
        "# coding: undefined",
        "# coding: utf-16",
        "\ufeff",
        "\x00",
        "\x0c",
        f"open({CANARY!r}, 'w')",
        "nn.LSTM(",
    ),
)


@cache
def seeds() -> list[str]:
    """The sources that come with msconvert, as users write them."""
    root = Path(__file__).parents[2]
    folders = ("examples/torch_project", "examples/troubleshooting", "tests/api_mapping/migrate")
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return [text for text in texts if len(text) < 12_000]


def source(random: Random) -> bytes:
    text = random.choice(seeds())
    for _ in range(random.choice((1, 2, 4, 8))):
        text = random.choice((_tokens, _tokens, _lines, _nested, _pasted))(text, random)
    data = text.encode(errors="surrogatepass")
    return changed(data, random) if random.random() < 0.15 else data


def _tokens(text: str, random: Random) -> str:
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    at, other = random.randrange(len(tokens)), random.choice(tokens)
    way = random.randrange(4)
    if way == 0:
        tokens[at] = other
    elif way == 1:
        del tokens[at]
    elif way == 2:
        tokens.insert(at, other)
    else:
        tokens[at] = random.choice((*TEXTS, *PIECES))
    return "".join(tokens)


def _lines(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True) or ["\n"]
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    way = random.randrange(4)
    if way == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 1:
        del lines[at : at + random.randrange(1, 5)]
    elif way == 2:
        lines[at:at] = lines[other : other + random.randrange(1, 20)]
    else:
        lines[at] = random.choice(("  ", "\t", "")) + lines[at].lstrip()
    return "".join(lines)


def _nested(text: str, random: Random) -> str:
    depth = random.choice((3, 30, 90, 250, 3000))
    opened, closed = random.choice((("(", ")"), ("[", "]"), ("-", ""), ("{0: ", "}"), ("not ", "")))
    chain = random.choice((opened * depth + "x" + closed * depth, "x" + ".relu()" * depth))
    return text + f"\ny = {random.choice((chain, 'x + ' * depth + 'x'))}\n"


def _pasted(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines) + 1)
    indent = re.match(r"\s*", lines[at - 1] if at else "")
    piece = (indent[0].strip("\n") if indent else "") + random.choice(PIECES) + "\n"
    return "".join([*lines[:at], piece, *lines[at:]])


def notebook(random: Random) -> bytes:
    cells = [
        {"cell_type": "code", "source": part.splitlines(keepends=True), "outputs": []}
        for part in random.choice(seeds()).split("\n\n")
    ]
    cells.append({"cell_type": "code", "source": f"%time {random.choice(PIECES)}\n!ls"})
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for _ in range(random.choice((1, 1, 2, 4))):
        whole = changed_json(whole, random)
    data = json.dumps(whole).encode()
    return changed(data, random) if random.random() < 0.2 else data


KEYS = ("exclude", "ignore", "fail_on", "fail-on", "max_missing", "max-missing", "baseline", "x")
VALUES = (
    *(
        "1",
        "-1",
        "true",
        '"x"',
        "[]",
        '["*"]',
        '["MS201"]',
        '["**/**/**/**"]',
        '"/dev/zero"',
        "nan",
    ),
    *(
        '"../../executed"',
        '["[[[", "((("]',
        "{a = 1}",
        "1979-05-27",
        '["' + "*a" * 200 + '"]',
        "9e999",
    ),
    *('"pyproject.toml"', '"\\u001b[2J"', "[" * 400 + "]" * 400, '""', '[""]', '["\\u0000"]'),
)


def settings(random: Random) -> bytes:
    table = random.choice(("[tool.msconvert]", "[tool.msconvert]", "[tool]", "[tool.msconvert.x]"))
    rows = [f"{random.choice(KEYS)} = {random.choice(VALUES)}" for _ in range(random.randrange(6))]
    data = "\n".join([table, *dict.fromkeys(rows), ""]).encode()
    return changed(data, random) if random.random() < 0.3 else data
