"""What the scripts of tests/gpu make of what they measured, on rows made up here; they themselves need a GPU."""
import contextlib
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

from .helpers import FolderCase
from .scripts import GPU, modules_of_scripts, script
from .test_commands import run

with modules_of_scripts():
    import catalogue
    import halves
    import judging
    import rendering
    import row_files
    import spans
    import sweeps

duty, gpu_run, layers, sampling, slowdown, steps = map(script, ["duty", "run", "layers", "sampling", "slowdown", "steps"])
energy_again, energy_clock = (script(name, GPU.parents[1] / "bench") for name in ("energy_again", "energy_clock"))

TITLES = {"small": "a small model", "large": "a large one", "never": "one without rows"}
TUNING = [halves.Half("tuning", TITLES, {})]


def row(workload, error, half_width, **more):
    return {"workload": workload, "seconds": 10.0, "launches": 600, "different": [], "sum_error_percent": error,
            "sum_half_width_percent": half_width, "program_iteration_us": 8000.0, "whole_us": 2000.0,
            "isolated_sum_us": 2500.0, "device": {"name": "NVIDIA H200", "cuda_driver_version": 13020},
            "machine": {"torch": "2.11.0+cu130", "driver": "580.1", "start": "a"}, **more}


ROWS = [row("small", +0.5, 0.6, seconds=8, audit={"equal": True}, timeline_difference_percent=3.0, paused_s=4.0, undisturbed_whole_us=2010.0,
            half_of_places={"mean_error_percent": 1.25, "sum_error_percent": 0.1, "once_share_percent": 5.0}),
        row("small", -1.0, 0.8, audit={"equal": True}, undisturbed_whole_us=1990.0, half_of_places=None), row("small", -0.3, 0.2, different=[4, 5], machine={"start": "b", "torch": "2.11.0+cu130"}),
        row("large", +0.1, 0.4), {"workload": "large", "seconds": 240.0, "error": "not done in 240 s"}]


class Document(unittest.TestCase):
    text = rendering.document(ROWS, TUNING)

    def cells(self, title):
        line = next(line for line in self.text.splitlines() if line.startswith(f"| {title} |"))
        return [cell.strip() for cell in line.strip("|").split("|")][1:]

    def test_a_line_a_workload(self):
        self.assertEqual(self.cells("a small model"), ["3", "600", "8000", "2000.0", "0.60 % / -1.00 %", "1 of 3",
                                                       "0.60 % / 0.80 %", "+0.50", "1.25", "+25.0 %", "2", "2 of 3", "3.0 %", "0.05", "4.0", "10"])
        self.assertNotIn("one without rows", self.text)

    def test_what_a_report_lacks_is_no_figure(self):
        lacking = row("large", +0.1, 0.4, isolated_sum_us=None, program_iteration_us=None, undisturbed_whole_us=None, half_of_places=None, paused_s=None)
        terminal = rendering.terminal_table(rendering.summaries([lacking, {**row("small", None, 0.4), "error": "the report has no error"}], TITLES))
        self.assertRegex(terminal, r"\nsmall +0 the report has no error\nlarge +1 +600 +- +2000\.0 +0\.10 +\+0\.10 +0\.40 +1 +- +- +- +0 +- +10$")
        line = rendering.document([lacking], TUNING).splitlines()[8]
        self.assertEqual(line, "| a large one | 1 | 600 | - | 2000.0 | 0.10 % / +0.10 % | 1 of 1 | 0.40 % / 0.40 % | - | - | - % | 0 | 0 of 1 | - % | - | - | 10 |")

    def test_all_runs_together(self):
        self.assertEqual(self.cells("all")[4:7], ["0.47 % / -1.00 %", "2 of 4", "0.50 % / 0.80 %"])

    def test_a_run_that_failed_is_said_and_no_figure(self):
        self.assertEqual(self.cells("a large one")[0], "1")
        self.assertIn("- a large one: not done in 240 s\n", self.text)
        nothing = rendering.document([ROWS[-1]], TUNING)
        self.assertNotIn("| a large one |", nothing)
        self.assertIn("- a large one: not done in 240 s\n", nothing)

    def test_what_it_was_measured_on(self):
        self.assertIn("NVIDIA H200; driver 580.1; CUDA 13.2; torch 2.11.0+cu130.", self.text)
        other = rendering.document([*ROWS, row("small", 0, 1, machine={"torch": "2.12.0"})], TUNING)
        self.assertIn("torch 2.11.0+cu130, 2.12.0.", other)


class Energies(unittest.TestCase):
    def energy(self, error, half_width, **more):
        return row("small", 0.1, 0.5, energy={"whole_joules": 0.5, "sum_joules": 0.5, "whole_watts": 300, "meters": [], "error_percent": error,
                                              "watts_error_percent": error / 2, "half_width_percent": half_width, **more})

    def test_runs_that_were_estimated_again_are_counted(self):
        again = rendering.document([self.energy(-1.5, 2.0), self.energy(2.5, 2.0, estimated_again=True)], TUNING)
        self.assertIn("| all | 2 | | | 2.00 % / +2.50 % | 2.00 % / 2.00 % | 1 of 2 |", again)
        self.assertIn("Of these runs 1 were estimated again", again)
        self.assertNotIn("estimated again", rendering.document([self.energy(-1.5, 2.0)], TUNING))

    def test_energies_come_again_from_their_readings(self):
        runs = [run for _, run in energy_again.estimated(energy_again.READINGS)]
        for name, number in [("energy.jsonl", 18), ("energy_judging_h100.jsonl", 42)]:
            rows = [row for row in row_files.read_rows(row_files.MEASUREMENTS / name) if row.get("energy")]
            self.assertEqual(sum(row["energy"]["estimated_again"] for row in rows), number)
            for told in rows:
                run, = (run for run in runs if energy_again.is_of(run, told))
                for key in ("whole_joules", "sum_joules", "half_width_percent", "watts_error_percent"):
                    self.assertAlmostEqual(run[key] / told["energy"][key], 1, delta=1e-6, msg=(run["workload"], key))
                self.assertNotIn("sum_interval_joules", told["energy"], "the report's interval is not that of this estimate")

    def test_how_energy_follows_the_clock_is_found_next_to_heat(self):
        def reading(clock_hz, degrees, share=1.0):
            return {"mean_w": [share * 300 * (clock_hz / 1.98e9) ** 2 + 0.5 * (degrees - 50)], "clock_hz": clock_hz,
                    "temperature_c": degrees, "repeat_s": 1e-3 * (1.98e9 / clock_hz) ** 0.3, "pause_s": 0.0, "throttle_reasons": []}

        def pairs(share):
            states = [(1.98e9 + 3e6 * i, 50 + i % 3) for i in range(8)]
            return [energy_clock.change("small", 120, reading(1.98e9, 50, share), reading(*state, share)) for state in states]

        clock, heat = energy_clock.exponents(pairs(1), lambda one: one.energy)
        self.assertAlmostEqual(clock, 2 - 0.3, delta=0.02)
        self.assertAlmostEqual(heat, 0.5, delta=0.02)
        self.assertAlmostEqual(energy_clock.exponents(pairs(1), lambda one: one.time)[0], -0.3, delta=0.01)
        self.assertEqual(set(pairs(2.2)), {None}, "at the power limit the clock follows the power")
        self.assertIsNone(energy_clock.change("small", 120, reading(1.98e9, 50), reading(1.97e9, 50) | {"temperature_c": None}))
        self.assertIsNone(energy_clock.change("small", 120, reading(1.98e9, 50), reading(1.97e9, 50) | {"throttle_reasons": ["power limit"]}))
        two = [energy_clock.Change(name, 0.01, exponent / 100, 0, 0.0) for name, exponent in [("one", 1), ("other", 2)] for _ in range(20)]
        self.assertEqual(energy_clock.between_programs(two, lambda one: one.energy), (1.0, 2.0))

    def test_readings_that_tell_nothing_of_clocks_are_one_line(self):
        for readings, said in [("absent.jsonl", "no such file"), ("plan.jsonl", "no two readings"), ("else.jsonl", "cannot be used")]:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / readings
                if readings != "absent.jsonl":
                    path.write_text(json.dumps({"workload": "small", "kind": "energy_plan"} if readings == "plan.jsonl" else {"kind": "run"}) + "\n")
                done = subprocess.run([GPU.parents[1] / "bench/energy_clock", path], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_programs_that_judge_energy_do_not_tell_how_it_follows_the_clock(self):
        used = {one.workload for one in energy_clock.changes([row_files.MEASUREMENTS / "energy_readings_halves.jsonl"])}
        self.assertTrue(used)
        self.assertFalse(used & (judging.JUDGING.keys() - judging.LOOKED_AT_FOR_ENERGY))


class Slowdown(FolderCase):
    PLAYS = """import json, sys
with open(sys.argv[1]) as requests, open(sys.argv[2], "w") as answers:
    for line in requests:
        if line == "0\\n":
            break
        print(json.dumps([7.0] * int(line)), file=answers, flush=True)
"""

    def copy_of(self, program):
        path = self.folder / "launches"
        path.write_text(f"#!{sys.executable}\n{program}")
        path.chmod(0o755)
        return slowdown.Copy("alone", self.folder, [path, 0])

    def test_a_copy_plays_as_often_as_it_is_asked(self):
        copy = self.copy_of(self.PLAYS)
        self.assertEqual([copy.play(3), copy.play(1)], [[7.0] * 3, [7.0]])
        copy.end()
        self.assertEqual(copy.process.returncode, 0)

    def test_a_copy_that_fails_is_not_waited_for(self):
        copy = self.copy_of("raise SystemExit('no GPU here')")
        with self.assertRaisesRegex(SystemExit, "the copy alone does not answer: no GPU here"):
            copy.play(3)

    def test_each_is_compared_with_the_one_alone_of_its_round(self):
        rows = [{"start": "a", "kernel_us": 0, "round": r, "how": how, "least_us": us}
                for r, alone, watched in [(0, 100, 110), (1, 200, 204), (2, 50, 54)] for how, us in [("alone", alone), ("watched", watched)]]
        lines = slowdown.summary(rows).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[1], r"^  alone +100.0 us +\+0.00 %")
        self.assertRegex(lines[2], r"^  before the recording +110.0 us +\+8.00 % +\+4 ns a launch +\(half of 3 rounds \+4 .. \+10\)")


class Spans(unittest.TestCase):
    def test_kernels_belong_to_the_range_that_launched_them(self):
        def event(cat, name, begin, dur, **args):
            return {"ph": "X", "cat": cat, "name": name, "ts": begin, "dur": dur, "args": args}

        trace = {"traceEvents": [
            event("user_annotation", "forward", 0, 10), event("user_annotation", "backward", 20, 10),
            event("cuda_runtime", "cudaLaunchKernel", 1, 1, correlation=1), event("cuda_runtime", "cudaLaunchKernel", 3, 1, correlation=2),
            event("cuda_driver", "cuLaunchKernel", 15, 1, correlation=3), event("cuda_runtime", "cudaLaunchKernel", 21, 1, correlation=4),
            event("kernel", "a", 4, 2, correlation=1), event("kernel", "b", 8, 1, correlation=2), event("kernel", "c", 16, 1, correlation=3),
            event("gpu_memset", "d", 25, 3, correlation=4), event("kernel", "before the trace", 0, 9, correlation=99), {"ph": "s", "cat": "ac2g"}]}
        self.assertEqual(spans.spans(trace), {"forward": [5], "backward": [3]})


class Workloads(unittest.TestCase):
    def test_every_file_is_measured_and_every_measured_file_is_there(self):
        named = {path for workload in catalogue.WORKLOADS.values() for path in workload.arguments(pathlib.Path("cache"))
                 if isinstance(path, pathlib.Path) and path.suffix == ".py"}
        self.assertEqual(named, set((GPU / "workloads").glob("*.py")))

    def test_a_model_is_given_to_kjoules_own_runner(self):
        words = catalogue.WORKLOADS["bloom-560m-pt2"].arguments(pathlib.Path("cache"))
        self.assertEqual(words[0], "--model")
        self.assertNotIn("--", words)

    def test_what_cannot_be_made_is_said(self):
        with self.assertRaisesRegex(RuntimeError, "make -s ends with exit code 2: .*no-such-folder"):
            catalogue.made(["make", "-s", "-C", "no-such-folder"])


class Meters(unittest.TestCase):
    def test_what_lies_off_the_line_is_told(self):
        rows = [{"source": "nvml-counter", "on_ms": on, "watts": watts} for on, watts in [(100, 500.0), (25, 200.0), (75, 440.0)]]
        self.assertIn("off 100.0 W   75 % against the line through the others +10.00 %", duty.summary(rows))
        self.assertIn("nvidia-smi     not read", duty.summary(rows))


class Layers(unittest.TestCase):
    def test_shares_are_compared_between_gpus_only(self):
        def row(gpu, network, milliseconds):
            return {"network": network, "run": {"device": {"uuid": gpu}},
                    "layers": [{"name": str(i), "count": 2, "latency_ms": ms, "energy_j": None} for i, ms in enumerate(milliseconds)]}
        self.assertEqual(layers.repeats([row("a", "vit-b16-batch8", [1, 3]), row("a", "vit-b16-batch8", [2, 2]), row("b", "resnet50-batch32", [1, 3])]), [])
        told, = layers.repeats([row("a", "resnet50-batch1", [1, 3]), row("b", "resnet50-by-default", [2, 2])])
        self.assertIn("latency 25.000 points of the network (at most 25.00), 66.7 % of the layer's own", told)
        self.assertNotIn("energy", told)


class Side(FolderCase):
    def test_runs_side_by_side_are_each_on_a_gpu_of_their_own(self):
        options = types.SimpleNamespace(workloads=["plain-cuda", "gpt2-train", "bert-base-compiled"], runs=2, gpus=2, budget=60.0, rows=self.folder / "rows.jsonl")
        lock, started, taken = threading.Lock(), [], set()

        def measure(name, _, environment):
            gpu = environment["CUDA_VISIBLE_DEVICES"]
            with lock:
                self.assertFalse({name, gpu} & taken, "twice at once")
                taken.update({name, gpu})
                started.append(name)
            time.sleep(0.02)
            with lock:
                taken.difference_update({name, gpu})
            return {"workload": name, "error": "made up"}

        with mock.patch.object(gpu_run, "measure", measure), contextlib.redirect_stderr(io.StringIO()):
            gpu_run.Runs(options, [{"workload": "plain-cuda"}]).all()
        self.assertEqual(sorted(started), ["bert-base-compiled"] * 2 + ["gpt2-train"] * 2 + ["plain-cuda"])
        self.assertEqual(len(options.rows.read_text().splitlines()), 5)


class Sampling(FolderCase):
    def test_every_operator_has_a_sweep_that_kjoule_takes(self):
        sizes = {path.stem: sweeps.sweep(path.stem, self.folder)[1] for path in sweeps.SHIPPED.glob("*.yml")}
        self.assertEqual([name for name, size in sizes.items() if size is None], ["moe"], "which keeps its own")
        for name in ["flash_atten", "grouped_query_atten", "linear", "swiglu", "firstStage_optimizer"]:
            # more parts than shapes: nothing is measured, but all is read, and the warm-up shape runs, in which a CPU is slow in half precision
            done = run("sample", self.folder / f"{name}.yml", "--device", "cpu", "--precision", "fp32", "--parts", sizes[name] + 1, "--part", 1, "-o", self.folder, "--json")
            self.assertEqual(json.loads(done.stdout)["samples"], 0, done.stderr)

    def test_the_rows_of_the_results_are_printed(self):
        """The figures of `RoPE` in docs/reference/results.md."""
        rows = row_files.read_rows(GPU.parents[1] / "measurements/sampling.jsonl")
        for row in rows:
            line = (sampling.rate_line if row["what"] == "rate" else sampling.profiler_line)(row)
            self.assertTrue(line.startswith(row["operator"]), line)
        line, = [sampling.rate_line(row) for row in rows if row["what"] == "rate" and row["operator"] == "RoPE"]
        for figure in ["23 shapes, 17.7 a second", "with energy 0.97", "graph 0.02 %", "energy 0.18 %", "with a filler 0 of 12"]:
            self.assertIn(figure, line)

    def test_a_spread_meets_every_number_of_a_sweep(self):
        for size in [96, 256, 384, 1755, 10530]:
            parts, part = sampling.spread(size, 40)[1::2]
            self.assertEqual(math.gcd(parts, size), 1)
            self.assertLessEqual(part, parts)
            self.assertGreaterEqual(len([i for i in range(1, size + 1) if i % parts + 1 == part]), 40)

    def test_two_runs_are_compared_shape_by_shape(self):
        done = run("sample", GPU.parents[1] / "examples/square.yml", "--precision", "fp32", "--device", "cpu", "--energy", "--reading", "0.01", "--json", "-o", self.folder)
        found = json.loads(done.stdout)  # no meter here, so it fails behind its rows
        lines = sampling.written(found)
        first = sampling.directions(lines)
        self.assertEqual(len(first), 2 * found["samples"])
        self.assertEqual(sampling.apart(first, first, "graph_us"), [0, 0])
        rows = sampling.both(first, first)
        self.assertTrue(all(row["graph_us"][0] == row["graph_us"][1] > 0 and row["launches"] > 0 for row in rows), rows)
        self.assertIsNone(sampling.meter(lines))

    def test_a_set_keeps_every_gpu_busy_with_one_operator_at_a_time(self):
        lock, busy, done = threading.Lock(), set(), []

        def sample(what, folder, *options, limit_s, gpu):
            with lock:
                self.assertNotIn(gpu, busy)
                busy.add(gpu)
            time.sleep(0.02)
            with lock:
                busy.discard(gpu)
                done.append((pathlib.Path(what).stem, options[1], gpu))
            if options[1] == "bf16":
                raise RuntimeError("made up")
            return {"before": 0, "counts": {}, "seconds": 0.02, "told": ""}

        options = types.SimpleNamespace(operators=["linear1", "gelu", "swiglu"], precisions=["fp16", "bf16"], gpus=["0", "1"], budget=60, shapes=4, part=2, graph=False, output=self.folder / "set")
        with mock.patch.object(sampling, "sample", sample), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertFalse(sampling.whole_set(options))
        self.assertEqual([name for name, *_ in sorted(done)], ["gelu", "gelu", "linear1", "linear1", "swiglu", "swiglu"])
        self.assertEqual({gpu for *_, gpu in done}, {"0", "1"})
        self.assertIn("linear1 bf16: made up", told.getvalue())

    def test_rates_and_spans_are_summed_up(self):
        both = [{"shape": [1, 8], "direction": "forward"}, {"shape": [1, 8], "direction": "backward"}, {"shape": [1, 16], "direction": "forward"}]
        rows = [{"what": "rate", "shapes": 50, "counts": {"measured": 30, "invalid": 20}, "both": both, "seconds": 2.0, "seconds_with_energy": 3.0},
                {"what": "rate", "shapes": 10, "counts": {"measured": 10}, "both": both, "seconds": 2.0, "seconds_with_energy": 1.0},
                {"what": "profiler", "compared": [{"profiler_us": 120, "difference_percent": -9.0}, {"profiler_us": 100, "difference_percent": 1.0},
                                                  {"profiler_us": 40, "difference_percent": 50.0}]}]
        self.assertEqual(list(sampling.summary(rows)), ["40 shapes of 2 operators: 10.0 a second; 4 with energy: 1.00, starts included",
                                                        "2 spans of 100 us or more: median difference 5.00 %, 1 above 8 %"])


class Steps(FolderCase):
    def test_configurations_are_read_for_other_tables(self):
        for name, step in steps.STEPS.items():
            config = self.folder / f"{name}.yml"
            for held in [True, False]:
                text = steps.configuration(name, "NVIDIAA100-SXM4-80GB", "./regressors/Perlmutter/operator", held)
                config.write_text(text.replace("./regressors/H200/nccl", "./regressors/Perlmutter/nccl"))
                self.assertEqual("power_limit: 700" in text, held)
                done = run("predict", "step", config)
                self.assertRegex(done.stderr, "no data of operator flash_atten_causal|available: fp16", "all but the samples")

    def test_what_was_measured_stands_beside_the_prediction_and_its_terms(self):
        told = {"total_joules": None, "terms": [{"name": "linear1 forward", "input": [1, 8], "predicted_us": 12.34, "predicted_joules": None}]}
        with mock.patch.object(steps, "predicted", lambda name, gpu, tables, held: {**told, "total_us": 210.0 if held else 190.0}):
            found = list(steps.lines({"step": "gpt2_medium_H200", "step_us": [199.0, 200.0, 201.0], "joules": 0.1}, "GPU", self.folder))
        self.assertEqual(found[0], "gpt2_medium_H200: 200.0 us, predicted +5.0 %, without power limit -5.0 %; 0.100 J, predicted nothing, without power limit nothing")
        self.assertRegex(found[1], "linear1 forward +1 8 +12.3 us$")

    def test_the_tables_that_kjoule_brings_are_the_rows_joined(self):
        sweeps.joined(row_files.MEASUREMENTS / "sampling_h200", self.folder)
        shipped = {path.name: path.read_text() for path in (GPU.parent.parent / "data/regressors/H200/operator").glob("*.csv")}
        self.assertEqual({path.name: path.read_text() for path in self.folder.glob("*.csv")}, shipped)

    def test_a_shape_of_two_sweeps_gets_the_means_and_shows_the_noise(self):
        for number, rows in enumerate(["1,8,10,0.5\n2,8,20,\n", "1,8,12,0.6\n1,16,30,1\n"]):
            (self.folder / f"{number}.csv").write_text("b,dim,F_dur(us),F_energy(J)\n" + rows)
        noise = {}
        rows = sweeps.rows_of_all([self.folder / "0.csv", self.folder / "1.csv"], noise)
        self.assertEqual(rows[1:], [["1", "8", "11", "0.55"], ["1", "16", "30", "1"], ["2", "8", "20", ""]])
        self.assertEqual({column: [round(percent, 3) for percent in percents] for column, percents in noise.items()},
                         {"F_dur(us)": [20.0], "F_energy(J)": [20.0]})

    def test_what_was_not_sampled_is_said(self):
        with self.assertRaisesRegex(RuntimeError, "no rows there; tests/gpu/sampling set makes them"):
            sweeps.joined(self.folder, self.folder)


class Resuming(FolderCase):
    def test_workloads_that_have_their_rows_are_not_run_again(self):
        rows = self.folder / "rows.jsonl"
        rows.write_text("".join(json.dumps(row(name, 0.1, 0.2)) + "\n" for name in catalogue.WORKLOADS))
        before = rows.read_text()
        report = self.folder / "docs/report.md"
        done = subprocess.run([GPU / "run", "--rows", rows, "--cache", self.folder / "cache", "--report", report],
                              capture_output=True, text=True, check=False, env={"PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(rows.read_text(), before)
        self.assertIn("| plain CUDA", report.read_text())

    def test_nothing_is_started_when_the_time_is_used_up(self):
        rows = self.folder / "rows.jsonl"
        done = subprocess.run([GPU / "run", "--rows", rows, "--cache", self.folder / "cache", "--budget", "0"],
                              capture_output=True, text=True, check=False, env={"PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(rows.exists())


if __name__ == "__main__":
    unittest.main()
