"""Methods whose names texts, lists and loggers have too: the arguments say whose they are."""

import torch
from torch import nn


def cut(state, width):
    parts = state.parts.split(width, dim=1)  #: T.split
    halves = state.both.split(4)  #: T.split
    rest = state.rest.split((2, 3))  #: T.split
    likely = state.chance.log()  #: T.log
    row = state.table.select(0, 1)  #: T.select
    ordered = state.table.sort(dim=0, descending=True)  #: T.sort
    return parts, halves, rest, likely, row, ordered


def words(state, width):
    text = state.text.split(",")
    lines = state.text.split(width)
    state.logger.log(20, "done")
    state.query.select("name")
    state.lines.sort(key=len)
    return text, lines, state.text.split(), state.text.split(None, 1)


def both(net: nn.Module, state):  #: nn.Module
    return net(torch.ones(2)), state.pairs.index(1)  #: torch.ones
