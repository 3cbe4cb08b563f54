"""Reads an ONNX file, which is hostile until shown otherwise."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.source")
