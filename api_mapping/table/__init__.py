"""The table of PyTorch's APIs: rows, and the MindSpore code of a call by its row."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.table")
