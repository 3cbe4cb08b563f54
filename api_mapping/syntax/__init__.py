"""How Python code is read: nodes, places, bindings, units; nothing of PyTorch is in it."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.syntax")
