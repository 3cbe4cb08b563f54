"""PyTorch's files that want more than tensors, or are damaged: refused, in little memory."""

from __future__ import annotations

import io
import os
import pickle
import random
import resource
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.pytorch.pth import LEGACY, load_pth, read_pth
from msconvert.formats.pytorch.pth_writer import named, sizes, text, whole, write_pth

EMPTY = b"ccollections\nOrderedDict\n)R"
FLOATS = b"ctorch\nFloatStorage\n"
STORAGE = b"(" + text("storage") + FLOATS + text("0") + text("cpu") + whole(4) + b"tQ"
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"


def tensor(
    storage: bytes = STORAGE, offset: int = 0, shape: Any = (4,), strides: Any = (1,)
) -> bytes:
    """The instructions for a tensor of four floats, or one that is wrong."""
    place = struct.pack("<i", offset)
    steps = b"(" + b"".join(b"\x8a\x09" + s.to_bytes(9, "little", signed=True) for s in strides)
    return REBUILD + b"(" + storage + b"J" + place + sizes(shape) + steps + b"t\x89" + EMPTY + b"tR"


def state(value: bytes) -> bytes:
    """A pickle of {"x": value}."""
    return b"\x80\x02}" + text("x") + value + b"s."


def archive(pickled: bytes, **changes: bytes) -> bytes:
    """The zip archive around a pickle, with one storage of four floats."""
    members = {"data.pkl": pickled, "byteorder": b"little", "data/0": bytes(16), "version": b"3\n"}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as new:
        for name, data in (members | changes).items():
            new.writestr(f"x/{name}", data)
    return stream.getvalue()


class Attack:
    """Pickled as a call of anything."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def refused(folder: Path, data: bytes) -> str:
    """The text of the refusal of a file with this content; little memory is used for it."""
    path = folder / "x.pth"
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(MsconvertError) as caught:
        read_pth(path)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 80 * len(data) + 4_000_000
    return caught.value.text().replace(str(path), "x.pth")


CALLS = {
    "os.system": (b"cos\nsystem\n" + text("touch pwned") + b"\x85R", "posix.system|os.system"),
    "eval": (b"cbuiltins\neval\n" + text("1") + b"\x85R", "builtins.eval"),
    "eval of Python 2": (b"c__builtin__\neval\n" + text("1") + b"\x85R", "__builtin__.eval"),
    "exec": (b"cbuiltins\nexec\n" + text("1") + b"\x85R", "builtins.exec"),
    "getattr": (b"cbuiltins\ngetattr\n" + EMPTY + text("clear") + b"\x86R", "builtins.getattr"),
    "import": (b"cbuiltins\n__import__\n" + text("os") + b"\x85R", "builtins.__import__"),
    "subprocess": (b"csubprocess\nPopen\n" + text("ls") + b"\x85R", "subprocess.Popen"),
    "runpy": (b"crunpy\n_run_code\n)R", "runpy._run_code"),
    "torch.load": (b"ctorch\nload\n" + text("y") + b"\x85R", "torch.load"),
    "torch.hub": (b"ctorch.hub\nload\n" + text("y") + b"\x85R", "torch.hub.load"),
    "a dotted name": (b"ctorch\nserialization.os.system\n)R", "torch.serialization.os.system"),
    "stack global": (text("os") + text("system") + b"\x93)R", "os.system"),
    "INST": (b"(" + text("ls") + b"ios\nsystem\n", "os.system"),
    "OBJ": (b"(cos\nsystem\n" + text("ls") + b"o", "os.system"),
    "OBJ of what is known": (b"(ccollections\nOrderedDict\no", "instruction OBJ"),
    "extension": (b"\x82\x01", "instruction EXT1"),
    "NEWOBJ_EX": (b"ccollections\nOrderedDict\n)}\x92", "instruction NEWOBJ_EX"),
    "a buffer outside": (b"\x97", "instruction NEXT_BUFFER"),
    "a type that is called": (b"ctorch\nfloat32\n)R", "a call of torch.float32"),
    "bytearray of any size": (b"cbuiltins\nbytearray\n" + whole(1 << 40) + b"\x85R", "bytearray"),
    "a module": (b"ctorch.nn.modules.linear\nLinear\n)\x81", "torch.nn.modules.linear.Linear"),
    "a class of the program": (b"c__main__\nNet\n)\x81}b", "__main__.Net"),
    "numpy objects": (b"cnumpy\ndtype\n" + text("O8") + b"\x89\x88\x87R", "numpy.dtype"),
    "numpy load": (b"cnumpy\nload\n" + text("x.npy") + b"\x85R", "numpy.load"),
    "quantised storage": (
        tensor(STORAGE.replace(FLOATS, b"ctorch\nQInt8Storage\n")),
        "torch.QInt8Storage",
    ),
    "quantised": (b"ctorch._utils\n_rebuild_qtensor\n)R", "a quantised tensor"),
    "sparse": (b"ctorch._utils\n_rebuild_sparse_tensor\n)R", "a sparse tensor"),
    "meta": (b"ctorch._utils\n_rebuild_meta_tensor_no_storage\n)R", "without data"),
}


@pytest.mark.parametrize(("attack", "name"), CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_what_a_file_must_not_ask_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: bytes, name: str, zipped: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    data = archive(state(attack)) if zipped else legacy(state(attack))
    told = refused(tmp_path, data)
    assert told.startswith("MS309 x.pth")
    assert any(part in told for part in name.split("|")), told
    assert "try:" in told
    assert os.listdir(tmp_path) == ["x.pth"]


def legacy(pickled: bytes, keys: bytes = b"\x80\x02]" + text("0") + b"a.") -> bytes:
    """The older format around a pickle."""
    system = pickle.dumps({"little_endian": True}, protocol=2)
    storage = struct.pack("<q", 4) + bytes(16)
    return LEGACY + pickle.dumps(1001, protocol=2) + system + pickled + keys + storage


def test_an_attack_as_python_writes_it(tmp_path: Path) -> None:
    for call in (Attack(os.system, "touch pwned"), Attack(eval, "1"), Attack(print, Attack(exec))):
        for protocol in range(6):
            data = pickle.dumps({"x": call}, protocol=protocol)
            told = refused(tmp_path, archive(data))
            assert "MS309" in told or "no instruction" in told
            assert "not a file that torch.save wrote" in refused(tmp_path, data)
    assert os.listdir(tmp_path) == ["x.pth"]


def laughs(value: bytes) -> bytes:
    """A pickle of lists that hold the one before ten times, the first of them a value."""
    levels = b"".join(b"q%c](" % n + b"h%c" % n * 10 + b"e" for n in range(12))
    return b"\x80\x02" + value + levels + b"."


HUGE = 1 << 40
DAMAGED = {
    "no pickle at all": (b"hello", "has not kept"),
    "an empty pickle": (b"", "cut short"),
    "a pickle without an end": (b"\x80\x02}", "cut short"),
    "nothing on the stack": (b"\x80\x02.", "takes a value that it has not made"),
    "no mark": (b"\x80\x02}u.", "has not marked"),
    "a protocol of the future": (b"\x80\x09N.", "unknown protocol"),
    "a text of 4 GB": (b"\x80\x02X\xff\xff\xff\xff.", "cut short"),
    "bytes of 2**63": (b"\x80\x05\x8e" + b"\xff" * 8 + b".", "cut short"),
    "a negative size": (b"\x80\x02T\xff\xff\xff\xff.", "negative size"),
    "a long number": (b"\x80\x02\x8b" + struct.pack("<i", 9000) + bytes(9000) + b".", "too long"),
    "an unknown memo": (b"\x80\x02j\xff\xff\xff\xff.", "has not kept"),
    "a key that is a list": (b"\x80\x02}]Ns.", "neither text nor a number"),
    "a key that is nested": (b"\x80\x02}" + b")" + b"\x85" * 9000 + b"Ns.", "neither text nor"),
    "an odd dictionary": (b"\x80\x02(Nd.", "has no value"),
    "a list that is a number": (b"\x80\x02K\x01Na.", "cannot be filled"),
    "a call of a number": (b"\x80\x02K\x01)R.", "calls something that is no function"),
    "a state of a number": (b"\x80\x02K\x01}b.", "state to a plain value"),
    "beyond the storage": (state(tensor(shape=(5,))), "reaches beyond its storage '0'"),
    "beyond by its offset": (state(tensor(offset=1)), "reaches beyond"),
    "beyond by its strides": (state(tensor(shape=(2, 2), strides=(1, 3))), "reaches beyond"),
    "negative strides": (state(tensor(strides=(-1,))), "strides are impossible"),
    "negative offset": (state(tensor(offset=-1)), "impossible"),
    "too few strides": (state(tensor(shape=(2, 2))), "as many strides"),
    "70 dimensions": (state(tensor(shape=(1,) * 70, strides=(1,) * 70)), "impossible"),
    "an empty one that is huge": (
        state(tensor(shape=(0, 1 << 40), strides=(1, 1))),
        "shape is impossible",
    ),
    "a tensor of a list": (state(tensor(storage=b"]")), "without a storage"),
    "expanded to 4 TB": (
        state(tensor(shape=(1 << 20, 1 << 20), strides=(0, 0))),
        "far larger than the file",
    ),
    "a storage of another size": (
        state(tensor(STORAGE.replace(whole(4), whole(5)))),
        "does not have the size of its 5 elements",
    ),
    "a storage of any size": (
        state(tensor(STORAGE.replace(whole(4), whole(HUGE)))),
        "does not have the size",
    ),
    "a storage that is missing": (
        state(tensor(STORAGE.replace(text("0"), text("7")))),
        "storage '7' is missing",
    ),
    "a storage by a path": (
        state(tensor(STORAGE.replace(text("0"), text("../../etc/passwd")))),
        "is missing",
    ),
    "a list in itself": (b"\x80\x02]q\x00h\x00a.", "without end"),
    "a dictionary in itself": (b"\x80\x02}q\x00" + text("x") + b"h\x00s.", "without end"),
    "nested 100,000 times": (b"\x80\x02" + b"(" * 100_000 + b"l" * 100_000 + b".", "without end"),
    "a billion laughs": (laughs(b"K\x01"), "holds no tensors"),
    "a billion tensors": (laughs(tensor()), "without end"),
    "copies of copies": (
        b"\x80\x02cbuiltins\nset\nq\x01]q\x00("
        + b"".join(b"J" + struct.pack("<i", n) for n in range(50_000))
        + b"e0("
        + b"h\x01h\x00\x85R" * 500
        + b"l.",
        "too many values",
    ),
}


@pytest.mark.parametrize(("pickled", "problem"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_pickles(tmp_path: Path, pickled: bytes, problem: str) -> None:
    told = refused(tmp_path, archive(pickled))
    assert told.startswith("MS302 ")
    assert any(part in told for part in problem.split("|")), told


def test_a_good_one_is_read(tmp_path: Path) -> None:
    for data in (archive(state(tensor())), legacy(state(tensor()))):
        (tmp_path / "x.pth").write_bytes(data)
        found = read_pth(tmp_path / "x.pth").tensors()["x"]
        assert found.array().tolist() == [0, 0, 0, 0]


def deflated(pickled: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("x/data.pkl", pickled)
        new.writestr("x/data/0", bytes(50_000_000))
    return stream.getvalue()


def directory(data: bytes, place: int, form: str, value: int) -> bytes:
    """The archive with one number changed, counted from the first entry of its directory."""
    start = data.index(b"PK\x01\x02") + place
    return data[:start] + struct.pack(form, value) + data[start + struct.calcsize(form) :]


GOOD = archive(state(tensor()))
END = GOOD.index(b"PK\x05\x06")
ARCHIVES = {
    "a bomb": (deflated(state(tensor())), "compressed, which torch.save never does"),
    "a lying size": (directory(GOOD, 24, "<I", 1 << 30), "'x/data.pkl' has two sizes"),
    "both sizes lie": (
        directory(directory(GOOD, 20, "<I", 1 << 30), 24, "<I", 1 << 30),
        "cut short|shares its bytes",
    ),
    "encrypted": (directory(GOOD, 8, "<H", 1), "'x/data.pkl' is encrypted"),
    "an offset outside": (directory(GOOD, 42, "<I", 1 << 30), "not where the zip archive says"),
    "another name in front": (GOOD.replace(b"x/data.pkl", b"x/nope.pkl", 1), "another name"),
    "a million members": (
        GOOD[: END + 8] + struct.pack("<HH", 60000, 60000) + GOOD[END + 12 :],
        "too many members",
    ),
    "cut short": (GOOD[:-30], "cut short"),
    "cut in the data": (GOOD[:60], "cut short"),
    "one byte short": (GOOD[:-1], "cut short|damaged"),
    "more behind it": (GOOD + b"x", "data follows"),
    "a path": (GOOD.replace(b"x/version", b"../../etc"), "has a path for a name"),
    "an absolute path": (GOOD.replace(b"x/version", b"/etc/pass"), "has a path for a name"),
    "a path of Windows": (GOOD.replace(b"x/version", rb"..\..\etc"), "has a path for a name"),
    "not UTF-8": (GOOD.replace(b"x/version", b"x/\xff\xfe\xfdsion"), "not UTF-8"),
    "no pickle": (GOOD.replace(b"x/data.pkl", b"x/code.pkl"), "that torch.save did not write"),
    "TorchScript": (archive(b"N.", **{"constants.pkl": b"N."}), "TorchScript archive"),
    "empty": (b"", "the file is empty"),
    "a web page": (b"<!DOCTYPE html><html>", "a web page"),
    "git lfs": (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    "tar": (bytes(257) + b"ustar\x0000" + bytes(300), "tar archive"),
    "a plain pickle": (pickle.dumps({"a": 1}), "a Python pickle"),
    "safetensors": (struct.pack("<Q", 2) + b"{}", "safetensors"),
    "legacy, cut in its last storage": (legacy(state(tensor()))[:-1], "cut short or has another"),
    "legacy, cut in its pickle": (legacy(state(tensor()))[:60], "cut short"),
    "legacy, with no storages": (legacy(state(tensor()), b"\x80\x02]."), "'0' is missing"),
    "legacy, a storage twice": (
        legacy(state(tensor()), b"\x80\x02](" + text("0") * 2 + b"e."),
        "comes twice",
    ),
    "legacy, another size": (
        legacy(state(tensor(STORAGE.replace(whole(4), whole(HUGE))))),
        "cut short or has another",
    ),
}


@pytest.mark.parametrize(("data", "problem"), ARCHIVES.values(), ids=ARCHIVES)
def test_damaged_files(tmp_path: Path, data: bytes, problem: str) -> None:
    if not problem:
        pytest.fail("say what is wrong")
    told = refused(tmp_path, data)
    assert told.startswith("MS302 ")
    assert any(part in told for part in problem.split("|")), told


def test_members_that_share_bytes(tmp_path: Path) -> None:
    entries = GOOD[GOOD.index(b"PK\x01\x02") : END]
    first = entries[: entries.index(b"PK\x01\x02", 4)]
    count, size = 5, len(entries) + len(first)
    start = GOOD.index(b"PK\x01\x02")
    tail = struct.pack("<4H2IH", 0, 0, count, count, size, start, 0)
    data = GOOD[:start] + entries + first + b"PK\x05\x06" + tail
    assert "has 'x/data.pkl' twice" in refused(tmp_path, data)


# whatever the bytes


def good_files(folder: Path) -> list[bytes]:
    """Files of both formats, with views, several types and values around."""
    items = {f"layer.{number}.weight": np.full((3, number), number, "f4") for number in range(1, 5)}
    write_pth(folder / "good.pth", items.items(), tied={"again": "layer.1.weight"})
    return [(folder / "good.pth").read_bytes(), legacy(state(tensor())), GOOD]


def touch(path: Path) -> None:
    """Reads everything that there is, as a command would."""
    for value in read_pth(path).tensors().values():
        value.array().tobytes()


def test_changed_bytes_never_do_more_than_be_refused(tmp_path: Path) -> None:
    chance = random.Random(0)
    path = tmp_path / "x.pth"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes: dict[str, int] = {}
    for good in good_files(tmp_path):
        for _trial in range(1500):
            data = bytearray(good)
            for _change in range(chance.choice((1, 1, 2, 5))):
                data[chance.randrange(len(data))] = chance.randrange(256)
            size = chance.choice((len(data), len(data), chance.randrange(1, len(data))))
            path.write_bytes(data[:size])
            try:
                touch(path)
                outcomes["read"] = outcomes.get("read", 0) + 1
            except MsconvertError as error:
                outcomes[error.code] = outcomes.get(error.code, 0) + 1
    assert outcomes["read"] > 100
    assert outcomes["MS302"] > 1000
    assert set(outcomes) <= {"read", "MS302", "MS309"}
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000  # kilobytes


def test_instructions_in_any_order(tmp_path: Path) -> None:
    """Random programs of the machine's own instructions end, in a value or a refusal."""
    chance = random.Random(1)
    pieces = [b"(", b")", b"}", b"]", b"N", b"K\x01", b"t", b"l", b"d", b"u", b"e", b"a", b"s"]
    pieces += [b"\x85", b"\x86", b"R", b"b", b"Q", b"q\x00", b"h\x00", b"0", b"1", b"\x8f", b"\x90"]
    pieces += [text("0"), STORAGE, REBUILD, EMPTY, FLOATS, tensor(), named("builtins", "set")]
    pieces += [named("numpy", "dtype"), named("numpy", "ndarray"), text("f4"), b"\x81", b"C\x01x"]
    pieces += [named("numpy.core.multiarray", "scalar"), named("torch", "Size"), b"\x93", b"\x94"]
    pieces += [named("numpy.core.multiarray", "_reconstruct"), named("collections", "Counter")]
    pieces += [named("torch._utils", "_rebuild_parameter"), named("builtins", "complex")]
    pieces += [named("torch._tensor", "_rebuild_from_type_v2"), named("_codecs", "encode")]
    pieces += [named("torch._utils", "_rebuild_tensor_v3"), named("torch", "uint16")]
    path = tmp_path / "x.pth"
    read = 0
    for _trial in range(4000):
        program = b"".join(chance.choices(pieces, k=chance.randrange(1, 14)))
        path.write_bytes(archive(b"\x80\x02" + program + b"."))
        try:
            load_pth(path)
            read += 1
        except MsconvertError as error:
            assert error.code in ("MS302", "MS309")  # noqa: PT017  # most of them are refused
    assert read > 20
