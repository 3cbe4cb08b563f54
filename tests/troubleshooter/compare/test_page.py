"""The page of a comparison: its words are the terminal's, names stay text, filters work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from msconvert.numerics.verdict import Difference
from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium
from msconvert.troubleshooter.compare.as_html import to_html
from msconvert.troubleshooter.compare.as_text import first, summary
from msconvert.troubleshooter.compare.comparison import LayerRow, NetworkComparison, Whole
from msconvert.troubleshooter.compare.pictures import height, histograms, worst_elements
from msconvert.troubleshooter.compare.records import LayerPair, LayerRecord
from msconvert.troubleshooter.diagnosis import Hypothesis

HOSTILE = "</script><img src=x onerror=document.title='taken'>"
OURS = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)
THEIRS = np.where(OURS > 0.9, OURS * np.float32(1.5), OURS)


def record(side: str, output: np.ndarray) -> LayerRecord:
    options = {"eps": 1e-5 if side == "torch" else 1e-3}
    return LayerRecord(
        "blocks.0.bn",
        "nn.BatchNorm2d",
        side,
        options,
        {},
        (OURS,),
        (output,),
        False,  # type: ignore[arg-type]
    )


def row(path: str, **changes: object) -> LayerRow:
    plain = LayerRow(
        path,
        call=0,
        other_path=path,
        kind="torch.nn.ReLU",
        other_kind="mindspore.nn.ReLU",
        depth=path.count(".") + 1,
        is_leaf=True,
        verdict="same",
        differences=(Difference("output", 1e-8, 1.0, 1e-6),),
        accumulated=2e-7,
        floor=1e-7,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


PAIR = LayerPair(record("torch", OURS), record("runtime", THEIRS), {}, (1e-6,), (0.5,))
WRONG = row(
    "blocks.0.bn",
    kind="torch.nn.BatchNorm2d",
    other_kind="mindspore.nn.BatchNorm2d",
    verdict="differs",
    differences=(Difference("output", 0.5, 1.0, 1e-6),),
    accumulated=0.3,
    order=1.0,
    pair=PAIR,
    hypotheses=(Hypothesis("agrees if epsilon is 1e-05 (here: 0.001)", "epsilon", True, 1, 0),),
)
FOUND = NetworkComparison(
    ("net.py", HOSTILE),
    ("torch", "runtime"),
    (row("stem"), WRONG, row("blocks.0.act", order=2.0), row(HOSTILE, order=3.0)),
    (Whole("outputs in eval", (Difference("", 0.1, 1.0, 1e-6),)),),
    remarks=(HOSTILE,),
)


def test_the_page_says_what_the_terminal_says() -> None:
    text = unescape(to_html(FOUND))
    assert summary(FOUND) in text
    for line in first(FOUND):
        assert line.strip() in text
    assert "agrees if epsilon is 1e-05 (here: 0.001)" in text


def test_a_page_without_a_difference() -> None:
    same = replace(FOUND, rows=(row("stem"), row("head")), whole=())
    text = to_html(same)
    assert "The same: 2 layers" in text
    assert "First difference" not in text


def test_names_stay_text() -> None:
    assert HOSTILE not in to_html(FOUND)


def test_histograms_have_one_range() -> None:
    (found,) = histograms(PAIR)
    assert (float(found.low), float(found.high)) == (-1.0, 1.5)
    lines = [re.findall(r"([\d.]+),([\d.]+)", each) for each in (found.ours, found.theirs)]
    assert [len(points) for points in lines] == [96, 96]
    assert lines[0][-1][1] == "40.00"  # A has nothing in the last bin
    assert lines[1][-1][1] != "40.00"


def test_worst_elements() -> None:
    found = list(worst_elements(PAIR))
    assert [item.index for item in found] == ["(1, 2, 3)", "(1, 2, 2)"]
    assert float(found[0].theirs) - float(found[0].ours) == pytest.approx(0.5)


def test_heights_are_powers_of_ten() -> None:
    steps = [height(10.0**power) - height(10.0 ** (power + 1)) for power in range(-8, 0)]
    assert steps == pytest.approx([steps[0]] * len(steps), abs=0.2)
    assert height(0.0) > height(1e-8)
    assert height(float("inf")) < height(1.0)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    folder = tmp_path_factory.mktemp("page")
    path = folder / "report.html"
    path.write_text(to_html(FOUND), encoding="utf-8")
    with browser(folder / "profile") as found:
        found.go(path.as_uri())
        yield found


def test_in_a_browser(page: Page) -> None:
    assert page.value("document.title").endswith("msconvert compare")
    assert page.value("document.querySelectorAll('.tree li').length") == 8
    page.value("document.querySelector('#only').click()")
    page.wait("document.querySelectorAll('.tree li:not([hidden])').length === 4")
    assert page.value("document.querySelectorAll('.hist svg').length") == 1
    assert page.value("document.querySelectorAll('circle.bad').length") == 1
    page.value("document.querySelector('#only').click()")
    page.type("#text", "stem")
    page.wait("document.querySelectorAll('.tree li:not([hidden])').length === 2")


def test_dark_and_light(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.value("document.querySelector('#theme').click()")
    light = page.value(colour)
    page.value("document.querySelector('#theme').click()")
    assert page.value(colour) != light
