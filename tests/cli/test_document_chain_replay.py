"""The chain of the three documents about a replay benchmark (documents 1 to 3): their commands translated to kjoule's, with their options, on the
CPU and on the stand-in for a GPU, and the files that their program wrote.

The model is a small one. The documents and their files are in the folder shared beside the repository; where it is missing, the tests that need it
are skipped.
"""
import collections
import csv
import json
import re
import statistics
import subprocess
import unittest

from .driver import FAKE_NVML, PLAIN, PROGRAM, ROOT, Driver, short
from .messages import errors_in
from .test_commands import KJOULE, ON_CPU, InAFolder, run
from .wall_meters import WallMeters, WithModel, unix

SHARED = ROOT.parent / "shared"
FILES = SHARED / "data/documents"
# The options of the documents' scripts, as the documents print them.
SETTINGS = ["--warmup 10 --runs 50", "--warmup 20 --runs 100", "--warmup 50 --runs 1000"]
WALL_POWER = """../scripts/run_with_power_logging.sh \\
    --model ../../bloom_560m_traced.pt \\
    --kernels ../data/kernel_signatures.json \\
    --warmup 20 \\
    --runs 1000
"""
GPU_POWER = "./run_with_gpu_power.sh --model ../bloom_560m_traced.pt --runs 1000\n"
GPU_OPTIONS = "Optional: `--gpu 0`, `--interval 0.04`"
WALL_LOG = "time,id,pm1,pm2,sum\n2026-02-04 10:15:23,0,125.3,118.7,244.0\n2026-02-04 10:15:24,1,126.1,119.2,245.3\n"
# The numbers of kernels and launches of each tier that the documents state for BLOOM-560M.
TIERS = {"tier1_cuda_runtime": (68, 1303), "tier2_cublas": (23, 3721), "tier3_libtorch": (53, 12162)}
BLOOM = ROOT / "tests/gpu/bloom_kernels.csv"
QUICK = ["--threads", "1", "--time-limit", "0.3", *ON_CPU]
# The rows of the table of formats.md with the fields of the document's gpu_energy_report.json and of ours.
FIELDS = re.compile(r"^\| `((?:full_model|isolated_kernels|comparison|per_kernel_energies)\.\w+)` \| `([\w.]+)` \|$", re.MULTILINE)


def value_at(report, path):
    """Returns the value of a report at a path of names; of a list, the first one."""
    for name in path.split("."):
        entries = report if isinstance(report, list) else [report]
        report = next(entry[name] for entry in entries if entry[name] is not None)
    return report


class Documents(unittest.TestCase):
    @unittest.skipUnless(SHARED.exists(), "the documents are not here")
    def test_the_commands_and_numbers_are_those_of_the_documents(self):
        first, second, third = (next(SHARED.glob(f"seeds/00{number}_*.txt")).read_text() for number in range(3))
        self.assertIn(WALL_POWER, first)
        self.assertIn(WALL_POWER, third)
        self.assertIn(GPU_POWER, second)
        self.assertIn(GPU_OPTIONS, second)
        self.assertIn(WALL_LOG, third)
        for options in SETTINGS:
            self.assertIn(f"./kernel_benchmark compare {options}\n", third)
        for kernels, launches in TIERS.values():
            self.assertIn(f" | {kernels} | {launches:,} (", first)
        self.assertIn("**17,186 total invocations**", first)


class Kernels(InAFolder):
    def check_tiers(self, table):
        summary = json.loads(self.succeed("kernels", table, "--json"))["summary"]
        self.assertEqual((summary["unique_kernels"], summary["launches"]), (144, 17186))
        self.assertEqual({tier: (found["unique_kernels"], found["launches"]) for tier, found in summary["tiers"].items() if found["launches"]}, TIERS)
        groups = json.loads(self.succeed("kernels", table, "--by", "tier", "--json"))["groups"]
        self.assertEqual({group["tier"]: (group["unique_kernels"], group["launches"]) for group in groups}, TIERS)

    def test_kernels_of_bloom_are_classified_as_in_the_document(self):
        self.check_tiers(BLOOM)

    @unittest.skipUnless(FILES.exists(), "the documents' files are not here")
    def test_the_documents_own_lists(self):
        for name in ("bloom_unique_kernels_compute.jsonl", "bloom_unique_kernels_compute.csv", "kernel_signatures.json"):
            with self.subTest(name):
                self.check_tiers(FILES / name)


class Commands(WithModel):
    LAYERS = 1

    def test_the_recommended_settings(self):
        for options in SETTINGS:
            with self.subTest(options):
                _, warmup, _, runs = options.split()
                self.succeed("compare", "--model", self.model, *options.split(), *QUICK, "-o", self.results)
                timing = self.report("full_model_timing.json")
                self.assertEqual((timing["num_runs"], timing["warmup_runs"], len(timing["run_times_us"])), (int(runs), int(warmup), int(runs)))
                self.assertAlmostEqual(timing["full_model_inference_us"], statistics.fmean(timing["run_times_us"]), 3)
                self.assertEqual((timing["min_time_us"], timing["max_time_us"]), (min(timing["run_times_us"]), max(timing["run_times_us"])))
                span = unix(timing["end_timestamp"]) - unix(timing["start_timestamp"])
                self.assertGreaterEqual(span, 1e-6 * sum(timing["run_times_us"]) - 0.002)

    def test_the_options_of_the_gpu_power_script(self):
        """A CPU has no number of a GPU: this is a warning, since the script's user has not asked for another one."""
        done = run("compare", "--model", self.model, "--runs", 1000, "--gpu", 0, "--interval", 0.04, *QUICK, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if "no effect" in line], ["kjoule: warning: --gpu has no effect on a model that runs on the CPU"])
        self.assertEqual(self.report("full_model_timing.json")["num_runs"], 1000)
        self.fail_with("--gpu has no effect on a model that runs on the CPU", "compare", "--model", self.model, "--gpu", 1, *QUICK, "-o", self.results)

    def test_the_wall_power_script(self):
        """It starts the logger, measures the whole and the kernels of a table, stops the logger and reports energies."""
        recording = self.folder / "recording.jsonl"
        self.succeed("record", "--model", self.model, "--threads", 1, *ON_CPU, "-o", recording)
        table = self.folder / "kernel_signatures.json"
        table.write_text(self.succeed("kernels", recording, "--by", "signature", "--json"))
        with WallMeters(self.folder) as meters:
            done = run("compare", "--model", self.model, "--kernels", table, "--warmup", 20, "--runs", 1000, *QUICK, "--power-source", meters.source, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {path.name for path in self.results.iterdir()}
        self.assertLessEqual({"full_model_timing.json", "comparison_report.json", "energy_report.json", "gpu_energy_report.json"}, names)
        log, = self.results.glob("power_bloom_*.csv")
        self.assertEqual(log.read_text().splitlines()[0], "time,id,pm1,pm2,sum")
        report = self.report("energy_report.json")
        self.assertAlmostEqual(report["energy_joules"]["total"] / meters.joules(unix(report["start_timestamp"]), unix(report["end_timestamp"])), 1, delta=0.03)
        self.assertGreater(self.report()["replayed_from_signatures"]["isolated_sum_us"], 0)

    def test_what_the_checklist_lacks_is_one_line(self):
        """The document's checklist before the first run: model, kernels, power meters; and files that are damaged."""
        none, damaged = self.folder / "none", self.folder / "damaged.json"
        damaged.write_text('{"kernels": [{"name": "k", "cou')
        log, timing = self.folder / "power.csv", self.folder / "timing.json"
        log.write_text(WALL_LOG)
        timing.write_text(json.dumps({"full_model_inference_us": 8234.5, "num_runs": 1000, "start_timestamp": "2026-02-04 14:23:15.123", "end_timestamp": "2026-02-04 14:31:25.456"}))
        for cause, *command in [("none.pt: no such file; ", "compare", "--model", f"{none}.pt", "--runs", 100),
                                ("none: no such file; ", "compare", "--model", self.model, "--kernels", none),
                                ("damaged.json", "isolated", "--kernels", damaged),
                                ("none: no such port; ", "compare", "--model", self.model, "--power-source", f"wattsup:{none}"),
                                ("none: no such port; ", "power", "log", "--port", none, "-o", self.folder / "new.csv"),
                                ("none: no such file; ", "energy", "--power-log", none, "--timing", timing),
                                ("none: no such file", "energy", "--power-log", log, "--timing", none),
                                ("damaged.json", "energy", "--power-log", log, "--timing", damaged),
                                ("but the timed work ran from 2026-02-04 14:23:15.123 to 2026-02-04 14:31:25.456; ", "energy", "--power-log", log, "--timing", timing)]:
            with self.subTest(command):
                folder = [] if command[0] in ("energy", "power") else ["-o", self.results]
                done = run(*command, *folder)
                self.assertNotEqual(done.returncode, 0)
                told, = errors_in(done.stderr)
                self.assertIn(cause, told)
                self.assertIn("; ", told, "a remedy")
                self.assertNotIn("exception", done.stderr)


class Energies(InAFolder):
    def power_log(self, run_s, idle_s=60):
        """A WattsUp's log of 1 Hz of a run that consumes 245 W, and the times of the run's begin and end in it. Each reading is the mean over the
        second before it; the machine consumes 74 W before and after the run."""
        begin, end = idle_s + 0.4, idle_s + 0.4 + run_s
        busy = lambda until: min(max(until, begin), end) - begin
        lines = ["time,id,pm1,sum"]
        for second in range(1, int(end) + idle_s):
            watts = 74 + 171 * (busy(second) - busy(second - 1)) + 0.1 * (second % 2)
            lines.append(f"{1770200000 + second}.000,{second},{watts:.1f},{watts:.1f}")
        log = self.folder / "power.csv"
        log.write_text("\n".join(lines) + "\n")
        return log, 1770200000 + begin, 1770200000 + end

    def test_runs_above_60_s_are_accurate(self):
        """Within the half-widths of the table in docs/guide/energy.md, which the report states as well."""
        for run_s, percent in [(10, 12), (60, 2), (300, 0.4), (500, 0.25)]:
            with self.subTest(run_s):
                log, begin, end = self.power_log(run_s)
                timing = self.folder / "full_model_timing.json"
                timing.write_text(json.dumps({"full_model_inference_us": 1e3 * run_s, "num_runs": 1000, "start_timestamp": f"{begin:.3f}", "end_timestamp": f"{end:.3f}"}))
                self.succeed("energy", "--power-log", log, "--timing", timing, "-o", self.folder / "energy_report.json")
                energy = json.loads((self.folder / "energy_report.json").read_text())["energy_joules"]
                self.assertAlmostEqual(energy["total"] / (245 * run_s), 1, delta=0.01 * percent)
                low, high = energy["total_interval"]
                self.assertTrue(low <= 245 * run_s <= high)
                self.assertLess((high - low) / 2 / energy["total"], 0.01 * percent)

    @unittest.skipUnless(FILES.exists(), "the documents' files are not here")
    def test_the_documents_own_log_and_timings(self):
        """Their program's energies of the whole, and of the kernels that took longest, from the same readings. Of some kernels, their file states more
        runs than fit between the timestamps: these have no energy."""
        theirs = json.loads((FILES / "gpu_energy_report.json").read_text())
        log, = FILES.glob("gpu_power_*.csv")
        done = run("energy", "--power-log", log, "--timing", FILES / "full_model_timing.json", FILES / "isolated_kernels_timing.json", "-o", self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        whole = json.loads((self.folder / "energy_report.json").read_text())
        self.assertEqual(whole["num_runs"], 1000)
        self.assertAlmostEqual(whole["energy_joules"]["per_run"] / theirs["full_model"]["energy_per_inference_j"], 1, delta=0.01)
        self.assertAlmostEqual(whole["num_power_samples"], theirs["full_model"]["power_samples"], delta=2)
        kernels = json.loads((self.folder / "gpu_energy_report.json").read_text())
        self.assertEqual(len(kernels["per_kernel"]), 144)
        missing = [one["missing"] for one in kernels["per_kernel"] if not one["measured"]]
        self.assertEqual(len(missing), 53)
        for why in missing:
            self.assertRegex(why, r"^its timestamps are \d\.\d+ s apart, but its runs took \d+\.\d+ s$")
        compared = 0
        for kernel in theirs["per_kernel_energies"]:
            own = [one["energy_joules_each"] for one in kernels["per_kernel"] if (one["name"], one["count"]) == (kernel["name"], kernel["invocation_count"]) and one["measured"]]
            compared += bool(own)
            if own:
                self.assertLess(min(abs(joules / kernel["energy_per_execution_j"] - 1) for joules in own), 0.1, kernel["name"])
        self.assertEqual(compared, 18)
        fields = FIELDS.findall((ROOT / "docs/reference/formats.md").read_text())
        self.assertEqual(len(fields), 15)
        for field, own in fields:
            with self.subTest(field):
                self.assertIsInstance(value_at(theirs, field), (int, float))
                self.assertIsInstance(value_at(kernels, own), (int, float))

    @unittest.skipUnless(FILES.exists(), "the documents' files are not here")
    def test_the_documents_own_wall_log(self):
        rows = list(csv.DictReader((FILES / "power.csv").read_text().splitlines()))
        timing = self.folder / "full_model_timing.json"
        timing.write_text(json.dumps({"full_model_inference_us": 4e4, "num_runs": 1000, "start_timestamp": rows[2]["time"][:23], "end_timestamp": rows[-3]["time"][:23]}))
        self.succeed("energy", "--power-log", FILES / "power.csv", "--timing", timing, "-o", self.folder / "e.json")
        report = json.loads((self.folder / "e.json").read_text())
        self.assertEqual(report["num_power_samples"], len(rows) - 5)
        self.assertAlmostEqual(report["power_watts"]["average"], statistics.fmean(float(row["sum"]) for row in rows[2:-2]), delta=0.1)


class OnTheStandIn(Driver):
    def test_each_kernel_is_timed_in_isolation(self):
        """On the stand-in, a kernel after itself takes 0.88 of its time, and in context 0.97 to 1.03 of it."""
        done = self.run_kjoule("isolated")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]
        counts = collections.Counter()
        for kernel in kernels:
            counts[short(kernel["name"])] += kernel["invocation_count"]
        self.assertEqual(counts, PLAIN)
        in_context = {kernel["signature"]: kernel["each_us"] for kernel in self.compare()["top_kernels"]}
        for kernel in kernels:
            ratio = kernel["single_time_us"] / in_context[kernel["signature"]]
            self.assertTrue(0.99 * 0.88 / 1.03 < ratio < 1.01 * 0.88 / 0.97, (kernel["name"], ratio))
            self.assertAlmostEqual(kernel["total_time_us"], kernel["invocation_count"] * kernel["single_time_us"], 6)
            self.assertGreater(kernel["benchmark_runs"], 1)
            self.assertLessEqual(unix(kernel["start_timestamp"]), unix(kernel["end_timestamp"]))

    def test_the_gpu_power_script(self):
        """The GPU and the time between readings are those that the script names by default."""
        nvml = {"KJOULE_NVML": FAKE_NVML, "FAKE_NVML_WATTS": "300", "FAKE_NVML_RIPPLE": "0.5", "FAKE_NVML_UUID": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"}
        done = self.run_words([KJOULE, "full", "--runs", "20000", "--gpu", "0", "--interval", "0.04", "--loop-seconds", self.LOOP_SECONDS, "-o", self.results,
                               "--", PROGRAM, "--iterations", "300000"], nvml)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("no effect", done.stderr)
        report = json.loads((self.results / "energy_report.json").read_text())
        self.assertAlmostEqual(report["power_watts"]["average"], 300, delta=3)


if __name__ == "__main__":
    unittest.main()
