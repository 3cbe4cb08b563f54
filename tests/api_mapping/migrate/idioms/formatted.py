import torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        return self.fc(x)
def check(net: Net):
    x = torch.ones(2, 3)
    loss = F.mse_loss(net(x), torch.zeros(2, 2)).detach()
    acc = (net(x) > 0).float().mean()
    i = 3
    return [f"{loss:.3f} {acc:.2%} {i:03d}", "%.3f" % loss, "loss %.4f acc %.2f step %d" % (loss, acc, i), "{:.3f} {}".format(loss, i), "{loss:.2f}".format(loss=loss), "{:>8.2f}".format(loss.item()), str(round(loss.item(), 3)), f"{loss.item():.3f}", f"{i:>4}", f"{float(loss):6.2f}"]
