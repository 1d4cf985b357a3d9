"""A logger of an emulated meter whose true energy is known: its power follows what kjoule's processes do, and each of its readings is the mean
over an averaging time that ended some time ago."""
import bisect
import contextlib
import datetime
import itertools
import pathlib
import time

from .wall_meters import Follower, children_of

STEP = 0.01  # s, at which the power is followed
# The first line of each kind of log, and a line of it.
FORMS = {"power.draw": ("timestamp, index, power.draw [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, 0, {watts:.2f} W"),
         "power.draw.instant": ("timestamp, index, power.draw.instant [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, 0, {watts:.2f} W"),
         "gpu": ("timestamp,gpu,power_w", "{time:%Y-%m-%d %H:%M:%S.%f},0,{watts:.2f}"),
         "wattsup": ("time,id,pm1,sum", "{time:%Y-%m-%d %H:%M:%S.%f},{number},{watts:.1f},{watts:.1f}"),
         "power_w": ("timestamp,power_w", "{time:%Y-%m-%d %H:%M:%S.%f},{watts:.2f}")}


def run_time(process):
    """The time in s for which the threads of a process have run."""
    seconds = 0
    with contextlib.suppress(OSError, ValueError):
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError, ValueError):
                seconds += int((task / "schedstat").read_text().split()[0]) * 1e-9
    return seconds


def descendants(process):
    with contextlib.suppress(OSError):
        for child in children_of(process):
            yield child
            yield from descendants(child)


class EmulatedMeter(Follower):
    """60 W, and up to 100 W more while the descendants of `process()` run: in proportion to their share of a processor, or always 100 W if they
    have run within the last 0.2 s (`steady`). Logs to `path` until the end of the `with` block."""

    def __init__(self, path, form, averaging, interval, delay, process, steady=False):
        super().__init__()
        self.steady = steady
        self.path, self.averaging, self.interval, self.delay, self.process = path, averaging, interval, delay, process
        header, self.line = FORMS[form]
        self.times, self.joules = [time.time()], [0.0]  # the energy since the first time, at each time
        self.numbers = itertools.count()
        path.write_text(header + "\n")

    def follow(self):
        ran, due = {}, self.times[0] + self.averaging + self.delay + 0.1
        processes, search, last_ran = [], 0, 0
        while not self.ended.wait(STEP):
            now = time.time()
            if now >= search:
                processes, search = list(descendants(self.process())) if self.process() else [], now + 0.1
            ran_before, ran = ran, {process: run_time(process) for process in processes}
            busy = sum(max(0, seconds - ran_before.get(process, seconds)) for process, seconds in ran.items())
            last_ran = now if busy > 0.001 * (now - self.times[-1]) else last_ran
            passed = now - self.times[-1]
            more = (passed if now - last_ran < 0.2 else 0) if self.steady else min(busy, 1.5 * passed)
            self.joules.append(self.joules[-1] + 60 * passed + 100 * more)
            self.times.append(now)
            with self.path.open("a") as file:
                for due in self.due_until(due, now):
                    watts = self.true_joules(due - self.delay - self.averaging, due - self.delay) / self.averaging
                    file.write(self.line.format(time=datetime.datetime.fromtimestamp(due), number=next(self.numbers), watts=watts) + "\n")
            due += self.interval if due <= now else 0

    def due_until(self, due, now):
        while due <= now:
            yield due
            due += self.interval

    def true_joules(self, begin, end):
        """The energy between two times in Unix seconds."""
        return self.until(end) - self.until(begin)

    def until(self, moment):
        after = min(max(1, bisect.bisect_left(self.times, moment)), len(self.times) - 1)
        t, j = self.times[after - 1:after + 1], self.joules[after - 1:after + 1]
        return j[0] + (j[1] - j[0]) * (moment - t[0]) / (t[1] - t[0])
