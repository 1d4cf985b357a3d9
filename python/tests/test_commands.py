"""The built programs through their command line, on the simulated device and on the small models of fixtures.py."""
import csv
import io
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KJOULE = ROOT / "build/bin/kjoule"
SIMULATED = ["--device", "simulated:seed=5", "--runs", "20"]
STEADY = ["--device", "simulated:seed=5,drift=0", "--runs", "20"]  # as fast at the end as at the beginning
ON_CPU = ["--device", "cpu"]  # where there is a GPU, it would be taken


def run(*arguments, timeout=120):
    device = ON_CPU if "--model" in arguments and "--device" not in arguments else []
    return subprocess.run([KJOULE, *map(str, arguments), *device], capture_output=True, text=True, timeout=timeout, check=False)


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
        told = [line for line in done.stderr.splitlines() if line.startswith("kjoule: ")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])

    def printed_in_each_form(self, *command):
        """The same command with --json and with --csv: what each prints is of that form, and they exclude each other."""
        as_json = self.succeed(*command, "--json")
        rows = list(csv.DictReader(io.StringIO(self.succeed(*command, "--csv"))))
        self.fail_with("excludes", *command, "--json", "--csv")
        return as_json, rows

    def report(self, name="comparison_report.json"):
        return json.loads((self.results / name).read_text())


class Help(InAFolder):
    def test_every_command_has_help_with_an_example(self):
        for command in ["compare", "full", "isolated", "record", "import", "kernels", "power", "energy", "doctor", "export"]:
            text = self.succeed(command, "--help")
            self.assertIn("example", text.lower(), command)
            self.assertIn(f"kjoule {command}", text)

    def test_usage_errors_are_one_line(self):
        self.fail_with("--no-such", "compare", "--no-such")
        self.fail_with("subcommand", )
        self.fail_with("conpare: no such command", "conpare")
        self.fail_with("not a whole number from 1", "full", "--runs", "0")
        self.fail_with("not a number above 0", "compare", "--time-limit", "-1")
        self.fail_with("not a share", "compare", *SIMULATED, "--precision", "much")
        self.fail_with("not known", "compare", "--device", "abacus")
        self.fail_with("no model", "compare")


class Simulated(InAFolder):
    def test_compare_writes_every_report(self):
        text = self.succeed("compare", *SIMULATED, "-o", self.results)
        report = self.report()
        self.assertEqual(report["verdict"], "adds up")
        self.assertIn(f"adds up: {report['verdict_reason']}", text)
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertAlmostEqual(report["sum_error_us"], report["sum_us"] - report["whole_us"], places=6)
        self.assertEqual(set(report["tier_breakdown"]),
                         {"tier1_cuda_runtime", "tier2_cublas", "tier3_libtorch", "unknown"})
        self.assertAlmostEqual(sum(t["percentage_of_predicted"] for t in report["tier_breakdown"].values()), 100, 6)
        full = self.report("full_model_timing.json")
        self.assertEqual(full["num_runs"], 20)
        self.assertLess(full["start_timestamp"], full["end_timestamp"])
        self.assertLessEqual(full["min_time_us"], full["median_time_us"])
        isolated = self.report("isolated_kernels_timing.json")["kernels"]
        for kernel in isolated:
            self.assertAlmostEqual(kernel["total_time_us"], kernel["single_time_us"] * kernel["invocation_count"], 6)
        rows = list(csv.DictReader(io.StringIO((self.results / "summary.csv").read_text())))
        self.assertEqual(len(rows), len(isolated))

    def test_further_starts_of_the_program_are_compared_with_the_sum(self):
        text = self.succeed("compare", *STEADY, "--no-energy", "--starts", "3", "-o", self.results)
        starts = self.report()["other_starts"]
        self.assertEqual(len(starts), 2)
        for start in starts:
            self.assertLess(abs(start["sum_error_percent"]), 1)
        self.assertEqual(text.count("another start of the program: an iteration took"), 2)

    def test_an_instrument_that_slows_the_device_down_is_reported(self):
        device = ["--device", f"{STEADY[1]},distortion=0.1"]
        text = self.succeed("compare", *device, "--no-energy", "-o", self.results)
        report = self.report()
        self.assertAlmostEqual(report["whole_us"] / report["undisturbed_whole_us"], 1.1, delta=0.01)
        self.assertAlmostEqual(report["control"]["slower_percent"], 10, delta=1)
        whole, empty_kernels = report["findings"]
        self.assertIn("before any other graph existed on the device", whole)
        self.assertIn("a chain of empty kernels took", empty_kernels)
        for finding in report["findings"]:
            self.assertIn(f"  - finding: {finding}\n", text)

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
        self.fail_with("is no folder", "full", *SIMULATED, "-o", letter)
        self.fail_with("holds files, but no results.jsonl", "full", *SIMULATED, "-o", self.folder)
        self.assertEqual(letter.read_text(), "dear")

    def test_the_load_of_the_machine_does_not_matter_in_virtual_time(self):
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.assertNotIn("load", self.report("full_model_timing.json")["run"])

    def test_a_kernel_that_throws_is_a_row_and_missing_from_the_sum(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,fail=9", "-o", self.results)
        self.assertRegex(text, "- finding: .* is missing from the sum")
        report = self.report()
        self.assertEqual(len(report["missing_kernels"]), 1)
        self.assertEqual(report["verdict"], "inconclusive")
        self.assertIn("1 kernel could not be played", report["verdict_reason"])
        finding, = report["findings"]
        self.assertIn("is missing from the sum", finding)

    def test_the_device_ran_what_was_recorded(self):
        text = self.succeed("compare", *STEADY, "-o", self.results)
        report = self.report()
        launches = report["verification"]["launches"]
        self.assertIn(f"audit: recorded {launches} launches, the device ran {launches}: the same", text)
        self.assertRegex(text, "processors' clock: [0-9]+ MHz in the whole, [0-9]+ MHz while kernels were measured")
        timeline = report["timeline"]
        self.assertEqual((timeline["audit"]["equal"], timeline["audit"]["differences"]), (True, []))
        iteration = timeline["iteration"]
        self.assertAlmostEqual(iteration["busy_us"], iteration["work_us"] - iteration["overlap_us"], 6)
        self.assertAlmostEqual(iteration["span_us"], iteration["busy_us"] + iteration["idle_us"], 6)
        self.assertAlmostEqual(iteration["span_us"] / report["program_iteration_us"], 1, delta=0.1)
        self.assertAlmostEqual(timeline["played_whole_us"] / report["whole_us"], 1, delta=0.1)
        self.assertLess(report["timeline_difference_percent"], 5)
        self.assertTrue(all(kernel["timeline_total_us"] > 0 for kernel in report["top_kernels"]))

    def test_a_lost_record_is_a_finding(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,lost_record=9", "-o", self.results)
        self.assertRegex(text, "- audit: stream 7: launch 9 .* has no activity")
        finding, = self.report()["findings"]
        self.assertIn("the device did not run what was recorded, differences: 1", finding)
        self.assertIn(f"- finding: {finding}", text)
        printed = run("compare", "--device", "simulated:seed=5,lost_record=9", "-o", self.results, "--csv")
        self.assertEqual(printed.returncode, 0)
        self.assertIn(f"warning: {finding}", printed.stderr)
        audit = self.report()["timeline"]["audit"]
        self.assertEqual((audit["equal"], audit["differences_found"]), (False, 1))
        self.assertEqual(audit["launches"], audit["activities"] + 1)

    def test_a_device_without_timeline_is_not_audited(self):
        text = self.succeed("compare", "--device", "simulated:seed=5,edges=clean", "-o", self.results)
        self.assertNotIn("audit", text)
        self.assertIsNone(self.report()["timeline"])
        self.assertIsNone(self.report()["whole_clock_mhz"])

    def test_the_timeline_is_kept_by_a_resumed_run(self):
        timeline = self.folder / "late.json"
        self.succeed("compare", *SIMULATED, "-o", self.results)
        rows = (self.results / "results.jsonl").read_text()
        row, = [line for line in rows.splitlines() if json.loads(line)["kind"] == "timeline"]
        report = (self.results / "comparison_report.json").read_text()
        for kept in [rows, rows[:rows.index(row) + len(row) + 1], rows[:rows.index(row) + 20]]:
            (self.results / "results.jsonl").write_text(kept)
            self.succeed("compare", *SIMULATED, "--resume", self.results, "--timeline", timeline)
            self.assertEqual((self.results / "results.jsonl").read_text(), rows)
            self.assertEqual((self.results / "comparison_report.json").read_text(), report)
            self.assertEqual(len(json.loads(row)["iteration"]), len(self.launches_of(timeline)))

    @staticmethod
    def launches_of(path):
        return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]

    def test_timeline_files_show_every_launch(self):
        trace, picture = self.folder / "t.json", self.folder / "t.svg"
        self.succeed("compare", *SIMULATED, "-o", self.results, "--timeline", trace, "--timeline", picture)
        recorded = [json.loads(line) for line in (self.results / "recording.jsonl").read_text().splitlines()[1:]]
        drawn = sorted(self.launches_of(trace), key=lambda event: event["ts"])
        self.assertEqual([event["name"] for event in drawn], [launch["name"] for launch in recorded])
        kernels = {}  # numbered by first occurrence
        self.assertEqual([event["args"]["kernel"] for event in drawn],
                         [kernels.setdefault(launch["signature"], len(kernels)) for launch in recorded])
        svg = xml.etree.ElementTree.parse(picture).getroot()
        self.assertTrue(svg.tag.endswith("svg"))
        self.assertIn(f"{len(recorded)} launches of {len(kernels)} kernels", picture.read_text())
        recording = self.folder / "recording.jsonl"
        again = self.folder / "again.json"
        self.succeed("record", "--device", "simulated:seed=5", "-o", recording, "--timeline", again)
        self.assertEqual(len(self.launches_of(again)), len(recorded))

    def test_a_timeline_that_cannot_be_written_is_refused_first(self):
        for command in [["compare", *SIMULATED, "-o", self.results], ["record", "--device", "simulated:seed=5"]]:
            self.fail_with("neither a .json nor a .svg", *command, "--timeline", self.folder / "t.png")
            self.fail_with("no such folder", *command, "--timeline", self.folder / "none" / "t.svg")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.fail_with("keeps no timeline", "compare", "--device", "simulated:seed=5,edges=clean", "-o", self.results,
                       "--timeline", self.folder / "t.svg")

    def test_older_results_are_moved_aside(self):
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.succeed("full", *SIMULATED, "-o", self.results)
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_resume_refuses_other_results(self):
        self.succeed("compare", *SIMULATED, "-o", self.results)
        self.fail_with("another program", "compare", "--device", "simulated:seed=6", "--resume", self.results)
        self.fail_with("no results.jsonl", "compare", *SIMULATED, "--resume", self.folder)
        (self.results / "results.jsonl").write_text("{}\n")
        self.fail_with("not a result row", "compare", *SIMULATED, "--resume", self.results)

    def test_kills_lose_nothing(self):
        done = subprocess.run([ROOT / "bench/kills", "--kills", "4", "--kjoule", KJOULE], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_iterations_that_differ(self):
        self.fail_with("iterations", "compare", "--device", "simulated:seed=5,differ=on", "-o", self.results)


class Verdicts(InAFolder):
    """The three of them, of devices whose truth is known, and the exit codes of compare."""

    def compared(self, spec, *options):
        """Exit code with --check, and the report."""
        done = run("compare", "--device", f"simulated:seed=5{spec}", "--no-energy", "-o", self.results, "--check", *options)
        report = self.report()
        self.assertIn(f"{report['verdict']}: {report['verdict_reason']}", done.stdout)
        without = run("compare", "--device", f"simulated:seed=5{spec}", "--no-energy", "-o", self.results, *options)
        self.assertEqual(without.returncode, 0, "nothing was asked of the sum")
        return done.returncode, report

    def test_a_sum_adds_up(self):
        code, report = self.compared("")
        self.assertEqual((code, report["verdict"]), (0, "adds up"))
        self.assertLessEqual(abs(report["sum_error_percent"]), report["sum_half_width_percent"])
        self.assertLessEqual(report["sum_half_width_percent"], report["asked_half_width_percent"])
        self.assertEqual(report["asked_half_width_percent"], 0.25)

    def test_a_sum_does_not_add_up(self):
        for share in (0.01, 0.3):
            code, report = self.compared(f",nonadditive={share}")
            self.assertEqual((code, report["verdict"]), (3, "does not add up"))
            self.assertAlmostEqual(report["sum_error_percent"] / (100 * share), 1, delta=0.1)
            self.assertGreater(report["sum_error_percent"], report["sum_half_width_percent"])

    def test_a_sum_is_inconclusive(self):
        for spec, options in [("", ["--time-limit", "0.001"]), (",noise=0.5", []), ("", ["--precision", "0.001%", "--time-limit", "0.5"])]:
            code, report = self.compared(spec, *options)
            self.assertEqual((code, report["verdict"]), (4, "inconclusive"))
            self.assertEqual(report["stopped_by"], "time limit")
            self.assertIn("wider than", report["verdict_reason"])

    def test_the_precision_that_was_asked_for_is_kept(self):
        _, report = self.compared("", "--precision", "2%", "--time-limit", "0.001")
        self.assertEqual((report["asked_half_width_percent"], report["verdict"]), (2, "adds up"))
        stopped, = [row for row in self.rows() if row["kind"] == "stopped"]
        self.assertEqual(stopped["precision"], 0.02)
        narrower = ["compare", "--device", "simulated:seed=5", "--no-energy", "--resume", self.results, "--time-limit", "0.001"]
        self.assertEqual(run(*narrower, "--check").returncode, 4)
        self.assertEqual(self.report()["asked_half_width_percent"], 0.25)
        before = self.rows()
        self.assertEqual(run(*narrower, "--check").returncode, 4)
        self.assertEqual(self.rows(), before)

    def rows(self):
        return [json.loads(line) for line in (self.results / "results.jsonl").read_text().splitlines()]

    def test_errors_have_codes_of_their_own(self):
        self.assertEqual(run("compare", *SIMULATED, "--no-such").returncode, 2)
        self.assertEqual(run("conpare").returncode, 2)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("compare", *SIMULATED, "--precision", "much").returncode, 2)
        self.assertEqual(run("compare", "--device", "abacus").returncode, 2)
        self.assertEqual(run("compare", "--model", self.folder / "none.pt").returncode, 1)
        self.assertEqual(run("compare", "--device", "simulated:seed=5,differ=on", "--check", "-o", self.results).returncode, 1)
        self.assertEqual(run("compare", "--help").returncode, 0)


class Quantities(InAFolder):
    def test_the_report_names_three_times(self):
        text = self.succeed("compare", *SIMULATED, "--no-energy", "-o", self.results)
        report = self.report()
        self.assertEqual(report["schema"], 2)
        self.assertEqual([one["name"] for one in report["quantities"]], ["program_iteration_us", "whole_us", "sum_us"])
        for one in report["quantities"]:
            self.assertEqual(one["us"], report[one["name"]])
        self.assertEqual(report["compared"], ["sum_us", "whole_us"])
        self.assertEqual(report["program_iteration_us"], self.report("full_model_timing.json")["full_model_inference_us"])
        for line, start in zip(text.splitlines()[2:5], ["program's own iteration", "whole: its work, no gaps", "sum of its kernels"]):
            self.assertTrue(line.strip().startswith(start), text)
        for gone in ["eager_us", "error_percent", "predicted_from_kernels_us", "full_model_inference_us", "first_whole_us", "imprecise"]:
            self.assertNotIn(gone, report)

    def test_no_file_holds_a_number_that_is_not_finite(self):
        self.succeed("compare", "--device", "simulated:seed=5,noise=0.5", "--time-limit", "0.001", "-o", self.results)
        for path in self.results.glob("*.json*"):
            for line in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
                json.loads(line, parse_constant=self.fail)


class OnTheCpu(InAFolder):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.models = pathlib.Path(temporary.name)
        subprocess.run([sys.executable, "-m", "kjoule_export.fixtures", cls.models], check=True, capture_output=True,
                       cwd=ROOT / "python")

    def compare(self, model, *more):
        return run("compare", "--model", self.models / model, "-o", self.results, "--threads", "1", "--time-limit", "0.5",
                   "--runs", "5", *more)

    def child_when(self, process, text, times=1):
        """The process that runs the model, once `text` stands in the rows so often."""
        rows = self.results / "results.jsonl"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (rows.exists() and rows.read_text().count(text) >= times):
            time.sleep(0.01)
        return int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])

    def test_every_launch_replays_to_equal_bits(self):
        for model in ["bloom_tiny", "gpt2_tiny", "resnet_tiny", "batchnorm_train", "inplace", "views", "dropout",
                      "gather", "dtypes", "lists", "throws"]:
            with self.subTest(model=model):
                done = self.compare(f"{model}.pt")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = self.report()
                self.assertEqual(report["verification"]["different"], [])
                self.assertGreater(report["verification"]["launches"], 3)
                self.assertGreater(report["sum_us"], 0)

    def test_bad_models_are_refused_in_one_line(self):
        self.fail_with("no such file", "compare", "--model", self.models / "none.pt")
        torn = self.models / "torn.pt"
        torn.write_bytes((self.models / "bloom_tiny.pt").read_bytes()[:2000])
        self.fail_with("not a TorchScript file", "full", "--model", torn, "-o", self.results)
        self.fail_with("threw while running", "full", "--model", self.models / "throws_later.pt", "-o", self.results)
        self.fail_with("iterations differ", "compare", "--model", self.models / "varying.pt", "-o", self.results)
        self.fail_with("no input that --seq-len sets", "full", "--model", self.models / "resnet_tiny.pt", "--seq-len",
                       "9", "-o", self.results)
        self.fail_with("not understood", "full", "--model", self.models / "resnet_tiny.pt", "--input", "x", "-o",
                       self.results)
        self.fail_with("does not run with its inputs", "full", "--model", self.models / "resnet_tiny.pt", "--input",
                       "float32:1x2", "-o", self.results)

    def test_a_package_for_another_device_is_refused(self):
        package = self.folder / "cuda.pt2"
        with zipfile.ZipFile(package, "w") as archive:
            archive.writestr("m/data/aotinductor/model/a.wrapper.so", b"")
            archive.writestr("m/data/aotinductor/model/a.wrapper_metadata.json", json.dumps({"AOTI_DEVICE_KEY": "cuda"}))
        for command in ["full", "compare"]:
            self.fail_with("made for cuda, not for the CPU; export it again", command, "--model", package, "-o", self.results)
        self.assertFalse(self.results.exists())
        package.write_bytes(package.read_bytes()[:100])
        self.fail_with("not an AOTInductor package", "full", "--model", package, "-o", self.results)

    def test_out_of_memory_is_told_in_one_line(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

        command = [KJOULE, "full", "--model", self.models / "bloom_tiny.pt", "--batch", "4000000", *ON_CPU, "-o", self.results]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=little_memory, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^kjoule: .*out of memory; .*smaller --batch[^\n]*\n$")

    def test_out_of_memory_amid_a_run_keeps_its_rows(self):
        process = subprocess.Popen([KJOULE, "compare", "--model", self.models / "bloom_tiny.pt", "--batch", "500",
                                    "--runs", "2", "--threads", "1", *ON_CPU, "-o", self.results], stderr=subprocess.PIPE, text=True)
        child = self.child_when(process, '"kind":"whole"')
        pages = int(pathlib.Path(f"/proc/{child}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (16 << 20)  # recording keeps every result: far more than that
        resource.prlimit(child, resource.RLIMIT_AS, (most, most))
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors.splitlines()[-1], "^kjoule: .*out of memory; ")
        self.assertIn('"kind":"whole"', (self.results / "results.jsonl").read_text())

    def test_the_load_of_the_machine_is_kept_and_told(self):
        done = self.compare("inplace.pt")
        self.assertEqual(done.returncode, 0, done.stderr)
        load, = self.report()["run"]["load"]
        self.assertEqual(load["threads"], 1)
        self.assertGreaterEqual(load["load_average"], 0)
        self.assertEqual("warning: " in done.stderr, "warnings" in load)
        self.assertEqual(self.report()["findings"], load.get("warnings", []))

    def test_a_bar_on_a_terminal_leaves_nothing_behind(self):
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            done = subprocess.run([KJOULE, "full", "--model", self.models / "inplace.pt", *ON_CPU, "-o", self.results, "--runs", "5"],
                                  stdout=subprocess.DEVNULL, stderr=theirs, check=False, env={**os.environ, "TERM": "xterm"})
            os.close(theirs)
            drawn = terminal.read(65536).decode()
        self.assertEqual(done.returncode, 0)
        self.assertIn("whole [", drawn)
        self.assertTrue(drawn.endswith("\r\x1b[K"), drawn)

    def test_folder_not_writable(self):
        self.fail_with("--output-dir", "full", "--model", self.models / "inplace.pt", "-o", "/proc/none")

    def test_a_recording_is_replayed_with_its_model(self):
        recording = self.folder / "r.jsonl"
        self.succeed("record", "--model", self.models / "inplace.pt", "-o", recording)
        self.succeed("isolated", "--recording", recording, "-o", self.results)
        moved = self.folder / "moved.pt"
        moved.write_bytes((self.models / "inplace.pt").read_bytes())
        self.succeed("isolated", "--recording", recording, "--model", moved, "--threads", "1", "-o", self.results)
        asked = self.report("isolated_kernels_timing.json")["run"]["program"]["asked"]
        self.assertEqual((asked["model"], asked["threads"]), (str(moved), 1))
        self.fail_with("no longer does what was recorded", "isolated", "--recording", recording, "--model",
                       self.models / "views.pt", "-o", self.results)
        lines = recording.read_text().replace("aten::mul.Scalar", "aten::div.Scalar")
        recording.write_text(lines)
        self.fail_with("no longer does what was recorded", "isolated", "--recording", recording, "-o", self.results)

    def test_a_killed_child_is_told_and_rows_are_kept(self):
        process = subprocess.Popen([KJOULE, "compare", "--model", self.models / "bloom_tiny.pt", "-o", self.results,
                                    "--time-limit", "60", "--precision", "0.001%", "--runs", "5", *ON_CPU],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        rows = self.results / "results.jsonl"
        os.kill(self.child_when(process, '"kind":"round"', times=4), signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("killed by signal 9", errors)
        self.assertIn("memory ran out", errors)
        kept = rows.read_text()
        self.assertGreater(kept.count('"kind":"round"'), 3)
        resumed = run("compare", "--model", self.models / "bloom_tiny.pt", "--resume", self.results, "--time-limit", "0.1")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertTrue(rows.read_text().startswith(kept))


if __name__ == "__main__":
    unittest.main()
