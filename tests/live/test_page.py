"""docs/in-process.md: its programs run as they stand, one after another."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the page converts a PyTorch module")

import msconvert

ROOT = Path(msconvert.__file__).parent
PAGE = (ROOT / "docs" / "in-process.md").read_text(encoding="utf-8")


def test_the_programs_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(programs) == 2
    shutil.copy(ROOT / "examples" / "demo.onnx", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for program in programs:
        exec(compile(program, "in-process.md", "exec"), names)
    assert {path.name for path in (tmp_path / "classifier").iterdir()} == {
        *("Classifier.py", "Classifier.ckpt", "weight_map_of_Classifier.json"),
        *("report_of_Classifier.txt", "report_of_Classifier.json"),
    }
    assert (tmp_path / "digits" / "digits.py").is_file()


def test_the_arguments_of_the_page_are_those_of_the_function() -> None:
    code = msconvert.convert_module.__code__
    own = {*code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]}
    table = PAGE.partition("| argument |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == own
