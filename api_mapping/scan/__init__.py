"""The scanner: what of a PyTorch project migrates, what differs, and what it will cost."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.scan")
