"""The code of a node: expressions, statements, layers, names."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.code")
