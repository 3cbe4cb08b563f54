"""Which names share memory in PyTorch, and what a write in place must become for it to be seen."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.memory")
