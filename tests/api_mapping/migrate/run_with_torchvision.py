"""Runs a script of PyTorch's, with a torchvision whose compiled operators need not be there.

python run_with_torchvision.py SCRIPT ARGUMENTS...
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import torch

from msconvert.tests.api_mapping.two_sides import declare_operators

declare_operators(torch)
del sys.argv[0]
sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
runpy.run_path(sys.argv[0], run_name="__main__")
