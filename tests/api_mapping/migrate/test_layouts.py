"""Comments, line ends and parentheses stay where they were, as people would write them."""

from __future__ import annotations

import tokenize
from pathlib import Path
from typing import NamedTuple

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.syntax.comments import comments_in
from msconvert.api_mapping.table.target import Settings, Target

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, net: nn.Linear, opt: torch.optim.SGD):
"""
BEHIND = "\n    -->\n"


class Row(NamedTuple):
    before: str
    after: str


def rows() -> list[Row]:
    text = Path(__file__).with_name("layouts.txt").read_text(encoding="utf-8")
    return [Row(*row.strip("\n").split(BEHIND)) for row in text.split("\n====\n")]


def converted(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return migrate_file(Project([path]), path, path.name, Settings(Target.MINDSPORE)).text


def comments_of(text: str) -> list[str]:
    lines = iter(text.splitlines(keepends=True))
    tokens = tokenize.generate_tokens(lambda: next(lines, ""))
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.before.strip().split("\n")[0])
def test_the_code_is_as_a_person_would_write_it(row: Row, tmp_path: Path) -> None:
    new = converted(tmp_path / "net.py", f"{HEAD}{row.before}\n")
    _, _, body = new.partition("def f(")
    assert body.partition("\n")[2].rstrip("\n") == row.after
    own = comments_of(f"if 1:\n{row.before}\n")
    found = comments_of(f"if 1:\n{row.after}\n")
    assert [comment for comment in found if comment in own] == own
    assert len(found) == len(own) or "# MS2" in row.after
    assert converted(tmp_path / "again.py", new) == new  # converting twice changes nothing


def test_there_are_many() -> None:
    assert len(rows()) >= 40
    assert sum(len(comments_in(row.before.strip())) > 0 for row in rows()) >= 30
