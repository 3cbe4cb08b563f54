"""The graph of a model, and what is done with it before any code is written."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.graph")
