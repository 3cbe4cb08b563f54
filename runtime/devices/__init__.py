"""Devices, streams and processes, as far as a CPU has them."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.devices")
