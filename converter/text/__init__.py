"""The text of a script."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.text")
