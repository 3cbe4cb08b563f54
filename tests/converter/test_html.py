"""The page of a conversion: the tree of modules, each node's fate, the script, nobody's code."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

import msconvert
from msconvert.commands.main import main
from msconvert.converter.convert import Options, convert
from msconvert.tests.api_mapping.scan.browser import browser, chromium
from msconvert.tests.converter.small_models import model, saved

DEMO = Path(msconvert.__file__).parent / "examples" / "demo.onnx"

HOSTILE = (
    "</pre><script>document.title = 'taken'</script>",
    '"><img src=x onerror=alert(1)>',
    "</details></style><b onclick='x()'>",
    "{{ 7 * 7 }} {% raw %}",
    "&lt;script&gt; \x1b[31m \u202e \ud7ff",
)


TAGS = {
    *("body", "html", "header", "h1", "h2", "section", "main", "div", "details", "summary", "b"),
    *(
        "span",
        "a",
        "ul",
        "li",
        "code",
        "i",
        "p",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ),
}
"""What the page itself has."""


def page_of(proto: onnx.ModelProto, folder: Path, verify: bool = False) -> str:
    html = folder / "page.html"
    convert(Options(saved(proto, folder), output=folder / "out", html=html, verify=verify))
    return html.read_text(encoding="utf-8")


def chain(names: list[str], last: str = "Relu") -> onnx.ModelProto:
    """Nodes of these names one behind the other, the last of another operator."""
    ops = ["Relu", "Tanh", "Sigmoid"]
    nodes = [
        helper.make_node(ops[i % 3], [f"v{i}"], [f"v{i + 1}"], name=name)
        for i, name in enumerate(names)
    ]
    domain = "" if last == "Relu" else "no.such"
    nodes.append(helper.make_node(last, [f"v{len(names)}"], ["y"], name="end", domain=domain))
    proto = model(nodes, {"v0": (2, 3)}, ["y"])
    proto.opset_import.add(domain="no.such", version=1)
    return proto


def test_the_page_has_modules_nodes_figures_and_the_script(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    report = convert(Options(DEMO, output=tmp_path / "out", html=page))
    text = page.read_text(encoding="utf-8")
    assert report.files[-1] == str(page)
    labels = re.findall(r"<li class=\"[\w-]+\"><code>(.*?)</code> <i>verified</i>", text)
    assert sorted(map(unescape, labels)) == sorted(node.node for node in report.nodes)
    script = (tmp_path / "out" / "demo.py").read_text(encoding="utf-8").splitlines()
    shown = re.findall(r'<span id="line-\d+">(.*?)</span>', text)
    assert [unescape(line) for line in shown] == script
    links = re.findall(r'<a href="#line-(\d+)">(\w+)</a>', text)
    assert {name for _, name in links} == {"Demo", "Features", "BasicBlock"}
    assert all(script[int(line) - 1].startswith(f"class {name}(") for line, name in links)
    assert text.count("<td>ok</td>") == 4
    assert "Compared with the original" in text


@pytest.mark.parametrize("verify", [True, False])
def test_what_is_left_stands_out(verify: bool, tmp_path: Path) -> None:
    text = page_of(chain(["/a/Relu", "/a/Tanh"], "Unknown"), tmp_path, verify)
    assert text.count('<li class="left-to-do">') == 1
    assert "no handler for Unknown" in text
    assert ", 1 left to do" in text
    assert "Not compared with the original" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_the_file_are_text(name: str, tmp_path: Path) -> None:
    proto = chain([name, f"/{name}/Relu", f"/a/{name}", "plain"], "Unknown")
    proto.graph.input[0].name = proto.graph.node[0].input[0] = name
    proto.graph.node.append(helper.make_node("Neg", ["y"], [f"{name}2"], name=name))
    proto.graph.output.append(helper.make_tensor_value_info(f"{name}2", 1, None))
    text = page_of(proto, tmp_path)
    body = text.partition("<body>")[2]
    assert "<script" not in text
    assert set(re.findall(r"<(?:/?)(\w[\w-]*)", body)) <= TAGS
    assert not re.findall(r"<[^>]*\son\w+=", body)
    assert "49" not in re.findall(r"<summary><b>(.*?)</b>", body)
    assert "\x1b" not in text


def test_a_page_of_many_nodes_grows_with_them(tmp_path: Path) -> None:
    sizes = []
    for count in (1000, 5000):
        folder = tmp_path / str(count)
        folder.mkdir()
        names = [f"/block.{i // 20}/layer.{i % 20}/Relu" for i in range(count)]
        sizes.append(len(page_of(chain(names), folder)))
    assert sizes[1] < 6 * sizes[0]
    assert sizes[1] < 5000 * 600


def test_the_command_writes_it_with_the_rest_or_not_at_all(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    arguments = ["--model_file", str(DEMO), "--output", str(tmp_path / "out"), "--no-verify"]
    assert main([*arguments, "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    page.write_text("mine")
    assert main([*arguments, "--output", str(tmp_path / "two"), "--html", str(page)]) == 1
    assert page.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "two").exists()
    assert main([*arguments, "--force", "--html", str(page)]) == 0


def test_it_folds_out_in_a_browser(tmp_path: Path) -> None:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    weights = {"w": np.ones((3, 3), np.float32)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="/inner/MatMul"),
        helper.make_node("Relu", ["h"], ["g"], name="/inner/Relu"),
        helper.make_node("Unknown", ["g"], ["y"], name=HOSTILE[0], domain="no.such"),
    ]
    proto = model(nodes, {"x": (2, 3)}, ["y"], weights)
    proto.opset_import.add(domain="no.such", version=1)
    page_of(proto, tmp_path)
    with browser(tmp_path / "profile") as shown:
        shown.go((tmp_path / "page.html").as_uri())
        assert shown.value("document.scripts.length") == 0
        assert "taken" not in str(shown.value("document.title"))
        assert shown.value("document.querySelectorAll('details[open]').length") == 1
        shown.click("details details > summary > b")
        assert shown.value("document.querySelectorAll('details[open]').length") == 2
        assert shown.value("document.querySelector('details details li').checkVisibility()")
        shown.click("details > summary > a")
        assert "class" in str(shown.value("document.querySelector(':target').textContent"))
