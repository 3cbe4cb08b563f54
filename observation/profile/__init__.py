"""Profiles of whole scripts: a page that says where the time goes, and what to do."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.observation: bare 'observation' would collide")
