"""What goes wrong in data sets: one error with its code, soon, and nobody is left."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

LIMIT_S = 120
BEGIN = """
import multiprocessing, os, signal, sys, threading
import numpy as np
import msconvert.runtime as ms
import msconvert.runtime.dataset as ds
from msconvert.runtime import nn, train
from msconvert.runtime.dataset import vision

def read(data):
    for _ in data.create_tuple_iterator(num_epochs=1):
        pass

def model():
    net = nn.Dense(2, 1)
    return train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))

def killed(x):
    os.kill(os.getpid(), signal.SIGKILL)

def rows(count):
    x, y = np.ones((count, 2), np.float32), np.ones((count, 1), np.float32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"])

class Raises:
    def __len__(self):
        return 50
    def __getitem__(self, number):
        if number == 31:
            raise KeyError("lost")
        return (np.full(3, number),)

class Killed(Raises):
    def __getitem__(self, number):
        killed(number)

def raises():
    yield (np.zeros(3),)
    raise KeyError("lost")

def cut_off():
    image = np.random.RandomState(0).randint(0, 256, (60, 60, 3)).astype(np.uint8)
    for number in range(20):
        os.makedirs("images/a", exist_ok=True)
        data = vision.encode_jpeg(image)
        vision.write_file(f"images/a/{number:02}.jpg", data if number != 13 else data[:900])
    data = ds.ImageFolderDataset("images", shuffle=False)
    steps = [vision.Decode(), vision.Resize(32)]
    return data.map(steps, "image", num_parallel_workers=2).batch(4)

try:
"""
END = """
except Exception as error:
    print(error)
left = [one.name for one in threading.enumerate() if one is not threading.main_thread()]
print("left:", left, multiprocessing.active_children())
"""
CASES = {
    "os.mkdir('empty'); read(ds.ImageFolderDataset('empty'))": "MS314 .*there are no images in it",
    "read(cut_off())": "MS304 map of image, row 13: Decode: the image cannot be decoded",
    "read(rows(4).map(abs, 'z'))": "MS314 map: there is no such column",
    "read(ds.GeneratorDataset(raises, ['a']).batch(2))": "MS314 GeneratorDataset: source failed",
    "read(ds.GeneratorDataset(Raises(), ['a'], shuffle=False, num_parallel_workers=2))": (
        "MS314 GeneratorDataset, row 31: source.* failed"
    ),
    "read(rows(20).map(killed, 'x', python_multiprocessing=True, num_parallel_workers=2))": (
        "MS314 map: a worker process ended before its work was done"
    ),
    "data = ds.GeneratorDataset(Killed(), ['a'], num_parallel_workers=2); read(data)": (
        "MS314 GeneratorDataset: a worker process ended before its work was done"
    ),
    "model().train(1, rows(3).batch(8, drop_remainder=True))": "MS304 Model.train: .*no row",
    "open('file', 'w').close(); "
    "model().train(1, rows(8), callbacks=train.ModelCheckpoint('p', 'file/below'))": (
        "MS304 ModelCheckpoint: .*the folder cannot be used"
    ),
    "train.Accuracy().update(ms.Tensor(np.ones((4, 3))), ms.Tensor(np.ones(5, np.int32)))": (
        "MS304 Accuracy.update: the shapes"
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_goes_wrong_is_told_once_and_leaves_nobody(case: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"{BEGIN}    {case}{END}"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, check=True
    )
    told, left = done.stdout.rsplit("left:", 1)
    assert re.match(CASES[case], told), told
    assert told.count("MS3") == 1
    assert left.split() == ["[]", "[]"]


LONG = (
    BEGIN.replace("try:", "").strip()
    + """

def told(x):
    os.write(1, b"%d\\n" % os.getpid())  # at once: print may write the number and the end apart
    signal.alarm(240)
    return signal.pause()

read(rows(20).map(told, 'x', python_multiprocessing=True, num_parallel_workers=2))
"""
)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_began_them(sent: signal.Signals) -> None:
    command = [sys.executable, "-c", LONG]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as begun:
        assert begun.stdout is not None
        workers = [int(begun.stdout.readline()) for _ in range(2)]
        begun.send_signal(sent)
        begun.communicate(timeout=LIMIT_S)  # it ends once none of them holds its output open
    assert len({begun.pid, *workers}) == 3
