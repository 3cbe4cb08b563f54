"""The names of weights: what a tensor is called in another framework."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats.names")
