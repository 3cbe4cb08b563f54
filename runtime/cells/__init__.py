"""Cell, the base of all networks: its state, its settings, what it recomputes."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.cells")
