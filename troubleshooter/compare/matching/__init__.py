"""Which call of one network is which of the other."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.troubleshooter.compare.matching")
