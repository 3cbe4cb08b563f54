"""What expressions are known to be does not follow from how Python hashes text in this process."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = """
from msconvert.api_mapping.table.kinds import Kind, either_layer

layer = lambda *inner: Kind("module", "torch.nn.Sequential",
                            tuple(Kind("module", f"torch.nn.{name}") for name in inner))
made = either_layer(layer("Conv2d", "BatchNorm2d"), layer("ReLU"))
for inner in (["Tanh"], ["Linear", "ReLU"], ["ReLU"], ["Dropout"]):
    made = either_layer(made, layer(*inner))
print([[part.name for part in one.parts] for one in made.parts])
"""


def test_layers_that_a_module_may_be_are_in_the_order_of_the_code() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(6)
    }
    names = [["Conv2d", "BatchNorm2d"], ["ReLU"], ["Tanh"], ["Linear", "ReLU"], ["Dropout"]]
    assert said == {f"{[[f'torch.nn.{name}' for name in inner] for inner in names]}\n"}
