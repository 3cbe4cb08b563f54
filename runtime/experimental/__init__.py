"""`mindspore.experimental`."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.experimental")

from . import optim

__all__ = ["optim"]
