"""A small student learns from a large frozen teacher."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class MLP(nn.Module):
    def __init__(self, hidden, num_classes=6):
        super().__init__()
        self.fc1 = nn.Linear(24, hidden)
        self.bn = nn.BatchNorm1d(hidden)
        self.fc2 = nn.Linear(hidden, num_classes)

    def forward(self, x):
        return self.fc2(F.relu(self.bn(self.fc1(x))))


def kd_loss(student_logits, teacher_logits, labels, T=4.0, alpha=0.7):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1),
        F.softmax(teacher_logits / T, dim=1),
        reduction="batchmean",
    ) * (T * T)
    hard = F.cross_entropy(student_logits, labels)
    return alpha * soft + (1 - alpha) * hard


def distill(student, teacher, loader, optimizer, epochs):
    log = []
    teacher.eval()
    for epoch in range(epochs):
        student.train()
        for x, labels in loader:
            with torch.no_grad():
                teacher_logits = teacher(x)
            student_logits = student(x)
            loss = kd_loss(student_logits, teacher_logits, labels)

            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log.append(float(loss))
        print(f"epoch {epoch}: {log[-1]:.4f}")
    return log


rng = np.random.RandomState(21)
features = torch.from_numpy(rng.randn(100, 24).astype(np.float32))
targets = torch.from_numpy(rng.randint(0, 6, size=(100,)))
loader = DataLoader(TensorDataset(features, targets), batch_size=10)

teacher = MLP(hidden=128)
teacher.requires_grad_(False)
student = MLP(hidden=16)
# the first layer keeps its weights for now
for param in student.fc1.parameters():
    param.requires_grad = False
trainable = filter(lambda p: p.requires_grad, student.parameters())
optimizer = torch.optim.Adam(trainable, lr=1e-2)
losses = distill(student, teacher, loader, optimizer, epochs=2)
