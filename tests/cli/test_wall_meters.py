"""One command with meters at the socket: two emulated WattsUp meters of known power, and a model on the CPU."""
import json
import math
import os
import signal
import subprocess
import time

from .helpers import export_model
from .test_commands import InAFolder, KJOULE
from .wall_meters import WallMeters, WithModel, busy_seconds, unix

INTERVAL = float(os.environ.get("KJOULE_TEST_METER_INTERVAL", "0.1"))  # s; 1 as the real meters have it


class OneCommand(WithModel):
    def run_with_meters(self, *arguments):
        with WallMeters(self.folder, INTERVAL) as self.meters:
            done = subprocess.run([KJOULE, *map(str, arguments), "--model", self.model, "--device", "cpu", "--threads", "1", "--seq-len", "16",
                                   "--power-source", self.meters.source, "-o", self.results],
                                  capture_output=True, text=True, check=False, timeout=900, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def true_watts(self, block):
        begin, end = unix(block["start_timestamp"]), unix(block["end_timestamp"])
        return self.meters.joules(begin, end) / (end - begin)

    def check_power(self, joules, interval, runs, block, meters=None):
        """What the log says of a block is what the meters drew in it, within the interval and the meters' last digit."""
        begin, end = unix(block["start_timestamp"]), unix(block["end_timestamp"])
        true = (meters or self.meters).joules(begin, end) / runs
        slack = 0.002 * true  # the timestamps are cut to ms, the meters report tenths of a watt
        self.assertLessEqual(interval[0] - slack, true, block)
        self.assertGreaterEqual(interval[1] + slack, true, block)
        self.assertAlmostEqual(joules / true, 1, delta=0.03)

    def check_sum(self, context, timing):
        """The sum of the kernels' energies is that of what the meters drew in their blocks, within its interval."""
        blocks = {group["name"]: group for group in timing["groups"]}
        true = sum(self.true_watts(blocks.get(kernel.get("group"), kernel)) * kernel["total_time_in_context_us"] * 1e-6 for kernel in timing["kernels"])
        low, high = context["predicted_interval_joules"]
        self.assertLessEqual(low, true)
        self.assertGreaterEqual(high, true)
        self.assertAlmostEqual(context["predicted_joules"] / true, 1, delta=0.03)

    def test_compare_logs_measures_integrates_and_reports(self):
        done = self.run_with_meters("compare", "--time-limit", "3")
        timing = self.report("isolated_kernels_timing.json")
        report = self.report("gpu_energy_report.json")
        kernels = report["per_kernel"]
        self.assertEqual([kernel["missing"] for kernel in kernels if not kernel["measured"]], [])
        alone = [kernel for kernel in kernels if kernel["group"] is None]
        self.assertGreaterEqual(len(alone), 10, "and the only other kernel of a tier")
        self.assertLess(len(alone), len(kernels))
        largest = sorted(timing["kernels"], key=lambda kernel: -kernel["total_time_us"])[:5]
        self.assertTrue({kernel["signature"] for kernel in largest} <= {kernel["signature"] for kernel in alone}, "the largest are alone")
        for kernel in alone:
            self.assertGreaterEqual(kernel["num_power_samples"], 8)
            self.check_power(kernel["energy_joules_each"], kernel["energy_joules_each_interval"], kernel["benchmark_runs"], kernel)
        for group in timing["groups"]:
            members = [kernel for kernel in kernels if kernel["group"] == group["name"]]
            self.assertTrue(members)
            whole = sum(kernel["energy_joules_total"] for kernel in members)
            low = sum(kernel["energy_joules_total_interval"][0] for kernel in members)
            high = sum(kernel["energy_joules_total_interval"][1] for kernel in members)
            self.check_power(whole, [low, high], group["benchmark_runs"], group)
        tiers = report["isolated_kernels"]["tier_breakdown"].values()
        self.assertEqual(sum(tier["measured"] for tier in tiers), len(kernels))
        self.assertAlmostEqual(sum(tier["measured_energy_joules"] or 0 for tier in tiers), report["isolated_kernels"]["measured_energy_joules"], 9)
        # The sum in context against the whole that the log has: what the times differ by, at a power that hardly differs.
        context = report["comparison"]["in_context"]
        comparison = self.report("comparison_report.json")
        self.assertAlmostEqual(context["whole_joules"], self.true_watts(timing["whole"]) * comparison["whole_us"] * 1e-6, delta=0.03 * context["whole_joules"])
        self.assertAlmostEqual(context["error_signed_percent"], comparison["sum_error_percent"], delta=6)
        apart = abs(context["predicted_joules"] - context["whole_joules"])
        widths = [(context[key][1] - context[key][0]) / 2 for key in ("predicted_interval_joules", "whole_interval_joules")]
        self.assertEqual(context["agrees"], apart <= sum(width ** 2 for width in widths) ** 0.5)
        self.check_sum(context, timing)
        self.assertIn("sum of kernels", done.stdout)
        self.assertIn("systematic error: +-1.5 % of all energies", done.stdout)
        self.assertIn("the whole system", report["source"]["scope"])

        # kjoule energy finds the same in the log that is kept.
        log, = self.results.glob("power_*.csv")
        self.assertEqual(log.read_text().splitlines()[0], "time,id,pm1,pm2,sum")
        again = self.folder / "again"
        again.mkdir()
        self.succeed("energy", "--power-log", log, "--timing", self.results, "-o", again)
        for name in ("energy_report.json", "gpu_energy_report.json"):
            self.assertEqual(json.loads((again / name).read_text()), self.report(name))

    def test_full_and_isolated(self):
        done = self.run_with_meters("full", "--runs", "20")
        report = self.report("energy_report.json")
        self.assertGreaterEqual(report["num_power_samples"], 8)
        self.assertGreater(report["num_runs"], 20)
        self.check_power(report["energy_joules"]["per_run"], report["energy_joules"]["per_run_interval"], report["num_runs"], report)
        self.assertIn("energy of one run", done.stdout)
        self.assertIn(f"{report['num_runs']} iterations were timed instead of 20, because the power meter needs", done.stderr)
        done = self.run_with_meters("isolated", "--block-kernels", "2", "--block", 12 * INTERVAL)
        report = self.report("gpu_energy_report.json")
        self.assertLessEqual(len([kernel for kernel in report["per_kernel"] if kernel["group"] is None]), 4)
        self.assertTrue(report["comparison"]["complete"])
        self.assertIsNone(report["comparison"]["in_context"], "isolated has no times in context")

    def test_a_log_of_another_program_named_by_the_environment(self):
        log = self.folder / "other.csv"
        with log.open("w", buffering=1) as file:
            file.write("time,id,pm1,pm2,sum\n")
            logger = subprocess.Popen(["bash", "-c", 'i=0; while :; do i=$((i + 1)); w=$((80 + i % 2)); '
                                       'echo "$(date "+%Y-%m-%d %H:%M:%S.%3N"),$i,$w.0,20.$((i % 2)),$((w + 20)).$((i % 2))"; sleep 0.05; done'], stdout=file)
        self.addCleanup(logger.wait)
        self.addCleanup(logger.kill)
        done = subprocess.run([KJOULE, "full", "--model", self.model, "--device", "cpu", "--threads", "1", "--block", "2", "-o", self.results],
                              capture_output=True, text=True, check=False, timeout=300, env={**os.environ, "POWER_LOG_PATH": str(log)})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report("energy_report.json")
        self.assertGreaterEqual(report["duration_seconds"], 1.9)
        self.assertAlmostEqual(report["power_watts"]["average"], 100.55, delta=0.3)
        self.assertEqual(report["source"]["series"], ["pm1", "pm2"])

    def test_start_run_stop_calculate(self):
        """The steps by hand, with meters of 1 Hz: the logger is stopped right after the run, whose last second it then lacks."""
        log = self.folder / "power.csv"
        with WallMeters(self.folder, 1, lambda seconds: (60 + 3 * math.sin(seconds), 40 + 2 * math.sin(seconds / 2))) as meters:
            logger = subprocess.Popen([KJOULE, "power", "log", "-o", log, *(word for meter in meters.meters for word in ("--port", meter.port))], stderr=subprocess.DEVNULL)
            self.addCleanup(lambda: logger.poll() is None and logger.kill())
            while not log.exists() or log.read_text().count("\n") < 3:
                time.sleep(0.1)
            done = subprocess.run([KJOULE, "full", "--model", self.model, "--device", "cpu", "--threads", "1", "--block", "5", "-o", self.results],
                                  capture_output=True, text=True, check=False, timeout=300)
            logger.send_signal(signal.SIGINT)
            logger.wait(timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.succeed("energy", "--power-log", log, "--timing", self.results)
        report = self.report("energy_report.json")
        self.assertGreaterEqual(report["num_power_samples"], 4)
        self.assertLess(report["bridged_seconds"], 2)
        self.check_power(report["energy_joules"]["per_run"], report["energy_joules"]["per_run_interval"], report["num_runs"], report, meters)

    def test_a_meter_that_says_nothing_is_refused_before_anything_is_measured(self):
        meters = WallMeters(self.folder, INTERVAL)  # whose threads do not report
        self.addCleanup(lambda: [meter.unplug() for meter in meters.meters])
        self.fail_with("no reading came within 5 s", "full", "--model", self.model, "--device", "cpu", "--power-source", meters.source, "-o", self.results)


class AnotherHost(InAFolder):
    """A logging host whose clock is off: its meter sees how busy kjoule's processes are."""
    OFFSET = 37.25  # s, by which its clock is ahead

    def log(self, path, program, interval=0.1):
        """60 W, and 60 W more while the program uses a processor, in the mean since the last reading."""
        with path.open("w", buffering=1) as file:
            file.write("time,watts\n")
            last_s, last = busy_seconds(program.pid), time.time()
            while program.poll() is None:
                time.sleep(interval)
                busy_s, now = busy_seconds(program.pid), time.time()
                share = min(1, max(0, (busy_s - last_s) / (now - last)))
                file.write(f"{now + self.OFFSET:.3f},{60 + 60 * share:.2f}\n")
                last_s, last = busy_s, now

    def test_its_clock_offset_is_found_by_a_load_pattern(self):
        model = self.folder / "bloom.pt"
        export_model(model, "bloom", "--layers", "1", "--hidden", "64", "--heads", "4", "--vocab", "500")
        other = self.folder / "other.csv"
        for _ in range(3):  # a crowded machine may hold up the logger, so that it does not see the pattern
            self.measure_with_log(model, other)
            text, told = self.integrated(other)
            if "from the load pattern in the log" in text:
                break
        pattern = self.report("full_model_timing.json")["load_pattern"]
        self.assertEqual([edge["begins"] for edge in pattern["edges"]], [True, False] * 4)
        self.assertRegex(text, r"clock offset: -37\.\d+ s \+- 0\.\d+ s, from the load pattern in the log", told)
        self.check_offset(other)

    def measure_with_log(self, model, other):
        # The fast meters at the measured host make the pattern short.
        with WallMeters(self.folder, 0.1) as meters:
            program = subprocess.Popen([KJOULE, "full", "--model", model, "--device", "cpu", "--threads", "1", "--block", "3", "--align",
                                        "--power-source", meters.source, "-o", self.results],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(lambda: program.poll() is None and program.kill())
            self.log(other, program)
            _, told = program.communicate()
        self.assertEqual(program.returncode, 0, told)

    def integrated(self, log):
        """Standard output and standard error of the energy of a log."""
        done = subprocess.run([KJOULE, "energy", "--power-log", log, "--averaging", "0.1", "--timing", self.results / "full_model_timing.json"],
                              capture_output=True, text=True, check=False)
        return done.stdout, done.stderr

    def check_offset(self, other):
        report = self.report("energy_report.json")
        low, high = report["source"]["offset_interval_seconds"]
        self.assertLessEqual(low - 0.1, -self.OFFSET)  # how busy a process is comes in steps of 10 ms, and late on a busy machine
        self.assertGreaterEqual(high + 0.1, -self.OFFSET)
        self.assertLess(high - low, 1)
        self.assertGreater(report["power_watts"]["average"], 65)

        lines = other.read_text().splitlines()
        constant = self.folder / "constant.csv"
        constant.write_text("\n".join([lines[0], *(f"{line.split(',')[0]},{60 + number % 2}" for number, line in enumerate(lines[1:]))]) + "\n")
        done = subprocess.run([KJOULE, "energy", "--power-log", constant, "--offset", str(-self.OFFSET), "--timing", self.results / "full_model_timing.json"],
                              capture_output=True, text=True, check=False)
        self.assertIn("warning: the load pattern is not found in the log", done.stderr)
        self.assertIsNone(self.report("energy_report.json")["source"]["offset_interval_seconds"])


class Settings(InAFolder):
    def test_unknown_ones_are_one_line(self):
        for source, told in [("nvidia-smi:volts=3", "no such setting; the settings of nvidia-smi are gpu, interval"), ("wattsup:interval=soon", "not a number of seconds"),
                             ("csv:", "csv: no file"), ("abacus:3", "abacus: no such power source")]:
            with self.subTest(source):
                self.fail_with(told, "power", "log", "--source", source, "-o", self.folder / "p.csv")
                self.fail_with(told, "compare", "--device", "simulated", "--power-source", source, "-o", self.results)

    def test_an_averaging_time_is_that_of_a_log(self):
        self.fail_with("--averaging has no effect without a power log", "compare", "--device", "simulated", "--averaging", 1, "-o", self.results)

    def test_several_series_must_be_chosen(self):
        log = self.folder / "rack.csv"
        log.write_text("timestamp,a_w,b_w\n")
        self.fail_with("has 2 series: a, b; choose one with column=NAME", "compare", "--device", "simulated", "--power-source", f"csv:{log}", "-o", self.results)
