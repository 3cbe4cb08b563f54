"""Knowledge distillation with hints: hooks catch features of teacher and student, projections, temperature."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(i, o, stride):
    return nn.Sequential(nn.Conv1d(i, o, 3, stride, 1, bias=False), nn.BatchNorm1d(o), nn.ReLU6())


class Backbone(nn.Module):
    def __init__(self, widths, classes=4):
        super().__init__()
        self.stages = nn.ModuleList()
        i = 2
        for w in widths:
            self.stages.append(conv_bn(i, w, 2))
            i = w
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(i, classes)

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.fc(self.pool(x).flatten(1))


class FeatureGrabber:
    def __init__(self, model, names):
        self.features = {}
        modules = dict(model.named_modules())
        for name in names:
            modules[name].register_forward_hook(self.save(name))

    def save(self, name):
        def fn(_, __, output):
            self.features[name] = output
        return fn


class DistillLoss(nn.Module):
    def __init__(self, T=4.0, alpha=0.7):
        super().__init__()
        self.T, self.alpha = T, alpha
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, student, teacher, target):
        soft = self.kl(F.log_softmax(student / self.T, dim=1), F.softmax(teacher / self.T, dim=1)) * self.T ** 2
        hard = F.cross_entropy(student, target)
        return self.alpha * soft + (1 - self.alpha) * hard, soft, hard


def seeded(model, seed):
    rng = np.random.RandomState(seed)
    for name, p in model.named_parameters():
        if p.dim() >= 2:
            p.data.copy_(torch.tensor(rng.randn(*p.shape) * 0.4, dtype=p.dtype))
        elif name.endswith("bias"):
            p.data.zero_()
    return model


def attention_map(f):
    return F.normalize(f.pow(2).mean(1).view(f.size(0), -1))


def fit_teacher(teacher, x, y):
    optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
    for _ in range(5):
        loss = F.cross_entropy(teacher(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    rng = np.random.RandomState(1)
    y = torch.from_numpy(rng.randint(0, 4, 24))
    x = torch.from_numpy(rng.randn(24, 2, 16)).float() + torch.stack([y, -y], 1).unsqueeze(-1) * 0.5
    teacher, student = seeded(Backbone([6, 8]), 0), seeded(Backbone([3, 4]), 5)
    print("teacher", round(fit_teacher(teacher, x, y), 4))
    teacher.eval()
    for p in teacher.parameters():
        p.requires_grad = False
    grab_t, grab_s = FeatureGrabber(teacher, ["stages.0", "stages.1"]), FeatureGrabber(student, ["stages.0", "stages.1"])
    projections = nn.ModuleDict({"stages_0": nn.Conv1d(3, 6, 1), "stages_1": nn.Conv1d(4, 8, 1)})
    seeded(projections, 9)
    for p in projections.parameters():
        if p.dim() == 1:
            nn.init.zeros_(p)
    criterion = DistillLoss()
    optimizer = torch.optim.SGD(list(student.parameters()) + list(projections.parameters()), lr=0.05, momentum=0.9)
    for epoch in range(4):
        student.train()
        sums = np.zeros(3)
        for idx in torch.arange(24).split(8):
            with torch.no_grad():
                t_logits = teacher(x[idx])
            s_logits = student(x[idx])
            loss, soft, hard = criterion(s_logits, t_logits, y[idx])
            hint = 0
            for name in grab_s.features:
                s_f, t_f = grab_s.features[name], grab_t.features[name]
                hint = hint + F.mse_loss(projections[name.replace(".", "_")](s_f), t_f)
                hint = hint + 10 * (attention_map(s_f) - attention_map(t_f)).pow(2).mean()
            loss = loss + 0.5 * hint
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums += np.array([loss.item(), soft.item(), hard.item()])
        print(epoch, (sums / 3).round(4).tolist())
    student.eval()
    with torch.no_grad():
        agree = (student(x).argmax(1) == teacher(x).argmax(1)).float().mean()
    print("agreement", agree.item(), sum(p.numel() for p in student.parameters()) / sum(p.numel() for p in teacher.parameters()))


if __name__ == "__main__":
    main()
