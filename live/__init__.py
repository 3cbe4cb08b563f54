"""Conversions inside a Python program: live PyTorch modules, models in memory, TensorFlow's files.

A result is written as the command writes it, or built as a network of the runtime at once.
"""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.live: bare 'live' would collide with others")
