"""Which weight of one network is which of the other's, where names are others."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.troubleshooter.compare.ports")
