"""Deep Q-learning of a catching game that the host plays and draws, memory of 100,000 pictures on the host: python q_learning.py [MOVES]"""
import copy
import random

import numpy as np
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.nn.functional import smooth_l1_loss

SIDE, SHOWN, ACTIONS, BATCH = sized(64, 32), 4, 3, sized(128, 4)
MEMORY, BEGIN_AFTER, LEARN_EVERY, COPY_EVERY, JUDGED_EVERY = sized(100_000, 64), sized(1000, 8), sized(4, 2), sized(500, 8), sized(5000, 8)
MOVES = asked(60_000, 24)


class Catch:
    """A ball falls and drifts, and a bar at the bottom has to be below it."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.begin()

    def begin(self):
        self.row, self.column, self.drift, self.bar = 0, self.draw.randrange(SIDE), self.draw.choice([-1, 0, 1]), SIDE // 2
        self.pictures = [self.picture()] * SHOWN
        return np.stack(self.pictures)

    def picture(self):
        pixels = np.zeros((SIDE, SIDE), dtype=np.uint8)
        pixels[self.row:self.row + 3, max(0, self.column - 1):self.column + 2] = 255
        pixels[-2:, max(0, self.bar - 5):self.bar + 6] = 128
        return pixels

    def step(self, action):
        self.bar = min(SIDE - 1, max(0, self.bar + 3 * (action - 1)))
        self.row, self.column = self.row + 2, (self.column + self.drift) % SIDE
        self.pictures = [*self.pictures[1:], self.picture()]
        done = self.row >= SIDE - 3
        return np.stack(self.pictures), (1.0 if abs(self.bar - self.column) <= 6 else -1.0) if done else 0.0, done


class Memory:
    def __init__(self):
        self.pictures, self.following = (np.zeros((MEMORY // SHOWN, SHOWN, SIDE, SIDE), dtype=np.uint8) for _ in range(2))
        self.rest, self.count, self.draw = np.zeros((MEMORY // SHOWN, 3), dtype=np.float32), 0, np.random.default_rng(48)

    def add(self, pictures, action, reward, following, done):
        place = self.count % len(self.rest)
        self.pictures[place], self.following[place], self.rest[place] = pictures, following, (action, reward, done)
        self.count += 1

    def drawn(self):
        chosen = self.draw.integers(0, min(self.count, len(self.rest)), BATCH)
        return [torch.from_numpy(one[chosen]).to(DEVICE) for one in (self.pictures, self.following, self.rest)]


class Network(nn.Module):
    """The value of the state and the advantage of each action."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(SHOWN, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1), nn.ReLU(), nn.Conv2d(64, 64, 3, 1), nn.ReLU(),
                                      nn.Flatten())
        self.value, self.advantage = (nn.Sequential(nn.LazyLinear(512), nn.ReLU(), nn.Linear(512, leaving)) for leaving in (1, ACTIONS))

    def forward(self, pictures):
        features = self.features(pictures.float() / 255)
        advantage = self.advantage(features)
        return self.value(features) + advantage - advantage.mean(1, keepdim=True)


@torch.no_grad()
def chosen_action(pictures, drawn_share):
    if draw.random() < drawn_share:
        return draw.randrange(ACTIONS)
    return online(torch.from_numpy(pictures).unsqueeze(0).to(DEVICE)).argmax(1).item()


def learn():
    pictures, following, rest = memory.drawn()
    actions, rewards, done = rest[:, 0].long(), rest[:, 1], rest[:, 2]
    with torch.no_grad():
        best = online(following).argmax(1, keepdim=True)
        wanted = rewards + 0.98 * (1 - done) * target(following).gather(1, best).squeeze(1)
    loss = smooth_l1_loss(online(pictures).gather(1, actions[:, None]).squeeze(1), wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(online.parameters(), 10.0)
    optimizer.step()
    return loss


def judged(games=sized(20)):
    game, won = Catch(50), 0
    for _ in range(games):
        pictures, done = game.begin(), False
        while not done:
            pictures, reward, done = game.step(chosen_action(pictures, 0.0))
        won += reward > 0
    return won / games


torch.manual_seed(47)
draw, memory, game = random.Random(47), Memory(), Catch(49)
online = Network().to(DEVICE)
pictures = game.begin()
online(torch.from_numpy(pictures).unsqueeze(0).to(DEVICE))
target = copy.deepcopy(online).requires_grad_(False)
optimizer = torch.optim.Adam(online.parameters(), lr=1e-4)
updates, games, shares, losses = 0, 0, [], []
for move in range(1, MOVES + 1):
    action = chosen_action(pictures, max(0.05, 1 - move / (0.3 * MOVES)))
    following, reward, done = game.step(action)
    memory.add(pictures, action, reward, following, done)
    pictures, games = (game.begin(), games + 1) if done else (following, games)
    if move > BEGIN_AFTER and move % LEARN_EVERY == 0:
        loss = learn()
        updates += 1
        if updates % 10 == 0:
            losses.append(loss.item())
    if move % COPY_EVERY == 0:
        target.load_state_dict(online.state_dict())
    if move % JUDGED_EVERY == 0:
        shares.append(judged())
        print(f"move {move}: {games} games, {updates} updates, {100 * shares[-1]:.0f} % caught", flush=True)
ended(online.parameters(), loss.item(), moves=MOVES, updates=updates, games=games, judged=len(shares))
