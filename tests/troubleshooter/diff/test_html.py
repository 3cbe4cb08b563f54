"""The HTML report of `msconvert diff`, opened in headless Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium
from msconvert.tests.troubleshooter.diff.sides import run, write_sides

ROWS = "[...document.querySelectorAll('#rows tr[data-row]')]"
COUNT = "document.querySelector('#count').textContent"
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=1>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sides and their report; a hostile name is among the tensors."""
    folder = tmp_path_factory.mktemp("report")
    write_sides(folder)
    for side in "ab":
        np.savez(folder / side / "more.npz", **{HOSTILE: np.full(3, ord(side), "f4")})
    done = run("a", "b", "--html", "report.html", cwd=folder)
    assert done.returncode == 2, done.stderr
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[Page]:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with browser(folder / "profile") as page:
        yield page


@pytest.fixture
def page(opened: Page, folder: Path) -> Page:
    """The report, as it is when it is opened."""
    opened.go("about:blank")
    opened.go((folder / "report.html").as_uri())
    return opened


def column(page: Page, number: int) -> list[str]:
    found = page.value(f"{ROWS}.map((row) => row.cells[{number}].textContent)")
    assert isinstance(found, list)
    return found


def test_the_page_needs_nothing_else(folder: Path) -> None:
    text = (folder / "report.html").read_text()
    assert re.findall(r"""(?:src|href)\s*=\s*["'][^"'#]""", text) == []
    assert "@import" not in text
    assert "url(" not in text
    assert len(re.findall("<script", text)) == 2


def test_the_gravest_rows_come_first(page: Page) -> None:
    statuses = column(page, 0)
    assert statuses[:4] == ["unreadable", "nan", "inf", "shape"]
    assert statuses[-1] == "ok"
    assert page.value(COUNT) == "17 of 17"


def test_rows_are_filtered(page: Page) -> None:
    page.click(".chip[data-status='8']")
    page.wait(f"{COUNT} === '3 of 17'")
    assert set(column(page, 0)) == {"ok"}
    page.click(".chip[data-status='8']")
    page.type("#text", "channel axis")
    page.wait(f"{COUNT} === '1 of 17'")
    assert column(page, 1) == ["channel"]


@pytest.mark.parametrize(("key", "place"), [("0", 3), ("2", 5)])
def test_rows_are_sorted(page: Page, key: str, place: int) -> None:
    page.click(f"th[data-sort='{key}'] button")
    page.wait(f"document.querySelector(`th[data-sort='{key}']`).ariaSort === 'descending'")
    figures = [float(text) for text in column(page, place) if text]
    assert figures == sorted(figures, reverse=True)
    assert len(figures) == 12


def test_a_click_shows_all_figures(page: Page) -> None:
    page.type("#text", "channel")
    page.wait(f"{COUNT} === '1 of 17'")
    page.click("#rows tr[data-row]")
    page.wait("document.querySelector('#figures dt')")
    text = page.value("document.querySelector('#detail').textContent")
    for part in ("only channel 1 (axis 1)", "cosine", "ULP", "worst", "within an error of"):
        assert part in text
    assert "open=" in page.value("location.hash")


def test_light_and_dark(page: Page) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    seen = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.ask("Emulation.setEmulatedMedia", features=features)
        seen.add(page.value(background))
    assert len(seen) == 2


def test_names_are_never_markup(page: Page) -> None:
    page.type("#text", "onerror")
    page.wait(f"{COUNT} === '1 of 17'")
    page.click("#rows tr[data-row]")
    page.wait("document.querySelector('#figures dt')")
    assert page.value("document.images.length") == 0
    assert "taken" not in page.value("document.title")
    assert page.value(f"{ROWS}[0].cells[1].textContent").endswith(HOSTILE)


def test_a_view_is_handed_on_by_its_address(opened: Page, folder: Path) -> None:
    opened.go("about:blank")
    opened.go((folder / "report.html").as_uri() + "#status=mismatch&sort=name&open=3")
    opened.wait("document.querySelector('#figures dt')")
    assert set(column(opened, 0)) == {"mismatch"}
    assert column(opened, 1) == sorted(column(opened, 1))
    assert json.loads(opened.value("JSON.stringify([...state.statuses])")) == [5]
