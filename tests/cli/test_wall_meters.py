"""One command with meters at the socket: two emulated WattsUp meters of known power, and a model on the CPU."""
import datetime
import json
import os
import subprocess

from .test_commands import InAFolder, KJOULE
from .wall_meters import WallMeters

INTERVAL = float(os.environ.get("KJOULE_TEST_METER_INTERVAL", "0.1"))  # s; 1 as the real meters have it


def unix(timestamp):
    return datetime.datetime.strptime(timestamp, "%Y-%m-%d %H:%M:%S.%f").timestamp()


class OneCommand(InAFolder):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "bloom.pt"
        subprocess.run([KJOULE, "export", "bloom", "-o", self.model, "--layers", "2", "--hidden", "64", "--heads", "4", "--vocab", "500"],
                       check=True, capture_output=True)

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

    def check_power(self, joules, interval, runs, block):
        """What the log says of a block is what the meters drew in it, within the interval and the meters' last digit."""
        begin, end = unix(block["start_timestamp"]), unix(block["end_timestamp"])
        true = self.meters.joules(begin, end) / runs
        slack = 0.002 * true  # the timestamps are cut to ms, the meters report tenths of a watt
        self.assertLessEqual(interval[0] - slack, true, block)
        self.assertGreaterEqual(interval[1] + slack, true, block)
        self.assertAlmostEqual(joules / true, 1, delta=0.03)

    def test_compare_logs_measures_integrates_and_reports(self):
        done = self.run_with_meters("compare", "--time-limit", "3")
        timing = self.report("isolated_kernels_timing.json")
        report = self.report("gpu_energy_report.json")
        kernels = report["per_kernel"]
        self.assertTrue(all(kernel["measured"] for kernel in kernels))
        alone = [kernel for kernel in kernels if kernel["group"] is None]
        self.assertEqual(len(alone), 10)
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
        self.assertIn("sum of kernels", done.stdout)
        self.assertIn("systematic error: +-1.5 % of all energies", done.stdout)
        self.assertIn("the whole system", report["source"]["scope"])

        # kjoule energy finds the same in the log that is kept.
        log, = self.results.glob("power_*.csv")
        self.assertEqual(log.read_text().splitlines()[0], "time,id,pm1,pm2,sum")
        again = self.folder / "again"
        again.mkdir()
        self.succeed("energy", "--power-log", log, "--averaging", INTERVAL, "--timing", self.results, "-o", again)
        self.assertEqual(json.loads((again / "gpu_energy_report.json").read_text())["per_kernel"], kernels)

    def test_full_and_isolated(self):
        done = self.run_with_meters("full", "--runs", "20")
        report = self.report("energy_report.json")
        self.assertGreaterEqual(report["num_power_samples"], 8)
        self.assertGreater(report["num_runs"], 20)
        self.check_power(report["energy_joules"]["per_run"], report["energy_joules"]["per_run_interval"], report["num_runs"], report)
        self.assertIn("energy of one run", done.stdout)
        done = self.run_with_meters("isolated", "--block-kernels", "2", "--block", 12 * INTERVAL)
        report = self.report("gpu_energy_report.json")
        self.assertEqual(len([kernel for kernel in report["per_kernel"] if kernel["group"] is None]), 2)
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

    def test_a_meter_that_says_nothing_is_refused_before_anything_is_measured(self):
        meters = WallMeters(self.folder, INTERVAL)  # whose threads do not report
        self.addCleanup(lambda: [meter.unplug() for meter in meters.meters])
        self.fail_with("no reading came within 5 s", "full", "--model", self.model, "--device", "cpu", "--power-source", meters.source, "-o", self.results)


class Settings(InAFolder):
    def test_unknown_ones_are_one_line(self):
        for source, told in [("nvidia-smi:volts=3", "no such setting; nvidia-smi has gpu, interval"), ("wattsup:interval=soon", "not a number of seconds"),
                             ("csv:", "csv: no file"), ("abacus:3", "abacus: no such source")]:
            with self.subTest(source):
                self.fail_with(told, "power", "log", "--source", source, "-o", self.folder / "p.csv")
                self.fail_with(told, "compare", "--device", "simulated", "--power-source", source, "-o", self.results)

    def test_several_series_must_be_chosen(self):
        log = self.folder / "rack.csv"
        log.write_text("timestamp,a_w,b_w\n")
        self.fail_with("has 2 series: a, b; choose one with column=NAME", "compare", "--device", "simulated", "--power-source", f"csv:{log}", "-o", self.results)
