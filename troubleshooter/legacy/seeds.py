"""Random numbers that come again."""

from __future__ import annotations

import random
from importlib import import_module
from importlib.util import find_spec

import numpy as np


def fix_random(seed: int = 16) -> None:
    """Seeds Python's, NumPy's and each installed framework's random numbers.

    Both frameworks' results come again, not the same numbers in both: `save` and compare, or let
    `msconvert compare` hand on the numbers of one to the other.
    """
    random.seed(seed)
    np.random.seed(seed)
    if find_spec("torch") is not None:
        import torch

        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True, warn_only=True)
    if find_spec("mindspore") is not None:
        import_module("mindspore").set_seed(seed)
