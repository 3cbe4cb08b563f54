"""Double DQN with a replay buffer of named tuples, a dueling head, soft updates and an exploration schedule."""
import math
import random
from collections import deque, namedtuple
from itertools import count

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Memory:
    def __init__(self, capacity, seed=0):
        self.memory = deque([], maxlen=capacity)
        self.rng = random.Random(seed)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return self.rng.sample(list(self.memory), n)

    def __len__(self):
        return len(self.memory)


class Line:
    """Walk from the left to the right end of a line; the wind changes every third step."""

    def __init__(self, size=5):
        self.size, self.at, self.t = size, 0, 0

    def reset(self):
        self.at, self.t = 0, 0
        return self.view()

    def view(self):
        v = torch.zeros(self.size)
        v[self.at] = 1
        return v

    def step(self, action):
        self.t += 1
        move = 1 if action == 1 else -1
        if self.t % 3 == 0:
            move = 0
        self.at = min(max(self.at + move, 0), self.size - 1)
        done = self.at == self.size - 1
        return self.view(), 1.0 if done else -0.05, done or self.t >= 20


class Dueling(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.layer1 = nn.Linear(inputs, 16)
        self.value = nn.Linear(16, 1)
        self.advantage = nn.Linear(16, actions)
        for k, w in enumerate(self.parameters()):
            w.data = torch.sin(torch.arange(w.numel()).float() * 1.7 + k).view_as(w) * 0.3

    def forward(self, x):
        x = F.relu(self.layer1(x))
        adv = self.advantage(x)
        return self.value(x) + adv - adv.mean(dim=1, keepdim=True)


GAMMA, TAU, BATCH = 0.9, 0.05, 8
policy_net, target_net = Dueling(5, 2), Dueling(5, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=5e-3, amsgrad=True)
memory, steps_done, chooser = Memory(100), 0, random.Random(3)


def select_action(state):
    global steps_done
    threshold = 0.05 + 0.85 * math.exp(-1.0 * steps_done / 60)
    steps_done += 1
    if chooser.random() > threshold:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[chooser.randrange(2)]], dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH:
        return None
    batch = Transition(*zip(*memory.sample(BATCH)))
    mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    non_final = torch.cat([s for s in batch.next_state if s is not None])
    state, action, reward = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    q = policy_net(state).gather(1, action)
    next_values = torch.zeros(BATCH)
    with torch.no_grad():
        best = policy_net(non_final).argmax(1, keepdim=True)
        next_values[mask] = target_net(non_final).gather(1, best).squeeze(1)
    loss = nn.SmoothL1Loss()(q, (reward + GAMMA * next_values).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target, source = target_net.state_dict(), policy_net.state_dict()
    for key in source:
        target[key] = source[key] * TAU + target[key] * (1 - TAU)
    target_net.load_state_dict(target)
    return loss.item()


env, durations = Line(), []
for episode in range(8):
    state, losses = env.reset().unsqueeze(0), []
    for t in count():
        action = select_action(state)
        observation, reward, done = env.step(action.item())
        next_state = None if done and env.at == 4 else observation.unsqueeze(0)
        memory.push(state, action, next_state, torch.tensor([reward]))
        state = observation.unsqueeze(0)
        loss = optimize_model()
        if loss is not None:
            losses.append(loss)
        if done:
            durations.append(t + 1)
            break
    print(episode, durations[-1], round(sum(losses) / max(len(losses), 1), 4))
print(round(target_net.layer1.weight.abs().sum().item(), 4), len(memory))
