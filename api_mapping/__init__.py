"""The table of PyTorch APIs, the analysis of PyTorch source, the scanner; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.api_mapping: bare 'api_mapping' would collide with others"
    )
