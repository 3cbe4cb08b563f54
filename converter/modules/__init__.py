"""The modules of a model: paths, blocks, classes, their arguments and names."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.modules")
