"""A one-stage detector on drawn boxes: anchors, matching by IoU, focal and smooth L1 loss, own NMS."""
import itertools
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def box_iou(a, b):
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area(a)[:, None] + area(b) - inter)


def encode(gt, anchors):
    wh_a, c_a = anchors[:, 2:] - anchors[:, :2], (anchors[:, 2:] + anchors[:, :2]) / 2
    wh_g, c_g = gt[:, 2:] - gt[:, :2], (gt[:, 2:] + gt[:, :2]) / 2
    return torch.cat([(c_g - c_a) / wh_a, torch.log(wh_g / wh_a)], dim=1)


def decode(delta, anchors):
    wh_a, c_a = anchors[:, 2:] - anchors[:, :2], (anchors[:, 2:] + anchors[:, :2]) / 2
    c, wh = delta[..., :2] * wh_a + c_a, delta[..., 2:].clamp(max=math.log(8)).exp() * wh_a
    return torch.cat([c - wh / 2, c + wh / 2], dim=-1)


def nms(boxes, scores, threshold):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0].item()
        keep.append(i)
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i:i + 1], boxes[order[1:]]).squeeze(0)
        order = order[1:][iou <= threshold]
    return torch.tensor(keep, dtype=torch.long)


class AnchorGenerator(nn.Module):
    def __init__(self, stride=4, sizes=(4.0, 7.0)):
        super().__init__()
        self.stride, self.sizes = stride, sizes

    def forward(self, height, width):
        anchors = []
        for i, j in itertools.product(range(height), range(width)):
            cx, cy = (j + 0.5) * self.stride, (i + 0.5) * self.stride
            for s in self.sizes:
                anchors.append([cx - s / 2, cy - s / 2, cx + s / 2, cy + s / 2])
        return torch.tensor(anchors)


class Detector(nn.Module):
    def __init__(self, classes=2, anchors=2):
        super().__init__()
        self.classes, self.generate = classes, AnchorGenerator()
        self.backbone = nn.Sequential(nn.Conv2d(1, 6, 3, 2, 1), nn.ReLU(), nn.Conv2d(6, 8, 3, 2, 1), nn.ReLU())
        self.cls_head = nn.Conv2d(8, anchors * classes, 1)
        self.box_head = nn.Conv2d(8, anchors * 4, 1)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                m.weight.data = torch.sin(torch.arange(m.weight.numel()).float() * 1.3).view(m.weight.size()) * 0.3
                torch.nn.init.constant_(m.bias, 0)
        torch.nn.init.constant_(self.cls_head.bias, -math.log((1 - 0.1) / 0.1))

    def forward(self, x):
        f = self.backbone(x)
        n, _, h, w = f.shape
        logits = self.cls_head(f).permute(0, 2, 3, 1).reshape(n, -1, self.classes)
        deltas = self.box_head(f).permute(0, 2, 3, 1).reshape(n, -1, 4)
        return logits, deltas, self.generate(h, w)


def match(anchors, boxes, low=0.3, high=0.4):
    iou = box_iou(boxes, anchors)
    best, which = iou.max(dim=0)
    which[best < low] = -1
    which[(best >= low) & (best < high)] = -2
    which[iou.argmax(dim=1)] = torch.arange(len(boxes))
    return which


def focal_loss(logits, targets, alpha=0.25, gamma=2.0):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
    return (alpha_t * (1 - p_t) ** gamma * ce).sum()


def loss_of(logits, deltas, anchors, targets):
    cls_loss, box_loss, count = [], [], 0
    for i, target in enumerate(targets):
        which = match(anchors, target["boxes"])
        fg, valid = which >= 0, which != -2
        gt = torch.zeros_like(logits[i])
        gt[fg, target["labels"][which[fg]]] = 1.0
        cls_loss.append(focal_loss(logits[i][valid], gt[valid]))
        wanted = encode(target["boxes"][which[fg]], anchors[fg])
        box_loss.append(F.smooth_l1_loss(deltas[i][fg], wanted, beta=1 / 9, reduction="sum"))
        count += int(fg.sum())
    return {"cls": sum(cls_loss) / max(1, count), "box": sum(box_loss) / max(1, count)}


def draw(n):
    rs, images, targets = np.random.RandomState(3), [], []
    for i in range(n):
        image = np.zeros((16, 16), dtype=np.float32)
        x0, y0 = rs.randint(1, 7, 2)
        side = (4, 7)[i % 2]
        image[y0:y0 + side, x0:x0 + side] = 1.0
        images.append(torch.from_numpy(image)[None])
        targets.append({"boxes": torch.tensor([[x0, y0, x0 + side, y0 + side]]).float(), "labels": torch.tensor([i % 2])})
    return torch.stack(images), targets


images, targets = draw(6)
model = Detector()
params = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(params, lr=0.02)
for epoch in range(6):
    losses = loss_of(*model(images), targets)
    total = sum(loss for loss in losses.values())
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(epoch, {k: round(v.item(), 4) for k, v in losses.items()})
model.eval()
with torch.no_grad():
    logits, deltas, anchors = model(images)
    print(tuple(logits.shape), tuple(anchors.shape))
    for i in range(2):
        scores, labels = logits[i].sigmoid().max(dim=-1)
        boxes = decode(deltas[i], anchors).clamp(0, 16)
        keep = nms(boxes, scores, 0.3)[:2]
        print(keep.tolist(), labels[keep].tolist(), [round(s, 3) for s in scores[keep].tolist()])
        print(round(box_iou(boxes[keep], targets[i]["boxes"]).max().item(), 4))
