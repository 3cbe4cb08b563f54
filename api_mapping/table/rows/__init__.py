"""The rows, by namespace of PyTorch; `registry` walks this folder."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.table.rows")
