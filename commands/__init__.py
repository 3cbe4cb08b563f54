"""The command line: each command reads its options, calls one function, prints its result."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.commands")
