"""One handler for each ONNX operator; a handler's body is the code that it writes."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.onnx_ops")
