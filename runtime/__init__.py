"""The MindSpore-style framework that runs the scripts, on ONNX Runtime; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")
