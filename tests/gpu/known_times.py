"""Compares kernels of a report with their times by the program's own clocks (tests/gpu/known, tests/gpu/known_windows)."""
import json
import statistics

from compared import number_in

LONG_US = 5
LONG_GOAL = 0.005
SHORT_GOAL_US = 0.05


def goal_us(known_us):
    return LONG_GOAL * known_us if known_us >= LONG_US else SHORT_GOAL_US


def recorded_signatures(path):
    """Returns the signatures of the measured launches, without those of a window's lead and tail."""
    header, *launches = map(json.loads, path.read_text().splitlines())
    edges = header.get("edges", {"lead": 0, "tail": 0})
    launches = launches[edges["lead"]:len(launches) - edges["tail"]]
    if not all(isinstance(launch, dict) and isinstance(launch.get("signature"), str) for launch in launches):
        raise ValueError(f"{path.name} has launches without signature")
    return [launch["signature"] for launch in launches]


def kernels_by_kind(report, kind_of):
    """Returns the report's kernels of each kind. Throws ValueError for a kernel that was not recorded."""
    kernels = report.get("top_kernels")
    if not isinstance(kernels, list) or not all(isinstance(kernel, dict) for kernel in kernels):
        raise ValueError("the report has no list of top_kernels")
    found = {}
    for kernel in kernels:
        if kernel.get("signature") not in kind_of:
            raise ValueError(f"the report's kernel {kernel.get('name')} has a signature that was not recorded")
        if not number_in(kernel, "count"):
            raise ValueError(f"the report's kernel {kernel.get('name')} has no count")
        found.setdefault(kind_of[kernel["signature"]], []).append(kernel)
    return found


def each_us(kernels, total_of):
    """Returns the mean time of a launch of these kernels in us; None if the total of one of them is missing."""
    totals = [total_of(kernel) for kernel in kernels]
    return None if None in totals or not totals else sum(totals) / sum(kernel["count"] for kernel in kernels)


def measured_total(kernel):
    return number_in(kernel, "total_us")


def timeline_total(kernel):
    return number_in(kernel, "timeline_total_us")


def half_width(kernel):
    """Returns the half-width of the kernel's total; None if the report has no interval."""
    interval = kernel.get("total_interval_us")
    if not isinstance(interval, list) or len(interval) != 2 or not all(isinstance(end, (int, float)) for end in interval):
        return None
    return (interval[1] - interval[0]) / 2


def timeline_scale(kernels):
    """Returns the factor that makes the total of CUPTI's times equal to the measured total, over kernels that have both."""
    both = [(measured_total(kernel), timeline_total(kernel)) for kernel in kernels]
    both = [(measured, timeline) for measured, timeline in both if measured is not None and timeline is not None]
    timeline = sum(timeline for _, timeline in both)
    return sum(measured for measured, _ in both) / timeline if timeline else None


def kind_row(known, kernels, scale):
    """Returns the row of one kind, all times in us per launch; `known` are its known times before and after the measurement."""
    known_us = statistics.mean(known)
    row = {"known_us": known_us, "known_apart_us": max(known) - min(known), "launches": sum(kernel["count"] for kernel in kernels)}
    measured, width, timeline = (each_us(kernels, total) for total in [measured_total, half_width, timeline_total])
    if timeline is not None and scale is not None:
        row["timeline_us"] = timeline * scale
        row["timeline_error_us"] = timeline * scale - known_us
    if measured is None:
        return {**row, "error": next((kernel["error"] for kernel in kernels if kernel.get("error")), "it was not measured")}
    row.update({"measured_us": measured, "error_us": measured - known_us, "half_width_us": width})
    row["inside"] = None if width is None else abs(measured - known_us) <= width
    return row
