"""Readings of energy plans and blocks (measurements/energy_readings_*.jsonl): energy and time of a repeat, as kjoule takes them."""
import collections
import statistics

COUNTER = 0  # the first meter of a reading

Repeat = collections.namedtuple("Repeat", "joules seconds")


def mean_of(repeats):
    return Repeat(*map(statistics.fmean, zip(*repeats))) if repeats else Repeat(0.0, 0.0)


def mean_repeat(readings):
    """Returns the mean repeat of readings of the same work, pauses included; 0 where there are none."""
    return mean_of([Repeat(r["mean_w"][COUNTER] * r["repeat_s"], r["repeat_s"]) for r in readings])


def power_in_pauses(plan):
    """Returns the power in pauses, W, from the plan's readings with and without a pause; 0 where pauses were not read."""
    if not plan.get("paused"):
        return 0.0
    paused, restoring = mean_repeat(plan["paused"]), mean_repeat(plan["restore"])
    return (paused.joules - restoring.joules) / (paused.seconds - restoring.seconds)


def without_pauses(reading, pause_w):
    """Returns a repeat of the reading, less its pauses."""
    return Repeat(reading["mean_w"][COUNTER] * reading["repeat_s"] - pause_w * reading["pause_s"], reading["repeat_s"] - reading["pause_s"])
