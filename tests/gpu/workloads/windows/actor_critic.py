"""Proximal policy optimization of poles on carts that the host moves, 16 at a time: python actor_critic.py [UPDATES]"""
import numpy as np
import torch
from shared import DEVICE, asked, ended, moved, sized
from torch import nn
from torch.distributions import Categorical

CARTS, HORIZON, EPOCHS, PARTS = sized(16, 4), sized(128, 8), sized(4), sized(4)
DISCOUNT, TRACE, CLIP, FORCE, WIDTH = 0.99, 0.95, 0.2, 10.0, sized(512, 16)
UPDATES = asked(380)


class Carts:
    """Poles that stand on carts; the host computes their motion, and puts up again those which fell."""

    def __init__(self, count, seed):
        self.draw, self.steps = np.random.default_rng(seed), np.zeros(count, dtype=int)
        self.state = self.draw.uniform(-0.05, 0.05, (count, 4)).astype(np.float32)

    def step(self, actions):
        x, speed, angle, turning = self.state.T
        force, sine, cosine = np.where(actions == 1, FORCE, -FORCE), np.sin(angle), np.cos(angle)
        common = (force + 0.05 * turning**2 * sine) / 1.1
        angular = (9.8 * sine - cosine * common) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        linear = common - 0.05 * angular * cosine / 1.1
        self.state = np.stack([x + 0.02 * speed, speed + 0.02 * linear, angle + 0.02 * turning, turning + 0.02 * angular], 1).astype(np.float32)
        self.steps += 1
        done = (np.abs(self.state[:, 0]) > 2.4) | (np.abs(self.state[:, 2]) > 0.21) | (self.steps >= 500)
        lengths = self.steps[done].tolist()
        self.state[done] = self.draw.uniform(-0.05, 0.05, (int(done.sum()), 4))
        self.steps[done] = 0
        return self.state.copy(), np.ones(len(done), dtype=np.float32), done, lengths


def layers(leaving):
    return nn.Sequential(nn.Linear(4, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, leaving))


@torch.no_grad()
def played(state):
    """Returns what happened in HORIZON steps, in which host and device alternate, and the state after them."""
    kept = {name: [] for name in ("states", "actions", "logs", "values", "rewards", "done")}
    for _ in range(HORIZON):
        seen = torch.from_numpy(state).to(DEVICE)
        choice = Categorical(logits=actor(seen))
        action = choice.sample()
        row = {"states": state, "actions": action.cpu().numpy(), "logs": choice.log_prob(action).cpu().numpy(), "values": critic(seen).squeeze(1).cpu().numpy()}
        state, reward, done, lengths = carts.step(row["actions"])
        episodes.extend(lengths)
        for name, value in {**row, "rewards": reward, "done": done}.items():
            kept[name].append(value)
    last = critic(torch.from_numpy(state).to(DEVICE)).squeeze(1).cpu().numpy()
    return {name: np.stack(values) for name, values in kept.items()}, last, state


def advantages_of(kept, last):
    found, following = np.zeros_like(kept["rewards"]), np.zeros(CARTS, dtype=np.float32)
    for k in reversed(range(HORIZON)):
        going_on = 1.0 - kept["done"][k]
        value_after = last if k == HORIZON - 1 else kept["values"][k + 1]
        following = kept["rewards"][k] + DISCOUNT * value_after * going_on - kept["values"][k] + DISCOUNT * TRACE * going_on * following
        found[k] = following
    return found


def learn(kept, advantages):
    """Returns the number of steps: an epoch in which the policy moved far is the last."""
    kept = {**kept, "advantages": advantages, "returns": advantages + kept["values"]}
    whole = {name: moved(torch.from_numpy(np.ascontiguousarray(values).reshape(HORIZON * CARTS, *values.shape[2:]))) for name, values in kept.items()}
    steps = 0
    for _ in range(EPOCHS):
        for chosen in torch.randperm(HORIZON * CARTS, device=DEVICE).chunk(PARTS):
            part = {name: values[chosen] for name, values in whole.items()}
            choice = Categorical(logits=actor(part["states"]))
            logs = choice.log_prob(part["actions"])
            ratio = (logs - part["logs"]).exp()
            advantage = (part["advantages"] - part["advantages"].mean()) / (part["advantages"].std() + 1e-8)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
            error = (critic(part["states"]).squeeze(1) - part["returns"]).square().mean()
            loss = 0.5 * error - gain - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()
            steps += 1
        if (part["logs"] - logs).mean().item() > 0.03:
            break
    return steps, loss.item()


torch.manual_seed(43)
actor, critic, carts, episodes = layers(2).to(DEVICE), layers(1).to(DEVICE), Carts(CARTS, 44), []
parameters = [*actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=2.5e-4, eps=1e-5)
state, steps, moves = carts.state.copy(), 0, 0
for update in range(UPDATES):
    optimizer.param_groups[0]["lr"] = 2.5e-4 * (1 - update / UPDATES)
    kept, last, state = played(state)
    taken, loss = learn(kept, advantages_of(kept, last))
    steps, moves = steps + taken, moves + kept["actions"].size
    if update % 10 == 0:
        print(f"update {update}: {len(episodes)} episodes, the last of {np.mean(episodes[-50:] or [0]):.1f} steps, loss {loss:.3f}", flush=True)
print(f"{steps} steps of the optimizer, {len(episodes)} episodes")
ended(parameters, loss, updates=UPDATES, moves=moves)
