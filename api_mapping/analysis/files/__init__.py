"""The files of a project: found, read, parsed, and how they import one another."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.analysis.files")
