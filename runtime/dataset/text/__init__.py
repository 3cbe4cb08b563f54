"""mindspore.dataset.text: words and their numbers, and tokenisers that need no foreign model."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from ...engine.failure import missing_names
from .pieces import RegexTokenizer, WordpieceTokenizer
from .sentences import BasicTokenizer, BertTokenizer, UnicodeScriptTokenizer
from .settings import JiebaMode, SentencePieceModel, SPieceTokenizerLoadType, SPieceTokenizerOutType
from .tokens import (
    AddToken,
    CaseFold,
    FilterWikipediaXML,
    Lookup,
    Ngram,
    NormalizeForm,
    NormalizeUTF8,
    PythonTokenizer,
    RegexReplace,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
    to_bytes,
    to_str,
)
from .vectors import CharNGram, FastText, GloVe, ToVectors, Vectors
from .vocabulary import Vocab

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "CharNGram",
    "FastText",
    "FilterWikipediaXML",
    "GloVe",
    "JiebaMode",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "Vectors",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]

__getattr__ = missing_names("mindspore.dataset.text", __all__)
