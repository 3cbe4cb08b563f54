"""The report of a conversion: its counts are the scanner's, its page works in a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.api_mapping.findings.totals import Totals
from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.api_mapping.source.as_html import to_html
from msconvert.api_mapping.source.as_json import to_json
from msconvert.api_mapping.source.as_markdown import to_markdown
from msconvert.api_mapping.source.as_text import findings, next_steps
from msconvert.api_mapping.source.outcome import OUTSIDE, Outcome, migrate_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium

ROOT = Path(__file__).parents[3]
HOSTILE = """\
import torch
x = torch.zeros(3)  # </script><script>document.title = "taken"</script> <img src=x onerror=1>
y = torch.not_there("|`<b>")
\u202e = 1
"""
NAMED_WHILE_IT_RUNS = """\
import torch


def optimizer_named(name, model):
    return getattr(torch.optim, name)(torch.nn.Linear(2, 2).parameters(), lr=1e-3)
"""
HOSTILE_NAME = "a|`<img src=x onerror=document.title='taken'>.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "project"
    shutil.copytree(ROOT / "examples" / "torch_project", folder)
    (folder / HOSTILE_NAME).write_text(HOSTILE.replace("\u202e", "name"))
    cells = [{"cell_type": "code", "source": "import torch\nx = torch.cat([1], dim=0)"}]
    (folder / "book.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (folder / "optimizers.py").write_text(NAMED_WHILE_IT_RUNS)
    (folder / "broken.py").write_text("def (:\n")
    return folder


@pytest.fixture(scope="module")
def outcome(project: Path) -> Outcome:
    return migrate_tree([project], project.parent / "output")


def test_the_counts_are_the_scanners(project: Path, outcome: Outcome) -> None:
    scan = scan_paths([project])
    assert outcome.scan == scan
    found = json.loads(to_json(outcome))
    shares = {share.standing.value: share.uses for share in Totals.of(scan).shares if share.uses}
    assert found["counts"]["verdicts"] == shares
    counts = found["counts"]
    parts = [counts[name] for name in ("converted", "left", "held", "unknown")]
    assert sum(parts) == counts["uses"] == Totals.of(scan).uses
    assert all(parts[:3])


def test_files_add_up_to_the_whole_and_classes_to_files(outcome: Outcome) -> None:
    found = json.loads(to_json(outcome))
    for name in ("uses", "converted", "left", "held", "unknown"):
        assert sum(f["counts"][name] for f in found["files"]) == found["counts"][name]
        for file in found["files"]:
            assert sum(c["counts"][name] for c in file["classes"]) == file["counts"][name]
    names = {c["name"] for file in found["files"] for c in file["classes"]}
    assert {"Block", "Classifier", "Pictures", OUTSIDE} <= names


def test_as_markdown(outcome: Outcome) -> None:
    text = to_markdown(outcome)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3, 9}
    assert "a\\|'<img src=x onerror=document.title='taken'>.py`" in text
    assert "- line 3: MS205 torch.not\\_there is not in the table" in text
    assert "broken.py` |  | failed | 0 |" in text


@pytest.fixture(scope="module")
def page(outcome: Outcome, project: Path) -> Iterator[Page]:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    file = project.parent / "report.html"
    file.write_text(to_html(outcome), encoding="utf-8")
    with browser(project.parent / "profile") as opened:
        opened.go(file.as_uri())
        yield opened


def test_the_page_needs_nothing_else(outcome: Outcome) -> None:
    text = to_html(outcome)
    assert re.findall(r"""<[^>]*(?:src|href)\s*=\s*["'][^"'#]""", text) == []
    assert "@import" not in text
    assert "url(" not in text
    assert text.count("<script") == 1


def test_both_sources_stand_side_by_side(page: Page) -> None:
    page.value("document.querySelector('[data-name=\"network.py\"]').open = true")
    rows = page.value(
        "[...document.querySelectorAll('[data-name=\"network.py\"] tr.changed')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert isinstance(rows, list)
    assert [
        row for row in rows if row[1::2] == ["class Block(nn.Module):", "class Block(nn.Cell):"]
    ]
    colours = page.value(
        "[...document.querySelector('tr.changed').cells]"
        ".map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(colours)) > 1


def test_folded_lines_open(page: Page) -> None:
    page.value("document.querySelectorAll('.file').forEach((file) => { file.open = true; })")
    hidden = "document.querySelectorAll('.beside tbody[hidden]').length"
    before = page.value(hidden)
    assert before > 0
    page.value("document.querySelector('.fold button').scrollIntoView({block: 'center'})")
    page.click(".fold button")
    assert page.value(hidden) == before - 1


def test_files_are_found_by_name(page: Page) -> None:
    page.type("#file", "train")
    page.wait("document.querySelector('#count').textContent.startsWith('1 of 6')")
    assert page.value("[...document.querySelectorAll('.file:not([hidden])')].length") == 1


def test_themes(page: Page) -> None:
    page.value("window.scrollTo(0, 0)")
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = set()
    for _ in range(3):
        page.click("#theme")
        seen.add(page.value(colour))
    assert len(seen) == 2


def test_hostile_text_stays_text(page: Page) -> None:
    assert page.value("document.title") == "project: msconvert source"
    assert page.value("document.querySelectorAll('img, b b, script').length") == 1
    texts = page.value("document.body.textContent")
    assert '</script><script>document.title = "taken"' in str(texts)


EXCHANGED = """import torch
from torch.utils.dlpack import to_dlpack


def shared(x: torch.Tensor):
    return to_dlpack(x)
"""
CAST = "import torch\nwith {}:\n    y = torch.ones(2) @ torch.ones(2)\n"


@pytest.mark.parametrize(
    "context",
    [
        "torch.autocast('cpu')",
        "torch.amp.autocast('cuda', dtype=torch.bfloat16)",
        "torch.cuda.amp.autocast()",
        "torch.autocast(device_type='cpu', enabled=y is None)",
        "torch.cpu.amp.autocast()",
    ],
)
def test_precision_that_is_lost_is_told(tmp_path: Path, context: str) -> None:
    outcome = converted_file(tmp_path, CAST.format(context), Target.BUNDLED)
    assert any("MS236" in line for line in findings(outcome))
    assert any("autocast is gone" in line for line in next_steps(outcome))


def test_what_the_target_does_not_run_is_told_for_that_target_alone(tmp_path: Path) -> None:
    bundled = converted_file(tmp_path, EXCHANGED, Target.BUNDLED)
    assert any("MS237" in line for line in findings(bundled))
    assert any("--target mindspore" in line for line in next_steps(bundled))
    mindspore = converted_file(tmp_path, EXCHANGED, Target.MINDSPORE)
    assert not any("MS237" in line for line in [*findings(mindspore), *next_steps(mindspore)])
    plain = converted_file(tmp_path, "import torch\ny = torch.ones(2)\n", Target.BUNDLED)
    assert list(findings(plain)) == []


def converted_file(folder: Path, text: str, target: Target) -> Outcome:
    """What becomes of a file; nothing is written."""
    path = folder / "net.py"
    path.write_text(text)
    return Outcome(convert_paths([path], Settings(target)))
