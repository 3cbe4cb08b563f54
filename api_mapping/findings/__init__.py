"""What is found in a file: its uses with their verdicts, MindSpore's limits, totals."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.findings")
