"""A temporal convolutional network with weight_norm, on a sum of sines; early stopping and quantiles."""
import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils import weight_norm


class Chomp1d(nn.Module):
    def __init__(self, chomp_size):
        super(Chomp1d, self).__init__()
        self.chomp_size = chomp_size

    def forward(self, x):
        return x[:, :, :-self.chomp_size].contiguous()


class TemporalBlock(nn.Module):
    def __init__(self, n_inputs, n_outputs, kernel_size, dilation):
        super(TemporalBlock, self).__init__()
        padding = (kernel_size - 1) * dilation
        self.conv1 = weight_norm(nn.Conv1d(n_inputs, n_outputs, kernel_size, padding=padding, dilation=dilation))
        self.conv2 = weight_norm(nn.Conv1d(n_outputs, n_outputs, kernel_size, padding=padding, dilation=dilation))
        self.net = nn.Sequential(self.conv1, Chomp1d(padding), nn.ReLU(), self.conv2, Chomp1d(padding), nn.ReLU())
        self.downsample = nn.Conv1d(n_inputs, n_outputs, 1) if n_inputs != n_outputs else None
        self.relu = nn.ReLU()
        self.init_weights()

    def init_weights(self):
        for conv in (self.conv1, self.conv2):
            v = torch.cos(torch.arange(conv.weight_v.numel(), dtype=torch.float))
            conv.weight_v.data = v.view(conv.weight_v.size()) * 0.5
            conv.weight_g.data.fill_(0.7)
            conv.bias.data.zero_()
        if self.downsample is not None:
            self.downsample.weight.data.fill_(0.3)
            self.downsample.bias.data.zero_()

    def forward(self, x):
        out = self.net(x)
        res = x if self.downsample is None else self.downsample(x)
        return self.relu(out + res)


class TCN(nn.Module):
    def __init__(self, channels, quantiles=(0.1, 0.5, 0.9)):
        super().__init__()
        layers = []
        for i, width in enumerate(channels):
            layers += [TemporalBlock(1 if i == 0 else channels[i - 1], width, kernel_size=2, dilation=2 ** i)]
        self.network = nn.Sequential(*layers)
        self.linear = nn.Linear(channels[-1], len(quantiles))
        nn.init.constant_(self.linear.weight, 0.1)
        nn.init.constant_(self.linear.bias, 0.0)
        self.quantiles = quantiles

    def forward(self, x):
        return self.linear(self.network(x)[:, :, -1])


class QuantileLoss(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.quantiles = quantiles

    def forward(self, preds, target):
        assert preds.size(0) == target.size(0)
        losses = []
        for i, q in enumerate(self.quantiles):
            errors = target - preds[:, i]
            losses.append(torch.max((q - 1) * errors, q * errors).unsqueeze(1))
        return torch.mean(torch.sum(torch.cat(losses, dim=1), dim=1))


class EarlyStopping:
    def __init__(self, patience=2, delta=0.0):
        self.patience, self.delta = patience, delta
        self.best, self.counter, self.early_stop = None, 0, False
        self.weights = None

    def __call__(self, loss, model):
        if self.best is None or loss < self.best - self.delta:
            self.best, self.counter = loss, 0
            self.weights = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.counter += 1
            self.early_stop = self.counter >= self.patience


def create_sequences(data, window):
    xs, ys = [], []
    for i in range(len(data) - window):
        xs.append(data[i:i + window])
        ys.append(data[i + window])
    return np.array(xs), np.array(ys)


t = np.arange(80)
series = np.sin(t * 0.3) + 0.5 * np.sin(t * 0.9)
series = (series - series.mean()) / series.std()
X, y = create_sequences(series, 10)
X_train, y_train = torch.Tensor(X[:50]).unsqueeze(1), torch.Tensor(y[:50])
X_test, y_test = torch.Tensor(X[50:]).unsqueeze(1), torch.Tensor(y[50:])
model = TCN([4, 4, 4])
criterion = QuantileLoss(model.quantiles)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=0)
stopper = EarlyStopping(patience=2)
for epoch in range(12):
    model.train()
    order = torch.arange(50).view(5, 10).t().reshape(-1)
    for i in range(0, 50, 10):
        batch = order[i:i + 10]
        optimizer.zero_grad()
        loss = criterion(model(X_train[batch]), y_train[batch])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = criterion(model(X_test), y_test).item()
    scheduler.step(val)
    stopper(val, model)
    if epoch % 3 == 0:
        print(f"epoch {epoch:3d} train {loss.item():.4f} val {val:.4f} lr {optimizer.param_groups[0]['lr']:.5f}")
    if stopper.early_stop:
        print("stopped at", epoch)
        break
model.load_state_dict(stopper.weights)
with torch.no_grad():
    pred = model(X_test).numpy()
print("coverage", float(np.mean((y_test.numpy() >= pred[:, 0]) & (y_test.numpy() <= pred[:, 2]))))
print("mae", float(np.abs(pred[:, 1] - y_test.numpy()).mean()), "best", round(stopper.best, 4))
