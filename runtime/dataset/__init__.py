"""mindspore.dataset: data sets, the steps behind them, and how they are read."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from ..engine.failure import missing_names
from . import callback, config, debug, text, transforms, vision
from .batching import BatchInfo
from .callback import DSCallback, WaitedDSCallback
from .dataset import Dataset
from .dataset import zipped as zip
from .samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from .sources.annotated import CocoDataset, VOCDataset
from .sources.image_files import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    ImageFolderDataset,
    MnistDataset,
)
from .sources.in_memory import GeneratorDataset, NumpySlicesDataset, PaddedDataset, RandomDataset
from .sources.records import MindDataset, TFRecordDataset
from .sources.schema import Schema
from .sources.text_files import CSVDataset, TextFileDataset

__all__ = [
    "BatchInfo",
    "BuiltinSampler",
    "CSVDataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CocoDataset",
    "DSCallback",
    "Dataset",
    "DistributedSampler",
    "FashionMnistDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "IterSampler",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "RandomDataset",
    "RandomSampler",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TFRecordDataset",
    "TextFileDataset",
    "VOCDataset",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "callback",
    "config",
    "debug",
    "text",
    "transforms",
    "vision",
    "zip",
]

__getattr__ = missing_names("mindspore.dataset", __all__)
