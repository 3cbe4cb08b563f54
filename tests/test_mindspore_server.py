"""The server that MindSpore's tests share: what ends in it is told, and reaches no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ENDS = {
    "an error": ("raise ValueError('broken')", "status 1: (.|\\n)*broken"),
    "a status": ("import sys; sys.stderr.write('said'); sys.exit(3)", "status 3: said"),
    "a text": ("import sys; sys.exit('text')", "status 1: text"),
    "no syntax": ("def", "status 1: (.|\\n)*SyntaxError"),
    "a signal": ("import os; os.kill(os.getpid(), 9)", "status -9"),
    "a crash": ("import os; os.abort()", "status -6"),
    "an exit": ("import os; os._exit(1)", "status 1"),
}
"""Code that ends badly, and what is told of it."""

STATE = """
import os, sys
import mindspore as ms
ms.left_behind = getattr(ms, "left_behind", 0) + 1
print(ms.left_behind, os.getcwd(), sys.argv, __name__, ms.ops.relu(ms.Tensor([-1.0, 2.0])))
"""


@pytest.mark.parametrize("name", ENDS)
def test_what_ends_badly_is_told(
    run_mindspore: Callable[..., str], tmp_path: Path, name: str
) -> None:
    code, told = ENDS[name]
    with pytest.raises(AssertionError, match=told):
        run_mindspore(tmp_path, "-c", code)
    assert run_mindspore(tmp_path, "-c", "print(5)") == "5\n"


@pytest.mark.parametrize("form", ["code", "script"])
def test_each_begins_anew(run_mindspore: Callable[..., str], tmp_path: Path, form: str) -> None:
    (tmp_path / "state.py").write_text(STATE)
    first = {"code": ["-c", STATE], "script": ["state.py"]}[form]
    argv = [{"code": "-c", "script": "state.py"}[form], "a b"]
    for _ in range(2):
        printed = run_mindspore(tmp_path, *first, "a b").splitlines()[-1]
        assert printed == f"1 {tmp_path} {argv} __main__ [0. 2.]"


LATE = {
    "a thread": "threading.Thread(target=late).start()",
    "a timer": "threading.Timer(0.1, late).start()",
    "a pool": "concurrent.futures.ThreadPoolExecutor().submit(late)",
    "at the end": "atexit.register(late)",
    "a thread behind an exit": "threading.Thread(target=late).start()\nraise SystemExit(0)",
}


@pytest.mark.parametrize("name", LATE)
def test_what_is_left_to_do_is_done(
    run_mindspore: Callable[..., str], tmp_path: Path, name: str
) -> None:
    """As MindSpore's checkpoints that are saved by a thread."""
    head = "import atexit, concurrent.futures, threading, time\n"
    late = "def late():\n    time.sleep(0.3)\n    open('late', 'w').write('x')\n"
    run_mindspore(tmp_path, "-c", f"{head}{late}{LATE[name]}")
    assert (tmp_path / "late").read_text() == "x"
