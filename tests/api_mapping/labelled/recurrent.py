"""Recurrent networks, GAN training, packed sequences, distributions."""
import torch
import torch.distributed as dist
from torch import nn, optim
from torch.distributions import Categorical, Normal
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torchvision.models import resnet18
from torchvision.transforms import functional as TF


class Tagger(nn.Module):  #: nn.Module
    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, hidden, padding_idx=0)  #: nn.Embedding
        self.lstm = nn.LSTM(hidden, hidden, 2, batch_first=True, bidirectional=True)  #: nn.LSTM
        self.cell = nn.GRUCell(hidden, hidden)  #: nn.GRUCell
        self.out = nn.Linear(2 * hidden, 5)  #: nn.Linear
        self.layers = [nn.Linear(2, 2) for _ in range(2)]  #: nn.Linear

    def forward(self, words, lengths):
        x = self.embed(words)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True)  #: torch.nn.utils.rnn.pack_padded_sequence T.cpu
        y, (h, c) = self.lstm(packed)
        y, _ = pad_packed_sequence(y, batch_first=True)  #: torch.nn.utils.rnn.pad_packed_sequence
        h = h.transpose(0, 1).reshape(len(h), -1)  #: T.transpose T.reshape
        return self.out(y), h, c.detach()  #: T.detach

    def init_hidden(self, n):
        weight = next(self.parameters())  #: M.parameters
        return weight.new_zeros(2, n, 4), torch.zeros(2, n, 4).to(weight.device)  #: T.new_zeros torch.zeros T.to T.device


class Policy(nn.Module):  #: nn.Module
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))  #: nn.Sequential nn.Linear nn.Tanh nn.Linear
        self.log_std = nn.Parameter(torch.zeros(2))  #: nn.Parameter torch.zeros

    def forward(self, state):
        logits = self.net(state)
        return Categorical(logits=logits), Normal(logits, self.log_std.exp())  #: torch.distributions.Categorical torch.distributions.Normal T.exp


def gan(generator: nn.Module, discriminator: nn.Module, loader: torch.utils.data.DataLoader):  #: nn.Module nn.Module torch.utils.data.DataLoader
    g = optim.Adam(generator.parameters(), 2e-4, betas=(0.5, 0.999))  #: torch.optim.Adam M.parameters
    d = optim.RMSprop(discriminator.parameters())  #: torch.optim.RMSprop M.parameters
    bce = nn.BCEWithLogitsLoss()  #: nn.BCEWithLogitsLoss
    for real, _ in loader:
        noise = torch.randn(real.size(0), 100, device=real.device)  #: torch.randn T.size T.device
        fake = generator(noise)
        d.zero_grad()  #: O.zero_grad
        real_loss = bce(discriminator(real), torch.ones(len(real)))  #: torch.ones
        fake_loss = bce(discriminator(fake.detach()), torch.zeros(len(real)))  #: T.detach torch.zeros
        (real_loss + fake_loss).backward()  #: T.backward
        d.step()  #: O.step
        g.zero_grad()  #: O.zero_grad
        loss = bce(discriminator(fake), torch.ones(len(real)))  #: torch.ones
        loss.backward()  #: T.backward
        g.step()  #: O.step
        for p in discriminator.parameters():  #: M.parameters
            p.data.clamp_(-0.01, 0.01)  #: T.data T.clamp_
    generator.train(False)  #: M.train
    for name, child in generator.named_children():  #: M.named_children
        child.requires_grad_(False)  #: M.requires_grad_
        name.upper()


def distributed(rank, size):
    dist.init_process_group("gloo", rank=rank, world_size=size)  #: torch.distributed.init_process_group
    model = resnet18()  #: torchvision.models.resnet18
    model = DDP(model, device_ids=[rank])  #: torch.nn.parallel.DistributedDataParallel
    model.module.fc  #: torch.nn.parallel.DistributedDataParallel.module
    t = torch.ones(1)  #: torch.ones
    dist.all_reduce(t)  #: torch.distributed.all_reduce
    t.div_(dist.get_world_size())  #: T.div_ torch.distributed.get_world_size
    model.train()  #: M.train
    model.zero_grad()  #: M.zero_grad
    if dist.get_rank() == 0:  #: torch.distributed.get_rank
        torch.save(model.state_dict(), "m.pt")  #: torch.save M.state_dict
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optim.SGD(model.parameters(), 0.1))  #: torch.optim.lr_scheduler.ReduceLROnPlateau torch.optim.SGD M.parameters
    scheduler.step(0.3)  #: L.step
    image = TF.resize(torch.rand(3, 8, 8), [4, 4])  #: torchvision.transforms.functional.resize torch.rand
    return image


def act(policy: Policy, state: torch.Tensor):  #: torch.Tensor
    chosen, _ = policy(state)
    action = chosen.sample()  #: D.sample
    return action.item(), chosen.log_prob(action)  #: T.item D.log_prob
