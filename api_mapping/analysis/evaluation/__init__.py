"""What expressions are: an abstract interpreter over one function after another."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.analysis.evaluation")
