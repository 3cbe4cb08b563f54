"""Dependencies of the new code: what becomes of each line, and what is told and left."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from msconvert.api_mapping.table.target import Target
from msconvert.migration.requirements import Changed, renewed

BUNDLED, MINDSPORE = Target


def written(
    folder: Path, name: str, text: str, target: Target, keep: bool = False
) -> tuple[str, Changed | None]:
    """The file in the new folder, and what is said of it."""
    for place in (folder / "old", folder / "new"):
        place.mkdir()
        (place / name).write_text(text, encoding="utf-8", newline="")
    found = renewed(folder / "old" / name, folder / "new" / name, Path(name), target, keep)
    assert (folder / "old" / name).read_bytes().decode() == text
    return (folder / "new" / name).read_bytes().decode(), found


ADDED = "numpy<2  # MindSpore is built against it\n"
LINES = {
    "torch\n": ("msconvert\n", f"mindspore>=2.10\n{ADDED}"),
    "torch": ("msconvert", f"mindspore>=2.10\n{ADDED.strip()}"),
    "TORCH==2.0\r\nfoo\r\n": (
        "msconvert\r\nfoo\r\n",
        f"mindspore>=2.10\r\nfoo\r\n{ADDED.strip()}\r\n",
    ),
    "torch>=2,<3 ; python_version < '3.12'  # x\nnumpy\n": (
        "msconvert; python_version < '3.12'  # x\nnumpy\n",
        "mindspore>=2.10; python_version < '3.12'  # x\nnumpy<2\n",
    ),
    "torch==2 \\\n  --hash=sha256:aa \\\n  --hash=sha256:bb\nnumpy==1.26.4\n": (
        "msconvert\nnumpy==1.26.4\n",
        "mindspore>=2.10\nnumpy==1.26.4\n",
    ),
    "--extra-index-url https://download.pytorch.org/whl/cpu\ntorch[opt]\ntorchaudio\n": (
        "msconvert\n",
        f"mindspore>=2.10\n{ADDED}",
    ),
    "torch; sys_platform == 'linux'\ntorch; sys_platform == 'darwin'\n": (
        "msconvert; sys_platform == 'linux'\nmsconvert; sys_platform == 'darwin'\n",
        "mindspore>=2.10; sys_platform == 'linux'\nmindspore>=2.10; sys_platform == 'darwin'\n"
        + ADDED,
    ),
    "numpy>=2.1\ntorch @ https://example.org/y.whl\n": (
        "numpy>=2.1\nmsconvert\n",
        "numpy<2\nmindspore>=2.10\n",
    ),
    "-e .\n-r more.txt\n\n# torch is fine\ntimm\n": (None, None),
    "torchmetrics\npytorch-lightning\nmytorch\n": (None, None),
    "": (None, None),
}


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("text", LINES)
def test_lines(text: str, target: Target, tmp_path: Path) -> None:
    new, found = written(tmp_path, "requirements.txt", text, target)
    wanted = LINES[text][target is MINDSPORE]
    assert new == (text if wanted is None else wanted)
    assert (found is None) == (wanted is None)
    assert found is None or (found.changes and not found.problem)


TABLES = {
    '[project]\nname = "torch"\ndescription = "torch"\ndependencies = ["torch"]\n': (
        ["msconvert"],
        ["mindspore>=2.10", "numpy<2"],
    ),
    '[project]\ndependencies = [\n  "torch>=2",  # main\n  "torchvision",\n  "numpy",\n]\n': (
        ["msconvert", "numpy"],
        ["mindspore>=2.10", "numpy<2"],
    ),
    "[project]\ndependencies = ['torchvision', 'torch', \"a\"]  # torch\nkeywords = ['torch']\n": (
        ["msconvert", "a"],
        ["mindspore>=2.10", "numpy<2", "a"],
    ),
    '[project]\ndependencies = ["a", "torchvision"]\n': (["a"], ["a"]),
    '[project]\ndependencies = ["torchvision"]\n[tool.x]\ny = [\n[1],\n["torch"],\n]\n': ([], []),
}


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("text", TABLES)
def test_a_project_s_dependencies_and_nothing_else(
    text: str, target: Target, tmp_path: Path
) -> None:
    new, found = written(tmp_path, "pyproject.toml", text, target)
    before, after = tomllib.loads(text), tomllib.loads(new)
    assert after["project"].pop("dependencies") == TABLES[text][target is MINDSPORE]
    before["project"].pop("dependencies")
    assert after == before
    assert "# main" not in text or "# main" in new
    assert found is not None
    assert not found.problem


@pytest.mark.parametrize("target", Target)
def test_groups_and_extras_and_poetry(target: Target, tmp_path: Path) -> None:
    text = (
        '[project.optional-dependencies]\ndev = ["torch>=2", "pytest"]\n\n'
        '[dependency-groups]\n"a b" = ["torch"]\n\n'
        '[tool.poetry.dependencies]\npython = "^3.11"\ntorch = "^2"\ntorchvision = "*"\n\n'
        '[tool.poetry.group.dev.dependencies]\n"torch" = { version = "^2" }\n'
    )
    new, found = written(tmp_path, "pyproject.toml", text, target)
    after = tomllib.loads(new)
    name = "msconvert" if target is BUNDLED else "mindspore"
    assert after["project"]["optional-dependencies"]["dev"][0].startswith(name)
    assert after["dependency-groups"]["a b"][0].startswith(name)
    poetry = after["tool"]["poetry"]
    assert poetry["dependencies"].keys() == {"python", name}
    assert poetry["group"]["dev"]["dependencies"].keys() == {name}
    assert found is not None
    assert not found.problem


TOLD = {
    "requirements.txt": "https://download.pytorch.org/whl/torch-2.0.whl\n",
    "requirements-dev.txt": "git+https://github.com/pytorch/pytorch\n",
    "setup.py": "setup(install_requires=['torch'])\n",
    "environment.yml": "dependencies:\n  - pytorch\n",
    "Dockerfile": "RUN pip install torch\n",
    "conf.yaml": "_target_: torchvision.models.resnet18\n",
    "launch.sh": "python -m torch.distributed.launch x.py\n",
    "model.json": '{"act": "torch.nn.ReLU"}',
    "poetry.lock": 'name = "torch"\n',
    "pyproject.toml": "[tool.poetry.dependencies.torch]\nversion = '2'\n",
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_rewritten_is_told(name: str, tmp_path: Path) -> None:
    new, found = written(tmp_path, name, TOLD[name], BUNDLED)
    assert new == TOLD[name]
    assert found is not None
    assert "by hand" in found.problem


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "setup(install_requires=['torchmetrics'])\n"),
        ("setup.cfg", "[flake8]\n# torch\n"),
        ("notes.txt", "torch\n"),
        ("conf.yaml", "# torch.nn.ReLU\nname: pytorch\nx: mytorch.nn\n"),
        ("run.sh", "# torchrun\npython train.py\n"),
        ("pyproject.toml", "[tool.mypy]\nmodule = ['torch.*']\n"),
        ("pyproject.toml", "[project]\ndependencies = 5\n"),
    ],
)
def test_what_asks_for_nothing_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    assert written(tmp_path, name, text, MINDSPORE) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        "[project\n",
        "[project]\ndependencies = ['torch'\n",
        "x = " + "[" * 5000,
        "\0",
        "a = 1\na = 2\n",
    ],
)
def test_broken_tables_are_told(text: str, tmp_path: Path) -> None:
    new, found = written(tmp_path, "pyproject.toml", text, BUNDLED)
    assert new == text
    assert found is not None
    assert found.problem.startswith("it cannot be read")


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml"])
def test_what_is_no_text_is_told(name: str, tmp_path: Path) -> None:
    for place in ("old", "new"):
        (tmp_path / place).mkdir()
        (tmp_path / place / name).write_bytes(b"torch\xff\xfe\n")
    found = renewed(tmp_path / "old" / name, tmp_path / "new" / name, Path(name), BUNDLED, False)
    assert found is not None
    assert found.problem.startswith("it cannot be read")


def test_code_that_still_imports_pytorch_keeps_it(tmp_path: Path) -> None:
    new, found = written(tmp_path, "requirements.txt", "torch\n", BUNDLED, keep=True)
    assert new == "torch\n"
    assert found is not None
    assert "not converted needs it" in found.problem
