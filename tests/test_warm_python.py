"""The programs that stand in for a Python: they do what it does, and what ends in one is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from msconvert.tests.warm import stand_in

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


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    with stand_in(sys.executable, "numpy", "msconvert.formats") as program:
        yield program


def done(python: Path | str, *given: str, **more: object) -> subprocess.CompletedProcess[str]:
    """What a Python does with this as its input."""
    return subprocess.run(  # type: ignore[call-overload, no-any-return]  # `more` is Popen's
        [python, *given], input="one\ntwo\n", capture_output=True, text=True, check=False, **more
    )


ALIKE = {
    "what it is given": ["-c", "import sys; print(sys.argv, sys.stdin.read())", "a b", "\u00e9"],
    "where it is": ["-c", "import os, sys; print(os.getcwd(), sys.path, os.environ)"],
    "what main is": ["-c", "print(sorted(n for n in vars() if n != '__cached__'), __name__)"],
    "a script": ["here.py", "1"],
    "a module": ["-m", "part.inner", "1"],
    "an error": ["-c", "def f():\n    raise ValueError('no')\nf()"],
    "an error of a script": ["wrong.py"],
    "no syntax": ["-c", "def"],
    "a status": ["-c", "import sys; print(5); sys.exit(300)"],
    "a text": ["-c", "import sys; sys.exit('said')"],
    "no such module": ["-m", "nowhere"],
    "a folder": ["part"],
    "no such file": ["nowhere.py"],
    "an option": ["-I", "-c", "import sys; print(sys.flags)"],
    "nothing": [],
    "a signal": ["-c", "import os; os.kill(os.getpid(), 15)"],
    "a file that is not closed": ["-c", "f = open('/dev/stdout', 'w'); f.write('x' * 9)"],
    "at the end": ["-c", "import atexit; atexit.register(print, 'late')"],
    "a process of its own": ["-c", "import subprocess, sys; print(subprocess.check_output("
    "[sys.executable, '-c', 'print(3)']))"],
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_it_does_what_the_python_does(program: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "part").mkdir()
    show = "import sys\nprint(__name__, __file__, sys.argv, sys.path)\n"
    for file in ("here.py", "part/inner.py", "part/__main__.py"):
        (tmp_path / file).write_text(show)
    (tmp_path / "wrong.py").write_text("def f():\n    return 1 / 0\n\n\nf()\n")
    wanted = done(sys.executable, *ALIKE[name], cwd=tmp_path)
    found = done(program, *ALIKE[name], cwd=tmp_path)
    assert found.stderr.replace(str(program), sys.executable) == wanted.stderr
    assert (found.returncode, found.stdout) == (wanted.returncode, wanted.stdout)


def is_warm(found: subprocess.CompletedProcess[str]) -> bool:
    return "numpy" in found.stdout


MODULES = "import sys; print(' '.join(sys.modules))"
OTHERWISE = {
    "a variable": {"env": {**os.environ, "OMP_NUM_THREADS": "7"}},
    "an option as a variable": {"env": {**os.environ, "PYTHONHASHSEED": "5"}},
    "a limit": {"preexec_fn": lambda: __import__("resource").setrlimit(4, (0, 0))},
    "a stream that is closed": {"stdin": None, "input": None, "preexec_fn": lambda: os.close(0)},
}


def test_it_has_imported_what_takes_long(program: Path) -> None:
    assert is_warm(done(program, "-c", MODULES))


def test_mindspore_is_imported_already(mindspore_python: Path, tmp_path: Path) -> None:
    found = done(mindspore_python, "-c", MODULES, cwd=tmp_path)
    assert "mindspore.nn" in found.stdout


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_begins_otherwise_is_the_python_itself(program: Path, name: str) -> None:
    more = {"input": "", "capture_output": True, "text": True, "check": True, **OTHERWISE[name]}
    found = subprocess.run([program, "-c", MODULES], **more)  # type: ignore[call-overload]
    assert not is_warm(found)


def test_random_numbers_are_others(program: Path) -> None:
    code = "import random, numpy; print(random.random(), numpy.random.rand())"
    assert len({done(program, "-c", code).stdout for _ in range(3)}) == 3


def test_what_is_ended_does_not_go_on(program: Path, tmp_path: Path) -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen([program, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        number = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        while Path(f"/proc/{number}").exists():
            pass
    assert process.returncode == -signal.SIGKILL


def test_nothing_is_imported_that_changes_what_msconvert_does(warm_python: str) -> None:
    """It asks whether these are there: the user's code has chosen them then."""
    modules = set(done(warm_python, "-c", MODULES).stdout.split())
    assert not modules & {"cv2", "PIL.Image", "mindspore"}
