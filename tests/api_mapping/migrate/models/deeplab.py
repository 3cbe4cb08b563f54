import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class _ASPPModule(nn.Module):
    def __init__(self, inplanes, planes, kernel_size, padding, dilation, BatchNorm):
        super(_ASPPModule, self).__init__()
        self.atrous_conv = nn.Conv2d(inplanes, planes, kernel_size=kernel_size,
                                            stride=1, padding=padding, dilation=dilation, bias=False)
        self.bn = BatchNorm(planes)
        self.relu = nn.ReLU()

        self._init_weight()

    def forward(self, x):
        x = self.atrous_conv(x)
        x = self.bn(x)

        return self.relu(x)

    def _init_weight(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                torch.nn.init.kaiming_normal_(m.weight)
            elif isinstance(m, nn.BatchNorm2d):
                m.weight.data.fill_(1)
                m.bias.data.zero_()

class ASPP(nn.Module):
    def __init__(self, inplanes, output_stride, BatchNorm):
        super(ASPP, self).__init__()
        if output_stride == 16:
            dilations = [1, 6, 12, 18]
        elif output_stride == 8:
            dilations = [1, 2, 4, 6]
        else:
            raise NotImplementedError

        self.aspp1 = _ASPPModule(inplanes, 8, 1, padding=0, dilation=dilations[0], BatchNorm=BatchNorm)
        self.aspp2 = _ASPPModule(inplanes, 8, 3, padding=dilations[1], dilation=dilations[1], BatchNorm=BatchNorm)
        self.aspp3 = _ASPPModule(inplanes, 8, 3, padding=dilations[2], dilation=dilations[2], BatchNorm=BatchNorm)
        self.aspp4 = _ASPPModule(inplanes, 8, 3, padding=dilations[3], dilation=dilations[3], BatchNorm=BatchNorm)

        self.global_avg_pool = nn.Sequential(nn.AdaptiveAvgPool2d((1, 1)),
                                             nn.Conv2d(inplanes, 8, 1, stride=1, bias=False),
                                             BatchNorm(8),
                                             nn.ReLU())
        self.conv1 = nn.Conv2d(40, 8, 1, bias=False)
        self.bn1 = BatchNorm(8)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(0.0)

    def forward(self, x):
        x1 = self.aspp1(x)
        x2 = self.aspp2(x)
        x3 = self.aspp3(x)
        x4 = self.aspp4(x)
        x5 = self.global_avg_pool(x)
        x5 = F.interpolate(x5, size=x4.size()[2:], mode='bilinear', align_corners=True)
        x = torch.cat((x1, x2, x3, x4, x5), dim=1)

        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)

        return self.dropout(x)


def build_aspp(output_stride, BatchNorm):
    return ASPP(16, output_stride, BatchNorm)


class Decoder(nn.Module):
    def __init__(self, num_classes, BatchNorm):
        super(Decoder, self).__init__()
        self.conv1 = nn.Conv2d(8, 4, 1, bias=False)
        self.bn1 = BatchNorm(4)
        self.relu = nn.ReLU()
        self.last_conv = nn.Sequential(nn.Conv2d(12, 8, kernel_size=3, stride=1, padding=1, bias=False),
                                       BatchNorm(8),
                                       nn.ReLU(),
                                       nn.Dropout(0.0),
                                       nn.Conv2d(8, num_classes, kernel_size=1, stride=1))

    def forward(self, x, low_level_feat):
        low_level_feat = self.conv1(low_level_feat)
        low_level_feat = self.bn1(low_level_feat)
        low_level_feat = self.relu(low_level_feat)

        x = F.interpolate(x, size=low_level_feat.size()[2:], mode='bilinear', align_corners=True)
        x = torch.cat((x, low_level_feat), dim=1)
        x = self.last_conv(x)

        return x


class DeepLab(nn.Module):
    def __init__(self, output_stride=8, num_classes=21, sync_bn=False, freeze_bn=False):
        super(DeepLab, self).__init__()
        if sync_bn == True:
            BatchNorm = nn.SyncBatchNorm
        else:
            BatchNorm = nn.BatchNorm2d

        self.backbone = nn.ModuleDict({
            'low': nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), BatchNorm(8), nn.ReLU()),
            'high': nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1), BatchNorm(16), nn.ReLU()),
        })
        self.aspp = build_aspp(output_stride, BatchNorm)
        self.decoder = Decoder(num_classes, BatchNorm)

        self.freeze_bn = freeze_bn

    def forward(self, input):
        low_level_feat = self.backbone['low'](input)
        x = self.backbone['high'](low_level_feat)
        x = self.aspp(x)
        x = self.decoder(x, low_level_feat)
        x = F.interpolate(x, size=input.size()[2:], mode='bilinear', align_corners=True)

        return x

    def get_1x_lr_params(self):
        modules = [self.backbone]
        for i in range(len(modules)):
            for m in modules[i].named_modules():
                if self.freeze_bn:
                    if isinstance(m[1], nn.Conv2d):
                        for p in m[1].parameters():
                            if p.requires_grad:
                                yield p
                else:
                    if isinstance(m[1], nn.Conv2d) or isinstance(m[1], nn.BatchNorm2d):
                        for p in m[1].parameters():
                            if p.requires_grad:
                                yield p


def build():
    return DeepLab(num_classes=3)


def inputs():
    torch.manual_seed(0)
    return (torch.rand(2, 3, 24, 24),)


if __name__ == "__main__":
    model = DeepLab(output_stride=16)
    model.eval()
    input = torch.rand(1, 3, 513, 513)
    output = model(input)
    print(output.size())
