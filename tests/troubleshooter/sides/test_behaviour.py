"""What networks' code may do to the process that it runs in: each command says so, and ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.formats import write_weights
from msconvert.troubleshooter.sides import workers
from msconvert.troubleshooter.sides.child.messages import Failure, Loaded
from msconvert.troubleshooter.sides.halves import Half
from msconvert.troubleshooter.sides.places import source_of
from msconvert.troubleshooter.sides.processes import environment_of
from msconvert.troubleshooter.sides.workers import Worker

NETWORK = """
from msconvert.runtime import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return self.fc(x)
"""

ORIGINAL = NETWORK.replace("msconvert.runtime", "torch").replace("nn.Cell", "nn.Module")
ORIGINAL = ORIGINAL.replace("Dense", "Linear").replace("construct", "forward")

HEAD = """
import ctypes, json, os, signal, subprocess, sys, threading, time
import numpy as np
wire = sys.modules["_msconvert_child.wire"]
folder = os.environ["MSCONVERT_SIDE"]
def reply(make):
    def write(path, value):
        if "reply" in path:
            make(path)
    wire.write = write
def text(content):
    reply(lambda path: open(path + ".json", "w").write(content))
"""

ENDS = {
    "exits": "os._exit(3)",
    "exits well": "os._exit(0)",
    "asks to exit": "sys.exit(3)",
    "asks to exit well": "raise SystemExit",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "reads address 0": "ctypes.string_at(0)",
    "aborts": "os.abort()",
    "stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "never ends": "while True: pass",
    "sleeps, deaf to signals": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\n"
    "time.sleep(600)",
    "closes all files": "os.closerange(0, 256)",
    "closes all files, then writes others": "os.closerange(0, 256)\n"
    "held = [open(f'{i}.txt', 'w') for i in range(50)]",
    "writes to all files": "for fd in range(3, 64):\n    try: os.write(fd, b'junk\\n')\n"
    "    except OSError: pass",
    "writes without an end": "def spam(fd):\n    try:\n"
    "        while True: os.write(fd, b'x' * 9999)\n"
    "    except OSError: pass\n"
    "for fd in range(3, 64): threading.Thread(target=spam, args=(fd,), daemon=True).start()\n"
    "time.sleep(600)",
    "forks and exits": "if os.fork(): os._exit(3)\ntime.sleep(600)",
    "has daemons": "if not os.fork():\n    os.setsid()\n    if not os.fork(): time.sleep(600)\n"
    "    os._exit(0)\nos._exit(3)",
    "forks often": "for _ in range(20):\n    if not os.fork(): time.sleep(600)\nwhile True: pass",
    "starts programs": "subprocess.Popen(['sleep', '600'], start_new_session=True)\nos._exit(3)",
    "removes the folder": "import shutil\nshutil.rmtree(folder)",
    "answers with a pipe": "reply(lambda path: os.mkfifo(path + '.json'))",
    "answers with a folder": "reply(lambda path: os.mkdir(path + '.json'))",
    "answers with a link": "reply(lambda path: os.symlink('/etc/passwd', path + '.json'))",
    "answers with a device": "reply(lambda path: os.symlink('/dev/zero', path + '.json'))",
    "does not answer": "reply(lambda path: None)",
    "answers with nothing": "text('')",
    "answers with no JSON": "text('junk')",
    "answers with deep JSON": "text('[' * 200_000)",
    "answers with deep values": "text('{\"list\": [' * 400 + '0' + ']}' * 400)",
    "answers with an unknown kind": "text('{\"Popen\": []}')",
    "answers with too few parts": "text('{\"Loaded\": []}')",
    "answers with two kinds": 'text(\'{"list": [], "tuple": []}\')',
    "answers with another kind": "text('7')",
    "answers with wrong parts": "text('{\"Loaded\": [7, 7, 7, 7]}')",
    "answers with an array that is not there": "text('{\"array\": 5}')",
    "answers with a huge number": "text('9' * 10_000)",
    "answers with a huge file": "reply(lambda path: (open(path + '.json', 'w').close(), "
    "os.truncate(path + '.json', 1 << 40)))",
    "answers with objects": "reply(lambda path: (np.savez(path + '.npz', np.array([{}, 1], 'O')), "
    "open(path + '.json', 'w').write('{\"array\": 0}')))",
    "answers with packed arrays": "reply(lambda path: ("
    "np.savez_compressed(path + '.npz', np.zeros(9)), "
    "open(path + '.json', 'w').write('{\"array\": 0}')))",
    "answers with a huge archive": "reply(lambda path: (open(path + '.npz', 'w').close(), "
    "os.truncate(path + '.npz', 1 << 42), open(path + '.json', 'w').write('{\"array\": 0}')))",
    "has a pipe for a log": "os.unlink(folder + '/log')\nos.mkfifo(folder + '/log')\nos._exit(3)",
}
"""What ends the process, or its answer."""

GOES_ON = {
    "prints": "print('junk ' * 100_000)\nsys.stderr.write('junk ' * 100_000)",
    "writes to 1 and 2": "os.write(1, b'1\\n')\nos.write(2, b'1\\n')",
    "closes the standard streams": "sys.stdout.close()\nos.close(1)",
    "reads": "assert sys.stdin.read() == ''",
    "forks, and both go on": "os.fork()",
    "is deaf": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(2, signal.SIG_IGN)",
    "leaves a program": "subprocess.Popen(['sleep', '600'], start_new_session=True)",
    "leaves a thread": "threading.Thread(target=time.sleep, args=(600,)).start()",
}
"""What makes no difference."""

SAMPLE = (
    *("exits well", "asks to exit", "reads address 0", "closes all files", "writes to all files"),
    *("has daemons", "starts programs", "removes the folder", "answers with a pipe"),
    *("answers with deep JSON", "answers with an unknown kind", "answers with objects"),
    *("answers with a huge archive", "answers with wrong parts"),
)
"""Of each command; all are tried with one."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder; whatever is started is gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MSCONVERT_TEST", str(tmp_path))
    monkeypatch.setattr(workers, "GRACE_S", 3.0)
    (tmp_path / "good.py").write_text(NETWORK)
    (tmp_path / "original.py").write_text(ORIGINAL)
    write_weights(
        "net.ckpt", [("fc.weight", np.ones((2, 3), "f4")), ("fc.bias", np.ones(2, "f4"))], "ckpt"
    )
    yield tmp_path
    mark = f"MSCONVERT_TEST={tmp_path}".encode()
    left = {name for name in os.listdir("/proc") if mark in environment_of(name).split(b"\0")}
    for number in left:
        os.kill(int(number), signal.SIGKILL)
    assert left == set()


def write(behaviour: str, *, late: bool) -> None:
    """bad.py, whose code does this when it is imported, or when its network is made."""
    own = ENDS.get(behaviour) or GOES_ON[behaviour]
    body = HEAD + NETWORK
    if late:
        inner = "\n".join(f"        {line}" for line in own.splitlines())
        body = body.replace(
            "        super().__init__()\n", f"        super().__init__()\n{inner}\n"
        )
    else:
        body += own + "\n"
    Path("bad.py").write_text(body)


def commands() -> dict[str, list[str]]:
    flags = ["--shape", "2,3", "--timeout", "60"]
    return {
        "verify": ["verify", "original.py", "bad.py", *flags],
        "compare": ["compare", "good.py", "bad.py", *flags, "--mode", "eval"],
        "compare, A": ["compare", "bad.py", "good.py", *flags, "--mode", "eval"],
        "weights": ["weights", "net.ckpt", "-o", "out.ckpt", "--net", "bad.py:Net"],
    }


def run(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(commands()[command])
    return status, "".join(capsys.readouterr())


WRITES = ("writes to all files", "writes without an end", "does not answer")
ENDLESS = ("stops", "never ends", "sleeps, deaf to signals", "forks often")


def half(worker: Worker, seconds: float = 60.0) -> Half:
    file = Path("bad.py")
    return Half(worker, source_of(file, file.absolute().parent), seconds)


@pytest.mark.parametrize("behaviour", ENDS)
def test_a_process_that_is_lost_is_told(behaviour: str) -> None:
    write(behaviour, late=False)
    is_endless = behaviour in ENDLESS
    with Worker(sys.executable, "msconvert.runtime") as worker:
        found = half(worker, 2.0 if is_endless else 60.0).loaded()
    assert isinstance(found, Failure)
    is_junk = behaviour.startswith("answers") or behaviour in WRITES
    expected = "Timeout" if is_endless else "NoResult" if is_junk else "Crash"
    if behaviour.startswith("closes"):  # it may still be on its way to its end
        assert found.kind in ("Crash", "NoResult")
    else:
        assert found.kind == ("SystemExit" if behaviour.startswith("asks") else expected)


@pytest.mark.sweep
@pytest.mark.parametrize("command", ["verify", "compare, A", "weights"])
@pytest.mark.parametrize("behaviour", SAMPLE)
def test_each_command_tells_it(
    capsys: pytest.CaptureFixture[str], behaviour: str, command: str
) -> None:
    if command == "verify" and find_spec("torch") is None:
        pytest.skip("the original of verify is in PyTorch, which is not here")
    write(behaviour, late=True)
    status, text = run(command, capsys)
    assert status in (1, 2)
    assert ("MS405" if command == "compare, A" else "MS402") in text
    assert "MS901" not in text


@pytest.mark.parametrize("behaviour", GOES_ON)
def test_what_makes_no_difference(behaviour: str) -> None:
    write(behaviour, late=False)
    with Worker(sys.executable, "msconvert.runtime") as worker:
        bad = half(worker)
        assert bad.loaded() == Loaded(("Net",), has_build=False, has_inputs=False)
        names = [held.name for held in bad.ask("construct", "Net()", 0)]
    assert names == ["fc.weight", "fc.bias"]


@pytest.mark.parametrize("command", ["compare", "weights"])
def test_what_makes_no_difference_to_a_command(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    write("leaves a program", late=True)
    assert run(command, capsys)[0] == 0


def test_a_framework_that_cannot_be_imported_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = folder / "python"
    for line in ("exit 0", "exit 3", "echo junk; sleep 600", "kill -9 $$"):
        fake.write_text(f"#!/bin/sh\n{line}\n")
        fake.chmod(0o700)
        began = time.monotonic()
        flags = ["--python-b", str(fake), "--target", "mindspore", "--shape", "2,3"]
        assert main(["compare", "good.py", "good.py", *flags]) in (1, 2)
        text = "".join(capsys.readouterr())
        assert "MS401" in text, (line, time.monotonic() - began)
