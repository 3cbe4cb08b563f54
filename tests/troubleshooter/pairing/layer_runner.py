"""Loads converted weights into layers of MindSpore and runs them: on the runtime, or on its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def run(folder: Path, ms: Any, nn: Any, mint: Any, ops: Any) -> dict[str, Any]:
    """Each row of rows.json by its place: what loading left, and what running failed with.

    In outputs.npz there are each row's output and its parameters as they were loaded.
    """
    given = json.loads((folder / "rows.json").read_text())
    names = {"ms": ms, "nn": nn, "mint": mint, "ops": ops}
    exec(given["classes"], names)
    inputs, outputs = np.load(folder / "inputs.npz"), {}
    told = {row["place"]: {"left": None, "failure": ""} for row in given["rows"]}
    for row in given["rows"]:
        place = row["place"]
        try:
            net = holder(nn, eval(row["mindspore"], names))
            net.set_train(False)
            weights = ms.load_checkpoint(str(folder / f"{place}.ckpt"))
            left = ms.load_param_into_net(net, weights, strict_load=True)
            told[place]["left"] = [list(part) for part in left]
            outputs |= {f"{place}.{p.name}": p.asnumpy() for p in net.get_parameters()}
            values = {"layer": net.layer, "x": ms.Tensor(inputs[place])}
            outputs[place] = eval(row["call"], names | values).asnumpy()
        except Exception as error:  # noqa: BLE001  # told of each row alone
            told[place]["failure"] = f"{type(error).__name__}: {error}"[:600]
    np.savez(folder / "outputs.npz", **outputs)
    return told


def holder(nn: Any, layer: Any) -> Any:
    """A network whose parameters begin with `layer.`, as PyTorch's."""

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

    return Net()


def main() -> None:
    import mindspore
    from mindspore import mint, nn, ops

    found = run(Path(sys.argv[1]), mindspore, nn, mint, ops)
    sys.stdout.write("TOLD" + json.dumps(found))


if __name__ == "__main__":
    main()
