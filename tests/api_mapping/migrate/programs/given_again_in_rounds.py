import torch
from torch import nn

encoder = nn.Linear(3, 4)
decoder = nn.Linear(4, 3)
with torch.no_grad():
    for part in (encoder, decoder):
        for p in part.parameters():
            p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view(p.shape))
first = torch.optim.SGD(encoder.parameters(), lr=0.1)
second = torch.optim.SGD(decoder.parameters(), lr=0.1)
table = torch.eye(3)


def train(words, forced):
    first.zero_grad()
    second.zero_grad()
    loss = 0
    losses = []
    state = encoder(table[words].sum(0, keepdim=True))
    given = torch.LongTensor([[0 for _ in range(1)]])
    given = given.to("cpu")
    if forced:
        for word in words:
            scores = decoder(state + given)
            given = word.view(1, 1)
            one = nn.functional.cross_entropy(scores, word.view(1))
            loss += one
            losses.append(one.item())
    else:
        for word in words:
            scores = decoder(state + given)
            _, given = scores.topk(1)
            one = nn.functional.cross_entropy(scores, word.view(1))
            loss += one
            losses.append(one.item())
    loss.backward()
    _ = nn.utils.clip_grad_norm_(encoder.parameters(), 5.0)
    _ = nn.utils.clip_grad_norm_(decoder.parameters(), 5.0)
    first.step()
    second.step()
    return sum(losses)


for i in range(4):
    print(round(train(torch.tensor([2, 0, 1]), i % 2 == 0), 4))


# from a tensor, and by hand
def by_hand(words):
    state = encoder(table[words].sum(0, keepdim=True))
    decoder.zero_grad()
    loss = torch.Tensor([0])
    for word in words:
        loss += nn.functional.cross_entropy(decoder(state.detach()), word.view(1))
    loss.backward()
    for p in decoder.parameters():
        p.data.add_(p.grad.data, alpha=-0.1)
    return loss.item() / len(words)


for _ in range(2):
    print(round(by_hand(torch.tensor([1, 1, 0])), 4))
