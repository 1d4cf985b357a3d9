"""Emulated WattsUp meters on pseudo-terminals, which report a known power as often as is asked for."""
import math
import pathlib
import threading
import time

from .test_power import FakeMeter, record


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
