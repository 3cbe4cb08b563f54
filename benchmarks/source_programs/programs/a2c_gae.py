"""A2C with generalised advantages on a small corridor world: rollout buffer, Categorical, entropy bonus."""
from collections import namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical

Transition = namedtuple("Transition", ["state", "action", "reward", "done"])


class Corridor:
    """Go right to the end; each step costs a bit."""

    def __init__(self, length=6):
        self.length = length
        self.reset()

    def reset(self):
        self.position, self.time = 0, 0
        return self._state()

    def _state(self):
        state = np.zeros(self.length, dtype=np.float32)
        state[self.position] = 1.0
        return state

    def step(self, action):
        self.position = int(np.clip(self.position + (1 if action == 1 else -1), 0, self.length - 1))
        self.time += 1
        arrived = self.position == self.length - 1
        return self._state(), 1.0 if arrived else -0.05, arrived or self.time >= 15, {}


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_actions, hidden=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh())
        self.actor = nn.Linear(hidden, n_actions)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class RolloutBuffer:
    def __init__(self):
        self.items = []

    def push(self, *args):
        self.items.append(Transition(*args))

    def batch(self):
        batch = Transition(*zip(*self.items))
        states = torch.from_numpy(np.stack(batch.state))
        actions = torch.tensor(batch.action)
        rewards = torch.tensor(batch.reward, dtype=torch.float32)
        dones = torch.tensor(batch.done, dtype=torch.float32)
        self.items.clear()
        return states, actions, rewards, dones


def compute_gae(rewards, values, dones, last_value, gamma=0.95, lam=0.9):
    advantages = torch.zeros_like(rewards)
    gae = 0.0
    for t in reversed(range(len(rewards))):
        next_value = last_value if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * next_value * (1 - dones[t]) - values[t]
        gae = delta + gamma * lam * (1 - dones[t]) * gae
        advantages[t] = gae
    return advantages, advantages + values


def main():
    env = Corridor()
    net = ActorCritic(env.length, 2)
    for i, layer in enumerate(m for m in net.modules() if isinstance(m, nn.Linear)):
        values = torch.arange(layer.weight.numel(), dtype=torch.float32).reshape(layer.weight.shape)
        layer.weight.data.copy_(torch.sin(values * 0.9 + i) * 0.4)
        nn.init.zeros_(layer.bias)
    optimizer = optim.RMSprop(net.parameters(), lr=7e-3, alpha=0.99, eps=1e-5)
    chance = np.random.RandomState(11)
    state, buffer = env.reset(), RolloutBuffer()
    episode_reward, finished = 0.0, []
    for update in range(8):
        for _ in range(16):
            with torch.no_grad():
                dist, _ = net(torch.from_numpy(state).unsqueeze(0))
            action = int(chance.rand() < dist.probs[0, 1].item())
            next_state, reward, done, _ = env.step(action)
            buffer.push(state, action, reward, done)
            episode_reward += reward
            if done:
                finished.append(episode_reward)
                episode_reward, next_state = 0.0, env.reset()
            state = next_state
        states, actions, rewards, dones = buffer.batch()
        with torch.no_grad():
            _, last_value = net(torch.from_numpy(state).unsqueeze(0))
            _, old_values = net(states)
        advantages, returns = compute_gae(rewards, old_values, dones, last_value[0])
        dist, values = net(states)
        normed = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        policy_loss = -(dist.log_prob(actions) * normed).mean()
        value_loss = (returns - values).pow(2).mean()
        entropy = dist.entropy().mean()
        loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        print(f"{update} policy {policy_loss.item():.4f} value {value_loss.item():.4f} entropy {entropy.item():.4f}")
    print(len(finished), round(float(np.mean(finished)), 3))
    with torch.no_grad():
        dist, values = net(torch.eye(env.length))
        print(dist.probs.argmax(-1).tolist(), [round(v, 4) for v in values.tolist()])


if __name__ == "__main__":
    main()
