"""The first step of a conversion: an ONNX file becomes a `Graph`, or one clear refusal."""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from ...errors import MsconvertError, UsageError
from ...formats.storage.expansion import held_by
from ...formats.storage.opening import UnopenedError
from ...formats.storage.recovery import settled
from ...formats.wire import WireError
from ..graph.functions import inlined
from ..graph.graph import Graph
from ..graph.proto import name_of
from ..graph.structure import order
from ..guard import guard
from .read import Reader, plain_domain
from .tensors import TensorFiles, mapped
from .wire import stripped

OLDEST_OPSET = 7
"""Before it, operators broadcast by attributes and nothing current writes it."""

FIRST_IR_WITH_OPSETS = 3
"""Older files do not say their operator set: it is 1."""

MAGIC = (
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "run `git lfs pull`"),
    (b"\x89PNG", "a PNG image", ""),
    (b"\xff\xd8\xff", "a JPEG image", ""),
    (b"\x89HDF", "an HDF5 file, as Keras writes it", "convert it with tf2onnx first"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"%PDF", "a PDF document", ""),
    (b"\x93NUMPY", "a NumPy array", ""),
    (b"PK\x03\x04", "a zip archive or a PyTorch checkpoint (.pth)", "@torch"),
    (b"\x80\x02", "a pickle, perhaps an old PyTorch checkpoint (.pth)", "@torch"),
    (b"<!DOCTYPE", "a web page", "download the file itself"),
    (b"<html", "a web page", "download the file itself"),
    (b"ir_version:", "an ONNX model as text", "@text"),
    (b"<\n  ir_version:", "an ONNX model as text", "@text"),
    (b"{", "JSON text", "@text"),
)
"""First bytes -> what the file is, what to do."""

ADVICE = {
    "": "give the .onnx file",
    "@torch": "export the model with torch.onnx.export, or unpack the archive",
    "@text": "read it with the onnx package and save it with onnx.save as .onnx",
}


def load(path: Path) -> Graph:
    """The model in `path`: weights are views of the file, nodes are in order, functions inlined.

    Initialisers that are also inputs (ir_version 3) and Constant nodes are constants. Keep the
    file unchanged while the graph is in use: its weights are memory-mapped.
    Raises: MS102 unreadable or not ONNX, MS103 external data, MS104 invalid graph, MS106 opset
    """
    buffer = _bytes_of(path)
    with guard(lambda reason: _malformed(path, reason)):
        return _loaded(buffer, path)


def _malformed(path: Path, reason: str) -> MsconvertError:
    problem, advice = "the graph is not what ONNX says", "export the model again"
    return MsconvertError("MS104", str(path), problem, got=reason, advice=advice)


def _loaded(buffer: memoryview, path: Path) -> Graph:
    model = inlined(_parsed(buffer, path), str(path))
    opsets = _opsets(model, path)
    files = TensorFiles(path, buffer)
    graph = Reader(files, opsets).graph(model.graph)
    graph.files = tuple(files.paths)
    graph.stored = held_by(files.paths)
    made_by = (name_of(model.producer_name), name_of(model.producer_version))
    graph.producer = " ".join(filter(None, made_by))
    if not graph.outputs:
        raise MsconvertError(
            "MS104", str(path), "the graph has no outputs", advice="export the model again"
        )
    order(graph, str(path))
    return graph


def _bytes_of(path: Path) -> memoryview:
    if any("\udc80" <= c <= "\udcff" for c in str(path)):
        problem = "its path has bytes that are no UTF-8: ONNX Runtime cannot open it"
        raise UsageError("MS102", str(path), problem, advice="rename the file or its folder")
    settled(path, "MS102")
    try:
        buffer = mapped(path)
    except UnopenedError as error:
        raise UsageError(
            "MS102", str(path), str(error.strerror), expected="a file", advice=ADVICE[""]
        ) from error
    except FileNotFoundError as error:
        raise UsageError(
            "MS102", str(path), "there is no such file", advice="check the path"
        ) from error
    except (OSError, ValueError) as error:
        raise MsconvertError("MS102", str(path), "it cannot be read", got=str(error)) from error
    if len(buffer) == 0:
        raise MsconvertError(
            "MS102",
            str(path),
            "the file is empty",
            got="0 bytes",
            expected="an ONNX model",
            advice="export or download it again",
        )
    return buffer


def _parsed(buffer: memoryview, path: Path) -> onnx.ModelProto:
    """Raises: MS102 with what the file looks like, or where it is cut off."""
    head = bytes(buffer[:64]).lstrip()
    for magic, kind, advice in MAGIC:
        if head.startswith(magic):
            raise _not_onnx(path, kind, ADVICE.get(advice, advice))
    try:
        model = onnx.ModelProto.FromString(stripped(buffer))
    except WireError as error:
        looks_onnx = buffer[0] == 0x08 and b"\x00" not in bytes(buffer[:2])
        if error.needed and looks_onnx:
            raise _truncated(path, len(buffer), str(error), error.needed - error.left) from error
        raise _not_onnx(path, _kind(head), ADVICE[""]) from error
    except DecodeError as error:
        raise _not_onnx(path, _kind(head), ADVICE[""]) from error
    if not model.HasField("graph") and not len(model.opset_import):
        raise _not_onnx(path, _kind(head), ADVICE[""])
    if model.HasField("graph") and 0 < model.ir_version < FIRST_IR_WITH_OPSETS:
        model.opset_import.add(version=1)
    if not model.HasField("graph") or not len(model.opset_import):
        lost = "operator sets" if model.HasField("graph") else "graph"
        raise _truncated(path, len(buffer), f"it has no {lost}", 1)
    return model


def _kind(head: bytes) -> str:
    if head[4:8] == b"TFL3":
        return "a TensorFlow Lite model"
    if head[4:8] == b"ORTM":
        return "a model in ONNX Runtime's own format"
    if head[8:9] == b"{":
        return "a safetensors file"
    is_text = bool(head) and all(byte >= 32 or byte in b"\t\r\n" for byte in head)
    return "text" if is_text else f"bytes that start with {head[:8].hex(' ')}"


def _not_onnx(path: Path, kind: str, advice: str) -> MsconvertError:
    return MsconvertError(
        "MS102",
        str(path),
        "this is not an ONNX model",
        got=kind,
        expected="a binary .onnx file",
        advice=advice,
    )


def _truncated(path: Path, size: int, problem: str, more: int) -> MsconvertError:
    return MsconvertError(
        "MS102",
        str(path),
        f"the file is damaged or cut off: {problem}",
        got=f"{size} bytes",
        expected=f"at least {size + more} bytes",
        advice="download or export it again",
    )


def _opsets(model: onnx.ModelProto, path: Path) -> dict[str, int]:
    """The imported operator sets. Raises: MS106 for one that is newer or older than those known."""
    opsets = {plain_domain(item.domain): item.version for item in model.opset_import}
    if model.ir_version > onnx.IR_VERSION:
        raise MsconvertError(
            "MS106",
            str(path),
            "the model is of an unknown version of the file format",
            got=f"ir_version {model.ir_version}",
            expected=f"at most {onnx.IR_VERSION}",
            advice=f"install an onnx newer than {onnx.__version__}",
        )
    known = {"": onnx.defs.onnx_opset_version(), "ai.onnx.ml": _newest_ml()}
    for domain, newest in known.items():
        oldest = OLDEST_OPSET if domain == "" else 1
        opset = opsets.get(domain, newest)
        if not oldest <= opset <= newest:
            newer = f"install an onnx newer than {onnx.__version__}, or re-export at {newest}"
            raise MsconvertError(
                "MS106",
                str(path),
                f"the model is of an unknown opset of {domain or 'ai.onnx'}",
                got=f"opset {opset}",
                expected=f"{oldest} to {newest}",
                advice=newer if opset > newest else "re-export the model at opset 11 or newer",
            )
    return opsets


def _newest_ml() -> int:
    return int(onnx.helper.VERSION_TABLE[-1][3])
