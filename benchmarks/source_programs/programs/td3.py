"""TD3 on a point that is to be moved to the origin: twin critics, delayed policy, target smoothing."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action):
        super(Actor, self).__init__()
        self.l1 = nn.Linear(state_dim, 16)
        self.l2 = nn.Linear(16, action_dim)
        self.max_action = max_action

    def forward(self, state):
        a = F.relu(self.l1(state))
        return self.max_action * torch.tanh(self.l2(a))


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super(Critic, self).__init__()
        self.l1, self.l2 = nn.Linear(state_dim + action_dim, 16), nn.Linear(16, 1)
        self.l3, self.l4 = nn.Linear(state_dim + action_dim, 16), nn.Linear(16, 1)

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l2(F.relu(self.l1(sa))), self.l4(F.relu(self.l3(sa)))

    def Q1(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l2(F.relu(self.l1(sa)))


class ReplayBuffer(object):
    def __init__(self, state_dim, action_dim, max_size=200):
        self.max_size, self.ptr, self.size = max_size, 0, 0
        self.state = np.zeros((max_size, state_dim))
        self.action = np.zeros((max_size, action_dim))
        self.next_state = np.zeros((max_size, state_dim))
        self.reward = np.zeros((max_size, 1))
        self.not_done = np.zeros((max_size, 1))

    def add(self, state, action, next_state, reward, done):
        self.state[self.ptr] = state
        self.action[self.ptr] = action
        self.next_state[self.ptr] = next_state
        self.reward[self.ptr] = reward
        self.not_done[self.ptr] = 1.0 - done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, batch_size, rng):
        ind = rng.randint(0, self.size, size=batch_size)
        return (
            torch.FloatTensor(self.state[ind]).to(device),
            torch.FloatTensor(self.action[ind]).to(device),
            torch.FloatTensor(self.next_state[ind]).to(device),
            torch.FloatTensor(self.reward[ind]).to(device),
            torch.FloatTensor(self.not_done[ind]).to(device),
        )


class TD3(object):
    def __init__(self, state_dim, action_dim, max_action, discount=0.95, tau=0.05, policy_freq=2):
        self.actor = Actor(state_dim, action_dim, max_action).to(device)
        self.critic = Critic(state_dim, action_dim).to(device)
        self.reset(self.actor, 1)
        self.reset(self.critic, 2)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-3)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=3e-3)
        self.max_action, self.discount, self.tau = max_action, discount, tau
        self.policy_noise, self.noise_clip, self.policy_freq = 0.2 * max_action, 0.5 * max_action, policy_freq
        self.total_it = 0

    @staticmethod
    def reset(net, seed):
        rng = np.random.RandomState(seed)
        for p in net.parameters():
            p.data.copy_(torch.from_numpy(rng.uniform(-0.5, 0.5, size=list(p.shape))))

    def select_action(self, state):
        state = torch.FloatTensor(state.reshape(1, -1)).to(device)
        return self.actor(state).cpu().data.numpy().flatten()

    def train(self, replay_buffer, rng, batch_size=16):
        self.total_it += 1
        state, action, next_state, reward, not_done = replay_buffer.sample(batch_size, rng)
        with torch.no_grad():
            noise = torch.FloatTensor(rng.randn(*action.shape)).mul(self.policy_noise)
            noise = noise.clamp(-self.noise_clip, self.noise_clip)
            next_action = (self.actor_target(next_state) + noise).clamp(-self.max_action, self.max_action)
            target_Q1, target_Q2 = self.critic_target(next_state, next_action)
            target_Q = torch.min(target_Q1, target_Q2)
            target_Q = reward + not_done * self.discount * target_Q
        current_Q1, current_Q2 = self.critic(state, action)
        critic_loss = F.mse_loss(current_Q1, target_Q) + F.mse_loss(current_Q2, target_Q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        if self.total_it % self.policy_freq == 0:
            actor_loss = -self.critic.Q1(state, self.actor(state)).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for param, target_param in zip(self.critic.parameters(), self.critic_target.parameters()):
                target_param.data.copy_(self.tau * param.data + (1 - self.tau) * target_param.data)
            for param, target_param in zip(self.actor.parameters(), self.actor_target.parameters()):
                target_param.data.copy_(self.tau * param.data + (1 - self.tau) * target_param.data)
            return critic_loss.item(), actor_loss.item()
        return critic_loss.item(), None


rng = np.random.RandomState(0)
policy, buffer = TD3(2, 2, 0.5), ReplayBuffer(2, 2)
state = rng.uniform(-1, 1, 2)
for t in range(60):
    action = (policy.select_action(state) + rng.normal(0, 0.1, size=2)).clip(-0.5, 0.5)
    next_state = np.clip(state + action, -2, 2)
    reward = -float(np.sum(next_state ** 2))
    done = float(reward > -0.01)
    buffer.add(state, action, next_state, reward, done)
    state = rng.uniform(-1, 1, 2) if done or t % 10 == 9 else next_state
    if t >= 40:
        critic_loss, actor_loss = policy.train(buffer, rng)
        if t % 5 == 4:
            print(t, f"critic {critic_loss:.4f}", "" if actor_loss is None else f"actor {actor_loss:.4f}")
gap = [(a - b).abs().max().item() for a, b in zip(policy.actor.parameters(), policy.actor_target.parameters())]
print([round(g, 4) for g in gap], policy.select_action(np.array([1.0, -1.0])).round(4).tolist())
