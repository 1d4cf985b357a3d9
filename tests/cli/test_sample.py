"""kjoule sample, through its command line, on the CPU."""
import contextlib
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from .driver import unwrapped
from .messages import errors_in
from .test_commands import KJOULE, ON_CPU, ROOT, InAFolder, run

PUBLISHED = ROOT.parent / "shared/data/sampling_configs"

QUICK = ["--threads", "1", "--precision", "fp32", *ON_CPU]
SWEEP = {
    "kernel_name": "gelu", "function_name": "gelu", "columns_name": "[mp, b, l, dim, F_dur(us), B_dur(us)]", "first_n_column": 4,
    "starts": "[1, 1, 8, 8]", "steps": "[2, 2, 8, 8]", "ends": "[2, 2, 24, 16]", "operators": "[mul, mul, add, add]",
    "warmup_shapes": "[1, 1, 8, 8]", "wait": 1, "warmup": 1, "active": 6, "shapes": "[1, 2, 8, 8]", "run": "get_all",
}


class OfSweeps(InAFolder):
    def configuration(self, name="sweep.yml", **changes):
        fields = {**SWEEP, **changes}
        path = self.folder / name
        path.write_text("".join(f"{key}: {value}\n" for key, value in fields.items() if value is not None))
        return path

    def sample(self, *arguments):
        return json.loads(self.succeed("sample", *arguments, *QUICK, "-o", self.results, "--json"))

    def rows(self, path):
        with open(path, encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def samples(self, path):
        lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
        return [line for line in lines if "sample" in line]

    def replayed(self, path):
        """The complete rows of a sweep with --graph or --energy, in which each sample first has a row with its times."""
        return [sample for sample in self.samples(path) if any(re.match("graph_(us|missing)", name) for direction in sample["directions"].values() for name in direction)]

    def rows_so_far(self, read):
        paths = list(self.results.glob("sampling_data/*.jsonl"))
        return len(read(paths[0])) if paths else 0

    def test_a_sweep_gives_a_row_a_shape(self):
        report = self.sample(self.configuration())
        self.assertEqual(report["counts"], {"measured": 24})
        rows = self.rows(report["csv"])
        self.assertEqual(list(rows[0]), ["mp", "b", "l", "dim", "F_dur(us)", "B_dur(us)"])
        self.assertEqual([tuple(int(row[name]) for name in ["mp", "b", "l", "dim"]) for row in rows][:3], [(1, 1, 8, 8), (1, 1, 8, 16), (1, 1, 16, 8)])
        for row, sample in zip(rows, self.samples(report["jsonl"]), strict=True):
            forward = sample["directions"]["forward"]
            self.assertEqual(len(forward["passes_us"]), 6, "as many as the configuration says")
            self.assertAlmostEqual(float(row["F_dur(us)"]), forward["median_us"], delta=0.0006)
            self.assertLessEqual(forward["interval_us"][0], forward["median_us"])
            self.assertGreater(float(row["B_dur(us)"]), 0)
            self.assertIsNone(sample["kernels"], "nothing was read")
            self.assertIsNone(sample["peak_memory_bytes"])
        log = next((self.results / "sampling_log").iterdir()).read_text()
        self.assertRegex(log, r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]Kernel: gelu_fp32 \| Progress: 24/24=100.00% \| Speed: \d+\.\d\ds/sample \| Remaining: 0d0h0m0s")

    def test_a_budget_measures_a_part_of_the_sweep_and_states_the_error(self):
        sweep = self.configuration(starts="[1, 1, 8, 8]", ends="[2, 4, 48, 48]")  # 216 shapes
        first = self.sample(sweep, "--budget", 20)
        self.assertEqual((first["samples"], first["before"], first["counts"]), (20, 0, {"measured": 20}))
        self.assertEqual(first["budget_errors"], [], "16 rows are too few to train on")
        second = self.sample(sweep, "--budget", 50)
        self.assertEqual((second["samples"], second["before"], second["counts"]), (50, 20, {"measured": 30}))
        shapes = [tuple(sample["shape"].values()) for sample in self.samples(second["jsonl"])]
        self.assertEqual((len(shapes), len(set(shapes))), (50, 50))
        self.assertIn((2, 1, 8, 8), shapes[:20], "the smallest shape is far from all others")
        self.assertEqual([error["column"] for error in second["budget_errors"]], ["F_dur(us)", "B_dur(us)"])
        for error in second["budget_errors"]:
            self.assertEqual(error["random_shapes"], 10)
            self.assertGreater(error["mean_error_percent"], 0)
        third = self.succeed("sample", sweep, "--budget", 50, *QUICK, "-o", self.results)
        self.assertIn("on 10 random shapes, which were not used for training", unwrapped(third))
        merged = self.succeed("sample", "merge", second["csv"], "-o", self.folder / "merged.csv")
        self.assertIn("50 rows in", merged)
        status, = json.loads(self.succeed("sample", "status", self.results, "--json"))
        self.assertEqual((status["samples"], status["done"], status["left"]), (50, 50, 0))

    def test_a_budget_ends_although_shapes_fail(self):
        # Of the 24 shapes, those with b = 2 have other sizes than the result needs, and fail each time.
        sweep = self.configuration(kernel_name="own", function_name="own", operator="aten::reshape", arguments="[{tensor: [l*dim]}, [b, l*dim]]",
                                   starts="[1, 1, 8, 8]", ends="[1, 2, 32, 24]", warmup_shapes="[1, 1, 8, 8]")
        for before in (0, 12):
            done = run("sample", sweep, *QUICK, "-o", self.results, "--json", "--budget", 24, timeout=300)
            merged = self.succeed("sample", "merge", json.loads(done.stdout)["csv"], "-o", self.folder / "merged.csv")
            self.assertIn("warning: 12 shapes are missing, because all their samples failed", unwrapped(merged))
            self.assertEqual(done.returncode, 1)
            report = json.loads(done.stdout)
            self.assertEqual((report["samples"], report["before"], report["counts"]), (24, before, {"error": 12, **({"measured": 12} if before == 0 else {})}))

    def test_a_budget_adds_energies_to_shapes_that_were_timed(self):
        sweep = self.configuration()
        self.sample(sweep, "--budget", 4)
        report = json.loads(self.energy_of(sweep, "--budget", 6, "--reading", 0.1).stdout)
        self.assertEqual((report["samples"], report["before"], report["counts"]), (6, 0, {"measured": 6}))
        rows = self.samples(report["jsonl"])
        self.assertEqual(len(rows), 12, "six complete rows, and two with the times of new shapes")
        self.assertEqual(len({tuple(row["shape"].values()) for row in rows if row["directions"]["forward"].get("energy_j")}), 6)

    def test_listed_shapes_are_measured_again_and_the_median_is_merged(self):
        sweep = self.configuration()
        csv_file, jsonl = (pathlib.Path(self.sample(sweep)[key]) for key in ("csv", "jsonl"))
        listed, other = self.folder / "list.csv", self.folder / "other.csv"
        listed.write_text("mp,b,l,dim,direction\n2,1,16,8,forward\n2,1,16,8,backward\n1,1,8,8,forward\n")
        other.write_text("mp,b,l,dim\n9,1,8,8\n")
        again = self.sample(sweep, "--shapes", listed)
        self.assertEqual((again["samples"], again["counts"]), (4, {"measured": 4}))
        measured = [sample["directions"]["forward"]["median_us"] for sample in self.samples(jsonl) if list(sample["shape"].values()) == [2, 1, 16, 8]]
        self.assertEqual(len(measured), 3)
        self.assertEqual(len(self.rows(csv_file)), 24, "the first row of each shape stays")
        text = self.succeed("sample", "merge", csv_file, "-o", self.folder / "merged.csv")
        self.assertIn("2 rows are the medians of at least three measurements of their shapes", text)
        merged = {tuple(row.values())[:4]: float(row["F_dur(us)"]) for row in self.rows(self.folder / "merged.csv")}
        self.assertAlmostEqual(merged["2", "1", "16", "8"], sorted(measured)[1], delta=0.0006)
        self.fail_with("sweep.yml: the sweep has no shape 9,1,8,8; give the configuration with which the listed shapes were measured",
                       "sample", sweep, *QUICK, "-o", self.results, "--shapes", other)

    def test_parts_partition_the_sweep_and_merge_joins_them(self):
        sweep = self.configuration()
        paths = [self.sample(sweep, "--parts", 3, "--part", part)["csv"] for part in [1, 2, 3]]
        shapes = [tuple(list(row.values())[:4]) for path in paths for row in self.rows(path)]
        self.assertEqual(len(shapes), 24)
        self.assertEqual(len(set(shapes)), 24)
        self.assertEqual(list(self.rows(paths[1])[0].values())[:4], ["1", "1", "8", "8"], "sample 1 belongs to part 1 mod 3 + 1")
        merged = self.folder / "all.csv"
        self.fail_with("missing parts: 2", "sample", "merge", paths[0], paths[2], "-o", merged)
        many = self.sample(sweep, "--parts", 400, "--part", 2)["csv"]
        self.fail_with("missing parts: 1, 3 to 400; also give their files", "sample", "merge", many, "-o", merged)
        self.assertFalse(merged.exists())
        self.succeed("sample", "merge", paths[2], paths[0], paths[1], paths[0], "-o", merged)
        rows = self.rows(merged)
        self.assertEqual(len(rows), 24)
        numbers = [tuple(int(row[name]) for name in ["mp", "b", "l", "dim"]) for row in rows]
        self.assertEqual(numbers, sorted(numbers))
        self.succeed("sample", "merge", paths[0], "-o", merged, "--incomplete")
        self.assertEqual(len(self.rows(merged)), 8)

    def test_a_killed_run_goes_on(self):
        sweep = self.configuration(starts="[1, 1, 8, 8]", ends="[2, 2, 240, 80]", active=20)
        command = [KJOULE, "sample", sweep, *QUICK, "-o", self.results]
        data = self.results / "sampling_data"
        # twice in the middle of things, then to the end
        for least in [3, 40]:
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and sum(len(path.read_text().splitlines()) for path in data.glob("*.csv")) < least:
                    time.sleep(0.01)
                killed.send_signal(signal.SIGKILL)
        for path in data.iterdir():  # and a line torn
            with open(path, "a", encoding="utf-8") as file:
                file.write('{"sample": 9' if path.suffix == ".jsonl" else "1,2,")
        report = self.sample(sweep)
        self.assertGreaterEqual(report["before"], 39)
        shapes = [tuple(list(row.values())[:4]) for row in self.rows(report["csv"])]
        self.assertEqual(len(shapes), 2 * 2 * 30 * 10)
        self.assertEqual(len(set(shapes)), len(shapes))
        self.assertEqual(sorted(sample["sample"] for sample in self.samples(report["jsonl"])), list(range(1, len(shapes) + 1)))
        again = self.sample(sweep)
        self.assertEqual(again["before"], len(shapes))
        self.assertEqual(again["counts"], {})

    def energy_of(self, sweep, *options, meter=True, every_s=0.01):
        """A sweep with energy, all of its output, and, where there is a meter, what that says: 123 W."""
        command = [KJOULE, "sample", sweep, *QUICK, "-o", self.results, "--json", "--energy", *options]
        if not meter:
            return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
        log = self.folder / "power.csv"
        log.write_text("timestamp,power_w\n")
        command += ["--power-log", log]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                with log.open("a") as file:
                    file.write(f"{time.time():.3f},123\n")
                time.sleep(every_s)
            return subprocess.CompletedProcess(command, process.returncode, *process.communicate())

    def test_energy_comes_from_kernels_that_are_played(self):
        done = self.energy_of(self.configuration(function_name="swiglu", kernel_name="swiglu", columns_name="[mp, b, l, ffn, F_dur(us), B_dur(us)]",
                                                 starts="[1, 1, 8, 8]", ends="[1, 1, 8, 16]"), "--reading", 0.3)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["counts"], {"measured": 2})
        for sample in self.replayed(report["jsonl"]):
            for direction in sample["directions"].values():
                self.assertGreater(direction["graph_us"], 0)
                low, high = direction["graph_interval_us"] or [direction["graph_us"]] * 2  # none where the machine stalls for a whole reading
                self.assertTrue(low <= direction["graph_us"] <= high, direction)
                self.assertAlmostEqual(direction["watts"], 123, 3)
                self.assertAlmostEqual(direction["energy_j"] / (123e-6 * direction["graph_us"]), 1, 6)
                self.assertIsNone(direction["clock_mhz"], "the CPU does not tell")
            forward = {kernel["name"]: kernel["count"] for kernel in sample["directions"]["forward"]["kernels"]}
            self.assertEqual(forward, {"aten::chunk": 1, "aten::silu": 1, "aten::mul.Tensor": 1})
            self.assertEqual(sample["kernels"], sum(kernel["count"] for direction in sample["directions"].values() for kernel in direction["kernels"]))
        runs = [json.loads(line)["run"] for line in pathlib.Path(report["jsonl"]).read_text().splitlines() if "run" in json.loads(line)]
        self.assertEqual(runs[1]["meters"][0]["quantity"], "power")
        merged = self.folder / "all.csv"
        self.succeed("sample", "merge", report["csv"], "-o", merged)
        rows = self.rows(merged)
        self.assertEqual(list(rows[0])[-3:], ["B_dur(us)", "F_energy(J)", "B_energy(J)"])
        forward = self.replayed(report["jsonl"])[0]["directions"]["forward"]
        self.assertAlmostEqual(float(rows[0]["F_energy(J)"]) / forward["energy_j"], 1, 4)
        self.succeed("sample", "merge", report["csv"], "-o", merged, "--graph")
        self.assertAlmostEqual(float(self.rows(merged)[0]["F_dur(us)"]), forward["graph_us"], 2)

    def test_a_reading_too_short_for_its_meter_is_flagged(self):
        done = self.energy_of(self.configuration(ends="[1, 1, 8, 8]"), "--reading", 0.35, every_s=0.3)
        for direction in self.replayed(json.loads(done.stdout)["jsonl"])[0]["directions"].values():
            self.assertIn("is too short for", " ".join(direction["flags"]))
            self.assertGreater(direction["energy_j"], 0)

    def test_without_a_meter_there_are_kernels_and_no_joules(self):
        done = self.energy_of(self.configuration(ends="[1, 1, 8, 8]"), "--reading", 0.05, meter=False)
        self.assertEqual(done.returncode, 1, "what was asked for is not there")
        self.assertIn("kjoule: energy was not measured: no power meter for this device was found", done.stderr)
        forward = self.replayed(json.loads(done.stdout)["jsonl"])[0]["directions"]["forward"]
        self.assertGreater(forward["graph_us"], 0)
        self.assertEqual(forward["kernels"], [{"name": "aten::gelu", "count": 1}])
        self.assertIsNone(forward["energy_j"], "never 0")
        self.assertIn("no power meter", forward["energy_missing"])
        merged = self.folder / "all.csv"
        self.succeed("sample", "merge", json.loads(done.stdout)["csv"], "-o", merged)
        self.assertEqual(list(self.rows(merged)[0])[-1], "B_dur(us)")

    def test_energy_is_added_to_what_was_timed_before(self):
        sweep = self.configuration(ends="[1, 1, 16, 16]")
        timed = self.sample(sweep)
        self.assertNotIn("energy_j", self.samples(timed["jsonl"])[0]["directions"]["forward"])
        table = pathlib.Path(timed["csv"]).read_text()
        self.fail_with("the parts contain no times of CUDA graphs, which --graph needs; measure them with kjoule sample --graph, or omit --graph", "sample", "merge", timed["csv"], "-o", self.folder / "graphs.csv", "--graph")
        report = json.loads(self.energy_of(sweep, "--reading", 0.1).stdout)
        self.assertEqual((report["before"], report["counts"]), (0, {"measured": 4}))
        self.assertEqual(pathlib.Path(report["csv"]).read_text(), table, "not timed again")
        rows = self.samples(report["jsonl"])
        self.assertEqual([row["sample"] for row in rows], [1, 2, 3, 4, 1, 2, 3, 4])
        for before, after in zip(rows[:4], rows[4:]):
            self.assertEqual(before["directions"]["forward"]["passes_us"], after["directions"]["forward"]["passes_us"])
            self.assertGreater(after["directions"]["forward"]["energy_j"], 0)
        again = json.loads(self.energy_of(sweep, "--reading", 0.1).stdout)
        self.assertEqual((again["before"], again["counts"]), (4, {}))

    def test_times_of_graphs_without_energy(self):
        sweep = self.configuration(ends="[1, 1, 16, 16]")
        report = self.sample(sweep, "--graph")
        self.assertEqual((report["counts"], report["no_energy"]), ({"measured": 4}, ""))
        rows = self.replayed(report["jsonl"])
        self.assertEqual([row["sample"] for row in rows], [1, 2, 3, 4])
        for row in rows:
            for direction in row["directions"].values():
                self.assertGreater(direction["graph_us"], 0)
                self.assertIsNone(direction["energy_j"], "never 0")
                self.assertNotIn("energy_missing", direction)
            self.assertEqual(row["directions"]["forward"]["kernels"], [{"name": "aten::gelu", "count": 1}])
        self.succeed("sample", "merge", report["csv"], "-o", self.folder / "graphs.csv", "--graph")
        merged = self.rows(self.folder / "graphs.csv")
        self.assertEqual([float(row["F_dur(us)"]) for row in merged], [float(f"{row['directions']['forward']['graph_us']:.3f}") for row in rows])
        self.assertEqual(self.sample(sweep, "--graph")["before"], 4)
        energies = json.loads(self.energy_of(sweep, "--reading", 0.1).stdout)
        self.assertEqual((energies["before"], energies["counts"]), (0, {"measured": 4}), "energies are added to rows without them")
        self.assertGreater(self.samples(energies["jsonl"])[-1]["directions"]["forward"]["energy_j"], 0)

    def with_its_runner_killed(self, sweep, rows):
        """The samples of a sweep whose first process that plays kernels is killed when so many are done."""
        command = [KJOULE, "sample", sweep, *QUICK, "-o", self.results, "--energy", "--reading", "0.2"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            runners = []  # the first one times, the second one plays
            while process.poll() is None and len(runners) < 2:
                for child in children.read_text().split():
                    with contextlib.suppress(OSError):  # it has ended
                        if child not in runners and b"--fd" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                            runners.append(child)
            while process.poll() is None and self.rows_so_far(self.replayed) < rows:
                time.sleep(0.01)
            os.kill(int(runners[1]), signal.SIGKILL)
            told = process.communicate(timeout=600)[1]
        self.assertEqual(process.returncode, 1)
        return self.replayed(next(self.results.glob("sampling_data/*.jsonl"))), told

    def test_a_sample_that_ends_its_process_costs_itself(self):
        samples, told = self.with_its_runner_killed(self.configuration(ends="[1, 1, 24, 16]"), rows=2)
        self.assertEqual([sample["sample"] for sample in samples], [1, 2, 3, 4, 5, 6])
        missing = [sample["sample"] for sample in samples if "graph_missing" in sample["directions"]["forward"]]
        self.assertEqual(missing, [3])
        self.assertIn("killed by signal 9", samples[2]["directions"]["backward"]["graph_missing"])
        self.assertIn("kjoule: the kernels of 1 samples could not be replayed; reason for the last one: ", told)

    def test_samples_that_fail_together_are_replayed_one_by_one(self):
        samples, _ = self.with_its_runner_killed(self.configuration(ends="[1, 1, 24, 8]"), rows=0)
        self.assertEqual([sample["sample"] for sample in samples], [1, 2, 3])
        self.assertTrue(all(sample["directions"]["backward"]["graph_us"] > 0 for sample in samples))

    def test_a_killed_run_with_energy_goes_on(self):
        """Killed while it times samples, and while it replays them. What was measured is not measured again."""
        sweep = self.configuration(ends="[1, 1, 48, 16]")
        command = [KJOULE, "sample", sweep, *QUICK, "-o", self.results, "--energy", "--reading", "0.1"]
        for read in self.samples, self.replayed:
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and self.rows_so_far(read) < 3:
                    time.sleep(0.01)
                killed.send_signal(signal.SIGKILL)
        report = json.loads(self.energy_of(sweep, "--reading", 0.1, meter=False).stdout)
        self.assertGreaterEqual(report["before"], 3)
        complete = self.replayed(report["jsonl"])
        self.assertEqual(sorted(sample["sample"] for sample in complete), list(range(1, 13)), "none lost, none twice")
        self.assertTrue(all(sample["directions"]["backward"]["graph_us"] > 0 for sample in complete))
        timed = {(sample["sample"], tuple(sample["directions"]["forward"]["passes_us"])) for sample in self.samples(report["jsonl"])}
        self.assertEqual(len(timed), 12, "none was timed twice")

    def test_a_shape_that_is_none_is_a_row_with_its_reason(self):
        report = self.sample(self.configuration(starts="[1, 1, 8, 8]", steps="[3, 2, 8, 8]", ends="[3, 1, 8, 8]"))
        self.assertEqual(report["counts"], {"invalid": 1, "measured": 1})
        invalid = self.samples(report["jsonl"])[1]
        self.assertEqual(invalid["why"], "dim 8 is not divisible by mp 3")
        self.assertEqual(invalid["shape"], {"mp": 3, "b": 1, "l": 8, "dim": 8})
        self.assertEqual(len(self.rows(report["csv"])), 1)

    def test_what_is_too_large_is_a_row_and_the_next_goes_on(self):
        report = self.sample(self.configuration(starts="[1, 1, 8, 8]", steps="[2, 1000000000000, 8, 8]", ends="[1, 1000000000000, 8, 8]"))
        self.assertEqual(report["counts"], {"measured": 1, "too large": 1})

    def test_faster_than_the_device_can_be_is_marked_and_kept_out(self):
        roof = self.folder / "roof.json"
        roof.write_text('{"flops_per_s": {"fp32": 1}, "bytes_per_s": 1, "cache_bytes": 1}')
        done = run("sample", self.configuration(), *QUICK, "-o", self.results, "--roof", roof)
        self.assertEqual(done.returncode, 1)
        self.assertIn("24 too fast", done.stdout)
        path = next((self.results / "sampling_data").glob("*.csv"))
        self.assertEqual(self.rows(path), [])
        self.assertIn("bytes/s", self.samples(path.with_suffix(".jsonl"))[0]["why"])

    def test_one_shape(self):
        sweep = self.configuration()
        done = run("sample", sweep, *QUICK, "--run", "get_one", "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"running \w+_fp32 \[.*\]: \d+ pass(es)? of the warm-up shape \[.*\], then up to \d+ timed pass")
        text = done.stdout
        self.assertRegex(text, r"gelu_fp32 \[1, 2, 8, 8\] on .*: forward \d+\.\d+ us \(.*\), backward \d+\.\d+ us")
        self.assertRegex((self.results / "test_log.txt").read_text(), r"\[.*\]gelu_fp32 \[1, 2, 8, 8\] \| forward")
        self.succeed("sample", sweep, *QUICK, "--run", "get_profiler", "-o", self.results)
        trace = json.loads((self.results / "temp_profilings/gelu_fp32_1_2_8_8.json").read_text())
        self.assertIn("aten::gelu", {event.get("name") for event in trace["traceEvents"]})
        self.assertIn("ran", self.succeed("sample", sweep, *QUICK, "--run", "run_function", "-o", self.results))

    def test_a_log_of_others_is_kept(self):
        self.results.mkdir()
        log = self.results / "test_log.txt"
        log.write_text("[info] tests passed\n")
        one = ("sample", self.configuration(), *QUICK, "--run", "run_function", "-o", self.results)
        self.fail_with("test_log.txt: is not a log of kjoule sample, so no line is added to it; choose another folder with -o, or move the file away", *one)
        self.assertEqual(log.read_text(), "[info] tests passed\n")
        log.unlink()
        for lines in (1, 2):
            self.succeed(*one)
            self.assertEqual(len(log.read_text().splitlines()), lines)

    def test_an_operator_of_ones_own(self):
        report = self.sample(ROOT / "examples/square.yml")
        self.assertEqual(report["counts"], {"measured": 8})
        self.assertGreater(float(self.rows(report["csv"])[0]["B_dur(us)"]), 0)
        unknown = self.configuration(function_name="mine", operator="'aten::nothing'", arguments="[{tensor: [b]}]", ends="[1, 1, 8, 8]")
        done = run("sample", unknown, *QUICK, "-o", self.results)
        self.assertEqual(done.returncode, 1)
        self.assertIn("aten::nothing is not a known operator of this libtorch", done.stderr)

    def test_a_warm_up_that_fails_is_told_before_rows_are_written(self):
        own = {"kernel_name": "own", "function_name": "own", "operator": "aten::abs", "arguments": "[{tensor: [b, dim]}]"}
        bad = lambda **changes: ("sample", self.configuration(**changes), *QUICK, "-o", self.results)
        self.fail_with("sweep.yml:9: warmup_shapes: the warm-up with the sizes [3, 1, 8, 8] in fp32 failed: invalid: dim 8 is not divisible by mp 3", *bad(warmup_shapes="[3, 1, 8, 8]"))
        self.fail_with("sweep.yml:15: operator: the warm-up with the sizes [1, 1, 8, 8] in fp32 failed: error: aten::powder is not a known operator", *bad(**{**own, "operator": "aten::powder"}))
        self.fail_with("sweep.yml:16: arguments: with the sizes in warmup_shapes, ", *bad(**{**own, "arguments": "[{tensor: [b, 4*dmi]}]"}))
        self.assertFalse((self.results / "sampling_data").exists(), "no row")
        self.succeed(*bad(**own))

    def test_one_definition_a_name_and_whole_parts_only(self):
        sweep = self.configuration(ends="[1, 1, 24, 16]")
        report = self.sample(sweep)
        self.fail_with("wait + warmup is 2, but should be 3", "sample", self.configuration("other.yml", warmup=2), *QUICK, "-o", self.results)
        self.fail_with('operator is "gelu", but should be "linear1"', "sample", self.configuration("other.yml", function_name="linear1"), *QUICK, "-o", self.results)
        merged = self.folder / "all.csv"
        self.succeed("sample", "merge", report["csv"], "-o", merged)
        table = pathlib.Path(report["csv"]).read_text()
        self.fail_with("this file is an input of the command", "sample", "merge", report["csv"], "-o", report["csv"])
        self.assertEqual(pathlib.Path(report["csv"]).read_text(), table)
        for path in [pathlib.Path(report["csv"]), pathlib.Path(report["jsonl"])]:  # as a killed run leaves them
            path.write_text("".join(path.read_text().splitlines(True)[:-2]))
        self.fail_with(".jsonl: 4 of 6 samples", "sample", "merge", report["csv"], "-o", self.folder / "part.csv")
        self.assertIn("unfinished parts: ", self.succeed("sample", "merge", report["csv"], "-o", merged, "--incomplete"))
        self.assertEqual(len(self.rows(merged)), 4)

    def test_rows_of_errors_are_tried_again(self):
        # 64 elements are no 2 x 64
        sweep = self.configuration(kernel_name="own", function_name="own", operator="aten::reshape", arguments="[{tensor: [64]}, [b, l*dim]]",
                                   starts="[1, 2, 8, 8]", ends="[1, 2, 8, 8]", warmup_shapes="[1, 1, 8, 8]")
        for _ in range(2):
            done = run("sample", sweep, *QUICK, "-o", self.results, "--json")
            self.assertEqual(done.returncode, 1)
            report = json.loads(done.stdout)
            self.assertEqual((report["before"], report["counts"]), (0, {"error": 1}))
            self.assertIn("kjoule: 1 samples failed; reason for the last one: ", done.stderr)

    def test_what_cannot_be_measured_is_a_failure_each_time(self):
        sweep = self.configuration(starts="[3, 1, 8, 8]", ends="[3, 1, 8, 8]")
        for before in [0, 1]:
            done = run("sample", sweep, *QUICK, "-o", self.results, "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["before"]), (1, before))
            self.assertIn("no sample could be measured; reason for the last one: dim 8 is not divisible by mp 3", done.stderr)

    def test_the_first_gpu_on_a_cpu_is_a_warning(self):
        done = run("sample", self.configuration(), *QUICK, "--device_num", 0, "--run", "run_function", "-o", self.results)
        told = errors_in(done.stderr)
        self.assertEqual((done.returncode, told), (0, ["kjoule: --device_num 0 has no effect, because the operator is measured on the CPU"]))

    def test_a_configuration_is_named_by_its_place_or_by_config_path(self):
        sweep = self.configuration(ends="[1, 1, 24, 16]")
        for named in ([sweep], ["--config_path", sweep]):
            self.assertIn("GELU on 4 dim/mp; 6 shapes of mp, b, l, dim", unwrapped(self.succeed("sample", "--list", *named)))
        self.assertEqual(self.sample("--config_path", sweep)["counts"], {"measured": 6})
        self.fail_with("the command takes no such argument", "sample", "--config_path", sweep, "gelu", *QUICK)

    def test_experts_and_causal_softmax_in_each_precision(self):
        numbers = {"first_n_column": 7, "starts": "[1, 1, 8, 16, 2, 2, 1]", "steps": "[2, 1, 8, 16, 2, 6, 2]", "ends": "[2, 1, 8, 16, 4, 8, 2]",
                   "operators": "[mul, add, add, add, add, add, mul]", "warmup_shapes": "[1, 1, 8, 16, 2, 2, 1]"}
        moe = self.configuration("moe.yml", kernel_name="moe", function_name="moe", **numbers,
                                 columns_name="[mp, b, l, dim, moe_num_experts, intermediate_size, top_k, F_dur(us), B_dur(us)]")
        softmax = self.configuration("softmax.yml", kernel_name="causal", function_name="ScaledUpperTriangMaskedSoftmax",
                                     columns_name="[mp, b, h, l, F_dur(us), B_dur(us)]", starts="[1, 1, 4, 8]", ends="[2, 2, 8, 16]", steps="[2, 2, 4, 8]")
        for precision in ("fp16", "bf16", "fp32"):
            for sweep in (moe, softmax):
                told = json.loads(self.succeed("sample", sweep, "--precision", precision, "--threads", 1, *ON_CPU, "-o", self.results, "--json"))
                self.assertEqual(told["counts"], {"measured": 16}, (precision, sweep))

    def test_a_first_n_column_that_is_too_small(self):
        """As in the published moe.yml: the first five of seven sizes have words, and numbers for the warm-up and the single shape."""
        moe = self.configuration("moe.yml", kernel_name="moe", function_name="moe", first_n_column=5,
                                 columns_name="[mp, b, l, dim, moe_num_experts, intermediate_size, top_k, F_dur(us), B_dur(us)]",
                                 starts="[1, 1, 8, 16, 2, 2, 1]", steps="[2, 2, 8, 16, 2, 2, 2]", ends="[1, 1, 8, 16, 4, 2, 4]",
                                 operators="[mul, mul, add, add, add]", warmup_shapes="[1, 1, 8, 16, 2]", shapes="[1, 1, 8, 16, 4]")
        done = run("sample", moe, *QUICK, "-o", self.results, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines()[0], f"kjoule: {moe}:4: first_n_column: 5 is less than the 7 sizes in columns_name; all of these are used; "
                         "operators was completed to mul, mul, add, add, add, add, mul; warmup_shapes was completed to 1, 1, 8, 16, 2, 2, 1")
        shapes = [[int(cell) for cell in list(row.values())[:7]] for row in self.rows(json.loads(done.stdout)["csv"])]
        self.assertEqual(shapes, [[1, 1, 8, 16, experts, 2, chosen] for experts in (2, 4) for chosen in (1, 2, 4) if chosen <= experts])
        one = self.succeed("sample", moe, *QUICK, "--run", "get_one", "-o", self.results)
        self.assertTrue(one.startswith("moe_fp32 [1, 1, 8, 16, 4, 2, 1] on "), one)

    @unittest.skipUnless(PUBLISHED.exists(), "the published configurations are not here")
    def test_all_published_configurations(self):
        rows, tokens, heads, scores, stage = ("b, l, dim", "mp, b, l, dim", "mp, b, h, l, dim", "mp, b, h, l", "mp, dim, encoders")
        expected = {"RMSlayernorm": ("RMSlayernorm", 351, rows), "RoPE": ("RoPE", 10530, heads), "baddbmm": ("baddbmm", 10530, heads), "bmm": ("bmm", 10530, heads),
                    "ScaledUpperTriangMaskedSoftmax": ("ScaledUpperTriangMaskedSoftmax", 1632, scores), "crossentropy": ("parallel_cross_entropy_128", 130, "mp, b, l"),
                    "embedding": ("embedding", 1755, tokens), "fillmask": ("fillmask", 10530, heads), "flash_atten": ("flash_atten", 10530, heads), "gelu": ("gelu", 1755, tokens),
                    "layernorm": ("layernorm", 351, rows), "res_add": ("res_add", 351, rows), "softmax": ("softmax", 1215, scores),
                    "moe": ("moe", 748800, "mp, b, l, dim, moe_num_experts, intermediate_size, top_k"),
                    **{name: (name, 1755, tokens) for name in ("linear1", "linear2", "linear3", "linear4", "linear_final")},
                    **{name: (name, 585, stage) for name in ("firstStage_optimizer", "middleStage_optimizer", "lastStage_optimizer")}}
        sweeps = {path.stem.removeprefix("kernel_sampling_collect_"): path for path in PUBLISHED.glob("kernel_sampling_collect_*.yml")}
        self.assertEqual(set(sweeps), set(expected))
        for name, path in sweeps.items():
            operator, shapes, sizes = expected[name]
            told = unwrapped(self.succeed("sample", "--list", path))
            self.assertTrue(told.startswith(operator + " "), told)
            self.assertTrue(told.endswith(f"; {shapes} shapes of {sizes}"), told)
        collectives = list(PUBLISHED.glob("nccl_sampling_test_*.yml"))
        self.assertEqual(len(collectives), 5)
        for path in collectives:
            self.fail_with(" is a collective; measure it in a program that calls it: kjoule compare -- torchrun", "sample", "--list", path)

    def test_every_operator_that_it_brings(self):
        names = [line.split()[0] for line in self.succeed("sample", "--list").splitlines() if not line.startswith(" ")]
        self.assertEqual(len(names), 26)
        for name in ["embedding", "linear1", "flash_atten", "moe", "swiglu", "grouped_query_atten", "firstStage_optimizer"]:
            self.assertIn(name, names)

    def test_options_that_would_do_nothing_are_refused(self):
        for option in (["--energy"], ["--graph"], ["--parts", 2], ["--json"], ["--roof", "none.json"], ["--budget", 100]):
            self.fail_with(f"{option[0]} has no effect on one shape; omit it, or use --run get_all", "sample", "gelu", *option, "--run", "get_one", *QUICK)
        self.fail_with("--device_num has no effect on the CPU; omit it, or use --device cuda", "sample", "gelu", "--device-num", 1, *QUICK)
        self.fail_with("--threads: 0 is not a whole number from 1", "sample", "gelu", "--threads", 0)
        self.fail_with("--part requires --parts", "sample", "gelu", "--part", 1)
        self.fail_with("cannot be combined with", "sample", "gelu", "--energy", "--power-source", "rapl", "--power-log", "p.csv")
        self.fail_with("--threads has no effect together with --list; omit it", "sample", "gelu", "--list", "--threads", 1)
        self.fail_with("--threads has no effect before the word merge", "sample", "--threads", 1, "merge", "a.csv", "-o", "b.csv")

    def test_what_is_wrong_is_one_line(self):
        bad = lambda **changes: ("sample", self.configuration(**changes), *QUICK, "-o", self.results)
        self.fail_with("sweep.yml:1: wait: this field is missing", *bad(wait=None))
        self.fail_with("sweep.yml:6: steps: has 1 numbers, but columns_name has 4 sizes", *bad(steps="[2]"))
        self.fail_with("sweep.yml:3: columns_name: the columns with sizes are b, mp, l, dim, but gelu takes mp, b, l, dim", *bad(columns_name="[b, mp, l, dim, F_dur(us), B_dur(us)]"))
        self.fail_with("did you mean gelu", *bad(function_name="gleu"))
        self.fail_with("starts: l: its start 8 is above its end 4", *bad(ends="[2, 2, 4, 16]"))
        self.fail_with("use add or mul", *bad(operators="[mul, mul, add, sub]"))
        self.fail_with("gelu.yml: no such file", "sample", "gelu.yml")
        self.fail_with("--run: now is none of get_all, get_one, get_profiler, run_function", "sample", self.configuration(), "--run", "now")
        self.fail_with("gelluu is neither a built-in operator nor a file; did you mean gelu", "sample", "gelluu")
        self.fail_with("no operator was given", "sample")
        self.fail_with("--part 3 does not exist, because --parts is 2; give a number from 1 to 2", "sample", "gelu", "--parts", "2", "--part", "3")
        self.fail_with("fp8", "sample", "gelu", "--precision", "fp8")
        self.fail_with("use auto, cpu or cuda", "sample", "gelu", "--device", "abacus")
        self.fail_with("--energy", "sample", "gelu", "--power-log", "power.csv")
        self.fail_with("no-such.csv", "sample", self.configuration(), *QUICK, "-o", self.folder / "other", "--energy", "--power-log", "no-such.csv")
        self.fail_with("this is not the name of a part", "sample", "merge", self.configuration(), "-o", self.folder / "x.csv")
        self.assertFalse((self.results / "sampling_data").exists(), "nothing half-written")


if __name__ == "__main__":
    unittest.main()
