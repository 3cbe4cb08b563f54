"""A small U-Net on drawn shapes: dice and cross entropy, IoU by class, flips at test time, a plateau scheduler."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def draw(seed, size=16):
    rng = np.random.RandomState(seed)
    image = rng.rand(size, size).astype(np.float32) * 0.2
    mask = np.zeros((size, size), dtype=np.int64)
    y, x = rng.randint(1, 8, 2)
    image[y:y + 5, x:x + 5] += 0.8
    mask[y:y + 5, x:x + 5] = 1
    yy, xx = np.ogrid[:size, :size]
    disc = (yy - 11) ** 2 + (xx - 11) ** 2 < 9
    image[disc] += 0.5
    mask[disc] = 2
    return image[None], mask


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel_size=3, padding="same", bias=False),
        nn.GroupNorm(2, cout),
        nn.LeakyReLU(0.1, inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, channels=(1, 4, 8), classes=3):
        super().__init__()
        self.downs = nn.ModuleList([conv_block(a, b) for a, b in zip(channels[:-1], channels[1:])])
        self.pool = nn.MaxPool2d(kernel_size=2)
        self.bottom = conv_block(channels[-1], channels[-1])
        self.ups = nn.ModuleList()
        self.merges = nn.ModuleList()
        for c in reversed(channels[1:]):
            self.ups.append(nn.ConvTranspose2d(channels[-1] if c == channels[-1] else 8, c, 2, stride=2))
            self.merges.append(conv_block(2 * c, 8))
        self.final = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for up, merge, skip in zip(self.ups, self.merges, skips[::-1]):
            x = merge(torch.cat((up(x), skip), dim=1))
        return self.final(x)


def dice_loss(logits, target, eps=1.0):
    probs = logits.softmax(dim=1)
    one_hot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).type_as(probs)
    dims = (0, 2, 3)
    inter = torch.sum(probs * one_hot, dims)
    union = torch.sum(probs + one_hot, dims)
    return 1 - ((2 * inter + eps) / (union + eps)).mean()


def iou(pred, target, classes):
    scores = []
    for c in range(classes):
        a, b = pred == c, target == c
        union = (a | b).sum().item()
        scores.append((a & b).sum().item() / union if union else float("nan"))
    return scores


images, masks = zip(*(draw(s) for s in range(4)))
images, masks = torch.from_numpy(np.stack(images)), torch.from_numpy(np.stack(masks))
net = UNet()
for k, m in enumerate(net.modules()):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        w = torch.cos(torch.arange(m.weight.numel()).float() * 0.7 + k) * 0.3
        m.weight.data = w.reshape(m.weight.shape)
        if m.bias is not None:
            m.bias.data.zero_()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=1e-3)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=0)
class_weights = torch.tensor([0.5, 1.0, 1.5])
for epoch in range(4):
    logits = net(images)
    ce = F.cross_entropy(logits, masks, weight=class_weights)
    loss = ce + dice_loss(logits, masks)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
    print(epoch, round(loss.item(), 3), optimizer.param_groups[0]["lr"])
net.eval()
with torch.inference_mode():
    flipped = net(images.flip(-1)).flip(-1)
    probs = (F.softmax(net(images), 1) + F.softmax(flipped, 1)) / 2
    pred = probs.argmax(1)
print(pred.shape, [round(v, 2) for v in iou(pred, masks, 3)])
