"""PyTorch's files: pickles read without running them, tensors in their archives."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats.pytorch")
