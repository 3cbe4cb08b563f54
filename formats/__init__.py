"""Safe, lazy readers and atomic writers of weight files; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats: bare 'formats' would collide with others")
