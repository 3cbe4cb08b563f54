"""What is said to people: findings, pages, progress."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.reporting")
