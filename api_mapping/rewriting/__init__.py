"""Writes PyTorch expressions and statements anew, in MindSpore's API."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.rewriting")
