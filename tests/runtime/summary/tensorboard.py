"""Event files read by others: protobuf with TensorBoard's messages, or TensorBoard itself."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MESSAGES = {
    "Event": "wall_time:1 step:3:2 file_version:9:3 graph_def:12:4 summary:Summary:5 "
    "session_log:Session:7",
    "Session": "status:5:1",
    "Summary": "*value:Value:1",
    "Value": "tag:9:1 simple_value:2:2 image:Image:4 histo:Histogram:5 tensor:Array:8 "
    "metadata:Metadata:9",
    "Image": "height:5:1 width:5:2 colorspace:5:3 encoded_image_string:12:4",
    "Histogram": "min:1:1 max:1:2 num:1:3 sum:1:4 sum_squares:1:5 *bucket_limit:1:6 *bucket:1:7",
    "Array": "dtype:5:1 shape:Shape:2 tensor_content:12:4 *float_val:2:5 *double_val:1:6 "
    "*string_val:12:8",
    "Shape": "*dim:Dim:2",
    "Dim": "size:3:1",
    "Metadata": "plugin_data:Plugin:1",
    "Plugin": "plugin_name:9:1 content:12:2",
    "Graph": "*node:Node:1",
    "Node": "name:9:1 op:9:2 *input:9:3",
    "Settings": "experiment:Experiment:2 start:Start:3 end:Session:4",
    "Experiment": "*settings:Setting:4 *metrics:Metric:5",
    "Setting": "name:9:1 type:5:4 choices:Worths:5",
    "Worths": "*values:Worth:1",
    "Worth": "number:1:2 text:9:3",
    "Metric": "name:MetricName:1",
    "MetricName": "group:9:1 tag:9:2",
    "Start": "*settings:Named:1",
    "Named": "key:9:1 value:Worth:2",
}
"""Fields as name:type:number; of a number of descriptor_pb2's, or the name of a message."""


def message_class(wanted: str) -> Any:
    """Protobuf's class of a message."""
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for text in fields.replace("wall_time:1", "wall_time:1:1").split():
            label, kind, number = text.split(":")
            field = message.field.add(name=label.lstrip("*"), number=int(number))
            field.label = 3 if label.startswith("*") else 1
            if kind.isdecimal():
                field.type = int(kind)
            else:
                field.type, field.type_name = 11, f".{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(wanted))


EVENT = message_class("Event")


def checksum(data: bytes) -> int:
    """The masked CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def events_in(data: bytes) -> list[Any]:
    """The events of all whole records; both checksums of each are right."""
    found, place = [], 0
    while place + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        if place + 16 + length > len(data):
            break
        head, body = data[place : place + 8], data[place + 12 : place + 12 + length]
        assert struct.unpack_from("<I", data, place + 8)[0] == checksum(head)
        assert struct.unpack_from("<I", data, place + 12 + length)[0] == checksum(body)
        found.append(EVENT.FromString(body))
        place += 16 + length
    return found


def values_in(folder: Path) -> list[tuple[int, Any]]:
    """The steps and values of the one event file of a folder."""
    (path,) = [p for p in folder.iterdir() if "tfevents" in p.name and p.suffix != ".json"]
    every = events_in(path.read_bytes())
    assert every[0].file_version == "brain.Event:2"
    return [(event.step, value) for event in every for value in event.summary.value]


ACCUMULATE = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray
sizes = dict.fromkeys(("scalars", "images", "histograms", "tensors"), 0)
read = EventAccumulator(sys.argv[1], size_guidance=sizes)
read.Reload()
tags = read.Tags()
print(json.dumps({
    "scalars": {t: [(e.step, e.value) for e in read.Scalars(t)] for t in tags["scalars"]},
    "images": {t: [(e.step, e.width, e.height, e.encoded_image_string.hex())
                   for e in read.Images(t)] for t in tags["images"]},
    "histograms": {t: [(e.step, h.min, h.max, h.num, list(h.bucket_limit), list(h.bucket))
                       for e in read.Histograms(t) for h in [e.histogram_value]]
                   for t in tags["histograms"]},
    "tensors": {t: [(e.step, make_ndarray(e.tensor_proto).tolist()) for e in read.Tensors(t)]
                for t in tags["tensors"]},
    "nodes": [(n.name, n.op, list(n.input)) for n in read.Graph().node] if tags["graph"] else [],
}, default=bytes.decode))
"""

CUT = """
import json, os, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
data = open(sys.argv[1], "rb").read()
path = sys.argv[2]
found = []
for length in range(len(data) + 1):
    with open(path, "wb") as file:
        file.write(data[:length])
    read = EventAccumulator(path, size_guidance={"scalars": 0})
    read.Reload()
    scalars = read.Tags()["scalars"]
    found.append({t: [(e.step, e.value) for e in read.Scalars(t)] for t in scalars})
print(json.dumps(found))
"""
"""The scalars of a file cut behind each of its bytes."""


def accumulated(folder: Path) -> dict[str, Any]:
    """What TensorBoard's own reader finds; skips where there is no TensorBoard."""
    found: dict[str, Any] = by_tensorboard(ACCUMULATE, folder)
    return found


def by_tensorboard(program: str, *arguments: Path) -> Any:
    """What a program prints as JSON that reads with TensorBoard; skips where there is none.

    MSCONVERT_TENSORBOARD_PYTHON is a Python that has it.
    """
    python = os.environ.get("MSCONVERT_TENSORBOARD_PYTHON", "")
    if not python and importlib.util.find_spec("tensorboard") is None:
        pytest.skip("TensorBoard is not installed, MSCONVERT_TENSORBOARD_PYTHON names no Python")
    done = subprocess.run(
        [python or sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True, text=True, timeout=900, check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
