import torch
from torch import nn


class Base:
    def name(self):
        return type(self).__name__


class Entropy(nn.CrossEntropyLoss, Base):
    pass


class Doubled(nn.CrossEntropyLoss):
    def forward(self, x, y):
        return super().forward(x, y) * 2


class Summed(nn.KLDivLoss):
    def __init__(self):
        super().__init__(reduction="sum")


class Hinge(nn.HingeEmbeddingLoss):
    pass


class Soft(nn.SoftMarginLoss):
    def __init__(self):
        super().__init__(None, None, "none")


class Triplet(nn.TripletMarginLoss):
    def __init__(self, margin):
        super().__init__(margin, swap=True)


class Margins(nn.MultiLabelMarginLoss):
    pass


class Squared(Base, nn.MSELoss):
    pass


def told(value):
    print([round(v, 4) for v in value.flatten().tolist()])


x = torch.tensor([[0.1, 0.7, -0.3], [0.5, -0.2, 0.4]])
y = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]])
labels = torch.tensor([1, 2])
told(Entropy(label_smoothing=0.1)(x, labels))
print(Entropy().name())
told(Doubled()(x, labels))
told(Summed()(x, y))
told(Hinge(0.5)(x, y.sign()))
told(Soft()(x, y.sign()))
told(Triplet(2.0)(x, y, x - y))
told(Margins()(x, torch.tensor([[0, 2, -1], [1, -1, -1]])))
told(Squared()(x, y))
kind = nn.CrossEntropyLoss
told(kind(reduction="sum")(x, labels))


class Masked(nn.CrossEntropyLoss):
    def forward(self, x, y, mask):
        self.reduction = "none"
        return (super().forward(x, y) * mask).mean()


told(Masked()(x, labels, torch.tensor([1.0, 0.0])))
entropy = nn.CrossEntropyLoss()
print(entropy.reduction)
entropy.reduction = "sum"
told(entropy(x, labels))
squared = nn.BCEWithLogitsLoss(reduction="sum")
squared.reduction = "none"
told(squared(x, y))
