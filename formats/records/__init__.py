"""Files of records, the rows of data sets: MindRecord and TFRecord."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.formats: bare 'formats' would collide with others")
