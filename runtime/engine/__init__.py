"""What makes the runtime run: tensors, primitives, the tape and the trace, sessions, gradients."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.engine")
