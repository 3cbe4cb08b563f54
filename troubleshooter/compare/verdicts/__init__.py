"""Which layer differs by itself, and which only hands on what it was given."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.troubleshooter.compare.verdicts")
