"""What MindSpore cannot do or does otherwise, whatever the API: one small rule for each."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.findings.limits")
