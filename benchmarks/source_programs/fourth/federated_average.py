"""Federated averaging: clients with copies, FedProx, weighted averages of state dicts, server momentum, BatchNorm kept local."""
import copy
from typing import Dict, List

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import ConcatDataset, DataLoader, Dataset, TensorDataset


class Net(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv1 = nn.Conv1d(2, 6, kernel_size=3, padding="same")
        self.bn1 = nn.BatchNorm1d(6)
        self.pool = nn.MaxPool1d(2)
        self.conv2 = nn.Conv1d(6, 8, kernel_size=3, padding="same")
        self.bn2 = nn.BatchNorm1d(8)
        self.fc = nn.Linear(8 * 3, classes)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.bn2(self.conv2(x))))
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc(x), dim=1)


class NonIID(Dataset):
    def __init__(self, base: Dataset, idxs):
        self.base = base
        self.idxs = [int(i) for i in idxs]

    def __len__(self):
        return len(self.idxs)

    def __getitem__(self, item):
        x, y = self.base[self.idxs[item]]
        return x, y


class Client:
    def __init__(self, cid: int, data: Dataset, local_epochs: int = 2, lr: float = 0.05, mu: float = 0.0):
        self.cid, self.data, self.local_epochs, self.lr, self.mu = cid, data, local_epochs, lr, mu
        self.loader = DataLoader(data, batch_size=6, shuffle=False)
        self.local_bn: Dict[str, torch.Tensor] = {}

    def update(self, server_model: nn.Module):
        net = copy.deepcopy(server_model)
        if self.local_bn:
            state = net.state_dict()
            state.update(self.local_bn)
            net.load_state_dict(state)
        frozen = [p.detach().clone() for p in server_model.parameters()]
        optimizer = torch.optim.SGD(net.parameters(), lr=self.lr, momentum=0.5)
        net.train()
        epoch_loss = []
        for _ in range(self.local_epochs):
            batch_loss = []
            for images, labels in self.loader:
                net.zero_grad()
                loss = F.nll_loss(net(images), labels)
                if self.mu > 0:
                    prox = 0.0
                    for w, w0 in zip(net.parameters(), frozen):
                        prox += (w - w0).pow(2).sum()
                    loss = loss + self.mu / 2 * prox
                loss.backward()
                optimizer.step()
                batch_loss.append(loss.item())
            epoch_loss.append(sum(batch_loss) / len(batch_loss))
        self.local_bn = {k: v.clone() for k, v in net.state_dict().items() if "bn" in k and "running" in k}
        return net.state_dict(), len(self.data), sum(epoch_loss) / len(epoch_loss)


def average_weights(states: List[Dict[str, torch.Tensor]], sizes: List[int]):
    total = sum(sizes)
    w_avg = copy.deepcopy(states[0])
    for k in w_avg.keys():
        if "num_batches_tracked" in k:
            continue
        w_avg[k] = w_avg[k] * (sizes[0] / total)
        for i in range(1, len(states)):
            w_avg[k] += states[i][k] * (sizes[i] / total)
    return w_avg


class Server:
    def __init__(self, model: nn.Module, momentum: float = 0.0):
        self.model = model
        self.momentum = momentum
        self.velocity: Dict[str, torch.Tensor] = {}

    def aggregate(self, states, sizes):
        new = average_weights(states, sizes)
        if self.momentum:
            current = self.model.state_dict()
            for name, _ in self.model.named_parameters():
                delta = new[name] - current[name]
                v = self.velocity.get(name, torch.zeros_like(delta))
                self.velocity[name] = self.momentum * v + delta
                new[name] = current[name] + self.velocity[name]
        self.model.load_state_dict(new)

    @torch.no_grad()
    def test(self, dataset):
        self.model.eval()
        test_loss, correct = 0, 0
        for data, target in DataLoader(dataset, batch_size=10):
            log_probs = self.model(data)
            test_loss += F.nll_loss(log_probs, target, reduction="sum").item()
            y_pred = log_probs.data.max(1, keepdim=True)[1]
            correct += y_pred.eq(target.data.view_as(y_pred)).long().cpu().sum().item()
        return 100.0 * correct / len(dataset), test_loss / len(dataset)


def waves(n=72):
    t = np.arange(12)
    x, y = [], []
    for i in range(n):
        k = i % 3
        base = [np.sin(t * 0.5 + i), np.sign(np.sin(t * 0.9 + i)), (t % 5) / 2 - 1 + 0 * t][k]
        x.append(np.stack([base, 0.1 * np.cos(t * i)]))
        y.append(k)
    return TensorDataset(torch.tensor(np.array(x), dtype=torch.float32), torch.tensor(y))


def split(data: TensorDataset, clients: int):
    labels = data.tensors[1].numpy()
    order = np.argsort(labels, kind="stable")[:54]
    shards = np.array_split(order, clients * 2)
    pick = np.random.RandomState(2).permutation(clients * 2)
    return {c: np.concatenate([shards[pick[2 * c]], shards[pick[2 * c + 1]]]) for c in range(clients)}


def initialise(net):
    rng = np.random.RandomState(0)
    for m in net.children():
        if isinstance(m, (nn.Conv1d, nn.Linear)):
            w = rng.randn(*m.weight.shape) * np.sqrt(2.0 / np.prod(m.weight.shape[1:]))
            m.weight.data.copy_(torch.from_numpy(w))
            m.bias.data.fill_(0)


data = waves()
groups = split(data, 3)
test_set = NonIID(data, range(54, 72))
for mu, momentum in ((0.0, 0.0), (0.1, 0.4)):
    server = Server(Net(), momentum)
    initialise(server.model)
    clients = [Client(c, NonIID(data, idx), mu=mu) for c, idx in groups.items()]
    print(f"mu={mu} momentum={momentum}", [len(c.data) for c in clients], server.test(test_set)[0])
    for rnd in range(3):
        states, sizes, losses = zip(*(c.update(server.model) for c in clients))
        server.aggregate(list(states), list(sizes))
        acc, loss = server.test(test_set)
        print("Round {:3d}, Average loss {:.3f}, acc {:.2f}, test {:.3f}".format(rnd, sum(losses) / len(losses), acc, loss))
    drift = max((a[k].float() - server.model.state_dict()[k].float()).abs().max().item() for a in states for k in a if "fc" in k)
    print("drift %.4f" % drift, "bn %.4f" % server.model.bn1.running_mean.abs().sum(), len(ConcatDataset([c.data for c in clients])))
