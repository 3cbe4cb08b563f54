import torch
import torch.nn as nn
class VQ(nn.Module):
    def __init__(self, n=4, d=3, decay=0.9):
        super().__init__()
        embed = torch.ones(d, n)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n))
        self.register_buffer("embed_avg", embed.clone())
        self.decay = decay
    def forward(self, x):
        if self.training:
            onehot = (x[:, :1] > 0).float().expand(-1, 4)
            self.cluster_size.data.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
            s = x.transpose(0, 1) @ onehot
            self.embed_avg.data.mul_(self.decay).add_(s, alpha=1 - self.decay)
            n = self.cluster_size.sum()
            cluster_size = (self.cluster_size + 1e-5) / (n + 4 * 1e-5) * n
            embed_normalized = self.embed_avg / cluster_size.unsqueeze(0)
            self.embed.data.copy_(embed_normalized)
        return x @ self.embed
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.vq = VQ()
    def forward(self, x):
        return self.vq(x) + self.vq(x)
TRAIN = True
def check(net):
    return [net.vq.embed, net.vq.cluster_size, net.vq.embed_avg]
