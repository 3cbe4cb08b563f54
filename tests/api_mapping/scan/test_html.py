"""The HTML report, opened in headless Chromium: filter, sort, jump to the source, hostile text."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium
from msconvert.tests.api_mapping.scan.projects import run_scan

ROOT = Path(__file__).parents[3]
PROJECT = ROOT / "examples" / "torch_project"

HOSTILE = """\
import torch
x = torch.zeros(3)  # </script><script>document.title = "taken"</script> <!-- <img src=x onerror=1>
y = torch.not_there("\\u2028 ${x} `{{ x }}` \\x1b[31m")
"""
HOSTILE_NAME = "a <img src=x onerror=document.title='taken'>.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample project, a notebook, a hostile file, and their report."""
    folder = tmp_path_factory.mktemp("report")
    project = shutil.copytree(PROJECT, folder / "project")
    (project / HOSTILE_NAME).write_text(HOSTILE)
    cells = [
        {"cell_type": "markdown", "source": "text"},
        {"cell_type": "code", "source": "import torch\n\nprint(1)"},
        {"cell_type": "code", "source": ["x = 1\n", "torch.not_there(x)"]},
    ]
    (project / "book.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    done = run_scan("project", "--html", "report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
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


ROWS = "[...document.querySelectorAll('#rows tr[data-row]')]"


def column(page: Page, number: int) -> list[str]:
    """The texts of a column, as far as rows are drawn."""
    found = page.value(f"{ROWS}.map((row) => row.cells[{number}].textContent)")
    assert isinstance(found, list)
    return found


def test_the_page_needs_nothing_else(folder: Path) -> None:
    text = (folder / "report.html").read_text()
    links = re.findall(r"""(?:src|href)\s*=\s*["'][^"'#]""", text)
    assert links == []
    assert "@import" not in text
    assert "url(" not in text

    class Scripts(HTMLParser):
        seen = 0

        def handle_starttag(self, tag: str, attrs: list) -> None:
            self.seen += tag == "script"

    parser = Scripts()
    parser.feed(text)
    assert parser.seen == 2


def test_rows_are_filtered_by_verdict(page: Page) -> None:
    every = page.value("document.querySelector('#count').textContent")
    page.click(".chip:last-child")
    page.wait("document.querySelector('.chip:last-child').getAttribute('aria-pressed') === 'true'")
    assert set(column(page, 0)) == {"limit"}
    assert page.value("document.querySelector('#count').textContent") != every
    page.click(".chip:last-child")
    page.wait(f"document.querySelector('#count').textContent === {json.dumps(every)}")


def test_rows_are_filtered_by_text_and_file(page: Page) -> None:
    page.type("#text", "conv2d")
    page.wait("document.querySelector('#count').textContent.startsWith('3 of')")
    assert set(column(page, 1)) == {"torch.nn.Conv2d"}
    page.type("#file", "train.py")
    page.wait("document.querySelector('#count').textContent.startsWith('0 of')")
    assert "text=conv2d&file=" not in page.value("location.hash")
    assert "file=train.py" in page.value("location.hash")


def test_rows_are_sorted(page: Page) -> None:
    page.click("th[data-sort=api] button")
    page.wait("document.querySelector('th[data-sort=api]').ariaSort === 'ascending'")
    ascending = column(page, 1)
    assert ascending == sorted(ascending)
    page.click("th[data-sort=api] button")
    page.wait("document.querySelector('th[data-sort=api]').ariaSort === 'descending'")
    descending = column(page, 1)
    assert descending == sorted(descending, reverse=True)
    assert ascending != descending


def test_a_click_jumps_to_the_source(page: Page) -> None:
    page.type("#text", "kaiming_normal_")
    page.wait("document.querySelector('#count').textContent.startsWith('1 of')")
    page.click("#rows tr[data-row]")
    page.wait("document.querySelector('#code .chosen mark')")
    chosen = page.value("document.querySelector('#code .chosen').textContent")
    lines = (PROJECT / "train.py").read_text().split("\n")
    assert chosen in lines
    assert page.value("document.querySelector('#code mark').textContent") == (
        "nn.init.kaiming_normal_"
    )
    number = int(page.value("document.querySelector('#code .chosen').dataset.line"))
    assert lines[number - 1] == chosen
    seen = """(() => { const a = document.querySelector('#code .chosen').getBoundingClientRect();
        const b = document.querySelector('#source').getBoundingClientRect();
        return a.top >= b.top && a.bottom <= b.bottom; })()"""
    assert page.value(seen)
    assert page.value("document.querySelectorAll('#code .marked').length") > 5


def test_a_notebook_s_cell_is_found(page: Page) -> None:
    page.type("#file", "book.ipynb")
    page.wait("document.querySelector('#count').textContent.startsWith('1 of')")
    assert column(page, 2) == ["book.ipynb:cell 3:2"]
    page.click("#rows tr[data-row]")
    page.wait("document.querySelector('#code .chosen')")
    assert page.value("document.querySelector('#code .chosen').textContent") == "torch.not_there(x)"


def test_the_address_brings_a_view_back(opened: Page, folder: Path) -> None:
    opened.go("about:blank")
    opened.go((folder / "report.html").as_uri() + "#verdict=limit&sort=note&down=1&open=3")
    opened.wait("document.querySelector('#code .chosen')")
    assert set(column(opened, 0)) == {"limit"}
    notes = column(opened, 3)
    assert notes == sorted(notes, reverse=True)


def test_rows_are_reached_by_keys(page: Page) -> None:
    page.value("document.querySelector('#rows tr[data-row]').focus()")
    for key in ("ArrowDown", "Enter"):
        page.ask("Input.dispatchKeyEvent", type="keyDown", key=key)
    page.wait("document.querySelector('#code .chosen')")
    second = page.value(f"{ROWS}[1].getAttribute('aria-selected')")
    assert second == "true"


def test_light_and_dark(page: Page) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    seen = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.ask("Emulation.setEmulatedMedia", features=features)
        seen[scheme] = page.value(background)
    assert seen["light"] != seen["dark"]
    page.click("#theme")
    page.wait("document.documentElement.dataset.theme === 'light'")
    assert page.value(background) == seen["light"]
    page.click("#theme")
    assert page.value(background) == seen["dark"]


def test_text_of_the_project_is_never_markup(page: Page) -> None:
    page.type("#file", "onerror")
    page.wait("document.querySelector('#count').textContent.startsWith('2 of')")
    page.click("#rows tr[data-row]:nth-of-type(3)")
    page.wait("document.querySelector('#code .chosen')")
    assert page.value("document.images.length") == 0
    assert page.value("document.scripts.length") == 2
    assert "taken" not in str(page.value("document.title"))
    shown = page.value("document.querySelector('#code').children[1].textContent")
    assert shown == HOSTILE.split("\n")[1]


def test_fifty_thousand_uses_stay_usable(opened: Page, tmp_path: Path) -> None:
    line = "y = torch.add(torch.mul(x, 2), torch.not_there(x))\n"
    for number in range(20):
        text = "import torch\nx = torch.zeros(3)\n" + line * 850
        (tmp_path / f"part_{number}.py").write_text(text)
    assert run_scan(".", "--html", "report.html", "--show", "0", cwd=tmp_path).returncode == 0
    opened.go((tmp_path / "report.html").as_uri())
    opened.wait(f"{ROWS}.length > 0")
    assert "51,020" in str(opened.value("document.querySelector('#count').textContent"))
    assert opened.value(f"{ROWS}.length") < 200
    took = "(() => {{ const t = performance.now(); {}; return performance.now() - t; }})()"
    assert opened.value(took.format("sortBy('api')")) < 2000
    assert opened.value(took.format("toggle(0)")) < 2000
    opened.value("document.querySelector('#list').scrollTop = 400000")
    opened.wait(f"Number({ROWS}[0].dataset.row) > 1000")
