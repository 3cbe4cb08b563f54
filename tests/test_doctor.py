"""`msconvert doctor`: what is there, what is missing; nothing is imported, whatever is set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.commands.main import command
from msconvert.surroundings import NEEDS, dependency, numbers, numpy_line

ROOT = Path(__file__).parents[1]


def doctor(*arguments: str, cwd: Path, **variables: str | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cwd / "cache"), **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "doctor", *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "MS901" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def lines(text: str) -> dict[str, dict[str, str]]:
    return {line["name"]: line for line in json.loads(text)["lines"]}


def test_what_is_here_is_told(tmp_path: Path) -> None:
    done = doctor("--json", cwd=tmp_path, MSCONVERT_MINDSPORE_PYTHON=None)
    found = lines(done.stdout)
    assert done.returncode == 0
    assert {"Python", "numpy", "torch", "torchvision", "mindspore"} <= found.keys()
    assert found["numpy"]["state"] == "ok"
    assert {name for name in found if name.startswith("room")} == {
        *("room in this folder", "room for temporary files", "room for the cache")
    }
    assert all(line["advice"] for line in found.values() if line["state"] != "ok")


def package(folder: Path, name: str, version: str) -> None:
    """The metadata of a package, and a module that tells if anybody imports it."""
    (folder / f"{name}-{version}.dist-info").mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (folder / f"{name}-{version}.dist-info" / "METADATA").write_text(text)
    (folder / f"{name}.py").write_text(f"open({str(folder / 'IMPORTED')!r}, 'a').write('{name}')\n")


def environment(folder: Path, **versions: str) -> Path:
    """A virtual environment in which these packages are installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name, version in versions.items():
        package(site, name, version)
    return folder / "bin" / "python"


@pytest.mark.parametrize(
    ("versions", "status", "told"),
    [
        ({"mindspore": "2.10.0", "numpy": "1.26.4"}, 0, "mindspore 2.10.0"),
        ({"mindspore": "2.10.0", "numpy": "2.0.1"}, 1, "MindSpore needs one below 2"),
        ({"mindspore": "2.10.0", "numpy": "10.1"}, 1, "MindSpore needs one below 2"),
        ({"mindspore": "2.10.0"}, 1, "NumPy none"),
        ({"numpy": "1.26.4"}, 1, "has no mindspore"),
        ({}, 1, "has no mindspore"),
    ],
)
@pytest.mark.parametrize("place", ["the variable", "the cache"])
def test_an_environment_with_mindspore(
    place: str, versions: dict[str, str], status: int, told: str, tmp_path: Path
) -> None:
    in_cache = place == "the cache"
    folder = tmp_path / "cache" / "msconvert" / "mindspore-2.10.0" if in_cache else tmp_path / "own"
    python = environment(folder, **versions)
    named = None if in_cache else str(python)
    done = doctor("mindspore", cwd=tmp_path, MSCONVERT_MINDSPORE_PYTHON=named)
    assert done.returncode == status, done.stdout
    assert told in done.stdout
    assert list(tmp_path.rglob("IMPORTED")) == []
    assert doctor("scan", cwd=tmp_path, MSCONVERT_MINDSPORE_PYTHON=named).returncode == 0


def test_what_a_command_needs_is_missing(tmp_path: Path) -> None:
    """In a Python that has msconvert's files and nothing else, each command misses something."""
    python = environment(tmp_path / "bare")
    check = (
        "import sys, importlib.util as u\n"
        "spec = u.spec_from_file_location('msconvert', sys.argv[1] + '/__init__.py',\n"
        "    submodule_search_locations=[sys.argv[1]])\n"
        "module = u.module_from_spec(spec)\n"
        "sys.modules['msconvert'] = module\n"
        "from msconvert import surroundings\n"
        "surroundings.mindspore_pythons = list\n"
        "for name in sorted(surroundings.NEEDS):\n"
        "    print(name, any(x.state == 'missing' for x in surroundings.looked_at([name])))\n"
    )
    run = [str(python), "-I", "-c", check, str(ROOT)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    missing = dict(line.split() for line in done.stdout.splitlines())
    assert missing == dict.fromkeys(NEEDS, "True")


def test_nothing_is_imported(tmp_path: Path) -> None:
    for name in ("numpy", "torch", "torchvision", "mindspore", "onnx", "onnxruntime", "scipy"):
        package(tmp_path / "path", name, "1.0\x1b[31m")
    paths = os.pathsep.join([str(tmp_path / "path"), os.environ.get("PYTHONPATH", "")])
    done = doctor("--json", cwd=tmp_path, PYTHONPATH=paths)
    assert "torch" in lines(done.stdout)
    assert not (tmp_path / "path" / "IMPORTED").exists()


HOSTILE = {
    "no program": "nowhere/python",
    "a folder": ".",
    "another program": "touch",
    "empty": "",
    "a name with escapes": "\x1b[31m/python",
    "lines": "a\nb/python",
    "very long": "x/" * 3000 + "python",
}


@pytest.mark.parametrize("variable", ["MSCONVERT_MINDSPORE_PYTHON", "XDG_CACHE_HOME", "HOME"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_variables_do_no_harm(name: str, variable: str, tmp_path: Path) -> None:
    given = {"XDG_CACHE_HOME": ""} if variable == "HOME" else {}
    before = set(tmp_path.rglob("*"))
    done = doctor(cwd=tmp_path, **{**given, variable: HOSTILE[name]})
    assert done.returncode == 0, done.stdout
    assert set(tmp_path.rglob("*")) == before


PRETENDERS = {
    "another program": ("rm", "touch DONE"),
    "endless": ("python", "yes"),
    "another answer": ("python3", "echo hello"),
    "an older one": ("python3.11", "echo python 2.7"),
    "long": ("python", "printf 'python %.0s' $(seq 60000)"),
    "no text": ("python", "head -c 100000 /dev/urandom"),
    "escapes": ("python", r"printf 'python 3.11\nmindspore \033[31m\nnumpy x\n'"),
    "silent": ("python", "exit 3"),
}


@pytest.mark.parametrize("name", PRETENDERS)
def test_what_is_no_python_is_told(name: str, tmp_path: Path) -> None:
    called, does = PRETENDERS[name]
    program = tmp_path / called
    program.write_text(f"#!/bin/bash\ncd {tmp_path}\n{does}\n")
    program.chmod(0o755)
    done = doctor("mindspore", cwd=tmp_path, MSCONVERT_MINDSPORE_PYTHON=str(program))
    assert done.returncode == 1
    assert not (tmp_path / "DONE").exists()


def test_a_variable_of_ours_reaches_no_other_python(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/bash\nenv > {tmp_path}/seen\n")
    program.chmod(0o755)
    doctor(cwd=tmp_path, MSCONVERT_MINDSPORE_PYTHON=str(program), PYTHONSTARTUP="x", SECRET="y")
    seen = (tmp_path / "seen").read_text()
    assert "SECRET" not in seen
    assert "PYTHON" not in seen


@pytest.mark.parametrize(
    ("requirement", "state"),
    [
        ("numpy>=1.0", "ok"),
        ("numpy>=99.0", "missing"),
        ("not-there-at-all>=1", "missing"),
        ('not-there-at-all>=1; extra == "torch"', "advice"),
        ('numpy>=99; extra == "mindspore"', "advice"),
        ("numpy", "ok"),
    ],
)
def test_versions_are_compared(requirement: str, state: str) -> None:
    assert dependency(requirement, frozenset()).state == state


@pytest.mark.parametrize(
    ("text", "parts"),
    [("2.4.1", (2, 4, 1)), ("2.13.0+cpu", (2, 13, 0)), ("1.0rc1", (1, 0)), ("", ()), ("x", ())],
)
def test_numbers_of_versions(text: str, parts: tuple[int, ...]) -> None:
    assert numbers(text) == parts


@pytest.mark.parametrize(
    ("version", "state"), [("1.26.4", "ok"), ("2.0.0", "missing"), ("", "missing")]
)
def test_numpy_against_mindspore(version: str, state: str) -> None:
    assert numpy_line("", version).state == state


def test_every_command_that_needs_packages_can_be_asked_for() -> None:
    context = command.make_context("msconvert", ["api", "x"])
    known = {*command.list_commands(context), "convert", "mindspore"}
    assert NEEDS.keys() <= known


@pytest.mark.parametrize("wrong", ["nothing", "", "scan,source", "\x1b[31m", "--all"])
def test_another_command_is_refused(wrong: str, tmp_path: Path) -> None:
    assert doctor(wrong, cwd=tmp_path).returncode == 2


def test_a_full_output_is_told(tmp_path: Path) -> None:
    line = f"{sys.executable} -m msconvert doctor > /dev/full"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "MS107" in done.stderr
