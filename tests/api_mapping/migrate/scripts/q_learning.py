# DQN with a replay memory and a target network; the environment is a line of ten cells.
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))
GAMMA = 0.95
BATCH_SIZE = 16
TARGET_UPDATE = 5


class ReplayMemory(object):

    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        """Save a transition"""
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 32)
        self.layer2 = nn.Linear(32, 32)
        self.layer3 = nn.Linear(32, n_actions)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        x = torch.relu(self.layer2(x))
        return self.layer3(x)


random.seed(17)
np.random.seed(17)
policy_net = DQN(10, 2)
target_net = DQN(10, 2)
target_net.load_state_dict(policy_net.state_dict())
target_net.eval()

optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
criterion = nn.SmoothL1Loss()
memory = ReplayMemory(1000)
losses = []


def one_hot(cell):
    state = np.zeros(10, dtype=np.float32)
    state[cell] = 1.0
    return state


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return
    transitions = memory.sample(BATCH_SIZE)
    batch = Transition(*zip(*transitions))
    states = torch.tensor(np.array(batch.state))
    actions = torch.tensor(batch.action).unsqueeze(1)
    rewards = torch.tensor(batch.reward, dtype=torch.float32)
    next_states = torch.tensor(np.array(batch.next_state))
    dones = torch.tensor(batch.done, dtype=torch.float32)

    # Q(s_t, a) of the actions that were taken
    q_values = policy_net(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        next_q = target_net(next_states).max(1)[0]
    expected = rewards + GAMMA * next_q * (1 - dones)
    loss = criterion(q_values, expected)

    # Optimize the model
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    losses.append(loss.item())


cell = 5
for step in range(BATCH_SIZE + 19):
    action = random.randrange(2)
    next_cell = cell + (1 if action else -1)
    done = next_cell in (0, 9)
    memory.push(one_hot(cell), action, one_hot(next_cell), float(next_cell == 9), float(done))
    cell = 5 if done else next_cell

    optimize_model()
    if step % TARGET_UPDATE == 0:
        target_net.load_state_dict(policy_net.state_dict())

print(f"steps {len(losses)}, last loss {losses[-1]:.5f}")
