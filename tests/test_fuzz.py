"""Five hundred hostile files through the commands, a sample of benchmarks/fuzz."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from msconvert.benchmarks.fuzz import by_hand, harness, second_by_hand
from msconvert.benchmarks.fuzz.__main__ import outcomes
from msconvert.benchmarks.fuzz.byte_changes import CANARY
from msconvert.benchmarks.fuzz.cases import KINDS, Make

SEED = 20_261_123
COUNTS = {"onnx": 260, "onnx-weights": 30}
"""Of the other kinds, thirty each."""

TASKS = [(kind, index, SEED, None) for kind in KINDS for index in range(COUNTS.get(kind, 30))]


def test_nothing_hostile_gets_through() -> None:
    found = list(outcomes(TASKS, jobs=1))
    assert len(found) >= 500
    wrong = {f"{item.kind} {item.index}": item.wrong for item in found if item.wrong}
    assert wrong == {}
    assert {item.status for item in found} >= {0, 1}


OWN_WORDS = "by hand: a script that prints escapes in its error"
"""What `watch` runs is a program of the user's, and writes to the terminal what it will."""

SLOW = "by hand: Loop without end"
"""It takes all the CPU time that it may."""


@pytest.mark.parametrize("cases", [by_hand.CASES, second_by_hand.CASES], ids=["first", "second"])
def test_what_was_written_by_hand_gets_no_further(
    cases: dict[str, Make], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, make in cases.items():
        monkeypatch.setitem(KINDS, name, make)
    harness.prepare()
    ran = [harness.run(name, 0, 0) for name in cases if name not in (OWN_WORDS, SLOW)]
    assert {item.kind: item.wrong for item in ran if item.wrong} == {}
    refused = [item for item in ran if item.status]
    assert [item.kind for item in refused if "MS" not in item.said] == []


def test_stacks_on_a_larger_machine_leave_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that takes all it may: what four threads' stacks may come to is no room for arrays."""
    monkeypatch.setattr("msconvert.child_process.THREADS", 4)
    assert harness.run("onnx", 73, SEED).wrong == ""


def test_cases_are_the_same_each_time(tmp_path: Path) -> None:
    for kind, make in KINDS.items():
        made = []
        for number in (1, 1, 2):
            folder = tmp_path / f"{kind}-{len(made)}"
            folder.mkdir()
            arguments = make(folder, Random(f"0/{kind}/{number}"))
            files = {path.name: path.read_bytes() for path in folder.iterdir()}
            made.append((arguments, files))
        assert made[0] == made[1] != made[2]


WRONG = {
    "defect": ("print('MS901 msconvert: a defect'); return 1", "a defect"),
    "traceback": ("print('Traceback (most recent call last):'); return 1", "a defect"),
    "silent": ("return 1", "nothing is said"),
    "killed": ("os.kill(os.getpid(), 9)", "ended by SIGKILL"),
    "odd status": ("print('x'); return 4", "exit status 4"),
    "escape": ("print('\\x1b[2J')", "something for a terminal to obey"),
    "file": ("open('elsewhere', 'w').close()", "a file outside of the output: 'elsewhere'"),
    "executed": ("open('executed', 'w').close()", "a file outside of the output: 'executed'"),
    "above": ("open('../executed', 'w').close()", "a file above the folder"),
    "two above": ("open('../../executed', 'w').close()", "a file above the folder"),
    "canary": (f"open({CANARY!r}, 'w').close()", "something was executed"),
    "temporary": ("__import__('tempfile').mkstemp()", "a temporary file is left"),
    "input": ("open('net.py', 'a').write('x')", "an input was changed"),
    "memory": ("return len(bytes(b'x' * (9 << 28))) * 0", "MB of memory"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, words = WRONG[name]
    scope: dict[str, object] = {}
    exec(f"import os\ndef main(arguments):\n    {code}\n    return 0", scope)
    monkeypatch.setattr("msconvert.commands.main.main", scope["main"])
    assert words in harness.run("python", 0, 0).wrong
