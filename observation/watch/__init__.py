"""Watchpoints: which layer and line a training goes wrong at, and the step."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.observation: bare 'observation' would collide")
