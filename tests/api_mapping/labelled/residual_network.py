"""A network as people write them, with its layers, blocks and initialisation."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.nn import init


def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:  #: nn.Conv2d
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)  #: nn.Conv2d


class BasicBlock(nn.Module):  #: nn.Module
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, norm_layer=nn.BatchNorm2d):  #: nn.BatchNorm2d
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)  #: nn.ReLU
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:  #: torch.Tensor torch.Tensor
        identity = x
        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return F.relu(out)  #: F.relu


class ResNet(nn.Module):  #: nn.Module
    def __init__(self, block, layers, num_classes=1000, width=64):
        super(ResNet, self).__init__()
        self.inplanes = width
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)  #: nn.Conv2d
        self.bn1 = nn.BatchNorm2d(width)  #: nn.BatchNorm2d
        self.relu = nn.ReLU()  #: nn.ReLU
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)  #: nn.MaxPool2d
        self.layer1 = self._make_layer(block, width, layers[0])
        self.layer2 = self._make_layer(block, width * 2, layers[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))  #: nn.AdaptiveAvgPool2d
        self.fc = nn.Linear(width * 2 * block.expansion, num_classes)  #: nn.Linear
        for m in self.modules():  #: M.modules
            if isinstance(m, nn.Conv2d):  #: nn.Conv2d
                n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels  #: nn.Conv2d.kernel_size nn.Conv2d.kernel_size
                m.weight.data.normal_(0, math.sqrt(2.0 / n))  #: T.data T.normal_
                nn.init.kaiming_normal_(m.weight, mode="fan_out")  #: init.kaiming_normal_
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):  #: nn.BatchNorm2d nn.GroupNorm
                init.constant_(m.weight, 1)  #: init.constant_ nn.BatchNorm2d.weight
                m.bias.data.zero_()  #: T.data T.zero_ nn.BatchNorm2d.bias

    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1:
            downsample = nn.Sequential(  #: nn.Sequential
                nn.Conv2d(self.inplanes, planes, 1, stride),  #: nn.Conv2d
                nn.BatchNorm2d(planes),  #: nn.BatchNorm2d
            )
        layers = []
        layers.append(block(self.inplanes, planes, stride, downsample))
        for _ in range(1, blocks):
            layers.append(block(planes, planes))
        return nn.Sequential(*layers)  #: nn.Sequential

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.maxpool(x)
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)  #: torch.flatten
        n = x.size(0)  #: T.size
        x = x.view(n, -1)  #: T.view
        assert x.shape[0] == n and x.dim() == 2  #: T.shape T.dim
        return self.fc(x)


class Wider(ResNet):
    """A subclass of a subclass."""

    def __init__(self):
        super().__init__(BasicBlock, [1, 1], width=128)
        self.register_buffer("mean", torch.zeros(3))  #: M.register_buffer torch.zeros
        self.scale = nn.Parameter(torch.ones(1))  #: nn.Parameter torch.ones
        self.act = nn.GELU  #: nn.GELU

    def features(self, x: torch.Tensor):  #: torch.Tensor
        x = (x - self.mean.view(1, 3, 1, 1)) * self.scale  #: T.view
        return self.forward(x).softmax(-1)  #: M.forward T.softmax


def build(pretrained=False, **kwargs):
    model = Wider()
    if pretrained:
        state = torch.load("wider.pth", map_location="cpu")  #: torch.load
        model.load_state_dict(state["state_dict"], strict=False)  #: M.load_state_dict
    model.eval()  #: M.eval
    return model


if __name__ == "__main__":
    net = build().cuda()  #: M.cuda
    y = net(torch.randn(2, 3, 32, 32).cuda())  #: torch.randn T.cuda
    print(y.shape, y.detach().cpu().numpy().argmax(1))  #: T.shape T.detach T.cpu T.numpy
