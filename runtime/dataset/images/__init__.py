"""Images as arrays: resized, warped, filtered and recoloured with OpenCV's arithmetic."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")
