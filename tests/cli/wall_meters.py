"""Emulated meters: WattsUp meters on pseudo-terminals that report a known power, and meters that see how busy a program is."""
import collections
import contextlib
import datetime
import itertools
import math
import os
import pathlib
import tempfile
import threading
import time

from .helpers import export_model
from .test_commands import InAFolder
from .test_power import FakeMeter, record


def unix(timestamp):
    return datetime.datetime.strptime(timestamp, "%Y-%m-%d %H:%M:%S.%f").timestamp()


class WithModel(InAFolder):
    """Tests of a small model, whose file is `model`."""

    LAYERS = 2

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.model = pathlib.Path(temporary.name) / "bloom.pt"
        export_model(cls.model, "bloom", "--layers", str(cls.LAYERS), "--hidden", "64", "--heads", "4", "--vocab", "500")


def swaying(seconds):
    """W of both meters: one sways by 5 % within 7 s, the other one hardly."""
    return 60 + 3 * math.sin(2 * math.pi * seconds / 7), 40 + 0.1 * (int(10 * seconds) % 2)


class WallMeters:
    """Two meters at `folder`, which report every `interval` seconds until the end of the `with` block."""

    def __init__(self, folder, interval=0.1, watts=swaying):
        self.meters = [FakeMeter(pathlib.Path(folder) / f"ttyUSB{m}") for m in range(2)]
        self.interval, self.watts = interval, watts
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.report, args=(m,)) for m in range(2)]

    @property
    def source(self):
        """The meters as --power-source names them."""
        ports = ",".join(str(meter.port) for meter in self.meters)
        return f"wattsup:{ports},interval={self.interval}"

    def report(self, number):
        meter = self.meters[number]
        try:
            meter.wait_until_asked(60)
        except TimeoutError:
            return
        began = time.monotonic()
        reports = 0
        while not self.ended.is_set():
            try:
                meter.say(record(self.watts(time.time())[number]))
            except OSError:  # kjoule has closed the port
                return
            reports += 1
            self.ended.wait(max(0, began + reports * self.interval - time.monotonic()))

    def joules(self, begin, end, step=0.001):
        """The energy of both meters between two moments, in Unix seconds."""
        steps = max(1, round((end - begin) / step))
        width = (end - begin) / steps
        return sum(sum(self.watts(begin + (i + 0.5) * width)) for i in range(steps)) * width

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        for meter in self.meters:
            meter.unplug()


def busy_seconds(root):
    """CPU time of a process and its descendants."""
    children = collections.defaultdict(list)
    seconds = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            children[int(fields[1])].append(int(folder.name))
            seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += seconds.get(process, 0)
        waiting += children[process]
    return total


class Follower:
    """Calls follow() in a thread, which must return soon after `ended` is set, until the end of the `with` block."""

    def __init__(self):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.follow)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class LoadMeters(Follower):
    """Calls each of `sinks` with the time and the power every `interval` seconds until the end of the `with` block: 60 W, and 60 W more
    while this process's children use a processor."""

    BUSY = 0.2  # the share of a processor from which on it is in use: on a busy machine they do not have all of it

    def __init__(self, sinks, interval=0.1):
        super().__init__()
        self.sinks, self.interval = sinks, interval

    def follow(self):
        of_children = lambda: sum(busy_seconds(child) for child in children_of(os.getpid()))
        digit = itertools.cycle([0, 0.1])
        last_s, last = of_children(), time.time()
        while not self.ended.wait(self.interval):
            busy_s, now = of_children(), time.time()
            # A meter whose last digit does not change stands still.
            watts = 60 + 60 * (busy_s - last_s > self.BUSY * (now - last)) + next(digit)
            for sink in self.sinks:
                sink(now, watts)
            last_s, last = busy_s, now


def children_of(process):
    return [int(child) for task in pathlib.Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]


def csv_sink(path, gain=1, offset=0):
    """Returns what LoadMeters calls to log a sensor's readings, gain x power + offset, to a new file."""
    path.write_text("time,watts\n")

    def write(now, watts):
        with path.open("a") as file:
            file.write(f"{now:.3f},{gain * watts + offset:.3f}\n")
    return write
