"""Settings of tokenisers, which scripts import whether or not they use those."""

from __future__ import annotations

from enum import IntEnum


class JiebaMode(IntEnum):
    """How words of Chinese are found."""

    MIX = 0
    MP = 1
    HMM = 2


class SentencePieceModel(IntEnum):
    """The kinds of models of SentencePiece."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(IntEnum):
    """What a SentencePieceTokenizer gives."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(IntEnum):
    """What a SentencePieceTokenizer is made of."""

    FILE = 0
    MODEL = 1
