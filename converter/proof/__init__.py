"""Runs the original and the script, and says what differs."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.proof")
