"""Tensor's operators and methods, by family; see `tensor_methods.py`."""
