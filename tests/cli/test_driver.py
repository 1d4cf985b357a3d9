"""What kjoule records of a program on the stand-in driver, and what it refuses."""
import collections
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

from .driver import ENERGY_COUNTER, FAKE_NVML, KJOULE, PLAIN, PROGRAM, Driver, short, unwrapped
from .test_commands import growing_log


class OfThePlainProgram(Driver):
    """What one comparison of the plain program says."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        once = Driver()
        once.setUp()
        cls.addClassCleanup(once.doCleanups)
        cls.done = once.run_kjoule("compare", options=["--no-energy", "--check"])
        cls.compared = once.results

    def setUp(self):
        super().setUp()
        self.results = self.compared
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_the_sum_of_kernels_in_context_predicts_the_whole(self):
        report = self.report()
        self.assert_exact(report, 11)
        # no trivial truth: kernels repeated back to back take another time, by several per cent
        self.assertGreater(abs(report["isolated_sum_us"] / report["whole_us"] - 1), 0.03)

    def test_it_says_which_iteration_it_took(self):
        self.assertRegex(unwrapped(self.done.stdout), r"iteration: 11 launches, which had repeated \d+ times in a row, one repetition every [\d.]+ ms")
        self.assertFalse((self.results / "run_report.json").exists(), "it was measured in place")
        told = self.done.stderr.splitlines()
        self.assertIn("kjoule ends it after the measurement", told[0])
        self.assertEqual([line for line in told if re.fullmatch(r"the program is paused while it is measured, for about \d+ s; Ctrl-C ends kjoule and keeps the measured results", line)],
                         told[told.index("checking that the replay gives the recorded bits") + 1:][:1])

    def test_the_iterations_before_the_recorded_one_are_alike(self):
        report = self.report()
        self.assertGreater(report["iteration_spread"]["iterations"], 5)  # hundreds, unless the machine is crowded
        self.assertLess(report["iteration_spread"]["spread_percent"], 5)

    def test_keeping_a_launch_takes_little_memory(self):
        self.assertLess(self.recording_header()["program"]["bytes_a_launch"], 2048)

    def test_the_steps_of_the_devices_clock_are_kept(self):
        program = self.recording_header()["program"]
        self.assertEqual((program["clock_step_ns"], program["clock_mean_step_ns"]), (1, 1))

    def recording_header(self):
        return json.loads((self.results / "recording.jsonl").read_text().splitlines()[0])

    def test_how_long_the_program_was_held_is_told(self):
        self.assertGreater(self.report()["paused_s"], 0)

    def test_the_kernels_and_their_counts_are_the_programs(self):
        counts = collections.Counter()
        for kernel in self.report()["top_kernels"]:
            counts[short(kernel["name"])] += kernel["count"]
        self.assertEqual(counts, PLAIN)

    def test_one_stream_has_nothing_to_overlap(self):
        self.assertIsNone(self.report()["overlapped_whole_us"])

    def test_the_audit_agrees(self):
        self.assert_audited(self.report())


class Compared(Driver):
    def test_iterations_whose_times_differ_are_sampled(self):
        done = self.run_kjoule("compare", "--growing-work", options=["--no-energy", "--check", "--time-limit", "5"])
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertGreater(report["iteration_spread"]["spread_percent"], 5)
        estimate = json.loads((self.results / "run_report.json").read_text())["replayed"]["estimate"]
        self.assertGreaterEqual(estimate["windows"], 2, "the loop and as many windows as fit into the time")
        mean = estimate["mean_iteration"]
        self.assertGreater(mean["iterations"], 100)
        self.assertTrue(mean["low_profiled_us"] < mean["replayed_us"] < mean["high_profiled_us"], mean)
        self.assertLess(mean["half_width_us"], 0.1 * mean["replayed_us"])
        self.assertIn("iterations of the loop: ", unwrapped(done.stdout))
        self.assertTrue(any("80 % of them take" in finding for finding in report["findings"]))
        self.assertRegex(unwrapped(done.stdout), r"; 80 % of the loop's \d+ iterations take [\d.]+ to [\d.]+ us of GPU time")

    def test_iterations_that_differ_in_length(self):
        """Each begins with a launch that comes once in it."""
        done = self.run_kjoule("compare", "--uneven", options=["--no-energy", "--time-limit", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(unwrapped(done.stdout), r"iteration: one iteration of a loop of 14 to 19 launches, which had repeated \d+ times")
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertIn(report["verification"]["launches"], range(14, 20))
        self.assert_exact(report, report["verification"]["launches"])
        self.assertGreater(report["iteration_spread"]["iterations"], 5)
        self.assertGreater(report["program_iteration_us"], report["whole_us"])

    def test_the_own_time_of_a_program_that_launches_ahead_is_the_devices(self):
        """Its host takes less time for an iteration than its kernels do: nothing follows from that."""
        done = self.run_kjoule("compare", "--no-wait", options=["--no-energy"], FAKE_CUDA_SLOWNESS="30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("the search continues", done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertFalse([finding for finding in report["findings"] if "wrong launches" in finding])
        self.assertAlmostEqual(report["program_iteration_us"] / report["whole_us"], 1, delta=0.2)
        self.assertIn(f"{report['program_iteration_us']:.2f}"[:5], done.stdout, "the screen has the same number")

    def test_every_launch_meets_the_bits_that_it_met_in_the_program(self):
        # the gather's indices are overwritten with floats later in the iteration: one wrong state and it faults
        self.assert_exact(self.compare("--fault"), 8)

    def test_graph_launches_are_expanded(self):
        # eleven captured launches, and one of a graph that was captured into it
        report = self.compare("--graph")
        self.assert_exact(report, 12)
        self.assertIn("gather", [kernel["name"] for kernel in report["top_kernels"]])
        self.assert_audited(report)

    def test_two_streams(self):
        report = self.compare("--streams")
        self.assert_exact(report, 8)
        self.assert_audited(report)
        self.assertGreater(report["overlapped_whole_us"], 0)
        self.assertIn("overlap: with its streams replayed in parallel", " ".join(report["residual"]))

    def test_a_launch_that_the_device_never_told_of_is_found(self):
        finding, = self.compare(FAKE_CUPTI_LOSES="3")["findings"]
        self.assertIn("the recording differs from the device's own list of activities", finding)

    def test_a_named_range_is_the_iteration(self):
        report = self.compare("--range", "step", "--growing", options=["--range", "step"])
        self.assertEqual(report["verification"]["different"], [])

    def test_plays_for_meters(self):
        """NVML's stand-in draws 300 W whatever happens, and this GPU waits for its host, which runs the kernels: so its
        energies say little, but all that plays and reads is the real thing. Of an H200 kjoule knows how often it looks at
        its power, and plays work that may pause."""
        for _ in range(3):  # a crowded machine may hold up every poll of the counter, and then nothing is told
            done = self.run_kjoule("compare", options=["--energy-time-limit", "1"], KJOULE_NVML=FAKE_NVML, FAKE_NVML_WATTS="300",
                                   FAKE_NVML_NAME="NVIDIA H200", FAKE_NVML_UUID="GPU-00010203-0405-0607-0809-0a0b0c0d0e0f")
            if "power readings of the whole" not in done.stderr:
                break
            shutil.rmtree(self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        energy = report["energy"]
        self.assertEqual([meter["source"] for meter in energy["meters"]], ["nvml-counter", "nvml"])
        plan, = [row for row in map(json.loads, (self.results / "results.jsonl").read_text().splitlines()) if row["kind"] == "energy_plan"]
        self.assertEqual(len(plan["paused"]), 1)
        self.assertGreaterEqual(plan["paused"][0]["repeat_s"], 1e-3)
        self.assertAlmostEqual(energy["whole_watts"] / 300, 1, delta=0.01)
        self.assertGreaterEqual(energy["whole_us"] / report["whole_us"], 0.99)
        self.assertAlmostEqual(energy["whole_joules"] / (300e-6 * energy["whole_us"]), 1, delta=0.01)
        self.assertEqual(report["verification"]["different"], [])
        self.assertEqual(sum("energy" in kernel for kernel in report["top_kernels"]), len(report["top_kernels"]))
        log, = self.results.glob("power_*.csv")
        self.assertGreater(len(log.read_text().splitlines()), 300)

    # The fields of energy_report.json that the documents show.
    SHOWN = {"duration_seconds": None, "num_power_samples": None, "num_runs": None, "power_watts": {"average", "peak", "min"},
             "energy_joules": {"total", "per_run"}, "energy_wh": {"total", "per_run"}}

    def check_shown(self, report, watts):
        for name, fields in self.SHOWN.items():
            values = [report[name]] if fields is None else [report[name][field] for field in fields]
            self.assertTrue(all(value > 0 for value in values), (name, report[name]))
        self.assertAlmostEqual(report["power_watts"]["average"], watts, delta=0.01 * watts)
        self.assertAlmostEqual(report["energy_joules"]["per_run"] * report["num_runs"], report["energy_joules"]["total"], 6)

    def integrated_again(self):
        """The reports of kjoule energy for the log that the results folder has."""
        log, = self.results.glob("power_*.csv")
        again = self.folder / "again"
        again.mkdir()
        done = self.run_words([KJOULE, "energy", "--power-log", log, "--timing", self.results, "-o", again])
        return {path.name: json.loads(path.read_text()) for path in again.iterdir()}, done

    def test_energy_without_an_option(self):
        """The GPU's own meters give the reports of a power log, and its log gives the same again. The program's loop lasts for three
        seconds before it is recorded, in which it has a power of its own."""
        self.LOOP_SECONDS = "3"
        report = self.compare(options=["--energy-time-limit", "1", "--block-kernels", "2"], FAKE_NVML_RIPPLE="0.5", **ENERGY_COUNTER)
        energy = report["energy"]
        self.assertAlmostEqual(energy["whole_watts"], 300, delta=3)
        low, high = energy["own_iteration_interval_joules"]
        expected = 300e-6 * report["program_iteration_us"]
        self.assertTrue(low < expected < high, (low, expected, high))
        self.assertGreater(low, 0)
        self.assertAlmostEqual(energy["own_iteration_above_idle_joules"], energy["own_iteration_joules"] * (1 - energy["idle_watts"] / energy["own_iteration_watts"]), 9)
        whole = json.loads((self.results / "energy_report.json").read_text())
        self.check_shown(whole, 300)
        self.assertEqual((whole["source"]["averaging_seconds"], whole["source"]["averaging_from"]), (0.02, "the meter nvml"))
        kernels = json.loads((self.results / "gpu_energy_report.json").read_text())
        self.assertEqual(kernels["full_model"]["energy_joules"], whole["energy_joules"])
        # On a crowded machine, the stand-in's time is not the host's.
        measured = [kernel for kernel in kernels["per_kernel"] if kernel["measured"]]
        self.assertTrue(measured)
        self.assertTrue(all(kernel["measured"] or "but its runs took" in kernel["missing"] or "not shorter" in kernel["missing"] for kernel in kernels["per_kernel"]))
        self.assertGreater(kernels["comparison"]["predicted_joules_per_run"], 0)
        again, _ = self.integrated_again()
        self.assertEqual(again, {"energy_report.json": whole, "gpu_energy_report.json": kernels})

    def test_full_reports_energy_without_an_option(self):
        done = self.run_kjoule("full", options=["--runs", "20000"], FAKE_NVML_RIPPLE="0.5", **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("energy of one run", done.stdout)
        report = json.loads((self.results / "energy_report.json").read_text())
        self.check_shown(report, 300)
        self.assertEqual(report["num_runs"], 20000)
        self.assertGreaterEqual(report["num_power_samples"], 20)
        again, done = self.integrated_again()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(again, {"energy_report.json": report})

    def test_joules_from_the_log_that_the_shell_exports(self):
        with growing_log(self.folder / "power.csv", watts=123) as log:
            report = self.compare(options=["--energy-time-limit", "1", "--block", "0.3"], POWER_LOG_PATH=str(log))
        energy = report["energy"]
        self.assertEqual([meter["source"] for meter in energy["meters"]], ["csv"])
        self.assertAlmostEqual(energy["whole_watts"] / 123, 1, delta=0.01)
        self.assertAlmostEqual(energy["whole_joules"] / (energy["whole_watts"] * energy["whole_us"] * 1e-6), 1, 6)
        # Each kernel is repeated with the memory that it needs: one of them takes indices from an earlier one. On a crowded machine, the
        # stand-in's time is not the host's, and then the end of the log or of a block may be wrong.
        kernels = json.loads((self.results / "gpu_energy_report.json").read_text())["per_kernel"]
        self.assertEqual([kernel for kernel in kernels if not kernel["measured"] and not re.search(r"^it ends|but its runs took", kernel["missing"])], [])
        for kernel in kernels:
            if kernel["measured"]:
                self.assertAlmostEqual(kernel["average_watts"] / 123, 1, delta=0.01)

    # The first lines of the documents' GPU logger, of nvidia-smi and of kjoule power log, and a form of the lines after them.
    GPU_LOGS = {"logger": ("timestamp,gpu,power_w", "{time:%Y-%m-%d %H:%M:%S.%f},{gpu},{watts:.2f}"),
                "index": ("timestamp, index, power.draw [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, {gpu}, {watts:.2f} W"),
                "uuid": ("timestamp, uuid, power.draw.instant [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, {gpu}, {watts:.2f} W"),
                "bus": ("timestamp, pci.bus_id, power.draw [W], power.draw.instant [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, {gpu}, {watts:.2f} W, {watts:.2f} W"),
                "name": ("timestamp, name, power.draw [W]", "{time:%Y/%m/%d %H:%M:%S.%f}, {gpu}, {watts:.2f} W")}
    GPU = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

    def gpu_log(self, form, gpus):
        """A log with a column of GPUs, to which a line a GPU is added every 30 ms: 123 W of the first one, 50 W more of each further one."""
        header, line = self.GPU_LOGS[form]

        def line_of(unix_s, watts):
            return "".join(line.format(time=datetime.datetime.fromtimestamp(unix_s), gpu=gpu, watts=watts + 50 * number) + "\n" for number, gpu in enumerate(gpus))
        return growing_log(self.folder / f"{form}.csv", watts=123, every_s=0.03, header=header, line_of=line_of)

    def measure_with_gpu_log(self, log, **nvml):
        """The report of the energy of 20,000 iterations."""
        done = self.run_kjoule("full", options=["--runs", "20000", "--averaging", "0.03"], POWER_LOG_PATH=str(log), FAKE_NVML_UUID=self.GPU,
                               **{"KJOULE_NVML": FAKE_NVML, **nvml})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, json.loads((self.results / "energy_report.json").read_text())

    def test_the_measured_gpu_is_found_in_a_log_of_gpus(self):
        for form, gpus in [("logger", ["0"]), ("index", ["1", "0"]), ("uuid", ["GPU-fake-1", self.GPU]), ("bus", ["00000000:0C:00.0", "00000000:0B:00.0"]),
                           ("name", ["Fake GPU"])]:
            with self.subTest(form), self.gpu_log(form, gpus) as log:
                _, report = self.measure_with_gpu_log(log, FAKE_NVML_GPUS=str(len(gpus)))
                self.assertAlmostEqual(report["power_watts"]["average"], 73 + 50 * len(gpus), delta=1)
                self.assertEqual(report["source"]["series"], [f"gpu {gpus[-1]}"])
                shutil.rmtree(self.results)

    def test_a_log_of_kjoule_power_log_is_found_to_be_of_the_measured_gpu(self):
        log = self.folder / "power.csv"
        nvml = {"KJOULE_NVML": FAKE_NVML, "FAKE_NVML_UUID": self.GPU, "FAKE_NVML_WATTS": "300", "FAKE_NVML_RIPPLE": "0.5"}
        logger = subprocess.Popen([KJOULE, "power", "log", "--source", "nvml", "--interval", "0.02", "-o", log], env={**self.environment, **nvml}, stderr=subprocess.DEVNULL)
        self.addCleanup(logger.wait)
        self.addCleanup(logger.terminate)
        while not log.exists() or log.read_text().count("\n") < 20:
            time.sleep(0.05)
        _, report = self.measure_with_gpu_log(log)
        self.assertEqual(report["source"]["series"], ["gpu 0"])
        self.assertEqual(report.get("missing", ""), "")
        self.assertAlmostEqual(report["power_watts"]["average"], 300, delta=1)

    def test_a_log_of_another_gpu_is_refused(self):
        with self.gpu_log("logger", ["1"]) as log:
            done = self.run_kjoule("full", POWER_LOG_PATH=str(log), KJOULE_NVML=FAKE_NVML, FAKE_NVML_UUID=self.GPU)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"has the power of GPU 1, but kjoule measures GPU 0, {self.GPU}; log the measured GPU, or name a GPU of the log with ,gpu=NAME after the file", done.stderr)
            _, report = self.measure_with_gpu_log(f"{log},gpu=1")
            self.assertAlmostEqual(report["power_watts"]["average"], 123, delta=1)

    def test_without_nvml_the_only_gpu_of_a_log_is_taken(self):
        with self.gpu_log("logger", ["0"]) as log:
            done, report = self.measure_with_gpu_log(log, KJOULE_NVML="libkjoule-none.so")
            self.assertIn(f"warning: the GPU 0 of {log} is taken for the measured one, because NVML was not found", done.stderr)
            self.assertAlmostEqual(report["power_watts"]["average"], 123, delta=1)

    def test_smaller_kernels_have_the_joules_of_the_log_by_a_difference(self):
        options = ["--energy-time-limit", "1", "--block", "0.5", "--block-kernels"]
        with growing_log(self.folder / "power.csv", watts=123) as log:
            self.compare(options=[*options, "1"], POWER_LOG_PATH=str(log))
            # The run was interrupted before its last difference.
            rows = (self.results / "results.jsonl").read_text().splitlines(True)
            last = max(number for number, row in enumerate(rows) if json.loads(row).get("without") and json.loads(row)["kind"] == "meter_block")
            (self.results / "results.jsonl").write_text("".join(rows[:last]))
            for number, code, told in [("5", 1, "other kernels were repeated for the power meter in the interrupted run; give the --block-kernels of that run"),
                                       ("1", 0, "")]:
                done = self.run_words([KJOULE, "compare", "--resume", self.results, "--loop-seconds", self.LOOP_SECONDS, "--time-limit", self.TIME_LIMIT, *options, number, "--",
                                       PROGRAM, "--iterations", "300000"], {"POWER_LOG_PATH": str(log)})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(told, done.stderr)
        report = json.loads((self.results / "gpu_energy_report.json").read_text())
        alone = [kernel for kernel in report["per_kernel"] if kernel["group"] is None]
        self.assertEqual(len(alone), 1)
        timing = {kernel["signature"]: kernel for kernel in json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]}
        for kernel in report["per_kernel"]:
            if kernel["group"]:
                self.assertTrue(kernel["measured"] or "but its runs took" in kernel["missing"], kernel)  # a crowded machine: its time is not the host's
            if kernel["group"] and kernel["measured"]:
                true = 123e-6 * timing[kernel["signature"]]["total_time_in_context_us"]
                low, high = kernel["energy_in_context_joules_total_interval"]
                self.assertTrue(low < true < high, kernel)
        self.assertEqual({kernel["group"] for kernel in report["per_kernel"]} - {None}, {"4 smaller kernels of tier 1", "5 smaller kernels of tier unknown"})

    def test_other_programs_on_the_gpu_are_told(self):
        done, load, findings = self.compared_on(FAKE_NVML_PROGRAMS="3")
        self.assertIn("warning: 3 programs use this GPU, one of which is measured", done.stderr)
        self.assertEqual(load["programs_on_gpu"], 3)
        self.assertEqual(findings, load["warnings"])
        self.assertIn("- finding: 3 programs use this GPU", done.stdout)

    def compared_on(self, **nvml):
        """A comparison on the GPU that NVML's stand-in plays: what it printed, its load and its findings."""
        environment = {"KJOULE_NVML": FAKE_NVML, "FAKE_NVML_UUID": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", **nvml}
        done = self.run_kjoule("compare", options=["--no-energy"], **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        shutil.rmtree(self.results)
        return done, report["run"].get("load", [{}])[0], report["findings"]

    def test_a_gpu_of_its_own_gives_no_warning(self):
        self.environment.pop("CUDA_MPS_PIPE_DIRECTORY", None)
        done, load, findings = self.compared_on()
        self.assertNotIn("warning: ", done.stderr)
        self.assertEqual(findings, [])
        self.assertEqual(load, {"programs_on_gpu": 1, "mig": False, "power_limit_w": 700, "default_power_limit_w": 700})

    def test_a_shared_or_capped_gpu_is_a_finding(self):
        for nvml, key, value, warning in [({"FAKE_NVML_MIG": "1"}, "mig", True, "this GPU is divided (MIG)"),
                                          ({"CUDA_MPS_PIPE_DIRECTORY": "/none/pipes"}, "mps", "/none/pipes", "may be shared through MPS (/none/pipes)"),
                                          ({"FAKE_NVML_LIMIT": "450"}, "power_limit_w", 450, "power is limited to 450 W (700 W by default)"),
                                          ({"FAKE_NVML_SLOWED": "4"}, "throttle_reasons", ["power limit"], "this GPU's clock is reduced at the beginning of the measurement (throttle reason: power limit)")]:
            with self.subTest(key):
                done, load, findings = self.compared_on(**nvml)
                self.assertEqual(load[key], value)
                self.assertIn(warning, " ".join(findings))
                self.assertEqual(findings, load["warnings"])
                self.assertIn(f"warning: {findings[0]}", done.stderr)

    def test_what_nvml_does_not_have_is_no_error(self):
        _, load, findings = self.compared_on(FAKE_NVML_LACKS="programs,mig,limits")
        self.assertEqual(findings, [])
        self.assertNotIn("mig", load or {})

    def test_infinities_are_bits_like_others(self):
        self.assert_exact(self.compare("--overflow"), 12)

    def test_named_launches(self):
        self.assert_exact(self.compare(options=["--iterations", "5005..5016"]), 11)

    def test_a_launch_that_varies_is_named(self):
        # a pause says where an iteration begins
        report = self.compare("--nondeterministic", "--sleep-us", "100", "--iterations", "3000")
        self.assertIn("check: the output of 1 launch changes from replay to replay, or depends on such a launch: the program is not deterministic", report["residual"])
        self.assertEqual(report["verification"]["varying"], [11])
        self.assertEqual(report["verification"]["different"], [])
        self.assertEqual(report["verification"]["launches"], 12)
        self.assertLess(abs(report["sum_error_percent"]), 1)

    def test_infinities_that_the_program_did_not_have_are_named(self):
        findings = self.compare("--explodes")["findings"]
        self.assertRegex(" ".join(findings), r"gave other results than the program's own run, with infinities or NaNs in \d+ of them")

    def test_isolated_kernels(self):
        done = self.run_kjoule("isolated")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]
        self.assertEqual(sum(kernel["invocation_count"] for kernel in kernels), 11)


class Ranges(Driver):
    def test_ranges_of_the_program_have_time_and_energy(self):
        done = self.run_kjoule("compare", "--ranges", "--range", "step", options=["--range", "step", "--energy-time-limit", "1"], **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        ranges = {"/".join(one["path"]): one for one in report["ranges"]}
        self.assertEqual({name: one["launches"] for name, one in ranges.items()},
                         {"step": 33, "step/first": 22, "step/first/inner": 11, "step/second": 11})
        for key in ["total_us", "energy_joules"]:
            self.assertAlmostEqual(ranges["step/first"][key] + ranges["step/second"][key], ranges["step"][key], delta=1e-6)
            self.assertAlmostEqual(ranges["step/first/inner"][key] / ranges["step/second"][key], 1, delta=0.05)
        self.assertAlmostEqual(ranges["step"]["total_us"], report["sum_us"], delta=1e-6)
        self.assertRegex(done.stdout, r"\n    first +22 +\d+\.\d\d .*\n      inner +11 ")


class Printed(Driver):
    """The program prints a line at its end, or before it is ended."""

    def run_printing(self, command, *options, iterations=300000):
        output = [] if command == "kernels" else ["-o", self.results, "--loop-seconds", self.LOOP_SECONDS]
        script = f"echo loaded; exec {PROGRAM} --iterations {iterations}"
        done = self.run_words([KJOULE, command, *output, *options, "--", "sh", "-c", script])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_json_and_csv_are_not_mixed_with_output_of_the_program(self):
        for command, *options in (["compare", "--no-energy"], ["full"], ["isolated"]):
            with self.subTest(command):
                done = self.run_printing(command, *options, "--json")
                self.assertIsInstance(json.loads(done.stdout), dict)
                self.assertIn("loaded\n", done.stderr)
        done = self.run_printing("kernels", "--jsonl", iterations=300)
        self.assertTrue(all("count" in json.loads(line) for line in done.stdout.splitlines()))
        done = self.run_printing("kernels", "--csv", iterations=300)
        self.assertNotIn("loaded", done.stdout)

    def test_json_of_a_calibration_is_not_mixed_with_output_of_the_program(self):
        """Output of the program is on stderr from its start on, so that a calibration that fails shows it, too."""
        self.environment |= ENERGY_COUNTER
        done = self.run_words([KJOULE, "power", "calibrate", "--json", "--source", "nvml", "--against", f"csv:{self.folder / 'none.csv'}", "-o", self.results,
                               "--loop-seconds", self.LOOP_SECONDS, "--", "sh", "-c", f"echo loaded; exec {PROGRAM} --iterations 300000"])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("loaded\n", done.stderr)

    def test_json_comes_with_the_reports_of_the_power_log(self):
        self.environment |= {"FAKE_NVML_RIPPLE": "0.5", **ENERGY_COUNTER}
        self.run_printing("compare", "--time-limit", "0.5", "--energy-time-limit", "0.5", "--block-kernels", "1", "--json")
        for name in ("energy_report.json", "gpu_energy_report.json"):
            self.assertTrue((self.results / name).exists(), name)

    def test_a_table_follows_the_output_of_the_program(self):
        self.assertTrue(self.run_printing("kernels", iterations=300).stdout.startswith("loaded\n"))


class Recorded(Driver):
    def test_the_program_runs_to_its_end_undisturbed(self):
        alone = subprocess.run([PROGRAM, "--iterations", "10000"], capture_output=True, text=True, check=True,
                               env=self.environment)
        launches, done = self.recorded("--iterations", "10000", "--exit", "5", "--until", "")
        self.assertEqual(done.returncode, 5)
        self.assertIn(alone.stdout, done.stdout)
        self.assertEqual(collections.Counter(short(launch["name"]) for launch in launches), PLAIN)

    def test_cupti_is_taken_out_once_when_all_is_recorded(self):
        """Not where the program has graphs: on a GPU, one that was launched while there were records fails without CUPTI."""
        for program, options, times in [([], [], 1), (["--streams"], [], 1), (["--threads", "32", "--in-turn"], [], 1), (["--graph"], [], 0),
                                        (["--capture-while-watched", "--iterations", "1000"], ["--iterations", "53..65"], 0)]:
            with self.subTest(program):
                _, done = self.recorded(*program, options=options, FAKE_CUPTI_SAYS="1")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("taken out at the end of a call"), times, done.stderr)

    def test_launches_in_their_order(self):
        launches, _ = self.recorded("--sleep-us", "100")
        self.assertEqual([short(launch["name"]) for launch in launches],
                         ["memcpy HtoD", "memset", "fill_indices", "gather", "mix", "add", "scale", "add", "scale",
                          "memcpy DtoD", "memcpy DtoH"])
        mix = launches[4]
        # through a CUkernel in disguise, with a struct among its arguments
        self.assertEqual(mix["name"], "mix(float*, float const*, float const*, MixShape, float, bool, int)")
        self.assertEqual((mix["detail"]["argument_bytes"], mix["detail"]["shared_bytes"], mix["detail"]["grid"]),
                         (60, 1024, [16, 1, 1]))

    def test_launches_that_may_begin_before_the_one_before_has_ended(self):
        for mode in ([], ["--graph"]):
            with self.subTest(mode):
                launches, _ = self.recorded("--programmatic", *mode)
                early = [place for place, launch in enumerate(launches) if launch["detail"].get("programmatic")]
                self.assertEqual(len(early), 1)
                late, last = launches[early[0] - 1], launches[early[0]]
                self.assertEqual(short(last["name"]), "scale")
                self.assertEqual(late["detail"]["arguments"], last["detail"]["arguments"])
                self.assertNotIn("programmatic", late["detail"])

    def test_streams_are_told_apart(self):
        launches, _ = self.recorded("--streams")
        self.assertEqual({launch["detail"]["stream"] for launch in launches}, {0, 1})

    def test_a_capture_under_way_is_no_launch(self):
        # each iteration captures a graph anew and launches it: its twelve nodes count, after five launches
        launches, done = self.recorded("--capture-while-watched", "--iterations", "1000", options=["--iterations", "53..65"])
        self.assertEqual(len(launches), 12)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_timeline(self):
        picture = self.folder / "iteration.svg"
        trace = self.folder / "iteration.json"
        self.recorded(options=["--timeline", picture, "--timeline", trace])
        self.assertIn("<svg", picture.read_text())
        shown = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(collections.Counter(short(event["name"]) for event in shown)["scale"], 2)
        self.assertEqual(len(shown), 11)

    def test_another_gpu_than_the_programs(self):
        done = self.run_kjoule("record", "--iterations", "500", options=["--gpu", "1"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("program: 500 iterations", done.stdout)

    def observed(self, *program, code=0, **environment):
        done = self.run_kjoule("kernels", *program, options=["--json"], **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout[done.stdout.index("{"):])

    def test_kernels_lists_the_whole_run(self):
        run = self.observed("--iterations", "2000")
        counts = collections.Counter()
        for kernel in run["kernels"]:
            counts[short(kernel["name"])] += kernel["count"]
        for name, each in PLAIN.items():
            self.assertAlmostEqual(counts[name], 2000 * each, delta=2, msg=name)
        self.assertEqual((run["complete"], run["dropped_operations"], run["unmatched_operations"]), (True, 0, 0))
        self.assertEqual(run["gpu"]["operations"], sum(kernel["count"] for kernel in run["kernels"]))
        loop = run["kinds"][0]
        self.assertEqual(loop["launches_per_iteration"], sum(PLAIN.values()))
        self.assertIn(loop["iterations"], [1999, 2000])
        self.assertGreater(loop["share_percent"], 99)

    def test_a_run_that_does_not_repeat_is_listed_too(self):
        run = self.observed("--growing", "--iterations", "20", "--exit", "4", code=1)
        self.assertTrue(run["complete"])
        self.assertGreater(run["gpu"]["operations"], 20)

    def test_the_energy_of_a_run(self):
        # The stand-in's second GPU has another UUID and draws another power.
        done = self.run_kjoule("kernels", "--iterations", "50", "--sleep-us", "44000", options=["--json"], FAKE_NVML_GPUS="2", **ENERGY_COUNTER)
        energy = json.loads(done.stdout[done.stdout.index("{"):])["energy"]
        self.assertEqual((energy["meter"], energy["gpu"]), ("nvml-counter", ENERGY_COUNTER["FAKE_NVML_UUID"]))
        self.assertGreaterEqual(energy["seconds"], 2.2)
        self.assertGreater(energy["half_width_joules"], 0)
        self.assertLessEqual(abs(energy["joules"] - 300 * energy["seconds"]), energy["half_width_joules"] * 1.01)
        self.assertAlmostEqual(energy["watts"], energy["joules"] / energy["seconds"])
        self.assertLess(energy["begin"], energy["end"])

    def test_why_a_run_has_no_energy(self):
        long = ["--iterations", "50", "--sleep-us", "42000"]
        for program, nvml, why in [(["--iterations", "50"], {}, "less than 2 s"),
                                   (long, {"KJOULE_NVML": "/none/libnvidia-ml.so"}, "/none/libnvidia-ml.so"),
                                   (long, {"FAKE_NVML_UUID": "GPU-another"}, "NVML does not find the GPU GPU-00010203"),
                                   (long, {"FAKE_NVML_LACKS": "energy"}, "this board has no energy counter"),
                                   (long, {"FAKE_NVML_COUNTER": "1000"}, "does not change")]:
            with self.subTest(why):
                run = self.observed(*program, **{**ENERGY_COUNTER, **nvml})
                self.assertNotIn("energy", run)
                self.assertIn(why, run["energy_missing"])
        done = self.run_kjoule("kernels", "--iterations", "50", **ENERGY_COUNTER)
        self.assertIn("energy  not measured: the run took less than 2 s", done.stdout)

    def test_a_disk_that_takes_no_more_ends_the_log_and_not_the_program(self):
        """Files are limited to 1.5 MB, beyond which a write fails as on a full disk."""
        limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1500000, -1)); os.execv(sys.argv[1], sys.argv[1:])"
        words = [sys.executable, "-c", limited, KJOULE, "kernels", "--json", "--", PROGRAM, "--iterations", "20000"]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=True, env=self.environment)
        self.assertIn("program: 20000 iterations", done.stderr)
        run = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertIn("the limit on the size of files is reached; set TMPDIR to another folder", run["log_cut"])
        self.assertTrue(run["complete"])
        self.assertEqual(run["gpu"]["operations"] + run["dropped_operations"], 20000 * sum(PLAIN.values()) + 5)

    def test_the_timeline_of_a_run(self):
        files = [self.folder / "run.json", self.folder / "run.svg"]
        run = json.loads((done := self.run_kjoule("kernels", "--iterations", "50", "--streams", options=["--json", *sum((["--timeline", file] for file in files), [])]))
                         .stdout[done.stdout.index("{"):])
        events = [event for event in json.loads(files[0].read_text())["traceEvents"] if event["ph"] == "X"]
        operations = [event for event in events if event["cat"] != "part"]
        self.assertEqual(len(operations), run["gpu"]["operations"])
        self.assertEqual(collections.Counter(event["name"] for event in operations), collections.Counter({kernel["short_name"]: kernel["count"] for kernel in run["kernels"]}))
        self.assertAlmostEqual(sum(event["dur"] for event in operations) / 1000, run["gpu"]["busy_ms"] + run["gpu"]["overlap_ms"], places=3)
        self.assertEqual(len(events) - len(operations), len(run["parts"]))
        self.assertTrue(any(event["name"].startswith("loop: ") for event in events))
        self.assertIn("<svg", files[1].read_text())

    def test_a_timeline_that_cannot_be_written_is_refused_before_the_program_runs(self):
        done = self.run_kjoule("kernels", options=["--timeline", self.folder / "run.txt"])
        self.assertIn("ends neither with .json nor with .svg", done.stderr)
        self.assertNotIn("program: ", done.stdout)

    def test_kernels_of_a_run_as_csv_and_as_lines(self):
        done = self.run_kjoule("kernels", "--iterations", "50", options=["--csv"])
        self.assertIn("name,short_name,count,mean_us,total_ms,share_percent,tier,grid,block,shared_bytes,", done.stdout)
        done = self.run_kjoule("kernels", "--iterations", "50", options=["--jsonl"])
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.startswith("{")]), len(self.observed("--iterations", "50")["kernels"]))

    def test_kernels_of_a_run_refuses_to_select_an_iteration(self):
        done = self.run_kjoule("kernels", options=["--range", "step"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("lists the whole run", done.stderr)


class Waiting(Driver):
    """A program that does not go on, and one whose kjoule does not."""

    def program_of(self, kjoule):
        """Returns the program that kjoule started; its other child is its guardian."""
        children = pathlib.Path(f"/proc/{kjoule.pid}/task/{kjoule.pid}/children").read_text().split()
        program, = filter(self.is_injected, map(int, children))
        return program

    def is_injected(self, pid):
        try:
            return "libkjoule_inject" in pathlib.Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            return False

    def wait_until(self, condition):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_a_program_ends_with_the_kjoule_that_measures_it(self):
        """Whether its iteration is still searched for, or is being replayed."""
        for lasting in ["1000", "0.05"]:
            with self.subTest(lasting):
                words = [KJOULE, "compare", "-o", self.results / lasting, "--loop-seconds", lasting, "--", PROGRAM, "--iterations", "30000000"]
                said = self.folder / f"said_{lasting}"
                with said.open("w") as file:
                    kjoule = subprocess.Popen(list(map(str, words)), env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                              stderr=file)
                self.wait_until(lambda: ("searching for an iteration" if lasting == "1000" else "the program is paused") in said.read_text())
                program = self.program_of(kjoule)
                kjoule.kill()
                kjoule.wait()
                self.wait_until(lambda: not self.is_injected(program))

    def test_an_iteration_that_does_not_end(self):
        told = self.error("compare", "--hangs", options=["--no-energy", "--iterations", "20..400"])
        self.assertRegex(told, r"the iteration did not end: for 20 s the program made no call of the CUDA driver after cuMemcpyDtoHAsync_v2; "
                               r"the last recorded launch is number \d+ \(memcpy DtoH \(pageable\)\); choose a part in which the program does not wait")


# for copies of what an iteration changes
NO_ROOM = {"FAKE_CUDA_MEMORY": "140000", "KJOULE_HOST_ROOM": "0", "KJOULE_FILE_ROOM": "0"}


class Refused(Driver):
    def refused(self, *program, **settings):
        """Why no iteration was measured; the report is of the run until then."""
        done = self.run_kjoule("compare", *program, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        told, = [line for line in done.stderr.splitlines() if line.startswith("no iteration was measured; the report shows the program's run up to that moment")]
        run = json.loads((self.results / "run_report.json").read_text())
        self.assertGreater(run["gpu"]["operations"], 0)
        self.assertTrue(run["complete"])
        self.assertIn("scale", done.stdout, "the table of kernels")
        return told

    def test_without_room_for_the_state(self):
        told = self.refused(**NO_ROOM)
        self.assertRegex(told, r"copies of the memory that the iteration changes need \d+ KiB, but there is room for \S+ KiB on the GPU, 0 bytes in the "
                         "host's memory and 0 bytes in ")
        self.assertIn("let the program allocate less", told)

    def test_without_room_while_kernels_are_measured(self):
        """What was measured until then stays, and the run is reported."""
        done = self.run_kjoule("compare", FAKE_CUDA_MEMORY="120832")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "no iteration was measured completely; the report shows the program's run up to that moment, with times from the profiler. Reason: cuMemAlloc: out of memory")
        self.assertTrue((self.results / "run_report.json").exists())
        kinds = [json.loads(line)["kind"] for line in (self.results / "results.jsonl").read_text().splitlines()]
        self.assertIn("program_iterations", kinds)

    def test_beside_a_profiler(self):
        self.assertIn("another profiler in the program uses NVIDIA's profiling library CUPTI", self.error("compare", FAKE_CUPTI_TAKEN="1"))

    def test_a_refusal_gives_no_verdict(self):
        done = self.run_kjoule("compare", options=["--check"], **NO_ROOM)
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_a_program_that_is_too_short(self):
        told = self.error("record", "--iterations", "3")
        self.assertIn("before an iteration was found: 38 launches seen; no sequence of launches was repeated for 0.05 s", told)

    def test_a_program_that_crashes(self):
        self.assertIn("killed by signal 11 (Segmentation fault)", self.error("compare", "--crash-after", "3"))

    def test_a_program_that_crashes_later(self):
        told = self.error("compare", "--growing", "--crash-after", "100", "--sleep-us", "2000")
        self.assertRegex(told, r"before an iteration was found: at least \d+ launches seen")


if __name__ == "__main__":
    unittest.main()
