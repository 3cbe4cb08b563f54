"""ONNX graph -> script, checkpoint, weight map, report; see docs/design.md."""

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.converter: bare 'converter' would collide with others"
    )
