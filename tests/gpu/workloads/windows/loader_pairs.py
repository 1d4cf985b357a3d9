"""Two towers for pairs of texts and signals from two workers started in each epoch, prefetched in a second stream: python loader_pairs.py [EPOCHS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.nn.functional import cross_entropy, normalize
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

WORDS, CHANNELS, SAMPLES, WIDTH, BATCH = sized(4000, 50), 8, sized(1024, 64), sized(384, 16), sized(64, 4)
PER_EPOCH, EPOCHS, LOGGED_EVERY = sized(9650, 18), asked(45), sized(40, 1)


class Pairs(IterableDataset):
    """A text of 4 to 48 words and a signal with the frequencies of its first words; each worker yields every second pair."""

    def __init__(self, epoch, count):
        super().__init__()
        self.epoch, self.count = epoch, count

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        times = torch.linspace(0, 1, SAMPLES)
        for number in range(first, self.count, step):
            draw = torch.Generator().manual_seed(1_000_003 * self.epoch + number)
            words = torch.randint(1, WORDS, (int(torch.randint(4, 49, (), generator=draw)),), generator=draw)
            frequencies = torch.cat([words, words])[:CHANNELS].float() % 101
            yield words, torch.sin(frequencies[:, None] * times) + 0.1 * torch.randn(CHANNELS, SAMPLES, generator=draw)


def collate(pairs):
    texts, signals = zip(*pairs)
    return nn.utils.rnn.pad_sequence(texts, batch_first=True), torch.tensor([len(one) for one in texts]), torch.stack(signals)


class Prefetched:
    """The batches of a loader, the next of which is copied in a stream of its own during the work on this one."""

    def __init__(self, batches):
        self.batches, self.stream = batches, torch.cuda.Stream() if DEVICE.type == "cuda" else None

    def copied(self, batch):
        if self.stream is None or batch is None:
            return batch
        with torch.cuda.stream(self.stream):
            return [one.to(DEVICE, non_blocking=True) for one in batch]

    def __iter__(self):
        batches = iter(self.batches)
        following = self.copied(next(batches, None))
        while following is not None:
            now = following
            if self.stream is not None:
                torch.cuda.current_stream().wait_stream(self.stream)
                for one in now:
                    one.record_stream(torch.cuda.current_stream())
            following = self.copied(next(batches, None))
            yield now


class Texts(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(WORDS, WIDTH, padding_idx=0), nn.Linear(2 * WIDTH, WIDTH)
        self.recurrent = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)

    def forward(self, words, lengths):
        hidden, _ = self.recurrent(self.words(words))
        there = torch.arange(words.shape[1], device=words.device) < lengths[:, None]
        return normalize(self.head(hidden.masked_fill(~there[:, :, None], float("-inf")).amax(1)), dim=1)


class Signals(nn.Module):
    def __init__(self):
        super().__init__()
        widths, layers = [CHANNELS, 64, 128, 256, WIDTH], []
        for before, after in zip(widths, widths[1:]):
            layers += [nn.Conv1d(before, after, 9, stride=2, padding=4), nn.GroupNorm(8, after), nn.SiLU()]
            layers += [nn.Conv1d(after, after, 5, padding=2), nn.SiLU()]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(WIDTH, WIDTH)

    def forward(self, signals):
        return normalize(self.head(self.layers(signals).mean(2)), dim=1)


if __name__ == "__main__":
    torch.manual_seed(61)
    texts, signals, scale = Texts().to(DEVICE), Signals().to(DEVICE), nn.Parameter(torch.tensor(2.7, device=DEVICE))
    optimizer = torch.optim.AdamW([*texts.parameters(), *signals.parameters(), scale], lr=2e-4)
    steps, pairs, history = 0, 0, []
    for epoch in range(EPOCHS):
        loader = DataLoader(Pairs(epoch, PER_EPOCH), BATCH, collate_fn=collate, num_workers=2, pin_memory=True)
        for words, lengths, heard in Prefetched(loader):
            similar = scale.exp() * texts(words, lengths) @ signals(heard).t()
            wanted = torch.arange(len(words), device=DEVICE)
            loss = (cross_entropy(similar, wanted) + cross_entropy(similar.t(), wanted)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                scale.clamp_(0, 4.6)
            steps, pairs = steps + 1, pairs + len(words)
            if steps % LOGGED_EVERY == 0:
                history.append((loss.item(), (similar.argmax(1) == wanted).float().mean().item()))
                print("step {}: loss {:.4f}, found {:.3f}".format(steps, *history[-1]), flush=True)
        with torch.no_grad():
            words, lengths, heard = (one.to(DEVICE) for one in collate(list(Pairs(-1, sized(256, 4)))))
            ranks = (texts(words, lengths) @ signals(heard).t()).argsort(1, descending=True).cpu()
        right = (ranks[:, :5] == torch.arange(len(ranks))[:, None]).any(1).float().mean().item()
        print(f"epoch {epoch}: {right:.3f} of held out pairs among five", flush=True)
    ended([*texts.parameters(), *signals.parameters()], loss.item(), epochs=EPOCHS, steps=steps, pairs=pairs)
