"""Pictures a second through a pipeline of data: `python -m msconvert.benchmarks.data [PYTHON]`.

Decoded, resized, cropped, mirrored, normalised and stacked: 224x224 of JPEG files as photographs
are, about 500x375, in batches of 32 on two cores. The bundled runtime and the real MindSpore (of
PYTHON, or of the environment that the tests use) run the same lines; PyTorch has a DataLoader with
Pillow, in two processes. All in turn, three times over; the best time of each counts, and the
ratios are what is said.

What is timed is all epochs of an iterator from the moment at which it is made: MindSpore makes up
to 16 batches before they are asked for, so an epoch by itself may be one that was made before it
began. Where other work shares the cores, times depend on who has more threads: CPU time does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

COUNT, ROUNDS, WORKERS, EPOCHS = 256, 3, 2, 4
MINDSPORE = Path.home() / ".cache" / "msconvert" / "mindspore-2.10.0" / "bin" / "python"

OF_MINDSPORE = """
import json, sys, time
import PACKAGE as ms
import PACKAGE.dataset as ds
from PACKAGE.dataset import vision

ds.config.set_num_parallel_workers(WORKERS)
ds.config.set_seed(1)
KINDS = {
    "train": [
        vision.RandomCropDecodeResize(224),
        vision.RandomHorizontalFlip(),
    ],
    "eval": [vision.Decode(), vision.Resize(256), vision.CenterCrop(224)],
}
found = {}
for name, first in KINDS.items():
    data = ds.ImageFolderDataset("images", shuffle=False, num_parallel_workers=WORKERS)
    normal = vision.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])
    data = data.map([*first, normal, vision.HWC2CHW()], "image", num_parallel_workers=WORKERS)
    data = data.batch(32, drop_remainder=True)
    for epochs in (1, EPOCHS):  # the first is to be warm
        start, before = time.perf_counter(), time.process_time()
        rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
        count = sum(len(images) for _ in range(epochs) for images, _ in rows)
        took, spent = time.perf_counter() - start, time.process_time() - before
    found[name] = count / took, 1000 * spent / count
print(json.dumps(found))
"""

OF_PYTORCH = """
import json, time
from pathlib import Path
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
MEAN, STD = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])


class Images(Dataset):
    def __init__(self, kind):
        self.files, self.kind = sorted(Path("images").rglob("*.jpg")), kind

    def __len__(self):
        return len(self.files)

    def __getitem__(self, n):
        image = Image.open(self.files[n]).convert("RGB")
        w, h = image.size
        if self.kind == "train":
            area = np.random.uniform(0.08, 1) * w * h
            ratio = np.exp(np.random.uniform(np.log(3 / 4), np.log(4 / 3)))
            a, b = min(w, round((area * ratio) ** 0.5)), min(h, round((area / ratio) ** 0.5))
            x, y = np.random.randint(0, w - a + 1), np.random.randint(0, h - b + 1)
            image = image.resize((224, 224), Image.BILINEAR, (x, y, x + a, y + b))
            if np.random.rand() < 0.5:
                image = image.transpose(Image.FLIP_LEFT_RIGHT)
        else:
            s = 256 / min(w, h)
            image = image.resize((round(w * s), round(h * s)), Image.BILINEAR)
            x, y = (image.width - 224) // 2, (image.height - 224) // 2
            image = image.crop((x, y, x + 224, y + 224))
        pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous().float().div(255)
        return (pixels - MEAN[:, None, None]) / STD[:, None, None], 0


found = {}
for kind in ("train", "eval"):
    options = {"num_workers": WORKERS, "drop_last": True, "persistent_workers": True}
    loader = DataLoader(Images(kind), 32, **options)
    for epochs in (1, EPOCHS):  # in the first, processes are started
        start = time.perf_counter()
        count = sum(len(images) for _ in range(epochs) for images, _ in loader)
        took = time.perf_counter() - start
    found[kind] = count / took, 0.0
print(json.dumps(found))
"""


def photographs(folder: Path) -> None:
    """JPEG files of smooth shapes and grain, in two classes."""
    from PIL import Image

    numbers = np.random.RandomState(0)
    for n in range(COUNT):
        place = folder / "images" / f"c{n % 2}"
        place.mkdir(parents=True, exist_ok=True)
        h, w = numbers.randint(330, 420), numbers.randint(450, 550)
        small = Image.fromarray(numbers.randint(0, 256, (h // 24, w // 24, 3)).astype(np.uint8))
        smooth = np.asarray(small.resize((w, h), Image.Resampling.BICUBIC), int)
        grain = numbers.randint(-12, 13, (h, w, 1))
        Image.fromarray((smooth + grain).clip(0, 255).astype(np.uint8)).save(
            place / f"{n}.jpg", quality=90
        )


def measured(folder: Path, python: str, code: str) -> dict[str, tuple[float, float]]:
    """What a script prints by kind: pictures a second, milliseconds of CPU for one."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [python, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, tuple[float, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(arguments: list[str]) -> None:
    python = arguments[0] if arguments else str(MINDSPORE)
    sides: dict[str, Any] = {
        "runtime": (sys.executable, OF_MINDSPORE.replace("PACKAGE", "msconvert.runtime")),
        "MindSpore": (python, OF_MINDSPORE.replace("PACKAGE", "mindspore")),
        "DataLoader": (sys.executable, OF_PYTORCH),
    }
    best: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in sides}
    with tempfile.TemporaryDirectory() as folder:
        photographs(Path(folder))
        for _ in range(ROUNDS):
            for name, (interpreter, code) in sides.items():
                code = code.replace("WORKERS", str(WORKERS)).replace("EPOCHS", str(EPOCHS))
                for kind, (speed, cpu) in measured(Path(folder), interpreter, code).items():
                    before = best[name].get(kind, (0.0, 1e9))
                    best[name][kind] = max(speed, before[0]), min(cpu, before[1])
    for kind in ("train", "eval"):
        speeds = {name: found[kind][0] for name, found in best.items()}
        told = ", ".join(f"{name} {speed:.0f}/s" for name, speed in speeds.items())
        ratios = [speeds["runtime"] / speeds[name] for name in ("MindSpore", "DataLoader")]
        print(f"{kind}: {told}; {ratios[0]:.2f}x MindSpore, {ratios[1]:.2f}x the DataLoader")
        cpu = [best[name][kind][1] for name in ("runtime", "MindSpore")]
        each = f"runtime {cpu[0]:.2f} ms, MindSpore {cpu[1]:.2f} ms"
        print(f"  CPU for a picture: {each}: {cpu[1] / cpu[0]:.2f}x MindSpore")


if __name__ == "__main__":
    main(sys.argv[1:])
