"""The rows, by namespace of PyTorch; `table.find` walks this folder."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.table.rows")
