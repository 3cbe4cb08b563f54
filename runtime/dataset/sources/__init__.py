"""Where data sets begin: Python objects, arrays, and files of many kinds."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")
