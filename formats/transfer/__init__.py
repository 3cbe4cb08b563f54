"""Tensors of one kind of file written as another, and the proof that they are the same."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats.transfer")
