"""What happens inside of a training: watched, profiled, and run beside run."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.observation: bare 'observation' would collide")
