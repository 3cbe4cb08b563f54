"""What a run tells of itself: summaries in event files of TensorBoard, its settings beside."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")
