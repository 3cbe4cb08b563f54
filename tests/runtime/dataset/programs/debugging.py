"""Debug mode: what hooks print of the values between the functions of `map`."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as vision
import numpy as np
from mindspore.dataset import debug


class Shapes(debug.DebugHook):
    def compute(self, *args):
        print("shapes", [value.shape for value in args[0]])
        return args


def images():
    pixels = np.arange(2 * 4 * 4 * 3).reshape(2, 4, 4, 3).astype(np.uint8)
    return ds.NumpySlicesDataset({"image": pixels, "label": [1, 2]}, shuffle=False)


def read(data):
    for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        print({name: value.shape for name, value in row.items()})


resized = [vision.Resize((2, 2)), vision.HWC2CHW()]
ds.config.set_debug_mode(True)
read(images().map(resized, "image").map(lambda x: x + 1, "label"))
ds.config.set_debug_mode(True, debug_hook_list=[debug.PrintDataHook()])
read(images().map([T.TypeCast(ms.float32)], "label"))
ds.config.set_debug_mode(True, debug_hook_list=[Shapes(), debug.PrintMetaDataHook()])
read(images().map(vision.HWC2CHW(), "image").map(lambda a, b: (a, b), ["image", "label"]))
ds.config.set_debug_mode(True)
read(images().map([resized[0], Shapes(), resized[1]], "image"))
ds.config.set_debug_mode(False)
read(images().map(resized, "image"))
for wrong in (5, [5]):
    try:
        ds.config.set_debug_mode(True, wrong)
    except TypeError:
        print("TypeError")
