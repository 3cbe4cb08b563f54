"""How files are opened, and how sets of files are written whole or not at all."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats.storage")
