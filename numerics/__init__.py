"""When numbers are the same but for rounding: one judge for every command; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.numerics: bare 'numerics' would collide with others")
