"""What is left of writes whose processes died, of those that live, and of those that never were."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.formats.ckpt import write_ckpt
from msconvert.formats.storage import recovery
from msconvert.formats.storage.atomic import Transaction
from msconvert.formats.storage.marks import MAX_BYTES, State
from msconvert.tests.privileges import without_privileges

TOKEN = "0123456789abcdef"
OLD = {"a.txt": b"old a", "b/c.txt": b"old c"}
NEW = {"a.txt": b"new a, longer", "b/c.txt": b"new c, longer"}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    recovery.SEEN.clear()
    yield
    recovery.SEEN.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the OLD files."""
    put(tmp_path, OLD)
    return tmp_path


def put(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in all_files(folder)}


def all_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def settle(folder: Path) -> recovery.Settled:
    recovery.SEEN.clear()
    return recovery.settle(str(folder))


def write_new(folder: Path) -> None:
    with Transaction(force=True) as transaction:
        for name, content in NEW.items():
            transaction.open(folder / name).write(content)


def killed(folder: Path, call: str, number: int) -> None:
    """A process that dies just before it calls os.`call` for the time `number`."""
    script = (
        "import os, sys, itertools\n"
        "from pathlib import Path\n"
        "from msconvert.tests.formats import test_recovery as test\n"
        "calls, real = itertools.count(), getattr(os, sys.argv[2])\n"
        "def call(*arguments, **options):\n"
        "    if next(calls) == int(sys.argv[3]):\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return real(*arguments, **options)\n"
        "setattr(os, sys.argv[2], call)\n"
        "test.write_new(Path(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder), call, str(number)])
    assert done.returncode == -9


# killed


@pytest.mark.parametrize(
    ("call", "number", "side"),
    [
        ("fsync", 0, OLD),
        ("fsync", 2, OLD),
        ("rename", 0, OLD),
        ("link", 0, NEW),
        ("replace", 0, NEW),
        ("replace", 1, NEW),
        ("unlink", 0, NEW),
    ],
)
@pytest.mark.parametrize("seen_from", ["", "b"])
def test_a_killed_write_is_ended_from_each_of_its_folders(
    folder: Path,
    call: str,
    number: int,
    side: dict[str, bytes],
    seen_from: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    killed(folder, call, number)
    assert files(folder) != side
    settle(folder / seen_from)
    assert files(folder) == side
    (line,) = caplog.messages
    expected = "was removed: " if side is OLD else "is finished now: a.txt, c.txt"
    assert line.startswith(f"msconvert: {folder}")
    assert expected in line
    settle(folder)
    assert len(caplog.messages) == 1


def test_a_line_is_told_on_stderr_by_the_next_command(folder: Path) -> None:
    killed(folder, "replace", 1)
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "scan", str(folder)], capture_output=True, text=True
    )
    assert done.stderr.startswith(f"msconvert: {folder}: a write that was cut off is finished now")
    assert done.stderr.count("msconvert:") == 1
    assert files(folder) == NEW


def test_a_write_ends_what_is_there_first(folder: Path) -> None:
    killed(folder, "replace", 1)
    with Transaction(force=True) as transaction:
        assert files(folder)["b/c.txt"] == OLD["b/c.txt"]
        transaction.write_text(folder / "b" / "c.txt", "newest")
    assert files(folder) == {**NEW, "b/c.txt": b"newest"}


def test_weights_of_a_killed_write_are_read_whole(tmp_path: Path) -> None:
    for number in (1, 2):
        write_ckpt(tmp_path / f"{number}.ckpt", [("a", np.full(3, number, "f4"))])
    before = {name: (tmp_path / "1.ckpt").read_bytes() for name in ("a.txt", "b/c.txt")}
    put(tmp_path / "set", before)
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from msconvert.tests.formats import test_recovery as test\n"
        "folder = Path(sys.argv[1])\n"
        "test.NEW = dict.fromkeys(test.NEW, (folder / '2.ckpt').read_bytes())\n"
        "os.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        "test.write_new(folder / 'set')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)])
    for name in before:
        found = read_weights(tmp_path / "set" / name, "ckpt").tensors()["a"].array()
        assert found.tolist() == [2, 2, 2]


def test_a_script_that_runs_does_not_get_the_weights_of_its_successor(folder: Path) -> None:
    killed(folder, "replace", 0)
    module = type(sys)("replaced")
    module.__file__ = str(folder / "a.txt")
    sys.modules["replaced"] = module
    try:
        with pytest.raises(MsconvertError, match=r"MS303 .*a\.txt was replaced(.|\n)*run it again"):
            recovery.settled(folder / "b" / "c.txt")
    finally:
        del sys.modules["replaced"]
    assert files(folder) == NEW


def test_a_folder_that_was_moved_is_ended_where_it_is(folder: Path, tmp_path: Path) -> None:
    killed(folder, "replace", 0)
    moved = tmp_path.with_name("moved")
    folder.rename(moved)
    settle(moved / "b")
    assert files(moved) == NEW


# alive


def test_what_lives_is_left_alone(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Transaction(force=True) as transaction:
        transaction.open(folder / "a.txt").write(b"x")
        transaction.write_text(folder / "b" / "n" / "d.txt", "d")
        before = files(folder)
        for place in ("", "b", "b/n"):
            settle(folder / place)
        assert files(folder) == before
    assert files(folder) == {**OLD, "a.txt": b"x", "b/n/d.txt": b"d"}
    assert caplog.messages == []


@pytest.mark.parametrize("action", ["reads", "writes"])
def test_a_process_that_lives_and_does_not_rename_is_not_waited_for_forever(
    folder: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    monkeypatch.setattr(recovery, "PATIENCE_S", 0.05)
    killed(folder, "replace", 1)
    (journal,) = folder.glob(".msconvert-*.journal")
    with journal.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        path = folder / "b" / "c.txt"
        code = "MS302" if action == "reads" else "MS107"
        with pytest.raises(MsconvertError, match=rf"{code} (.|\n)*its process lives"):
            recovery.settled(path) if action == "reads" else write_new(folder)
    write_new(folder)
    assert files(folder) == NEW


def test_a_reader_waits_for_a_process_that_renames(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "PATIENCE_S", 600.0)  # whatever else the machine does
    killed(folder, "replace", 1)
    (journal,) = folder.glob(".msconvert-*.journal")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(journal)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        holder.stdout.readline()
        holder.stdin.close()  # it lets go of the lock soon
        recovery.settled(folder / "b" / "c.txt")
    assert holder.returncode == 0
    assert files(folder) == NEW


HOLD = (
    "import fcntl, sys, time\n"
    "stream = open(sys.argv[1])\n"
    "fcntl.flock(stream, fcntl.LOCK_EX)\n"
    "print(flush=True)\n"
    "sys.stdin.read()\n"
    "time.sleep(0.2)\n"
)


def test_a_lock_that_is_lost_to_a_reader_is_taken_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks just after a mark was made takes its writer for dead, and removes it."""
    real = os.open
    looked = []

    def opened(path: str, flags: int, *mode: int) -> int:
        descriptor = real(path, flags, *mode)
        if flags & os.O_CREAT and str(path).endswith((".open", ".pointer")) and len(looked) < 4:
            looked.append(path)
            settle(Path(path).parent)
        return descriptor

    monkeypatch.setattr(os, "open", opened)
    write_new(folder)
    assert len(looked) == 4
    assert files(folder) == NEW


# permissions


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_folder_that_cannot_be_written_is_told(
    folder: Path, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    killed(folder, call, 1)
    before = files(folder)
    for place in (folder / "b", folder):
        place.chmod(0o500)
    try:
        with without_privileges():
            if call == "fsync":  # it had not committed: what is there is the old set
                recovery.settled(folder / "a.txt")
            else:
                with pytest.raises(MsconvertError, match=r"MS302 (.|\n)*Permission denied"):
                    recovery.settled(folder / "b" / "c.txt")
    finally:
        for place in (folder, folder / "b"):
            place.chmod(0o700)
    assert files(folder) == before
    assert "Permission denied" in caplog.messages[0]
    settle(folder)
    assert files(folder) == (OLD if call == "fsync" else NEW)


# traps


def state_of(path: Path) -> list[int]:
    state = State.of(str(path))
    assert state is not None
    return [state.size, state.written]


def journal(folder: Path, *members: list[object], folders: tuple[str, ...] = ()) -> Path:
    """A journal as a process that was killed would have left it, or as somebody makes one."""
    lines = [{"folder": name} for name in folders] + [{"member": member} for member in members]
    path = folder / f".msconvert-{TOKEN}.journal"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def content(folder: Path, text: str = "trap") -> Path:
    path = folder / f".msconvert-{TOKEN}.0.tmp"
    path.write_text(text)
    return path


def member(folder: Path, name: str = "a.txt", place: str = "") -> list[object]:
    """What a journal says of the content in `folder` that is to become a file that is there."""
    target = folder / name
    old = state_of(target) if target.exists() else [None, None]
    return [place, 0, name, *state_of(content(folder)), *old]


def test_a_journal_that_is_right_is_followed(folder: Path) -> None:
    journal(folder, member(folder))
    settle(folder)
    assert files(folder) == {**OLD, "a.txt": b"trap"}


def changed(position: int, value: object) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        entry = member(folder)
        entry[position] = value
        journal(folder, entry)

    return make


def text(line: str) -> Callable[[Path], object]:
    return lambda folder: (folder / f".msconvert-{TOKEN}.journal").write_text(line)


def linked(folder: Path) -> None:
    real = journal(folder, member(folder)).rename(folder / "real")
    (folder / f".msconvert-{TOKEN}.journal").symlink_to(real)


def other_folder(folder: Path) -> None:
    """It names a folder that does not say that it takes part."""
    entry = member(folder / "b", "c.txt", "b")
    journal(folder, entry, folders=("b",))


def link_as_folder(folder: Path) -> None:
    entry = member(folder / "b", "c.txt", "link")
    (folder / "link").symlink_to("b")
    journal(folder, entry, folders=("link",))


def content_is_link(folder: Path) -> None:
    entry = member(folder)
    path = folder / f".msconvert-{TOKEN}.0.tmp"
    path.unlink()
    path.symlink_to("b/c.txt")
    journal(folder, entry)


def content_is_folder(folder: Path) -> None:
    path = folder / f".msconvert-{TOKEN}.0.tmp"
    path.mkdir()
    journal(folder, ["", 0, "a.txt", *state_of(path), *state_of(folder / "a.txt")])


def pipe(folder: Path) -> None:
    os.mkfifo(folder / f".msconvert-{TOKEN}.journal")


def changed_since(folder: Path) -> None:
    journal(folder, member(folder))
    (folder / "a.txt").write_bytes(OLD["a.txt"])
    os.utime(folder / "a.txt", ns=(1, 1))


def sparse(folder: Path) -> None:
    with (folder / f".msconvert-{TOKEN}.journal").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)


def pointer_away(folder: Path) -> None:
    (folder / f".msconvert-{TOKEN}.journal").mkdir()


TRAPS: dict[str, Callable[[Path], object]] = {
    "upwards": changed(2, "../a.txt"),
    "absolute": changed(2, "/tmp/a.txt"),
    "a path": changed(2, "b/c.txt"),
    "no name": changed(2, ""),
    "dots": changed(2, ".."),
    "a zero byte": changed(2, "a\0.txt"),
    "a number for a name": changed(2, 7),
    "a folder upwards": changed(0, ".."),
    "an absolute folder": changed(0, "/tmp"),
    "another size": changed(3, 5),
    "another time": changed(4, 5),
    "another former size": changed(5, 99),
    "a truth for a number": changed(3, True),
    "a huge number": changed(3, 10**30),
    "a negative number of the content": changed(1, -1),
    "a list that is too short": lambda folder: journal(folder, ["", 0]),
    "no JSON": text("junk\n"),
    "a deep JSON": text("[" * 60_000 + "\n"),
    "a long line": text('{"member": "' + "x" * 100_000 + '"}\n'),
    "an unknown key": text('{"delete": "a.txt"}\n'),
    "two keys": text('{"home": "", "member": []}\n'),
    "a made folder upwards": text('{"made": "../b"}\n'),
    "a link": linked,
    "a folder that does not take part": other_folder,
    "a folder that is a link": link_as_folder,
    "content that is a link": content_is_link,
    "content that is a folder": content_is_folder,
    "a pipe": pipe,
    "a target that was changed": changed_since,
    "too large": sparse,
    "a folder": pointer_away,
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_changes_nothing_and_is_told(
    folder: Path, trap: str, caplog: pytest.LogCaptureFixture
) -> None:
    TRAPS[trap](folder)
    inner = folder / "b" / "c.txt"
    before = state_of(folder / "a.txt"), state_of(inner), sorted(folder.rglob("*"))
    settle(folder)
    assert (state_of(folder / "a.txt"), state_of(inner), sorted(folder.rglob("*"))) == before
    assert "is not touched" in caplog.messages[0] or "cannot be ended" in caplog.messages[0]
    assert not (folder.parent / "a.txt").exists()


def test_a_trap_keeps_nobody_from_reading_other_files(folder: Path) -> None:
    write_ckpt(folder / "w.ckpt", [("a", np.ones(3, "f4"))])
    changed(3, 5)(folder)
    recovery.SEEN.clear()  # a slow disk is not looked at again at once
    assert list(read_weights(folder / "w.ckpt")) == ["a"]
    with pytest.raises(MsconvertError, match=r"MS302 (.|\n)*new content of a\.txt was changed"):
        read_weights(folder / "a.txt", "ckpt")


@pytest.mark.parametrize(
    "home", ["..", "/", "/nowhere", "../../../..", "b", "x" * 5000, "b/../b", "a.txt"]
)
def test_a_pointer_leads_to_nothing_of_others(folder: Path, home: str) -> None:
    """The pointer itself goes, with content of its token; nothing where it leads to does."""
    outside = folder.parent / f".msconvert-{TOKEN}.0.tmp"
    outside.write_text("theirs")
    (folder / f".msconvert-{TOKEN}.pointer").write_text(json.dumps({"home": home}) + "\n")
    content(folder)
    settle(folder)
    assert files(folder) == OLD
    assert outside.read_text() == "theirs"


def test_only_own_names_are_removed(folder: Path) -> None:
    (folder / f".msconvert-{TOKEN}.open").touch()
    names = [
        *(f".msconvert-{TOKEN}.txt", f".msconvert-{TOKEN}.0.tmp.bak", f"msconvert-{TOKEN}.0.tmp"),
        *(f".msconvert-{TOKEN[:-1]}.0.tmp", f".msconvert-{TOKEN.upper()}.0.tmp"),
        *(f".msconvert-{'f' * 16}.tmp", ".msconvert-baseline.json", f".msconvert-{TOKEN}.x.tmp"),
    ]
    put(folder, dict.fromkeys(names, b"x"))
    content(folder)
    settle(folder)
    assert files(folder) == OLD | dict.fromkeys(names, b"x")


def test_what_is_removed_is_not_followed(folder: Path) -> None:
    (folder / f".msconvert-{TOKEN}.open").write_text('{"made": "link/n"}\n{"made": "full"}\n')
    (folder / "elsewhere" / "n").mkdir(parents=True)
    (folder / "link").symlink_to("elsewhere")
    put(folder, {"full/x": b"x"})
    (folder / f".msconvert-{TOKEN}.0.tmp").symlink_to("b")
    (folder / f".msconvert-{TOKEN}.1.view").mkdir()
    (folder / f".msconvert-{TOKEN}.1.view" / "a.txt").symlink_to("../a.txt")
    settle(folder)
    assert files(folder) == OLD | {"full/x": b"x"}
    assert (folder / "elsewhere" / "n").is_dir()
    assert not list(folder.glob(".msconvert-*"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("kind", ["journal", "content", "pointer", "open", "all"])
def test_what_another_user_has_put_there_is_not_followed(folder: Path, kind: str) -> None:
    """As in /tmp: the folder is not theirs, and neither are the targets."""
    entry = member(folder / "b", "c.txt", "b")
    journal(folder, entry, folders=("b",))
    pointer = folder / "b" / f".msconvert-{TOKEN}.pointer"
    pointer.write_text('{"home": ".."}\n')
    if kind == "open":
        (folder / f".msconvert-{TOKEN}.journal").rename(folder / f".msconvert-{TOKEN}.open")
    for path in folder.rglob(".msconvert-*"):
        if kind == "all" or kind in path.name or (kind == "content" and path.suffix == ".tmp"):
            os.chown(path, 12345, 12345)
    settle(folder)
    assert {name: files(folder)[name] for name in OLD} == OLD


def test_a_journal_takes_little_memory(folder: Path) -> None:
    line = b'{"member": ["", 0, "a.txt", 1, 1, 1, 1]}\n'
    (folder / f".msconvert-{TOKEN}.journal").write_bytes(line * (MAX_BYTES // len(line)))
    script = (
        "import resource, sys\n"
        "from msconvert.formats.storage import recovery\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "recovery.settle(sys.argv[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "is finished now: a.txt, a.txt, a.txt, and 1" in done.stderr


# systems


def test_without_locks_nothing_is_marked_and_nothing_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from msconvert.formats.storage import journal as marking

    monkeypatch.setattr(marking, "LOCKS", False)
    monkeypatch.setattr(recovery, "LOCKS", False)
    content(folder)
    write_new(folder)
    assert files(folder) == NEW | {f".msconvert-{TOKEN}.0.tmp": b"trap"}


def test_a_file_system_without_locks_leaves_what_may_be_in_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    killed(folder, "replace", 1)
    monkeypatch.setattr(fcntl, "flock", refused)
    before = files(folder)
    settle(folder)
    assert files(folder) == before
    monkeypatch.undo()
    settle(folder)
    assert files(folder) == NEW


def test_folders_are_not_looked_into_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `diff` reads thousands: it takes at most a hundredth of the time."""
    put(tmp_path, {f"{number}.npy": b"x" for number in range(2000)})
    clock = iter(range(10**9))
    monkeypatch.setattr(recovery.time, "monotonic", lambda: next(clock))  # a tick for each look
    looks = []
    real = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (looks.append(path), real(path))[1])
    for number in range(2000):
        recovery.settled(tmp_path / f"{number}.npy")
    assert len(looks) <= 2000 // 50


@pytest.mark.parametrize("is_listed", [True, False], ids=["in a folder", "by itself"])
def test_the_folder_that_a_link_leads_to_is_ended_too(tmp_path: Path, is_listed: bool) -> None:
    """What is listed is known to be whole only where it lies itself."""
    there, here = tmp_path / "there", tmp_path / "here"
    put(there, OLD)
    killed(there, "replace", 1)  # of two files, the second is still the old one
    here.mkdir()
    (here / "c.npy").symlink_to(there / "b" / "c.txt")
    with pytest.raises(MsconvertError, match=r"not a \.npy file"):
        read_weights(here if is_listed else here / "c.npy")
    assert files(there) == NEW
