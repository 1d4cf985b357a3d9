"""The built programs through their command line, on the simulated device."""
import contextlib
import csv
import io
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from .driver import unwrapped
from .messages import errors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
KJOULE = ROOT / "build/bin/kjoule"
SIMULATED = ["--device", "simulated:seed=5", "--runs", "20"]
STEADY = ["--device", "simulated:seed=5,drift=0", "--runs", "20"]  # as fast at the end as at the beginning
ON_CPU = ["--device", "cpu"]  # where there is a GPU, it would be taken


def run(*arguments, timeout=600):
    device = ON_CPU if "--model" in arguments and "--device" not in arguments else []
    return subprocess.run([KJOULE, *map(str, arguments), *device], capture_output=True, text=True, timeout=timeout, check=False)


@contextlib.contextmanager
def growing_log(path, watts, every_s=0.02, header="timestamp,power_w", line_of=lambda unix_s, watts: f"{unix_s:.3f},{watts}\n"):
    """Writes a power log as another program does: a line every 20 ms, also before it is opened, 0.5 W above and below `watts` by turns, since a
    log that stands still is refused. On a crowded machine the writer may be held up: it then writes the lines of that time, too, so that the log
    has no gap."""
    first_s = time.time() - 20 * every_s
    written = 0

    def lines_until(unix_s):
        nonlocal written
        begin, written = written, max(written, int((unix_s - first_s) / every_s))
        return "".join(line_of(first_s + number * every_s, watts + (0.5 if number % 2 else -0.5)) for number in range(begin, written))

    path.write_text(f"{header}\n" + lines_until(time.time()))
    ended = threading.Event()

    def write():
        while not ended.wait(every_s):
            with path.open("a") as file:
                file.write(lines_until(time.time()))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        ended.set()
        writer.join()


class InAFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.results = self.folder / "results"

    def succeed(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fail_with(self, text, *arguments):
        """Non-zero, and the error is one line that contains `text`."""
        done = run(*arguments)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])

    def printed_in_each_form(self, *command):
        """The same command with --json and with --csv: what each prints is of that form, and they exclude each other."""
        as_json = self.succeed(*command, "--json")
        rows = list(csv.DictReader(io.StringIO(self.succeed(*command, "--csv"))))
        self.fail_with("cannot be combined with", *command, "--json", "--csv")
        return as_json, rows

    def report(self, name="comparison_report.json"):
        return json.loads((self.results / name).read_text())


class Help(InAFolder):
    def test_every_command_has_help_with_an_example(self):
        for command in ["compare", "full", "isolated", "record", "import", "kernels", "power", "energy", "doctor", "export"]:
            text = self.succeed(command, "--help")
            self.assertIn("example", text.lower(), command)
            self.assertIn(f"kjoule {command}", text)

    def test_the_options_of_the_documents_are_listed_with_their_defaults(self):
        text = " ".join(self.succeed("compare", "--help").split())
        for option in ("--runs INT=100", "--warmup INT=10", "--seq-len", "--model", "--kernels", "--output-dir TEXT=results", "--gpu", "--interval FLOAT=0.04", "--power-log"):
            self.assertIn(f"{option} ", text)

    def test_usage_errors_are_one_line(self):
        self.fail_with("--no-such", "compare", "--no-such")
        self.fail_with("no command was given", )
        self.fail_with("conpare: no such command", "conpare")
        self.fail_with("not a whole number from 1", "full", "--runs", "0")
        self.fail_with("--time-limit: -1 is not a number of seconds from 1e-06 to 1e+08", "compare", "--time-limit", "-1")
        self.fail_with("neither a percentage nor a fraction", "compare", *SIMULATED, "--precision", "much")
        self.fail_with("not known", "compare", "--device", "abacus")
        self.fail_with("no model", "compare")


class Simulated(InAFolder):
    def test_compare_writes_every_report(self):
        text = self.succeed("compare", *SIMULATED, "-v", "-o", self.results)
        report = self.report()
        self.assertEqual(report["verdict"], "adds up")
        self.assertIn(f"%: {report['verdict_reason']}", unwrapped(text))
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertAlmostEqual(report["sum_error_us"], report["sum_us"] - report["whole_us"], places=6)
        self.assertEqual(set(report["tier_breakdown"]),
                         {"tier1_cuda_runtime", "tier2_cublas", "tier3_libtorch", "unknown"})
        self.assertAlmostEqual(sum(t["percentage_of_predicted"] for t in report["tier_breakdown"].values()), 100, 6)
        self.assertAlmostEqual(sum(t["total_us"] for t in report["tier_breakdown"].values()) / report["sum_us"], 1, 6)
        full = self.report("full_model_timing.json")
        self.assertEqual(full["num_runs"], 20)
        self.assertLess(full["start_timestamp"], full["end_timestamp"])
        self.assertLessEqual(full["min_time_us"], full["median_time_us"])
        isolated = self.report("isolated_kernels_timing.json")["kernels"]
        for kernel in isolated:
            self.assertAlmostEqual(kernel["total_time_us"], kernel["single_time_us"] * kernel["invocation_count"], 6)
        rows = list(csv.DictReader(io.StringIO((self.results / "summary.csv").read_text())))
        self.assertEqual(len(rows), len(isolated))
        self.assertEqual(sum(t["unique_kernels"] for t in report["tier_breakdown"].values()), len(isolated))

    def test_100_runs_after_10_warm_ups_are_the_default(self):
        self.succeed("full", "--device", "simulated:seed=5", "-o", self.results)
        full = self.report("full_model_timing.json")
        self.assertEqual((full["num_runs"], full["warmup_runs"], len(full["run_times_us"])), (100, 10, 100))

    def test_the_first_screen_of_compare_fits_a_terminal(self):
        lines = self.succeed("compare", *SIMULATED, "-o", self.results).splitlines()
        self.assertLessEqual(len(lines), 30)
        self.assertLessEqual(max(map(len, lines[:-1])), 80)
        self.assertEqual(lines[-1], f"results in {self.results}; -v prints all checks and more kernels")
        largest = [line for line in lines if line.startswith("  gemm-") or line.startswith("  norm-") or line.startswith("  elementwise-")]
        self.assertIn(len(largest), range(3, 6))
        shown = self.succeed("compare", *SIMULATED, "--no-energy", "--top", "7", "-o", self.results)
        self.assertIn("and 3 more (--top N or -v)", shown)

    def test_further_starts_of_the_program_are_compared_with_the_sum(self):
        text = self.succeed("compare", *STEADY, "--no-energy", "-v", "--starts", "3", "-o", self.results)
        starts = self.report()["other_starts"]
        self.assertEqual(len(starts), 2)
        for start in starts:
            self.assertLess(abs(start["sum_error_percent"]), 1)
        self.assertEqual(text.count("starts: in another start of the program, the whole takes"), 2)

    def test_an_instrument_that_slows_the_device_down_is_reported(self):
        device = ["--device", f"{STEADY[1]},distortion=0.1"]
        text = self.succeed("compare", *device, "--no-energy", "-v", "-o", self.results)
        report = self.report()
        self.assertAlmostEqual(report["whole_us"] / report["undisturbed_whole_us"], 1.1, delta=0.01)
        self.assertAlmostEqual(report["control"]["slower_percent"], 10, delta=1)
        whole, empty_kernels = report["findings"]
        self.assertIn("us before the kernels were measured, which differs by", whole)
        self.assertIn("a chain of empty kernels took", empty_kernels)
        for finding in report["findings"]:
            self.assertIn(f"- finding: {finding} ", unwrapped(text))

    def test_half_of_the_launches_predicts_the_other_half(self):
        self.succeed("compare", *STEADY, "--no-energy", "-o", self.results)
        found = self.report()["half_of_places"]
        self.assertLess(abs(found["sum_error_percent"]), 1)
        self.assertGreater(found["once_share_percent"], 0)

    def test_alone_is_not_in_context(self):
        self.succeed("compare", *STEADY, "-o", self.results)
        report = self.report()
        self.assertGreater(abs(report["isolated_sum_us"] / report["whole_us"] - 1), 0.05)

    def test_json_and_csv_are_printed_alone(self):
        report = json.loads(self.succeed("compare", *SIMULATED, "-o", self.results, "--json", "--top", "3"))
        self.assertEqual(len(report["top_kernels"]), 3)
        listed = [(kernel["tier"], kernel["count"], kernel["total_us"]) for kernel in report["top_kernels"]]
        self.assertTrue(all(count > 0 for _, count, _ in listed))
        self.assertEqual([us for _, _, us in listed], sorted((us for _, _, us in listed), reverse=True))
        every = json.loads(self.succeed("compare", "--device", "simulated:seed=5,launches=60", "--runs", "20", "--no-energy", "-o", self.results, "--json"))
        self.assertEqual(len(every["top_kernels"]), min(20, sum(t["unique_kernels"] for t in every["tier_breakdown"].values())))
        rows = list(csv.DictReader(io.StringIO(self.succeed("isolated", "--device", "simulated:seed=5", "-o",
                                                            self.results, "--csv"))))
        self.assertTrue(all(float(row["isolated_each_us"]) > 0 for row in rows))

    def test_every_table_has_its_json_and_csv(self):
        as_json, rows = self.printed_in_each_form("full", *SIMULATED, "-o", self.results)
        self.assertEqual(json.loads(as_json)["num_runs"], 20)
        self.assertEqual([row["num_runs"] for row in rows], ["20"])
        self.assertGreater(float(rows[0]["median_time_us"]), 0)
        as_json, rows = self.printed_in_each_form("isolated", "--device", "simulated:seed=5", "-o", self.results)
        self.assertEqual(len(json.loads(as_json)["kernels"]), len(rows))
        as_json, rows = self.printed_in_each_form("kernels", self.results)
        listed = json.loads(as_json)
        self.assertEqual([kernel["signature"] for kernel in listed], [row["signature"] for row in rows])
        self.assertEqual([kernel["isolated_each_us"] for kernel in listed],
                         [float(row["isolated_each_us"]) for row in rows])

    def test_whatever_the_doctor_finds_lacking_has_a_remedy(self):
        as_json, rows = self.printed_in_each_form("doctor")
        findings = [json.loads(line) for line in as_json.splitlines()]
        self.assertEqual([finding["item"] for finding in findings], [row["item"] for row in rows])
        for finding in findings:
            self.assertNotEqual(finding["item"], "")
            self.assertEqual(finding["status"] == "ok", finding["remedy"] == "", finding)

    def test_what_is_no_results_folder_is_left_alone(self):
        letter = self.folder / "letter"
        letter.write_text("dear")
        self.fail_with("is not a folder", "full", *SIMULATED, "-o", letter)
        self.fail_with("contains files, but no results.jsonl", "full", *SIMULATED, "-o", self.folder)
        self.assertEqual(letter.read_text(), "dear")

    def test_the_load_of_the_machine_does_not_matter_in_virtual_time(self):
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.assertNotIn("load", self.report("full_model_timing.json")["run"])

    def test_a_kernel_that_throws_is_a_row_and_missing_from_the_sum(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,fail=9", "-v", "-o", self.results)
        self.assertRegex(unwrapped(text), "- finding: .* is missing from the sum")
        report = self.report()
        self.assertEqual(len(report["missing_kernels"]), 1)
        self.assertEqual(report["verdict"], "inconclusive")
        self.assertIn("1 kernel could not be replayed", report["verdict_reason"])
        finding, = report["findings"]
        self.assertIn("is missing from the sum", finding)

    def test_older_results_are_moved_aside(self):
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_resume_refuses_other_results(self):
        self.succeed("compare", *SIMULATED, "-o", self.results)
        self.fail_with("another program", "compare", "--device", "simulated:seed=6", "--resume", self.results)
        self.fail_with("no results.jsonl", "compare", *SIMULATED, "--resume", self.folder)
        (self.results / "results.jsonl").write_text("{}\n")
        self.fail_with("it is not a result row", "compare", *SIMULATED, "--resume", self.results)

    def test_kills_lose_nothing(self):
        done = subprocess.run([ROOT / "bench/kills", "--kills", "8", "--energy-kills", "16", "--kjoule", KJOULE], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_iterations_that_differ(self):
        self.fail_with("iterations", "compare", "--device", "simulated:seed=5,differ=on", "-o", self.results)

if __name__ == "__main__":
    unittest.main()
