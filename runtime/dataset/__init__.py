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
from .serialization.pipelines import compare, deserialize, serialize, show
from .sources.annotated import CocoDataset, VOCDataset
from .sources.corpora import (
    AGNewsDataset,
    AmazonReviewDataset,
    CLUEDataset,
    DBpediaDataset,
    IMDBDataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SST2Dataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from .sources.image_files import (
    Cifar10Dataset,
    Cifar100Dataset,
    EMnistDataset,
    FashionMnistDataset,
    ImageFolderDataset,
    KMnistDataset,
    MnistDataset,
)
from .sources.in_memory import GeneratorDataset, NumpySlicesDataset, PaddedDataset, RandomDataset
from .sources.listed_images import CelebADataset, ManifestDataset
from .sources.records import MindDataset, TFRecordDataset
from .sources.schema import Schema
from .sources.text_files import CSVDataset, TextFileDataset

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "BatchInfo",
    "BuiltinSampler",
    "CLUEDataset",
    "CSVDataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CocoDataset",
    "DBpediaDataset",
    "DSCallback",
    "Dataset",
    "DistributedSampler",
    "EMnistDataset",
    "FashionMnistDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "ImageFolderDataset",
    "IterSampler",
    "KMnistDataset",
    "ManifestDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "RandomDataset",
    "RandomSampler",
    "SST2Dataset",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "SogouNewsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TFRecordDataset",
    "TextFileDataset",
    "VOCDataset",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "callback",
    "compare",
    "config",
    "debug",
    "deserialize",
    "serialize",
    "show",
    "text",
    "transforms",
    "vision",
    "zip",
]

__getattr__ = missing_names("mindspore.dataset", __all__)
