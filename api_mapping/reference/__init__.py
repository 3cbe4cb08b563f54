"""What a person asks of the table: a name's card, its examples, where they were verified."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.reference")
