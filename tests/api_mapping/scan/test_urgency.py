"""Lines sorted by what they ask for: what stops, what is wrong in silence, what wants a look."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.findings.entries import totals_of as as_json
from msconvert.api_mapping.findings.guide import HELP
from msconvert.api_mapping.findings.model import FileScan, Place, Remark
from msconvert.api_mapping.findings.totals import Totals
from msconvert.api_mapping.findings.urgency import (
    IN_SILENCE,
    TO_LOOK_AT,
    Urgency,
    by_file,
    of_limit,
    totals_of,
    urgency_of,
)
from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.api_mapping.scan.as_text import effort
from msconvert.reporting.explained import EXPLAINED
from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium
from msconvert.tests.api_mapping.scan.projects import run_scan

ROOT = Path(__file__).parents[3]

LINES = {
    "torch.fx.symbolic_trace(print)": Urgency.STOPS,
    "torch.not_there()": Urgency.STOPS,
    "torch.stft(torch.ones(9), 3, align_to_window=True)": Urgency.STOPS,
    "getattr(torch.optim, str(1))": Urgency.STOPS,
    "layer = torch.nn.Linear(2, 2); layer.forward(torch.ones(2))": Urgency.STOPS,
    "print(f'{torch.ones(1):.2f}')": Urgency.STOPS,
    "torch.cuda.current_stream()": Urgency.LOOK,
    "x = torch.ones(3); x = x[x > 0]": Urgency.LOOK,
    "def f(x): return x.flatten(1).erfinv()": Urgency.LOOK,
    "torch.nn.BatchNorm2d(3)": Urgency.CONVERTED,
    "torch.cat([torch.ones(2)], dim=0)": Urgency.CONVERTED,
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_as_urgent_as_its_gravest_finding(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import torch\n\n{line}\n")
    (found,) = by_file(scan_paths([tmp_path]).files)
    counts = dict(zip(("STOPS", "SILENT", "LOOK", "CONVERTED"), found.weight, strict=True))
    assert counts[LINES[line].name] == 1
    assert sum(counts.values()) == 1


SILENT_EXAMPLES = sorted(code for code in IN_SILENCE if "\n" in EXPLAINED[code].example)


@pytest.mark.parametrize("code", SILENT_EXAMPLES)
def test_what_no_error_tells_is_silent(code: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(EXPLAINED[code].example)
    (found,) = by_file(scan_paths([tmp_path]).files)
    assert found.silent >= 1


def test_all_silent_limits_have_an_example() -> None:
    assert len(SILENT_EXAMPLES) == len(IN_SILENCE)


LOUD = {"MS224", "MS230", "MS231", "MS232", "MS235", "MS237", "MS239", "MS240", "MS242"}


def test_every_limit_is_known_to_be_one_of_them() -> None:
    """A new limit is told as what stops until somebody says that it does not."""
    limits = {code for code in HELP if code > "MS220"}
    assert limits == IN_SILENCE | TO_LOOK_AT | LOUD
    assert not IN_SILENCE & TO_LOOK_AT
    place = Place(1, 1, 1, 1)
    assert {code for code in limits if of_limit(Remark(place, code, "")) is Urgency.STOPS} == LOUD
    assert of_limit(Remark(place, "MS999", "")) is Urgency.STOPS
    assert of_limit(Remark(place, "MS209", "")) is None
    assert urgency_of(Remark(place, "MS226", "", ignored=True)) is None


def test_lines_are_those_of_the_effort() -> None:
    """Whatever is to be changed or checked is in one of the three, once."""
    for folder in (ROOT / "examples", ROOT / "tests" / "api_mapping" / "labelled"):
        totals = Totals.of(scan_paths([folder]))
        lines = totals_of(by_file(totals.files))
        assert sum(lines.values()) == totals.effort.by_hand + totals.effort.to_check > 0
        every = by_file(totals.files)
        assert sum(file.converted for file in every) == totals.effort.converted


def test_json_and_text_have_them(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\ntorch.not_there()\n")
    (tmp_path / "b.py").write_text(EXPLAINED["MS226"].example)
    totals = Totals.of(scan_paths([tmp_path]))
    found = as_json(totals)
    assert found["urgency"] == {"stops": 1, "silent": 1, "look": 0}
    assert [Path(file["path"]).name for file in found["files_by_urgency"]] == ["a.py", "b.py"]
    said = "1 stop it, 1 are wrong in silence if ignored, 0 only want a look"
    assert list(effort(totals))[-1] == f"Of the lines to change or check: {said}"
    done = run_scan(".", cwd=tmp_path)
    assert "Lines to change or check (2 files)" in done.stdout
    assert list(effort(Totals((FileScan("a.py", 1),))))[-1].startswith("Effort: 0 lines")


HOSTILE = "a <img src=x onerror=document.title='taken'>.py"


@pytest.fixture
def page(tmp_path: Path) -> Page:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    (tmp_path / "project").mkdir()
    for number in range(70):
        text = "torch.not_there()\n" * (number + 1)
        (tmp_path / "project" / f"m{number}.py").write_text(f"import torch\n\n{text}")
    (tmp_path / "project" / HOSTILE).write_text(f"import torch\n\n{'torch.not_there()' * 1}\n" * 90)
    (tmp_path / "project" / "plain.py").write_text("x = 1\n")
    done = run_scan("project", "--html", "report.html", "--show", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with browser(tmp_path / "profile") as opened:
        opened.go((tmp_path / "report.html").as_uri())
        yield opened


def test_the_page_has_a_bar_for_each_file(page: Page) -> None:
    bars = "[...document.querySelectorAll('#effort tr')]"
    assert page.value(f"{bars}.length") == 60
    page.value("document.querySelector('#effort').open = true")
    names = page.value(f"{bars}.map((row) => row.cells[0].textContent)")
    assert names[:3] == [HOSTILE, "m69.py", "m68.py"]
    widths = page.value(
        f"{bars}.slice(0, 3).map((row) => row.querySelector('.bar span').offsetWidth)"
    )
    assert widths[0] > widths[1] > widths[2] > 0
    assert page.value(f"{bars}[1].querySelector('.bar').title").startswith("70 stop, 0 silent")
    assert page.value("document.title") == "project: msconvert scan"
    assert page.value("document.images.length") == 0
    page.value(f"{bars}[1].querySelector('button').click()")
    page.wait("document.querySelector('#count').textContent.startsWith('70 of')")
    assert page.value("document.querySelector('#file').value") == "m69.py"
