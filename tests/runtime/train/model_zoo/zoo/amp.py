""" auto mixed precision related functions """
import mindspore as ms
from mindspore import nn
from mindspore.amp import auto_mixed_precision as ms_amp
from mindspore import ops


class _OutputTo32(nn.Cell):
    def __init__(self, backbone):
        super().__init__()
        self._backbone = backbone

    def construct(self, *inputs):
        return ops.cast(self._backbone(*inputs), ms.float32)


AMP_WHITE_LIST = [nn.Conv1d, nn.Conv2d, nn.Dense]


def auto_mixed_precision(network, amp_level="O0"):
    if not isinstance(network, nn.Cell):
        raise TypeError("The network type should be Cell.")
    if amp_level == "O0":
        pass
    elif amp_level == "O1":
        ms_amp(network, "O1")
    elif amp_level in ("O2", "O3"):
        ms_amp(network, amp_level)
        network = _OutputTo32(network) if amp_level == "O3" else network
    else:
        raise ValueError("The amp level {} is not supported".format(amp_level))
    return network
