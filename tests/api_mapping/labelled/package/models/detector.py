from .. import layers
from ..layers import ConvBlock, join
from ..layers import nn as neural

__all__ = ["Detector"]


class Detector(layers.Base):
    def __init__(self):
        super().__init__()
        self.stem = ConvBlock(3, 8)
        self.heads = neural.ModuleList(ConvBlock(8, 4) for _ in range(2))  #: nn.ModuleList

    def forward(self, image):
        x = self.stem(image)
        out = [head(x) for head in self.heads]
        both = join(*out)
        both.sigmoid()  #: T.sigmoid
        return both.mean((2, 3))  #: T.mean


class Hidden(Detector):
    def reset(self):
        self.eval()  #: M.eval
        self.stem.conv.weight.data.zero_()  #: T.data T.zero_
        for module in self.heads:
            module.train()  #: M.train
        for parameter in self.parameters():  #: M.parameters
            parameter.requires_grad = False  #: T.requires_grad
