"""mindspore.mindrecord: files of MindRecord written and read."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from ..engine.failure import missing_names
from .converters import Cifar10ToMR, Cifar100ToMR, CsvToMR, ImageNetToMR, MnistToMR
from .exceptions import (
    MindRecordException,
    MRMAddSchemaError,
    MRMDefineCategoryError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
)
from .page import MindPage
from .reader import FileReader
from .tfrecord_converter import TFRecordToMR
from .writer import FileWriter

SUCCESS, FAILED = "SUCCESS", "FAILED"

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar10ToMR",
    "Cifar100ToMR",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MRMAddSchemaError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMGetMetaError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MindPage",
    "MindRecordException",
    "MnistToMR",
    "ParamTypeError",
    "ParamValueError",
    "TFRecordToMR",
]

__getattr__ = missing_names("mindspore.mindrecord", __all__)
