"""Training code: loops of zero_grad, backward and step as functions of ms.value_and_grad."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.api_mapping.training")
