"""Projects of PyTorch's that tests migrate, written into a folder with their data and weights."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

FOUR = {
    "digits/__init__.py": "",
    "digits/model.py": '''
        """A reader of small drawings."""

        import torch
        import torch.nn.functional as F
        from torch import nn


        class Stage(nn.Module):
            def __init__(self, channels: int) -> None:
                super().__init__()
                self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
                self.norm = nn.BatchNorm2d(channels, momentum=0.2)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return F.relu(x + self.norm(self.conv(x)))


        class Reader(nn.Module):
            """Takes drawings of the shape (N, 1, 12, 12)."""

            def __init__(self, classes: int = 4, channels: int = 8, depth: int = 2) -> None:
                super().__init__()
                self.stem = nn.Conv2d(1, channels, 3, padding=1)
                self.stages = nn.Sequential(*[Stage(channels) for _ in range(depth)])
                self.norm = nn.LayerNorm(channels)
                self.head = nn.Linear(channels, classes)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                x = self.stages(self.stem(x)).mean((2, 3))
                return self.head(self.norm(x))
        ''',
    "digits/data.py": '''
        """The drawings that lie beside the code."""

        from pathlib import Path

        import numpy as np
        import torch
        from torch.utils.data import Dataset

        FILE = Path(__file__).parent.parent / "data" / "drawings.npz"


        class Drawings(Dataset):
            def __init__(self) -> None:
                with np.load(FILE) as arrays:
                    self.pixels, self.labels = arrays["pixels"], arrays["labels"]

            def __len__(self) -> int:
                return len(self.labels)

            def __getitem__(self, index: int):
                return torch.from_numpy(self.pixels[index]), int(self.labels[index])
        ''',
    "evaluate.py": '''
        """Prints the accuracy of the trained reader."""

        import torch
        from torch.utils.data import DataLoader

        from digits.data import Drawings
        from digits.model import Reader


        def main() -> None:
            checkpoint = torch.load("checkpoints/best.pth", map_location="cpu")
            model = Reader()
            model.load_state_dict(checkpoint["model"])
            model.eval()
            right = total = 0
            with torch.no_grad():
                for pixels, labels in DataLoader(Drawings(), batch_size=100):
                    right += (model(pixels).argmax(1) == labels).sum().item()
                    total += len(labels)
            shown = f"epoch {checkpoint['epoch']}, best {checkpoint['best']}"
            print(f"{shown}: {100 * right / total:.2f} %")


        if __name__ == "__main__":
            main()
        ''',
    "requirements.txt": "numpy>=1.24\ntorch==2.3.1  # the framework\ntorchvision\n",
    "pyproject.toml": """
        [project]
        name = "digits"
        version = "0"
        dependencies = ["numpy", "torch>=2.0", "torchvision>=0.15"]
        """,
}
"""Two modules of a package, a script, and what comes with them."""

DRAWINGS = 1500


def write(folder: Path, files: dict[str, str]) -> Path:
    """Writes the files, without their common indentation."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return folder


def four_files(folder: Path) -> Path:
    """The project of four files, with drawings and a checkpoint that has learned of them."""
    write(folder, FOUR)
    numbers = np.random.default_rng(0)
    labels = numbers.integers(0, 4, DRAWINGS)
    rows, columns = np.mgrid[0:12, 0:12]
    waves = np.stack(
        [np.sin(rows), np.sin(columns), np.sin(rows + columns), np.sin(rows - columns)]
    )
    noise = numbers.normal(0, 2.0, (DRAWINGS, 1, 12, 12))
    pixels = (waves[labels][:, None] + noise).astype(np.float32)
    (folder / "data").mkdir()
    import torch

    np.savez(folder / "data" / "drawings.npz", pixels=pixels, labels=labels)
    (folder / "checkpoints").mkdir()
    torch.save(trained(folder, pixels, labels), folder / "checkpoints" / "best.pth")
    return folder


def trained(folder: Path, pixels: np.ndarray, labels: np.ndarray) -> dict[str, object]:
    """What a training of one epoch saves."""
    import torch
    from torch import nn

    space: dict[str, object] = {"__name__": "model"}
    exec((folder / "digits" / "model.py").read_text(), space)
    torch.manual_seed(0)
    model = space["Reader"]()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    images, classes = torch.from_numpy(pixels), torch.from_numpy(labels)
    for start in range(0, DRAWINGS, 50):
        optimizer.zero_grad()
        outputs = model(images[start : start + 50])
        nn.functional.cross_entropy(outputs, classes[start : start + 50]).backward()
        optimizer.step()
    return {"model": model.state_dict(), "epoch": 1, "best": 0.5, "history": [{"loss": 1.25}]}


LANGUAGE = {
    "model.py": """
        from dataclasses import dataclass

        import torch
        from torch import nn


        @dataclass
        class Config:
            words: int = 31
            width: int = 8


        class Block(nn.Module):
            def __init__(self, config: Config) -> None:
                super().__init__()
                self.before, self.after = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
                self.inner = nn.Linear(config.width, config.width)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x + self.after(torch.relu(self.inner(self.before(x))))


        class Model(nn.Module):
            def __init__(self, config: Config | None = None) -> None:
                super().__init__()
                config = config or Config()
                self.words = nn.Embedding(config.words, config.width)
                self.places = nn.Parameter(torch.zeros(1, 16, config.width))
                self.blocks = nn.ModuleList([Block(config) for _ in range(2)])
                self.head = nn.Linear(config.width, config.words, bias=False)
                self.words.weight = self.head.weight

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                x = self.words(x) + self.places[:, : x.size(1)]
                for block in self.blocks:
                    x = block(x)
                return self.head(x)
        """,
    "evaluate.py": """
        import torch
        from model import Model

        model = Model()
        model.load_state_dict(torch.load("model.pt"))
        model.eval()
        out = model(torch.arange(12).view(2, 6))
        print(f"{out.abs().mean().item():.5f} {model.words.weight is model.head.weight}")
        """,
    "make.py": """
        import torch
        from model import Model

        if __name__ == "__main__":
            torch.manual_seed(3)
            model = Model()
            torch.nn.init.normal_(model.places)
            torch.save(model.state_dict(), "model.pt")
        """,
}
"""A language model: sizes of a configuration, two norms in a line, one weight for two layers."""
