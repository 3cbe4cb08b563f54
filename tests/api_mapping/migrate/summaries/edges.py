"""Values, steps and names that a writer takes or refuses: one folder each."""

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

R = torch.tensor(np.linspace(-2, 2, 64).astype(np.float32))  # no sum of steps, which differ
NAN = torch.tensor([float("nan"), 1.0])
INF = torch.tensor([float("inf"), 1.0])

CASES = (
    lambda w: w.add_scalar("a", True, 1),
    lambda w: w.add_scalar("a", torch.tensor([2.5]), 1),
    lambda w: w.add_scalar("a", "0.25", 1),
    lambda w: w.add_scalar("a", 1e40, 1),
    lambda w: w.add_scalar("a", torch.tensor(3), torch.tensor([4])),
    lambda w: w.add_scalar("a", 1, 1.9),
    lambda w: w.add_scalar("a", [1.0], 1),
    lambda w: w.add_scalar("a", np.ones((1, 1)), 1),
    lambda w: w.add_scalar("", 1, 1),
    lambda w: w.add_scalar("ü", 1, 1),
    lambda w: w.add_scalar("a", 1 + 2j, 1),
    lambda w: w.add_scalar("a", np.array([]), 1),
    lambda w: w.add_scalar(5, 1, 1),
    lambda w: w.add_scalar("a", torch.tensor(1).bfloat16(), 1),
    lambda w: w.add_scalar("a", 1, None, 0),
    lambda w: w.add_scalars("m", {}, 1),
    lambda w: w.add_scalars("m", {"x y": 1}, 1),
    lambda w: w.add_scalars("m", {"a/b": 1}, 1),
    lambda w: w.add_scalars("m", [1], 1),
    lambda w: w.add_histogram("h", 3.0, 1),
    lambda w: w.add_histogram("h", [1, 2], 1),
    lambda w: w.add_histogram("h", NAN, 1),
    lambda w: w.add_histogram("h", INF, 1),
    lambda w: w.add_histogram("h", torch.tensor([1e30]), 1),
    lambda w: w.add_histogram("h", torch.tensor([True, False]), 1),
    lambda w: w.add_histogram("h", torch.tensor([1.0, 2, 3]), 1, bins=5, max_bins=5),
    lambda w: w.add_histogram("h", torch.tensor([1.0, 2, 3]), 1, bins="fd"),
    lambda w: w.add_histogram("h", torch.tensor([1.0, 2, 3]), 1, bins="none"),
    lambda w: w.add_histogram("h", torch.tensor([1.0, 2, 3]), 1, bins=[5, 6]),
    lambda w: w.add_histogram("h", R, 1, bins=64, max_bins=7),
    lambda w: w.add_histogram("h", R, 1, bins=65, max_bins=64),
    lambda w: w.add_histogram("h", torch.tensor([1.0, 2]).bfloat16(), 1),
    lambda w: w.add_histogram("h", -(R.abs()), 1),
    lambda w: w.add_histogram("h", torch.tensor([5.0]), 1),
    lambda w: w.add_histogram("h", torch.tensor([-1e-13, 1e-13]), 1),
    lambda w: w.add_image("i", R.reshape(1, 1, 8, 8), 1),
    lambda w: w.add_image("i", R.reshape(8, 8), 1),
    lambda w: w.add_image("i", R.reshape(4, 4, 4), 1),
    lambda w: w.add_image("i", R.reshape(2, 4, 8), 1),
    lambda w: w.add_image("i", torch.tensor([[1, 0], [0, 1]]), 1, dataformats="HW"),
    lambda w: w.add_image("i", torch.tensor([[True, False]]), 1, dataformats="HW"),
    lambda w: w.add_image("i", R.reshape(1, 8, 8).half(), 1),
    lambda w: w.add_image("i", R.reshape(1, 8, 8).double(), 1),
    lambda w: w.add_image("i", np.zeros((3, 0, 4)), 1),
    lambda w: w.add_images("i", R.reshape(1, 1, 8, 8).numpy(), 1),
    lambda w: w.add_images("i", R.reshape(4, 4, 4, 1), 1, dataformats="NHWC"),
    lambda w: w.add_images("i", R.reshape(1, 8, 8), 1, dataformats="CHW"),
    lambda w: w.add_images("i", R.reshape(1, 8, 8), 1),
    lambda w: w.add_image("i", R.reshape(2, 8, 4), 1, dataformats="XYZ"),
    lambda w: w.add_image("i", R.reshape(8, 8), 1, dataformats=""),
    lambda w: w.add_text("t", "", 1),
    lambda w: w.add_text("", "a", 1),
    lambda w: w.add_text("t", None, 1),
    lambda w: w.add_text("t", b"a", 1),
    lambda w: w.add_hparams({"a": None}, {}, run_name="r"),
    lambda w: w.add_hparams({}, {"m": R[0]}, run_name="r"),
    lambda w: w.add_hparams({"a": torch.tensor([1, 2])}, {}, run_name="r"),
    lambda w: w.add_hparams({"a": np.float32(1)}, {}, run_name="r"),
    lambda w: w.add_hparams({"a": True}, {"m": True}, {"a": [True]}, run_name="r"),
    lambda w: w.add_hparams({"a": 1}, {}, {"b": [1]}, run_name="r"),
    lambda w: w.add_hparams({"a": 1}, {}, {"a": 1}, run_name="r"),
    lambda w: w.add_hparams({"a": 1}, {}, [1], run_name="r"),
    lambda w: w.add_hparams({1: 1}, {}, run_name="r"),
    lambda w: w.add_hparams({"a": "ü"}, {"m": "x"}, run_name="r"),
    lambda w: w.add_hparams({"a": "x"}, {}, {"a": ["x", "y"]}, run_name="r"),
    lambda w: w.add_hparams({"a": np.float64(1)}, {}, run_name="r"),
    lambda w: w.add_hparams({"a": np.int64(1)}, {}, run_name="r"),
    lambda w: w.add_histogram_raw("r", 0, 1, 1, 1, 1, torch.tensor([1.0]), torch.tensor([1.0]), 1),
    lambda w: w.add_histogram_raw("r", 0, 1, 1, 1, 1, [], [], 1),
    lambda w: w.add_image("i", torch.zeros(5, 2, 2), 1),
    lambda w: w.add_image(3, torch.zeros(3, 2, 2), 1),
    lambda w: w.add_text(None, "a", 1),
    lambda w: w.add_histogram(b"h", R, 1),
    lambda w: w.add_hparams({"a": 1}, {2: 3.0}, run_name="r"),
    lambda w: w.add_histogram("h", R, 1, bins=[5.0, 6.0, 7.0]),
    lambda w: w.add_scalar("a", 1.0, torch.tensor(5)),
    lambda w: w.add_scalar("a", 1.0, "x"),
    lambda w: w.add_scalar("a", 1.0, 1, "x"),
)

outcomes = SummaryWriter("outcomes")
for number, attempt in enumerate(CASES):
    told = "written"
    with SummaryWriter(f"edges/{number:02}") as writer:
        try:
            attempt(writer)
        except (AssertionError, IndexError, KeyError, NotImplementedError) as error:
            told = type(error).__name__
        except (AttributeError, RuntimeError, TypeError, ValueError) as error:
            told = type(error).__name__
    outcomes.add_text(f"{number:02}", told, number)
outcomes.close()
