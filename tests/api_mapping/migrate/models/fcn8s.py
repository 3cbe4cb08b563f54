import os.path as osp

import numpy as np
import torch
import torch.nn as nn


# https://github.com/shelhamer/fcn.berkeleyvision.org/blob/master/surgery.py
def get_upsampling_weight(in_channels, out_channels, kernel_size):
    """Make a 2D bilinear kernel suitable for upsampling"""
    factor = (kernel_size + 1) // 2
    if kernel_size % 2 == 1:
        center = factor - 1
    else:
        center = factor - 0.5
    og = np.ogrid[:kernel_size, :kernel_size]
    filt = (1 - abs(og[0] - center) / factor) * \
           (1 - abs(og[1] - center) / factor)
    weight = np.zeros((in_channels, out_channels, kernel_size, kernel_size),
                      dtype=np.float64)
    weight[range(in_channels), range(out_channels), :, :] = filt
    return torch.from_numpy(weight).float()


class FCN8s(nn.Module):

    def __init__(self, n_class=21):
        super(FCN8s, self).__init__()
        # conv1
        self.conv1_1 = nn.Conv2d(3, 8, 3, padding=6)
        self.relu1_1 = nn.ReLU(inplace=True)
        self.pool1 = nn.MaxPool2d(2, stride=2, ceil_mode=True)  # 1/2

        # conv2
        self.conv2_1 = nn.Conv2d(8, 16, 3, padding=1)
        self.relu2_1 = nn.ReLU(inplace=True)
        self.pool2 = nn.MaxPool2d(2, stride=2, ceil_mode=True)  # 1/4

        # fc6
        self.fc6 = nn.Conv2d(16, 16, 3)
        self.relu6 = nn.ReLU(inplace=True)
        self.drop6 = nn.Dropout2d(p=0.)

        self.score_fr = nn.Conv2d(16, n_class, 1)
        self.score_pool1 = nn.Conv2d(8, n_class, 1)

        self.upscore2 = nn.ConvTranspose2d(
            n_class, n_class, 4, stride=2, bias=False)
        self.upscore4 = nn.ConvTranspose2d(
            n_class, n_class, 4, stride=2, bias=False)

        self._initialize_weights()

    def _initialize_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                m.weight.data.normal_(0, 0.05)
                if m.bias is not None:
                    m.bias.data.zero_()
            if isinstance(m, nn.ConvTranspose2d):
                assert m.kernel_size[0] == m.kernel_size[1]
                initial_weight = get_upsampling_weight(
                    m.in_channels, m.out_channels, m.kernel_size[0])
                m.weight.data.copy_(initial_weight)

    def forward(self, x):
        h = x
        h = self.relu1_1(self.conv1_1(h))
        h = self.pool1(h)
        pool1 = h  # 1/2

        h = self.relu2_1(self.conv2_1(h))
        h = self.pool2(h)

        h = self.relu6(self.fc6(h))
        h = self.drop6(h)

        h = self.score_fr(h)
        h = self.upscore2(h)
        upscore2 = h  # 1/2

        h = self.score_pool1(pool1)
        h = h[:, :, 2:2 + upscore2.size()[2], 2:2 + upscore2.size()[3]]
        upscore2 = upscore2[:, :, :h.size()[2], :h.size()[3]]

        h = upscore2 + h

        h = self.upscore4(h)
        h = h[:, :, 1:1 + x.size()[2], 1:1 + x.size()[3]].contiguous()

        return h

    def copy_params_from_vgg16(self, vgg16):
        for l1, l2 in zip(vgg16.features, [self.conv1_1, self.relu1_1, self.pool1]):
            if isinstance(l1, nn.Conv2d) and isinstance(l2, nn.Conv2d):
                assert l1.weight.size() == l2.weight.size()
                assert l1.bias.size() == l2.bias.size()
                l2.weight.data = l1.weight.data
                l2.bias.data = l1.bias.data


def build():
    return FCN8s(n_class=3)


def inputs():
    torch.manual_seed(0)
    return (torch.randn(2, 3, 16, 16),)
