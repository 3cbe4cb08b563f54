"""mindspore.dataset: data sets in memory or from Python objects, and the steps behind them."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from . import config
from .pipeline import Dataset
from .sources import GeneratorDataset, NumpySlicesDataset

__all__ = ["Dataset", "GeneratorDataset", "NumpySlicesDataset", "config"]
