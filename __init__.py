"""Moves models from PyTorch and ONNX to MindSpore."""

__version__ = "0.1.0"
