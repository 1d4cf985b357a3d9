"""Reports whose numbers were changed: each command that reads them back refuses a number that cannot have been measured, or that contradicts another one."""
from __future__ import annotations

import copy
import json
from typing import Any

from ..test_energy import FULL, ISOLATED
from .cases import Case, HostileCases, material

METER = {"source": "s", "name": "n", "averaging_seconds": 0.1, "averaging_from": "", "delay_seconds": 0, "accuracy": None, "accuracy_from": ""}
BLOCK = {key: ISOLATED["kernels"][0][key] for key in ("benchmark_runs", "single_time_us", "start_timestamp", "end_timestamp")}


def changed(report: Any, value: Any, *path: Any) -> str:
    """Returns the JSON text of a report with another value at a place; missing objects on the way are added."""
    root = place = copy.deepcopy(report)
    for key in path[:-1]:
        place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]
    place[path[-1]] = value
    return json.dumps(root)


def of_whole(names: str, value: Any, *path: Any) -> Case:
    return Case("energy --power-log {power} --timing t.json -o out", f"t.json: .*{names}", {"t.json": changed(FULL, value, *path)})


def of_kernels(names: str, value: Any, *path: Any) -> Case:
    return Case("energy --power-log {power} --timing t.json -o out", f"t.json: .*{names}", {"t.json": changed(ISOLATED, value, *path)})


WHOLE = [
    of_whole("full_model_inference_us is -5 us", -5, "full_model_inference_us"), of_whole("full_model_inference_us is 0 us", 0, "full_model_inference_us"),
    of_whole("full_model_inference_us is 1e-05 us", 1e-5, "full_model_inference_us"), of_whole(r"full_model_inference_us is 1e\+300 us", 1e300, "full_model_inference_us"),
    of_whole("full_model_inference_us is not a number", "1e5", "full_model_inference_us"), of_whole("num_runs is not a whole number", 1e13, "num_runs"),
    of_whole("num_runs is not a whole number", 0.5, "num_runs"), of_whole("num_runs is not a whole number", "9", "num_runs"), of_whole("num_runs is not a whole number", -1, "num_runs"),
    of_whole("num_runs is 1000, but run_times_us has 2 times", [1e5, 1e5], "run_times_us"),
    of_whole("num_runs is 1000, but run_times_us has 999 times", [1e5] * 999, "run_times_us"),
    of_whole("full_model_inference_us is 100000 us, but the mean of run_times_us is 50000 us", [5e4] * 1000, "run_times_us"),
    of_whole("run_times_us is -1 us", [1e5] * 999 + [-1], "run_times_us"), of_whole("run_times_us contains a value that is not a number", [None] * 1000, "run_times_us"),
    of_whole(r"run_times_us is 1e\+308 us", [1e308] * 1000, "run_times_us"),
    of_whole("power_meter.averaging_seconds is -1 s", {**METER, "averaging_seconds": -1}, "power_meter"), of_whole(r"power_meter.averaging_seconds is 1e\+12 s", {**METER, "averaging_seconds": 1e12}, "power_meter"),
    of_whole("power_meter.delay_seconds is -0.5 s", {**METER, "delay_seconds": -0.5}, "power_meter"), of_whole("power_meter.accuracy is 5 ", {**METER, "accuracy": 5}, "power_meter"),
    of_whole("power_meter.accuracy is -0.1 ", {**METER, "accuracy": -0.1}, "power_meter"), of_whole("power_meter.source", {**METER, "source": 7}, "power_meter"), of_whole("power_meter", [1], "power_meter"),
    of_whole("load_pattern: no start_timestamp", {"edges": []}, "load_pattern"), of_whole("start_timestamp", 5, "start_timestamp"), of_whole("end_timestamp .* is not a timestamp", "x" * 70_000, "end_timestamp"),
]
KERNELS = [
    of_kernels("kernels/3: single_time_us is -1 us", -1, "kernels", 3, "single_time_us"), of_kernels(r"kernels/3: single_time_us is 1e\+300 us", 1e300, "kernels", 3, "single_time_us"),
    of_kernels("kernels/3: total_time_us is 10000 us, but invocation_count x single_time_us is 1e.06 us", 1e5, "kernels", 3, "single_time_us"),
    of_kernels("kernels/0: total_time_us is 10000 us, but invocation_count x single_time_us is 11000 us", 11, "kernels", 0, "invocation_count"),
    of_kernels("kernels/0: total_time_us is 9000 us, but", 9000, "kernels", 0, "total_time_us"), of_kernels("kernels/0: invocation_count is not a whole number", 1e15, "kernels", 0, "invocation_count"),
    of_kernels("kernels/0: no invocation_count", None, "kernels", 0, "invocation_count"), of_kernels("kernels/9: benchmark_runs is not a whole number", 2.5, "kernels", 9, "benchmark_runs"),
    of_kernels("kernels/9: no benchmark_runs", None, "kernels", 9, "benchmark_runs"), of_kernels("kernels/2: is not an object", 5, "kernels", 2),
    of_kernels(r"kernels/0: total_time_in_context_us is 1e\+300 ", 1e300, "kernels", 0, "total_time_in_context_us"),
    of_kernels("in_context: sum_us is -5 .* us", {"sum_us": -5, "sum_interval_us": [-6, -4], "whole_us": 5, "whole_interval_us": [4, 6]}, "in_context"),
    of_kernels("in_context: whole_us is 5 .- -1 us", {"sum_us": 5, "sum_interval_us": [4, 6], "whole_us": 5, "whole_interval_us": [6, 4]}, "in_context"),
    of_kernels("whole: single_time_us is 0 us", {**BLOCK, "single_time_us": 0}, "whole"), of_kernels("groups: single_time_us is -1 us", [{"name": "g", **BLOCK, "single_time_us": -1}], "groups"),
    of_kernels("groups: a group is not an object", [3], "groups"), of_kernels("groups: with: no blocks", [{"name": "g", "with": [], "without": []}], "groups"),
    of_kernels("groups: two have the same name", [{"name": "g", **BLOCK}] * 2, "groups"),
]


def of_baseline(names: str, value: Any, *path: Any) -> Case:
    return Case("diff b.json {base}", f"b.json: .*{names}", {"b.json": changed(json.loads(material("base").read_text()), value, *path)})


def baselines() -> list[Case]:
    layer = {"name": "fc", "count": 2, "time_s": {"value": 1e-3, "half_width": 0}, "energy_j": None}
    return [
        of_baseline("layer fc: time_s is -1 .- 0 s", [{**layer, "time_s": {"value": -1, "half_width": 0}}], "layers"),
        of_baseline(r"layer fc: energy_j is 1e\+13 .- 0 J", [{**layer, "energy_j": {"value": 1e13, "half_width": 0}}], "layers"),
        of_baseline("kernel 0: time_s is 5 .- -1 s", {"value": 5, "half_width": -1}, "iterations", 0, "kernels", 0, "time_s"),
        of_baseline(r"kernel 0: energy_j is 1e\+300 ", {"value": 1e300, "half_width": 0}, "iterations", 0, "kernels", 0, "energy_j"),
        of_baseline("whole_s is 0 .- 0 s", {"value": 0, "half_width": 0}, "iterations", 0, "whole_s"),
        of_baseline(r"whole_w is 1e\+10 .- 0 W", {"value": 1e10, "half_width": 0}, "iterations", 0, "whole_w"),
        of_baseline("kernel 0 has the count 9999, but occurs", 9999, "iterations", 0, "kernels", 0, "count"),
        of_baseline("contains no iteration", [], "iterations"),
    ]


class ChangedReports(HostileCases):
    def test_timings_of_the_whole(self) -> None:
        self.check(WHOLE)

    def test_timings_of_kernels(self) -> None:
        self.check(KERNELS)

    def test_baselines(self) -> None:
        self.check(baselines())

    def test_the_unchanged_reports_are_accepted(self) -> None:
        """Otherwise the cases above might be refused for another reason."""
        for report in [FULL, {**FULL, "run_times_us": [1e5] * 1000, "power_meter": METER}, {**ISOLATED, "whole": BLOCK, "groups": [{"name": "g", **BLOCK}]}]:
            done = self.run_case(Case("energy --power-log {power} --timing t.json -o out", "", {"t.json": json.dumps(report)}))
            self.assertEqual(done.returncode, 0, done.stderr)
