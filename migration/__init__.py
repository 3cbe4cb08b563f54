"""A whole project at once: code, weights, what it depends on, and the comparison of both sides."""

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.migration: bare 'migration' would collide with others"
    )
