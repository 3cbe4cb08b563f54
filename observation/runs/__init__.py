"""Runs beside one another: their settings, their results, and where two of them part."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.observation: bare 'observation' would collide")
