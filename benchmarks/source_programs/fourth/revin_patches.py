"""A transformer forecaster on patches with reversible instance normalisation; scaler, windows, MAE and MSE by horizon."""
import math

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class StandardScaler:
    def fit(self, data):
        self.mean = data.mean(0)
        self.std = data.std(0)
        return self

    def transform(self, data):
        mean = torch.from_numpy(self.mean).type_as(data) if torch.is_tensor(data) else self.mean
        std = torch.from_numpy(self.std).type_as(data) if torch.is_tensor(data) else self.std
        return (data - mean) / std


class Windows(Dataset):
    def __init__(self, series, seq_len, pred_len, stride=1):
        self.series = torch.tensor(series, dtype=torch.float32)
        self.seq_len, self.pred_len, self.stride = seq_len, pred_len, stride

    def __len__(self):
        return (len(self.series) - self.seq_len - self.pred_len) // self.stride + 1

    def __getitem__(self, i):
        s = i * self.stride
        e = s + self.seq_len
        return self.series[s:e], self.series[e:e + self.pred_len]


class RevIN(nn.Module):
    def __init__(self, num_features, eps=1e-5, affine=True):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.affine = affine
        if self.affine:
            self.affine_weight = nn.Parameter(torch.ones(self.num_features))
            self.affine_bias = nn.Parameter(torch.zeros(self.num_features))

    def forward(self, x, mode):
        if mode == "norm":
            self._get_statistics(x)
            x = self._normalize(x)
        elif mode == "denorm":
            x = self._denormalize(x)
        else:
            raise NotImplementedError
        return x

    def _get_statistics(self, x):
        dim2reduce = tuple(range(1, x.ndim - 1))
        self.mean = torch.mean(x, dim=dim2reduce, keepdim=True).detach()
        self.stdev = torch.sqrt(torch.var(x, dim=dim2reduce, keepdim=True, unbiased=False) + self.eps).detach()

    def _normalize(self, x):
        x = x - self.mean
        x = x / self.stdev
        if self.affine:
            x = x * self.affine_weight
            x = x + self.affine_bias
        return x

    def _denormalize(self, x):
        if self.affine:
            x = x - self.affine_bias
            x = x / (self.affine_weight + self.eps * self.eps)
        x = x * self.stdev
        return x + self.mean


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.pe[:, :x.size(1)]


class PatchTST(nn.Module):
    def __init__(self, channels, seq_len, pred_len, patch_len=6, stride=3, d_model=16, n_heads=4, layers=2):
        super().__init__()
        self.patch_len, self.stride = patch_len, stride
        self.revin = RevIN(channels)
        self.pad = nn.ReplicationPad1d((0, stride))
        self.n_patches = (seq_len - patch_len) // stride + 2
        self.embed = nn.Linear(patch_len, d_model, bias=False)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, 2 * d_model, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False)
        self.head = nn.Sequential(nn.Flatten(start_dim=-2), nn.Linear(self.n_patches * d_model, pred_len))

    def forward(self, x):
        b, l, c = x.shape
        x = self.revin(x, "norm")
        x = self.pad(x.permute(0, 2, 1))
        x = x.unfold(dimension=-1, size=self.patch_len, step=self.stride)
        x = x.reshape(b * c, self.n_patches, self.patch_len)
        x = self.encoder(self.pos(self.embed(x)))
        x = self.head(x.view(b, c, self.n_patches, -1)).transpose(1, 2)
        return self.revin(x, "denorm")


def set_weights(model):
    rng = np.random.RandomState(3)
    state = model.state_dict()
    for key, value in state.items():
        if value.ndim > 1:
            state[key] = torch.as_tensor(rng.randn(*value.shape) / math.sqrt(value.shape[-1]), dtype=value.dtype)
        elif "bias" in key:
            state[key] = torch.zeros_like(value)
    model.load_state_dict(state, strict=True)


def evaluate(model, loader, criterion):
    preds, trues, total_loss = [], [], []
    model.eval()
    with torch.no_grad():
        for batch_x, batch_y in loader:
            outputs = model(batch_x)
            total_loss.append(criterion(outputs.detach().cpu(), batch_y.detach().cpu()))
            preds.append(outputs.numpy())
            trues.append(batch_y.numpy())
    model.train()
    return np.average(total_loss), np.concatenate(preds, 0), np.concatenate(trues, axis=0)


def adjust_learning_rate(optimizer, epoch, lr):
    table = {1: lr, 2: lr * 0.9, 3: lr * 0.5}
    if epoch in table.keys():
        for group in optimizer.param_groups:
            group["lr"] = table[epoch]
        print("Updating learning rate to {:.4g}".format(table[epoch]))


t = np.arange(140)
raw = np.stack([np.sin(t / 5) + 0.01 * t, np.cos(t / 8) * 2, np.sin(t / 3) * np.cos(t / 11) - 1], axis=1)
scaler = StandardScaler().fit(raw[:100])
series = scaler.transform(raw)
train_loader = DataLoader(Windows(series[:100], 24, 6, stride=2), batch_size=8)
test_loader = DataLoader(Windows(series[90:], 24, 6), batch_size=5)
model = PatchTST(3, 24, 6)
set_weights(model)
print("params", sum(p.numel() for p in model.parameters() if p.requires_grad), len(train_loader), len(test_loader))
model_optim = optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
criterion = nn.MSELoss()
for epoch in range(3):
    train_loss = []
    for i, (batch_x, batch_y) in enumerate(train_loader):
        model_optim.zero_grad()
        outputs = model(batch_x)
        loss = criterion(outputs, batch_y)
        train_loss.append(loss.item())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 4.0)
        model_optim.step()
    vali, preds, trues = evaluate(model, test_loader, criterion)
    print(f"Epoch: {epoch + 1} | Train: {np.average(train_loss):.5f} Vali: {vali:.5f}")
    adjust_learning_rate(model_optim, epoch + 1, 3e-3)
print("mae", np.round(np.abs(preds - trues).mean(axis=(0, 2)), 4).tolist())
print("shape", preds.shape, "mse %.5f" % np.mean((preds - trues) ** 2))
print(model.revin.affine_weight.detach().numpy().round(4))
