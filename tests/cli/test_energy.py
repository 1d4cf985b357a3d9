"""`kjoule energy` through its command line, on small logs with known energies; and the commands of docs/guide/energy.md."""
import datetime
import json
import math
import os
import re
import shlex
import subprocess

from .test_commands import InAFolder, KJOULE, ROOT

START = datetime.datetime(2026, 2, 4, 10, 15, 0)


def stamp(s, start=START, separator="-"):
    at = start + datetime.timedelta(milliseconds=round(1000 * s))
    return at.strftime(f"%Y{separator}%m{separator}%d %H:%M:%S.") + f"{at.microsecond // 1000:03}"


def load(s):
    """300 W in the run (from 60 s to 160 s), 100 W before and after, 2 s up and 2 s down outside of it.

    Readings are 0.5 W above and below by turns, at 1 and at 25 Hz, since a log that stands still is refused.
    """
    return 100 + 200 * max(0, min(1, (s - 57) / 2, (163 - s) / 2)) + (0.5 if round(25 * s) % 2 else -0.5)


def wattsup(length_s=240, watts=load, skip=()):
    lines = ["time,id,pm1,pm2,sum"]
    for s in range(length_s + 1):
        if s not in skip:
            lines.append(f"{stamp(s)[:19]},{s},{0.6 * watts(s):.1f},{0.4 * watts(s):.1f},{watts(s):.1f}")
    return "\n".join(lines) + "\n"


def nvidia_smi(length_s=240, hz=25):
    lines = ["timestamp, index, power.draw [W]"]
    for i in range(length_s * hz + 1):
        for gpu in range(2):
            lines.append(f"{stamp(i / hz, separator='/')}, {gpu}, {load(i / hz) + 50 * gpu:.2f} W")
    return "\n".join(lines) + "\n"


FULL = {"full_model_inference_us": 1e5, "num_runs": 1000, "start_timestamp": stamp(60), "end_timestamp": stamp(160)}


def kernel(number, begin, length_s, **more):
    """A kernel of 1 ms that fills its window."""
    return {"name": f"kernel {number}", "tier": 1 + number % 3, "invocation_count": 10, "benchmark_runs": round(1000 * length_s),
            "single_time_us": 1000, "total_time_us": more.get("invocation_count", 10) * more.get("single_time_us", 1000), "start_timestamp": stamp(begin),
            "end_timestamp": stamp(begin + length_s), "signature": f"kernel {number} [32]", **more}


ISOLATED = {"isolated_sum_us": 1e5, "kernels": [kernel(n, 62 + 9 * n, 8) for n in range(10)]}


class EnergyCase(InAFolder):
    def setUp(self):
        super().setUp()
        self.results.mkdir()
        self.write("results/full_model_timing.json", json.dumps(FULL))
        self.log = self.write("power.csv", wattsup())
        self.timing = self.results / "full_model_timing.json"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def isolated(self, kernels=None):
        return self.write("results/isolated_kernels_timing.json", json.dumps({**ISOLATED, "kernels": kernels} if kernels else ISOLATED))

    def energy(self, *more, log=None, timing=None):
        return ["energy", "--power-log", log or self.log, "--timing", timing or self.timing, *more]

    def incomplete(self, text, *arguments):
        """Exit code 1 with one line on what is missing; the reports are written."""
        self.fail_with(text, *arguments)


class Whole(EnergyCase):
    def test_the_report_has_what_the_run_took(self):
        text = self.succeed(*self.energy())
        self.assertIn("whole system", text)
        report = self.report("energy_report.json")
        self.assertEqual(report["duration_seconds"], 100)
        self.assertEqual(report["num_power_samples"], 101)
        self.assertEqual(report["num_runs"], 1000)
        self.assertAlmostEqual(report["energy_joules"]["total"], 30000, 6)
        self.assertAlmostEqual(report["energy_joules"]["per_run"], 30, 9)
        self.assertAlmostEqual(report["energy_wh"]["total"], 30000 / 3600, 9)
        self.assertAlmostEqual(report["energy_wh"]["per_run"], 30 / 3600, 12)
        self.assertAlmostEqual(report["power_watts"]["average"], 300, 9)
        low, high = report["energy_joules"]["total_interval"]
        self.assertLess(low, 30000)
        self.assertGreater(high, 30000)
        self.assertEqual(report["flags"], [])
        self.assertEqual((report["source"]["series"], report["source"]["resolution_seconds"]), (["pm1", "pm2"], 1))
        self.assertFalse((self.results / "gpu_energy_report.json").exists())

    def test_older_names_of_the_options_and_every_form(self):
        out = self.folder / "e.json"
        self.succeed("energy", "--power-log", self.log, "--benchmark-result", self.timing, "--output", out)
        self.assertEqual(json.loads(out.read_text())["num_runs"], 1000)
        as_json, rows = self.printed_in_each_form(*self.energy())
        self.assertEqual(json.loads(as_json), self.report("energy_report.json"))
        self.assertAlmostEqual(float(rows[0]["energy_joules"]), 30000, 6)

    def test_idle_is_told_apart(self):
        for idle in ["100", f"{stamp(0)}..{stamp(50)}"]:
            self.succeed(*self.energy("--idle", idle))
            report = self.report("energy_report.json")
            self.assertAlmostEqual(report["energy_above_idle_joules"]["total"], 20000, 6)
            self.assertAlmostEqual(report["energy_joules"]["total"], 30000, 6)
            self.assertAlmostEqual(report["source"]["idle_watts"], 100, 6)
        self.fail_with("neither watts nor two timestamps", *self.energy("--idle", "low"))
        self.fail_with("outside the log", *self.energy("--idle", "2026-02-03 10:00:00..2026-02-03 10:01:00"))

    def test_one_meter_and_a_chosen_one(self):
        self.succeed(*self.energy("--series", "pm1"))
        self.assertAlmostEqual(self.report("energy_report.json")["energy_joules"]["total"], 18000, 6)
        self.fail_with("has no series pm3", *self.energy("--series", "pm3"))

    def test_offset_moves_the_log(self):
        late = self.write("late.csv", wattsup().replace("2026-02-04 10:", "2026-02-04 11:"))
        self.fail_with("--offset -3600", *self.energy(log=late))
        self.succeed(*self.energy("--offset", "-3600", log=late))
        self.assertAlmostEqual(self.report("energy_report.json")["energy_joules"]["total"], 30000, 6)

    def test_another_day_is_no_energy(self):
        other = self.write("other.csv", wattsup().replace("2026-02-04", "2026-02-01"))
        self.fail_with("the timed work ran from", *self.energy(log=other))
        self.assertFalse((self.results / "energy_report.json").exists())

    def test_midnight(self):
        start = datetime.datetime(2026, 2, 4, 23, 59, 0)
        lines = "".join(f"{stamp(s, start)},0,{249.5 + s % 2}\n" for s in range(121))
        log = self.write("midnight.csv", "timestamp,gpu,power_w\n" + lines)
        timing = self.write("t.json", json.dumps({**FULL, "start_timestamp": stamp(10, start), "end_timestamp": stamp(110, start)}))
        self.succeed(*self.energy(log=log, timing=timing))
        self.assertAlmostEqual(json.loads((self.folder / "energy_report.json").read_text())["energy_joules"]["total"], 25000, 6)

    def test_clocks_set_back_amid_the_run(self):
        # 2026-10-25 in Berlin's zone, by its rules: 00:50 UTC is 02:50, 01:10 UTC is 02:10 again
        lines = [f"2026-10-25 02:{m:02}:{s:02},0,200" for m in range(40, 60) for s in range(60)]
        lines += [f"2026-10-25 02:{m:02}:{s:02},0,400" for m in range(0, 20) for s in range(60)]
        log = self.write("dst.csv", "timestamp,gpu,power_w\n" + "\n".join(lines) + "\n")
        timing = self.write("t.json", json.dumps({**FULL, "start_timestamp": "2026-10-25 02:50:00", "end_timestamp": "2026-10-25 02:10:00"}))
        done = subprocess.run([KJOULE, *map(str, self.energy(log=log, timing=timing))], capture_output=True, text=True, check=False,
                              env={**os.environ, "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "energy_report.json").read_text())
        self.assertEqual(report["duration_seconds"], 1200)
        self.assertAlmostEqual(report["energy_joules"]["total"] / 360e3, 1, 3)


class Unreadable(EnergyCase):
    def test_a_log_that_ends_early_gives_no_number(self):
        log = self.write("short.csv", wattsup(length_s=120))
        self.incomplete("ends 40.000 s after the log's last reading", *self.energy(log=log))
        report = self.report("energy_report.json")
        self.assertIsNone(report["energy_joules"]["total"])
        self.assertIsNone(report["power_watts"]["average"])
        self.assertIn("ends 40.000 s", report["missing"])

    def test_a_logger_that_is_stopped_right_after_the_run(self):
        """A WattsUp meter reports once a second, so the run ends up to a second after its last reading."""
        timing = self.write("t.json", json.dumps({**FULL, "start_timestamp": stamp(60), "end_timestamp": stamp(107.65), "num_runs": 476}))
        for length_s, seconds in [(107, 0.65), (106, 1.65), (108, 0)]:
            done = subprocess.run([KJOULE, *map(str, self.energy(log=self.write("w.csv", wattsup(length_s)), timing=timing))],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads((self.folder / "energy_report.json").read_text())
            self.assertEqual(report["num_power_samples"], min(length_s, 107) - 59)
            self.assertAlmostEqual(report["bridged_seconds"], seconds, 6)
            low, high = report["energy_joules"]["total_interval"]
            self.assertTrue(low <= 300 * 47.65 <= high, (low, high))
            self.assertAlmostEqual((high - low) / 2, 300 * seconds, delta=8)  # readings are tenths of 1 W, above and below by turns
            self.assertEqual(f"the log has no reading in {seconds:.3f} s at the ends of the whole" in done.stderr, seconds > 0, done.stderr)

    def test_a_logger_that_began_a_little_late(self):
        log = self.write("late.csv", "\n".join(line for number, line in enumerate(wattsup().splitlines()) if number == 0 or number > 62) + "\n")
        self.succeed(*self.energy(log=log))
        self.assertEqual(self.report("energy_report.json")["bridged_seconds"], 2)

    def test_gaps_are_told(self):
        log = self.write("gap.csv", wattsup(skip=range(100, 110)))
        self.incomplete("the meter was silent for 11.000 s of the whole's 100.000 s", *self.energy(log=log))
        gap, = self.report("energy_report.json")["gaps"]
        self.assertEqual((gap["seconds"], gap["start_timestamp"]), (11, stamp(99)))

    def test_a_meter_that_reads_nothing(self):
        self.fail_with("contains no reading: 241 lines with 0 W", *self.energy(log=self.write("dead.csv", wattsup(watts=lambda s: 0))))
        self.fail_with("contains no reading", *self.energy(log=self.write("na.csv", "timestamp,gpu,power_w\n1,0,[N/A]\n")))

    def test_what_is_no_log(self):
        self.fail_with("no such file", *self.energy(log=self.folder / "none.csv"))
        self.fail_with("is empty", *self.energy(log=self.write("empty.csv", "")))
        self.fail_with("is not a power log", *self.energy(log=self.write("letter.csv", "dear sir\n")))
        self.fail_with("is not a power log", *self.energy(log=self.timing))
        self.fail_with("no column volts", *self.energy("--power-column", "volts"))
        (self.folder / "noise.csv").write_bytes(bytes(range(256)) * 400)
        self.fail_with("is not a power log", *self.energy(log=self.folder / "noise.csv"))

    def test_what_is_no_timing(self):
        for content, told in [("{}", "no start_timestamp"), ("[1]", "not a timing file"), ("{", "truncated"),
                              (json.dumps({**FULL, "end_timestamp": "later"}), "is not a timestamp"),
                              (json.dumps({**FULL, "end_timestamp": stamp(1)}), "before it starts"),
                              (json.dumps({**FULL, "num_runs": -1}), "num_runs is not a whole number from 1"),
                              ('{"kernels": []}', "contains no kernel"), ('{"kernels": [{}]}', "kernels/0: no name")]:
            self.fail_with(told, *self.energy(timing=self.write("t.json", content)))
        self.fail_with("contains neither", *self.energy(timing=self.folder))
        self.fail_with("second timing of the whole", *self.energy("--timing", self.timing))
        self.fail_with("--timing", "energy", "--power-log", self.log)

    def test_mended_lines_are_warnings(self):
        log = self.write("mended.csv", wattsup() + "garbage\n")
        done = subprocess.run([KJOULE, *map(str, self.energy(log=log))], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: 1 line ignored: too few cells", done.stderr)
        self.assertIn("1 line ignored: too few cells", self.report("energy_report.json")["warnings"][0])


class Kernels(EnergyCase):
    def setUp(self):
        super().setUp()
        self.isolated()
        self.log = self.write("gpu.csv", nvidia_smi())

    def test_every_kernel_and_the_sum(self):
        self.fail_with("choose with --gpu N", *self.energy(timing=self.results))
        text = self.succeed(*self.energy("--gpu", "0", timing=self.results))
        self.assertIn("measured kernels: 10 of 10, with 100.0 % of the time", text)
        report = self.report("gpu_energy_report.json")
        for one in report["per_kernel"]:
            self.assertAlmostEqual(one["energy_joules_each"], 0.3, 6)
            self.assertAlmostEqual(one["energy_joules_total"], 3, 6)
            self.assertAlmostEqual(one["busy_share_percent"], 100, 6)
        tiers = report["isolated_kernels"]["tier_breakdown"]
        self.assertEqual([tiers[key]["kernels"] for key in tiers], [4, 3, 3, 0])
        self.assertIsNone(tiers["unknown"]["measured_energy_joules"])
        comparison = report["comparison"]
        self.assertAlmostEqual(comparison["predicted_joules_per_run"], 30, 5)
        self.assertAlmostEqual(comparison["full_model_joules_per_run"], 30, 5)
        self.assertLess(comparison["error_percent"], 0.001)
        self.assertTrue(comparison["complete"])
        self.assertEqual(report["full_model"]["energy_joules"], self.report("energy_report.json")["energy_joules"])
        self.succeed(*self.energy("--gpu", "all", timing=self.results))
        self.assertAlmostEqual(self.report("energy_report.json")["energy_joules"]["per_run"], 65, 5)

    def test_unmeasured_kernels_stay_out_of_the_sum(self):
        self.isolated([*ISOLATED["kernels"][:8], kernel(8, 140, 0.03),
                       {"name": "kernel 9", "tier": 0, "invocation_count": 10, "signature": "k", "error": "it threw"}])
        self.incomplete("2 of 10 kernels have no energy (the first: kernel 8: the log has only one reading", *self.energy("--gpu", "0", timing=self.results))
        report = self.report("gpu_energy_report.json")
        self.assertFalse(report["comparison"]["complete"])
        self.assertAlmostEqual(report["comparison"]["predicted_joules_per_run"], 24, 5)
        self.assertIsNone(report["comparison"]["measured_time_percent"])
        missing = [one for one in report["per_kernel"] if not one["measured"]]
        self.assertEqual([one["energy_joules_each"] for one in missing], [None, None])
        self.assertEqual(missing[1]["missing"], "it threw")
        self.assertEqual(report["isolated_kernels"]["unmeasured"], 2)

    def test_kernels_that_were_not_repeated_for_the_meter(self):
        functor = {"name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
                           "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"}
        whole = {"benchmark_runs": 8000, "single_time_us": 1000, "start_timestamp": stamp(100), "end_timestamp": stamp(108)}
        kernels = [kernel(0, 62, 8), kernel(1, 140.02, 0.01, **functor), kernel(2, 141, 0.01)]
        for more, remedy in [({"whole": whole}, "measure again with --block-kernels 3, so that each kernel is repeated until the meter can read it"),
                             ({}, "log from before the run until after it, and measure again with --block 3, so that each kernel is repeated until the meter can read it")]:
            self.write("results/isolated_kernels_timing.json", json.dumps({**ISOLATED, "kernels": kernels, **more}))
            self.incomplete("2 of 3 kernels have no energy (the first: add float x4 (elementwise): the log has no reading in its 0.01 s (it has one every 0.04 s)); "
                            + remedy, *self.energy("--gpu", "0", timing=self.results))

    def test_a_report_of_another_tool_beside_the_timing_file_is_kept(self):
        self.isolated([kernel(0, 62, 8)])
        report = self.results / "gpu_energy_report.json"
        report.write_text('{\n  "full_model": {\n    "num_runs": 1000\n  }\n}\n')
        self.fail_with("gpu_energy_report.json: this file exists, is not an energy report of kjoule", *self.energy("--gpu", "0", timing=self.results))
        self.assertIn("1000", report.read_text())
        self.assertFalse((self.results / "energy_report.json").exists(), "neither report is written")

    def test_the_kernels_report_can_be_named(self):
        self.isolated([kernel(0, 62, 8)])
        self.succeed(*self.energy("--gpu", "0", "-o", self.folder / "gpu_energy_report.json", timing=self.results))
        self.assertIn("per_kernel", json.loads((self.folder / "gpu_energy_report.json").read_text()))
        self.assertIn("num_power_samples", json.loads((self.folder / "energy_report.json").read_text()))

    def test_the_share_that_is_covered(self):
        self.isolated([kernel(0, 62, 8, single_time_us=3000, benchmark_runs=2666), kernel(1, 140, 0.03)])
        self.incomplete("1 of 2 kernels have no energy", *self.energy("--gpu", "0", timing=self.results))
        self.assertAlmostEqual(self.report("gpu_energy_report.json")["comparison"]["measured_time_percent"], 75, 6)

    def test_only_kernels(self):
        self.timing.unlink()
        out = self.folder / "k.json"
        self.succeed(*self.energy("--gpu", "0", "-o", out, timing=self.results / "isolated_kernels_timing.json"))
        report = json.loads(out.read_text())
        self.assertIsNone(report["full_model"])
        self.assertIsNone(report["comparison"]["error_percent"])

    def test_two_timing_files(self):
        self.succeed(*self.energy("--gpu", "0", "--timing", self.results / "isolated_kernels_timing.json"))
        self.assertAlmostEqual(self.report("gpu_energy_report.json")["comparison"]["error_signed_percent"], 0, 3)

    def test_few_samples_are_flagged(self):
        self.isolated([kernel(0, 62, 0.2)])
        self.succeed(*self.energy("--gpu", "0", timing=self.results))
        one, = self.report("gpu_energy_report.json")["per_kernel"]
        self.assertEqual((one["flags"], one["num_power_samples"]), (["few samples"], 6))

    def test_windows_with_idling_are_told(self):
        self.isolated([kernel(0, 62, 8, benchmark_runs=4000)])
        done = subprocess.run([KJOULE, *map(str, self.energy("--gpu", "0", timing=self.results))], capture_output=True, text=True, check=False)
        self.assertIn("warning: kernel 0 ran in only 50 % of its window", done.stderr)


def iterations(begin, each_us, length_s=8):
    """Iterations that fill their block."""
    return {"benchmark_runs": round(1e6 * length_s / each_us), "single_time_us": each_us, "start_timestamp": stamp(begin),
            "end_timestamp": stamp(begin + length_s)}


class Differences(EnergyCase):
    """Two kernels, A with 2.5 and B with 1.5 ms of an iteration, whose energy is a difference: iterations of 10 ms with their launches at 300 W,
    and of 6 ms without them at 100 W, 3 J and 0.6 J."""
    SHARES = [0.625, 0.375]

    def setUp(self):
        super().setUp()
        self.log = self.write("gpu.csv", nvidia_smi())
        self.timing.unlink()
        self.kernels = [{"name": name, "tier": 2, "invocation_count": 10, "single_time_us": us, "signature": name, "group": "2 smaller kernels",
                         "start_timestamp": stamp(62), "end_timestamp": stamp(62.01)} for name, us in [("A", 250), ("B", 150)]]
        self.group = {"name": "2 smaller kernels", "tier": 2, "with": [iterations(80, 10000), iterations(100, 10000)],
                      "without": [iterations(40, 6000)]}

    def timings(self, kernels=None, **group):
        self.write("results/isolated_kernels_timing.json", json.dumps({"kernels": kernels or self.kernels, "groups": [{**self.group, **group}]}))
        return self.energy("--gpu", "0", timing=self.results)

    def energies(self, *more, code=0, **changes):
        done = subprocess.run([KJOULE, *map(str, [*self.timings(**changes), *more])], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done, self.report("gpu_energy_report.json")["per_kernel"]

    def half_width(self, kernel):
        low, high = kernel["energy_joules_total_interval"]
        return (high - low) / 2

    def test_each_has_its_share_of_the_time(self):
        done, kernels = self.energies()
        self.assertIn("~ kernels that were measured together (2 smaller kernels)", done.stdout)
        for kernel, share in zip(kernels, self.SHARES):
            self.assertAlmostEqual(kernel["energy_joules_total"], share * 2.4, 2)
            self.assertLess(self.half_width(kernel), share * 0.03)
            self.assertAlmostEqual(kernel["average_watts"], 600, 0)

    def test_a_time_in_context_that_differs_is_uncertain(self):
        longer = [{**kernel, "total_time_in_context_us": 11 * kernel["single_time_us"]} for kernel in self.kernels]  # 4.4 ms instead of 4
        rest = 300 * 0.0004
        for kernel, share in zip(self.energies(kernels=longer)[1], self.SHARES):
            self.assertAlmostEqual(kernel["energy_joules_total"], share * (2.4 + rest), 2)
            self.assertAlmostEqual(kernel["energy_in_context_joules_total"], share * (2.4 + rest), 2)
            self.assertAlmostEqual(self.half_width(kernel), share * rest, delta=share * 0.03)

    def test_power_that_changes_between_the_blocks_widens_the_interval(self):
        lines = ["timestamp, index, power.draw [W]"]
        for i in range(240 * 25 + 1):
            watts = load(i / 25) + (30 if i / 25 >= 95 else 0)  # the second block draws a tenth more
            lines.append(f"{stamp(i / 25, separator='/')}, 0, {watts:.2f} W")
        self.log = self.write("gpu.csv", "\n".join(lines) + "\n")
        kernels = self.energies()[1]
        self.assertAlmostEqual(sum(kernel["energy_joules_total"] for kernel in kernels), 2.4 + 0.15, 2)
        self.assertGreaterEqual(sum(map(self.half_width, kernels)), 0.15)

    def test_idle_parts_of_a_block_are_not_energy_of_the_kernels(self):
        half = [{**iterations(80, 10000), "benchmark_runs": 400}, iterations(100, 10000)]
        done, kernels = self.energies(**{"with": half})
        self.assertAlmostEqual(sum(kernel["energy_joules_total"] for kernel in kernels), 2.4, 2)
        self.assertIn("warning: the group of 2 smaller kernels ran in only 50 % of its window", done.stderr)

    def test_energy_above_idle(self):
        kernels = self.energies("--idle", "100")[1]
        for kernel, share in zip(kernels, self.SHARES):  # 4 ms at 100 W
            self.assertAlmostEqual(kernel["energy_above_idle_joules_total"], share * (2.4 - 0.4), 2)

    def test_a_silent_meter_is_told(self):
        for begin in (82, 42, 102):
            rows = [line for i, line in enumerate(nvidia_smi().splitlines(True)) if i == 0 or not begin <= (i - 1) / 50 < begin + 3.2]
            self.log = self.write("gpu.csv", "".join(rows))
            done, kernels = self.energies(code=1)
            self.assertIn("the meter was silent during 2 of 2 kernels", done.stderr)
            for kernel in kernels:
                self.assertAlmostEqual(kernel["silent_seconds"], 3.2, delta=0.1)
                self.assertAlmostEqual(kernel["num_power_samples"], 120, delta=2)

    def test_a_difference_may_be_below_zero(self):
        done, kernels = self.energies(**{"with": [iterations(20, 10000), iterations(30, 10000)], "without": [iterations(80, 9900)]})
        for kernel in kernels:
            self.assertLess(kernel["energy_joules_total"], 0)
        self.assertRegex(done.stdout, r"\n +10 +-0\.\d+ +\d+\.\d +-\d")

    def test_what_cannot_be_measured_says_why(self):
        same = {"without": [iterations(40, 10000)]}
        self.incomplete("2 of 2 kernels have no energy (the first: A: the iterations without its group's launches are not shorter than those with them)", *self.timings(**same))
        self.incomplete("2 of 2 kernels have no energy (the first: A: it was lost); use kjoule compare, which measures kernels in context", *self.timings(error="it was lost"))
        alone = [{**kernel, "group": "", "block_error": "no memory"} for kernel in self.kernels]
        self.incomplete("2 of 2 kernels have no energy (the first: A: no memory)", *self.timings(kernels=alone))

    def test_malformed_groups_are_refused(self):
        for broken, text in [({"without": [{**iterations(40, 6000), "end_timestamp": "?"}]}, 'groups: without: end_timestamp "?" is not a timestamp'),
                             ({"without": [{**iterations(40, 6000), "benchmark_runs": None}]}, "groups: without: no benchmark_runs"),
                             ({"with": []}, "groups: with: no blocks"), ({"with": [3]}, "groups: with: a block is not an object"),
                             ({"name": "another"}, "a group that the file does not contain: 2 smaller kernels"),
                             ({"kernels": [{**self.kernels[0], "single_time_us": None}]}, "kernels/0: no single_time_us")]:
            self.fail_with(text, *self.timings(**broken))
        self.write("results/isolated_kernels_timing.json", json.dumps({"kernels": self.kernels, "groups": [self.group, self.group]}))
        self.fail_with("groups: two have the same name", *self.energy("--gpu", "0", timing=self.results))


class OfOurOwn(EnergyCase):
    def test_timings_that_kjoule_wrote(self):
        """The simulated device's wall time begins at 2000-01-01."""
        self.timing.unlink()
        self.results.rmdir()
        self.succeed("compare", "--device", "simulated:seed=5", "--runs", "200", "-o", self.results)
        start = datetime.datetime(2000, 1, 1)
        lines = "".join(f"{stamp(i / 1000, start)},0,{200 + 50 * math.sin(i / 500):.3f}\n" for i in range(-1000, 60000))
        log = self.write("gpu.csv", "timestamp,gpu,power_w\n" + lines)
        self.succeed(*self.energy("--averaging", "0.001", log=log, timing=self.results / "full_model_timing.json"))
        report = self.report("energy_report.json")
        full = self.report("full_model_timing.json")
        self.assertAlmostEqual(report["duration_seconds"], sum(full["run_times_us"]) * 1e-6, delta=0.0021)
        self.assertGreater(report["energy_joules"]["per_run"], 0)


class ThePage(EnergyCase):
    def test_its_commands_do_what_it_says(self):
        self.isolated()
        self.write("gpu.csv", nvidia_smi())
        self.write("rack.csv", 'when,"PSU 1 [W]"\n' + "".join(f"{stamp(s)},{load(s)}\n" for s in range(241)))
        page = (ROOT / "docs/guide/energy.md").read_text()
        blocks = re.findall(r"^```(\w*)\n(.*?)^```", page, re.M | re.S)  # those of sh need meters or a program
        commands = [line for language, block in blocks if not language for line in block.splitlines() if line.startswith("kjoule ")]
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            done = subprocess.run([KJOULE, *shlex.split(command)[1:]], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, command + "\n" + done.stderr)
        report = json.loads((self.folder / "energy_report.json").read_text())
        self.assertAlmostEqual(report["energy_joules"]["per_run"], 30, 6)
