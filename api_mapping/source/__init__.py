"""The source converter: PyTorch code in, MindSpore code out; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.source")
