"""The limits of MindSpore: every rule's own examples, told where they say so and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.findings.guide import HELP
from msconvert.api_mapping.findings.limits.rule import Limit, all_limits
from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.errors import CODES

IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"

FOUND = [(rule, text) for rule in all_limits() for text in rule.found]
CLEAN = [(rule, text) for rule in all_limits() for text in rule.clean]


def told(folder: Path, text: str, code: str) -> list[int]:
    """The lines on which a code is told."""
    file = folder / "example.py"
    file.write_text(IMPORTS + text)
    (scanned,) = scan_paths([file]).files
    return sorted({r.place.line for r in scanned.remarks if r.code == code})


@pytest.mark.parametrize(("rule", "text"), FOUND, ids=lambda v: getattr(v, "name", ""))
def test_what_breaks_a_limit_is_told(rule: Limit, text: str, tmp_path: Path) -> None:
    lines = (IMPORTS + text).split("\n")
    marked = [n for n, line in enumerate(lines, 1) if line.endswith("# !")]
    assert marked
    assert told(tmp_path, text, rule.code) == marked


@pytest.mark.parametrize(("rule", "text"), CLEAN, ids=lambda v: getattr(v, "name", ""))
def test_what_is_like_it_is_left_alone(rule: Limit, text: str, tmp_path: Path) -> None:
    assert told(tmp_path, text, rule.code) == []


SAID = {
    "MS221": "follows from values",
    "MS222": "which branch is taken follows from values of a tensor",
    "MS223": "how often the loop runs follows from values of a tensor",
    "MS224": "makes a sparse tensor",
    "MS225": "computes with tensors inside of data-set code",
    "MS226": "in a Python container are not registered",
    "MS227": "where the slice ends follows from values of a tensor",
    "MS229": "by another name",
    "MS230": "a buffer cannot be assigned anew in MindSpore",
    "MS231": "forward is called by its name",
    "MS232": "MindSpore's tensors take no format",
    "MS233": "is a name of nn.Cell's own",
    "MS238": "if it is a tensor",
    "MS236": "computes in full precision",
    "MS240": "no gradient of a product of complex tensors",
    "MS241": "MindSpore's does not",
    "MS242": "step no complex weights",
    "MS243": "has no num_batches_tracked",
    "MS237": "the bundled runtime does not run it",
    "MS244": "the Trainer writes no logs and no checkpoints",
    "MS245": "which weights are used follows from",
}


@pytest.mark.parametrize("rule", all_limits(), ids=lambda rule: rule.name)
def test_what_is_said(rule: Limit, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(IMPORTS + rule.found[0])
    remarks = scan_paths([tmp_path]).files[0].remarks
    said = [r for r in remarks if r.code == rule.code and SAID[rule.code] in r.message]
    assert rule.advice in {r.advice for r in said}


def test_every_rule_has_examples_and_a_page() -> None:
    rules = all_limits()
    assert len(rules) >= 14
    assert [rule.name for rule in rules if not rule.found or not rule.clean] == []
    assert {rule.code for rule in rules} <= HELP.keys() <= CODES.keys()


@pytest.mark.parametrize(
    ("seed", "lines"),
    [("", [5]), ("torch.manual_seed(0)\n", []), ("torch.cuda.manual_seed_all(0)\n", [])],
)
def test_distributed_code_without_a_seed(seed: str, lines: list[int], tmp_path: Path) -> None:
    text = "import torch.distributed as dist\ndist.init_process_group('nccl')\n"
    file = tmp_path / "launch.py"
    file.write_text(IMPORTS.rstrip() + f"\n{text}")
    (tmp_path / "seed.py").write_text(f"import torch\n{seed}")
    remarks = [r for scanned in scan_paths([tmp_path]).files for r in scanned.remarks]
    assert [r.place.line for r in remarks if r.code == "MS228"] == lines
