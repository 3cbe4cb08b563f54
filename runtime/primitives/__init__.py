"""One function for each ONNX operator that the runtime computes with; see `primitive.py`."""
