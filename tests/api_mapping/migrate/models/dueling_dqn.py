import random

import numpy as np
import torch
import torch.nn as nn
import torch.autograd as autograd
import torch.nn.functional as F

USE_CUDA = torch.cuda.is_available()
Variable = lambda *args, **kwargs: autograd.Variable(*args, **kwargs).cuda() if USE_CUDA else autograd.Variable(*args, **kwargs)


class DuelingCnnDQN(nn.Module):
    def __init__(self, input_shape, num_outputs):
        super(DuelingCnnDQN, self).__init__()

        self.input_shape = input_shape
        self.num_actions = num_outputs

        self.features = nn.Sequential(
            nn.Conv2d(input_shape[0], 4, kernel_size=4, stride=2),
            nn.ReLU(),
            nn.Conv2d(4, 8, kernel_size=3, stride=1),
            nn.ReLU()
        )

        self.advantage = nn.Sequential(
            nn.Linear(self.feature_size(), 16),
            nn.ReLU(),
            nn.Linear(16, num_outputs)
        )

        self.value = nn.Sequential(
            nn.Linear(self.feature_size(), 16),
            nn.ReLU(),
            nn.Linear(16, 1)
        )

    def forward(self, x):
        x = self.features(x)
        x = x.view(x.size(0), -1)
        advantage = self.advantage(x)
        value     = self.value(x)
        return value + advantage  - advantage.mean()

    def feature_size(self):
        return self.features(autograd.Variable(torch.zeros(1, *self.input_shape))).view(1, -1).size(1)

    def act(self, state, epsilon):
        if random.random() > epsilon:
            with torch.no_grad():
                state   = Variable(torch.FloatTensor(np.float32(state)).unsqueeze(0))
            q_value = self.forward(state)
            action  = q_value.max(1)[1].data[0]
        else:
            action = random.randrange(self.num_actions)
        return action


class TDError(nn.Module):
    """Loss of the current against the target model."""

    def __init__(self, shape, num_actions, gamma=0.99):
        super(TDError, self).__init__()
        self.current_model = DuelingCnnDQN(shape, num_actions)
        self.target_model  = DuelingCnnDQN(shape, num_actions)
        self.target_model.load_state_dict(self.current_model.state_dict())
        for p in self.target_model.parameters():
            p.requires_grad = False
        self.gamma = gamma

    def forward(self, state, action, reward, next_state, done):
        q_values      = self.current_model(state)
        next_q_values = self.target_model(next_state)

        q_value          = q_values.gather(1, action.unsqueeze(1)).squeeze(1)
        next_q_value     = next_q_values.max(1)[0]
        expected_q_value = reward + self.gamma * next_q_value * (1 - done)

        loss = F.smooth_l1_loss(q_value, expected_q_value.detach())
        return loss, q_value


def build():
    return TDError((2, 12, 12), 5)


def inputs():
    torch.manual_seed(0)
    return (torch.rand(3, 2, 12, 12), torch.tensor([0, 4, 2]), torch.tensor([1., 0., -1.]),
            torch.rand(3, 2, 12, 12), torch.tensor([0., 1., 0.]))
