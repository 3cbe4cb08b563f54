"""What every test may use: `--renew-golden` and `golden`, `--whole`, and the real MindSpore."""

from __future__ import annotations

import compileall
import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import msconvert
from msconvert.tests.sweep import Sweeps
from msconvert.tests.warm import stand_in

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `msconvert diff` sets it where it is run
"""Of PyTorch and NumPy, here and in all that is started: the tensors are tiny, and threads that
wait for each other spin. Set before anything imports PyTorch."""

SECONDS = 900
"""So long MindSpore may take: only what hangs takes minutes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew-golden",
        action="store_true",
        help="write golden files and generated pages anew instead of comparing them",
    )
    parser.addoption(
        "--whole",
        action="store_true",
        help="run all cases of the sweeps, not a share of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the sweeps, and compiles msconvert once.

    It does so also where PYTHONDONTWRITEBYTECODE keeps Python from it: the tests start
    a thousand processes, and half of the time of each would be to compile anew.
    """
    config.pluginmanager.register(Sweeps(config), "sweeps")
    if hasattr(config, "workerinput"):
        return
    root = Path(msconvert.__file__).parent
    compileall.compile_dir(root, maxlevels=0, quiet=2)
    for package in root.iterdir():
        if (package / "__init__.py").exists():
            compileall.compile_dir(package, quiet=2)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test draws its own random numbers, the same in each run and in any order of tests.

    MSCONVERT_TEST_SEED draws others: a check that holds for some numbers only shows itself then.
    It comes before the fixtures, so what a module shares is drawn from its first test's seed.
    """
    import numpy as np  # behind OMP_NUM_THREADS, which its library reads when it is loaded

    from msconvert.runtime.engine import context

    seed = zlib.crc32(f"{os.environ.get('MSCONVERT_TEST_SEED', '')}{item.nodeid}".encode())
    random.seed(seed)
    np.random.seed(seed)
    context.generator = np.random.Generator(np.random.PCG64(seed))
    if "torch" in sys.modules:
        as_at_start(sys.modules["torch"], seed)


def as_at_start(torch: ModuleType, seed: int) -> None:
    """PyTorch's settings of the process as they are at its start: programs that a test runs here
    set them for all that comes behind."""
    torch.manual_seed(seed)
    torch.set_anomaly_enabled(False)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)`: the file at `path` holds `text`; with --renew-golden it is written."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--renew-golden"):
            path.write_text(text, encoding="utf-8")
        held = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == held, f"{path.name} is not what is made now: pytest --renew-golden"

    return compare


@pytest.fixture(scope="session")
def sweeps(pytestconfig: pytest.Config) -> Sweeps:
    """`sweeps.rows(...)`: the share of the rows that one test goes through."""
    return pytestconfig.pluginmanager.get_plugin("sweeps")


@pytest.fixture(scope="session")
def exported_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where models that PyTorch has exported are kept for all processes of the run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "exported"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def kept_of_mindspore(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder where what MindSpore gave is kept for the next run; of `-p no:cacheprovider`
    for this one alone."""
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    return tmp_path_factory.mktemp("mindspore") if cache is None else cache.mkdir("mindspore")


@pytest.fixture(scope="session")
def real_mindspore_python() -> Path:
    """The Python that has the real MindSpore; the test is skipped if there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    prepared = cache / "msconvert" / "mindspore-2.10.0" / "bin" / "python"
    python = Path(os.environ.get("MSCONVERT_MINDSPORE_PYTHON") or prepared)
    if not python.exists():
        pytest.skip("no MindSpore here: bash tests/make_mindspore_env.sh")
    return python


@pytest.fixture(scope="session")
def mindspore_python(real_mindspore_python: Path) -> Iterator[Path]:
    """A program that does what that Python does, and has imported MindSpore."""
    with stand_in(real_mindspore_python, "mindspore") as program:
        yield program


@pytest.fixture(scope="session")
def warm_python(pytestconfig: pytest.Config) -> Iterator[str]:
    """A program that does what this Python does, and has imported PyTorch and msconvert.

    With `--whole` it is this Python itself: each process begins anew, as at the user's.
    """
    if pytestconfig.getoption("--whole"):
        yield sys.executable
        return
    with stand_in(sys.executable, "numpy", "torch", "msconvert") as program:
        yield str(program)


@pytest.fixture(scope="module")
def warm(warm_python: str) -> Iterator[None]:
    """For a module whose tests are not about how a process begins: `sys.executable` is warm."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", warm_python)
        yield


@pytest.fixture(scope="session")
def run_mindspore(mindspore_python: Path) -> Callable[..., str]:
    """`run_mindspore(folder, *arguments)`: what the Python that has the real MindSpore prints.

    Arguments are Python's: a script's name, or "-c", code.
    """
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}

    def run(folder: Path, *arguments: str) -> str:
        command = [mindspore_python, *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
            errors="replace", timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
        return done.stdout

    return run
