"""Transaction: everything or nothing, whatever fails and whenever it does."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import write_ckpt
from msconvert.formats.storage.atomic import Transaction
from msconvert.tests.privileges import without_privileges

CONTENT = b"new" * 100_000


def files(folder: Path) -> dict[str, bytes]:
    """Every file and folder below `folder`, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"folder"
        for path in folder.rglob("*")
    }


OLD = {"a.bin": b"old a", "b.txt": b"old b"}
NEW = {"a.bin": CONTENT, "b.txt": "ä\n".encode(), "sub": b"folder", "sub/deep": b"folder"}
NEW |= {"sub/deep/c.bin": b"c"}


def write_all(folder: Path) -> None:
    """Two files over old ones and one in two folders that do not exist yet."""
    with Transaction(force=True) as transaction:
        transaction.open(folder / "a.bin").write(CONTENT)
        transaction.write_text(folder / "b.txt", "ä\n")
        with transaction.open(folder / "sub" / "deep" / "c.bin") as stream:
            stream.write(b"c")
        assert {name: files(folder)[name] for name in OLD} == OLD


def stage(
    *paths: Path,
    then: Callable[[], object] = int,
    force: bool = False,
    inputs: tuple[Path, ...] = (),
) -> None:
    """A transaction of these files, with `then` called at the end of its block."""
    with Transaction(force=force, inputs=inputs) as transaction:
        for path in paths:
            transaction.open(path).write(CONTENT)
        then()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the OLD files."""
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_all_files_appear_at_the_end(folder: Path) -> None:
    write_all(folder)
    assert files(folder) == NEW


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_modes_follow_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with Transaction() as transaction:
            transaction.write_text(tmp_path / "x", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666 & ~umask


def test_the_content_is_on_the_disk_before_it_is_renamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("fsync", "rename", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, r=real: (calls.append(n), r(*a))[1])
    write_all(folder)
    journal = ["fsync", "rename", "fsync"]  # its content, its name, the folder with its name
    assert calls == ["fsync"] * 3 + journal + ["replace"] * 3 + ["fsync"] * 2


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_an_exception_in_the_block_leaves_what_was_there(
    folder: Path, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        stage(folder / "a.bin", folder / "sub" / "deep" / "c.bin", then=fail, force=True)
    assert files(folder) == OLD


def test_a_new_folder_that_others_use_by_then_stays(tmp_path: Path) -> None:
    def fail() -> None:
        (tmp_path / "sub" / "theirs").write_text("b")
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        stage(tmp_path / "sub" / "a", then=fail)
    assert files(tmp_path) == {"sub": b"folder", "sub/theirs": b"b"}


def test_a_folder_that_another_process_made_first_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faster(path: str) -> None:
        real(path)
        raise FileExistsError(errno.EEXIST, "File exists")

    real = os.mkdir
    monkeypatch.setattr(os, "mkdir", faster)
    stage(tmp_path / "sub" / "a")
    assert files(tmp_path) == {"sub": b"folder", "sub/a": CONTENT}
    with pytest.raises(MsconvertError, match="same path"):
        stage(tmp_path / "other" / "b", tmp_path / "other" / "b")
    assert files(tmp_path) == {"sub": b"folder", "sub/a": CONTENT, "other": b"folder"}


CALLS = {"open": 8, "mkdir": 2, "fsync": 7, "link": 2, "rename": 1, "replace": 3}
"""How often each function of the system is called by `write_all`."""
OF_FOLDERS = {"open": range(5, 8), "fsync": range(4, 7)}
"""Those that force names to the disk: the journal's, then those of the two folders."""


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize(
    ("name", "count"), [(name, n) for name, times in CALLS.items() for n in range(times)]
)
def test_a_failing_system_call_leaves_all_or_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, count: int, error: BaseException
) -> None:
    fail_at(monkeypatch, name, count, error)
    interrupted = isinstance(error, KeyboardInterrupt)
    survivable = name == "link" or count in OF_FOLDERS.get(name, ())
    if survivable and not interrupted:
        write_all(folder)
        assert files(folder) == NEW
        return
    with pytest.raises(KeyboardInterrupt if interrupted else MsconvertError):
        write_all(folder)
    assert files(folder) == OLD


def fail_at(
    monkeypatch: pytest.MonkeyPatch, name: str, count: int, error: BaseException
) -> Callable[[], int]:
    """Let the call number `count` of os.`name` raise `error`; returns the counter of calls."""
    real = getattr(os, name)
    calls = 0

    def call(*arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == count + 1:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, call)
    return lambda: calls


@pytest.mark.parametrize("name", CALLS)
def test_the_system_calls_are_counted_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    counter = fail_at(monkeypatch, name, 99, KeyboardInterrupt())
    write_all(folder)
    assert counter() == CALLS[name]


def test_old_files_come_back_without_hard_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(os, "link", no_link)
    fail_at(monkeypatch, "replace", 1, OSError(errno.EIO, "Input/output error"))
    with pytest.raises(MsconvertError, match=r"MS107 .*b\.txt: cannot be written \(Input/output"):
        write_all(folder)
    assert files(folder) == OLD


def test_existing_files_are_refused_without_force(folder: Path) -> None:
    text = r"MS107 .*a\.bin: the output exists already\n +try: +--force"
    with pytest.raises(MsconvertError, match=text):
        stage(folder / "sub" / "c", folder / "a.bin")
    assert files(folder) == OLD


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(MsconvertError, match="exists already"):
        stage(tmp_path / "a", then=lambda: (tmp_path / "a").write_text("theirs"))
    assert files(tmp_path) == {"a": b"theirs"}


def test_the_same_output_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MsconvertError, match="same path"):
        stage(tmp_path / "a", tmp_path / "sub" / ".." / "a")
    assert files(tmp_path) == {}


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (".", "the output is a folder"),
        ("a.bin/x", "its folder is a file"),
        ("a.bin/sub/x", "its folder is a file"),
        ("x" * 300 + "/x", "the name is too long"),
        ("sub/" + "x" * 300, "the name is too long"),
    ],
)
def test_impossible_paths_are_told(folder: Path, path: str, problem: str) -> None:
    with pytest.raises(MsconvertError, match=rf"MS107 .*: {problem}(.|\n)*try:"):
        stage(folder / path, force=True)
    assert files(folder) == OLD


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_read_only_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fail_at(monkeypatch, "open", 0, OSError(number, "refused"))
    with pytest.raises(MsconvertError, match=r"MS107 .*: no permission to write there\n"):
        write_ckpt(tmp_path / "sub" / "x.ckpt", [("a", np.ones(3))])
    assert files(tmp_path) == {}


def test_a_folder_that_is_really_read_only_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refusal = pytest.raises(MsconvertError, match=r"no permission to write there")
    with without_privileges(), refusal:
        write_ckpt(tmp_path / "x.ckpt", [("a", np.ones(3))])
    tmp_path.chmod(0o700)
    assert files(tmp_path) == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("size", [1, 1 << 22], ids=["at the end", "at once"])
def test_a_full_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    real = os.open

    def full(path: str, flags: int, *mode: int) -> int:
        os.close(real(path, flags, *mode))
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(MsconvertError, match=r"MS107 .*a\.bin: the disk is full(.|\n)*free some"):
        write_ckpt(folder / "a.bin", [("a", np.ones(size))], force=True)
    assert files(folder) == OLD


def test_a_limit_on_the_file_size_is_told(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(MsconvertError, match="MS107"):
            write_ckpt(folder / "sub" / "x.ckpt", [("a", np.ones(1 << 20))])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(folder) == OLD


def test_a_symbolic_link_stays_and_its_file_is_replaced(folder: Path) -> None:
    (folder / "link").symlink_to("a.bin")
    with Transaction(force=True) as transaction:
        transaction.write_text(folder / "link", "new")
    assert (folder / "link").is_symlink()
    assert (folder / "a.bin").read_bytes() == b"new"


def test_a_read_only_file_of_mindspore_is_replaced_by_force(folder: Path) -> None:
    (folder / "a.bin").chmod(0o400)
    write_all(folder)
    assert files(folder) == NEW


def test_a_killed_process_leaves_the_old_files(folder: Path) -> None:
    code = (
        "import os, sys\n"
        "from msconvert.formats.storage.atomic import Transaction\n"
        "with Transaction(force=True) as transaction:\n"
        "    transaction.open(sys.argv[1]).write(b'x' * 1_000_000)\n"
        "    os._exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder / "a.bin")])
    assert done.returncode == 7
    assert {name: files(folder)[name] for name in OLD} == OLD


@pytest.mark.parametrize("links", [True, False])
def test_a_preview_shows_the_files_to_come(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", failing(errno.EPERM))
    with Transaction(force=True) as transaction:
        transaction.open(folder / "a.bin").write(CONTENT)
        transaction.write_text(folder / "sub" / "d.txt", "d")
        with transaction.preview() as shown:
            preview = Path(shown)
            assert (preview / "a.bin").read_bytes() == CONTENT
            assert (preview / "d.txt").read_text() == "d"
            assert (folder / "a.bin").read_bytes() == OLD["a.bin"]
            (preview / "left.txt").write_text("whoever tries the files may leave others")
        assert not preview.exists()
    assert files(folder) == OLD | {"a.bin": CONTENT, "sub": b"folder", "sub/d.txt": b"d"}


def test_a_preview_that_fails_leaves_nothing(folder: Path) -> None:
    def tried() -> None:
        with Transaction(force=True) as transaction:
            transaction.open(folder / "new" / "a.bin").write(CONTENT)
            with transaction.preview():
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tried()
    assert files(folder) == OLD


def failing(number: int) -> Callable[..., None]:
    def fail(*arguments: object, **more: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_dangling_link_is_an_output_that_exists(tmp_path: Path) -> None:
    link = tmp_path / "model.py"
    link.symlink_to(tmp_path / "elsewhere" / "other.py")
    with pytest.raises(MsconvertError, match=r"MS107 .*a link"), Transaction() as transaction:
        transaction.write_text(link, "x = 1\n")
    assert not (tmp_path / "elsewhere").exists()


def test_a_preview_shows_a_link_under_its_own_name(tmp_path: Path) -> None:
    link = tmp_path / "model.py"
    link.symlink_to(tmp_path / "other.py")
    with Transaction(force=True) as transaction:
        transaction.write_text(link, "x = 1\n")
        with transaction.preview() as folder:
            assert Path(folder, "model.py").read_text() == "x = 1\n"
    assert (tmp_path / "other.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("way", ["by name", "by a link", "through a folder", "by a hard link"])
@pytest.mark.parametrize("force", [False, True])
def test_what_the_files_are_made_of_is_never_replaced(folder: Path, way: str, force: bool) -> None:
    source, aside = folder / "a.bin", folder / "aside"
    ways = {"by name": source, "by a link": folder / "link", "through a folder": aside / "a.bin"}
    output = ways.get(way, folder / "hard")
    (folder / "link").symlink_to(source)
    aside.symlink_to(folder)
    os.link(source, folder / "hard")
    before = files(folder)
    kept = (source, folder / "none")
    with pytest.raises(MsconvertError, match=r"MS107 .*: the output is a file that it is made of"):
        stage(folder / "new", output, force=force, inputs=kept)
    assert files(folder) == before


def test_files_beside_the_inputs_are_replaced(folder: Path) -> None:
    with Transaction(force=True, inputs=[folder / "a.bin"]) as transaction:
        transaction.write_text(folder / "b.txt", "new")
    assert files(folder) == {**OLD, "b.txt": b"new"}
