"""Reads a trace that torch.profiler (Kineto, by CUPTI's activity records) wrote: how long the device worked and how long it waited."""
import json
import math
from dataclasses import dataclass

DEVICE_WORK = {"kernel", "gpu_memcpy", "gpu_memset"}


@dataclass(frozen=True)
class DeviceTimeline:
    """The launches of one iteration as the device ran them, in us.

    Launches of several streams can overlap: `durations_us` counts the time of each launch, `busy_us` the time during which at least one of them ran.
    `gaps_us` is the time between the first and the last launch during which none ran.
    """

    launches: int
    durations_us: float
    busy_us: float
    gaps_us: float

    @property
    def span_us(self):
        """The time from the begin of the first launch to the end of the last one."""
        return self.busy_us + self.gaps_us


def read_timeline(path):
    """Returns the timeline of all launches in a trace file. Raises ValueError when it has none."""
    try:
        trace = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"the profiler wrote no trace: {error.strerror}") from error
    return timeline_of(trace["traceEvents"] if isinstance(trace, dict) else trace)


def timeline_of(events):
    """Returns the timeline of the launches among the events of a trace."""
    launches = sorted(begin_and_duration(event) for event in events if event.get("ph") == "X" and event.get("cat") in DEVICE_WORK)
    if not launches:
        raise ValueError("the trace has no launches: the profiler recorded nothing on the device")
    busy = gaps = 0.0
    end = launches[0][0]
    for begin, duration in launches:
        gaps += max(0.0, begin - end)
        busy += max(0.0, begin + duration - max(begin, end))
        end = max(end, begin + duration)
    return DeviceTimeline(len(launches), sum(duration for _, duration in launches), busy, gaps)


def begin_and_duration(event):
    """Returns both times of an event in us. Raises ValueError when one is missing."""
    try:
        times = float(event["ts"]), float(event["dur"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the trace has a launch without times: {event.get('name')}") from error
    if not all(map(math.isfinite, times)):
        raise ValueError(f"the trace has a launch without times: {event.get('name')}")
    return times
