# Fits a curve; the optimizer evaluates the loss by itself.
import math

import numpy as np
import torch

x = torch.linspace(-math.pi, math.pi, 200).unsqueeze(1)
y = torch.sin(x) + 0.5 * torch.cos(2 * x)

model = torch.nn.Sequential(
    torch.nn.Linear(1, 32),
    torch.nn.Tanh(),
    torch.nn.Linear(32, 32),
    torch.nn.Tanh(),
    torch.nn.Linear(32, 1),
)
mse = torch.nn.MSELoss(reduction="mean")
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)

losses = []
for t in range(20):

    def closure():
        optimizer.zero_grad()
        y_pred = model(x)
        loss = mse(y_pred, y)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    losses.append(loss.item())
    if t % 5 == 0:
        print(t, loss.item())

with torch.no_grad():
    error = (model(x) - y).abs().max()
print("largest error:", error.item(), "mean:", np.mean(losses))
