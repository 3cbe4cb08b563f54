import torch
from torch import nn

x = torch.linspace(-1, 1, 12).view(3, 4)
y = torch.linspace(0.1, 0.9, 12).view(3, 4)
classes = torch.tensor([0, 3, 1])
signs = torch.tensor([1.0, -1.0, 1.0])


def told(value):
    print([round(v, 4) for v in value.detach().reshape(-1).tolist()])


told(nn.CrossEntropyLoss()(input=x, target=classes))
told(nn.NLLLoss()(x, target=classes))
told(nn.MSELoss()(target=y, input=x))
told(nn.L1Loss(reduction="sum")(input=x, target=y))
told(nn.SmoothL1Loss()(x, target=y))
told(nn.HuberLoss(delta=0.5)(input=x, target=y))
told(nn.BCELoss()(input=y, target=y))
told(nn.BCEWithLogitsLoss()(x, target=y))
told(nn.KLDivLoss(reduction="batchmean")(input=x.log_softmax(1), target=y.softmax(1)))
told(nn.CosineEmbeddingLoss()(x, y, target=signs))
told(nn.MarginRankingLoss(margin=0.1)(input1=x[:, 0], input2=y[:, 0], target=signs))
told(nn.TripletMarginLoss()(anchor=x, positive=y, negative=-y))
told(nn.PoissonNLLLoss()(log_input=x, target=y))
told(nn.GaussianNLLLoss()(input=x, target=y, var=y))
told(nn.CosineSimilarity(dim=1)(x1=x, x2=y))
told(nn.PairwiseDistance()(x1=x, x2=y))
told(nn.Softmax(dim=1)(input=x))
told(nn.LeakyReLU(0.1)(input=x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.fc = nn.Linear(4, 2)
        self.norm = nn.LayerNorm(2)
        self.rnn = nn.GRU(2, 3, batch_first=True)
        self.loss = nn.CosineEmbeddingLoss()
        for i, p in enumerate(self.parameters()):
            p.data = (torch.arange(p.numel()).view(p.shape) + i).float().cos()

    def forward(self, ids, h):
        out, _ = self.rnn(
            input=self.norm(input=self.fc(input=self.embed(input=ids))),  # the steps
            hx=h,
        )
        return out, self.loss(input1=out[0], input2=out[1], target=torch.ones(3))


out, loss = Net()(torch.tensor([[0, 2, 4], [1, 1, 3]]), torch.zeros(1, 2, 3))
told(out)
told(loss)


def trained(criterion):
    model = nn.Linear(4, 4)
    nn.init.constant_(model.weight, 0.1)
    nn.init.zeros_(model.bias)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = criterion(input=model(input=x), target=classes)
        loss.backward()
        opt.step()
        told(loss)


trained(nn.CrossEntropyLoss())


class Focal(nn.MSELoss):
    def forward(self, target, input):
        return ((input - 2 * target) ** 2).mean()


class Masked(nn.Module):
    def forward(self, mask, input):
        return input * mask


class Held(nn.Module):
    inner: nn.Module

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.parts = nn.ModuleList([Masked(), Masked()])

    def forward(self, input, mask):
        kept = self.inner(input=input, mask=mask)
        for part in self.parts:
            kept = part(input=kept, mask=mask)
        return kept


def run(model: nn.Module, values, mask):
    return model(input=values, mask=mask)


told(Focal()(input=x, target=y))
told(run(Masked(), x, y))
told(Held(Masked())(input=x, mask=y))
