"""Casts around layers, by level, as zoos write them for devices that need it."""

import mindspore as ms
from mindspore import nn, ops


class _OutputTo32(nn.Cell):
    "Wrap cell for amp. Cast network output back to float32"

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *x):
        return ops.cast(self._backbone(*x), ms.float32)


class _OutputTo16(nn.Cell):
    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *x):
        return ops.cast(self._backbone(*x), ms.float16)


AMP_BLACK_LIST = (nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.Softmax)
AMP_WHITE_LIST = (nn.Conv2d, nn.Dense)


def _auto_black_list(network, black_list):
    cells = network.name_cells()
    change = False
    for name in cells:
        subcell = cells[name]
        if subcell == network:
            continue
        if isinstance(subcell, black_list):
            network._cells[name] = _OutputTo16(subcell.to_float(ms.float32))
            change = True
        else:
            _auto_black_list(subcell, black_list)
    if isinstance(network, nn.SequentialCell) and change:
        network.cell_list = list(network.cells())


def auto_mixed_precision(network, amp_level="O0"):
    if amp_level == "O0":
        return network
    if amp_level == "O1":
        for _, cell in network.cells_and_names():
            if isinstance(cell, AMP_WHITE_LIST):
                cell.to_float(ms.float16)
        return _OutputTo32(network)
    if amp_level == "O2":
        network.to_float(ms.float16)
        _auto_black_list(network, AMP_BLACK_LIST)
        return _OutputTo32(network)
    raise ValueError(f"amp_level must be O0, O1 or O2: {amp_level}")


def build_train_network(network, loss_fn, optimizer, amp_level="O1", loss_scale=128.0):
    network = auto_mixed_precision(network, amp_level)
    net_with_loss = nn.WithLossCell(network, loss_fn)
    manager = nn.FixedLossScaleUpdateCell(loss_scale)
    return nn.TrainOneStepWithLossScaleCell(net_with_loss, optimizer, manager)
