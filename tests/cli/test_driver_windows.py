"""Replay windows that are no iteration, with the real injected library on the stand-in driver: launches that are given, and windows of a
running program in which no loop lasts."""
import json
import shutil
import subprocess
import unittest

from .driver import ENERGY_COUNTER, KJOULE, PROGRAM, Driver, unwrapped
from .pages import rows_of, sections_of

# Launches before the loop of the program: a copy and four kernels.
SETUP = 5
PLAIN_LAUNCHES = 11  # of an iteration


def iteration(number):
    """Returns the number of the first launch of an iteration."""
    return SETUP + PLAIN_LAUNCHES * number


class GivenWindows(Driver):
    def compare_launches(self, first, end, *program):
        return self.compare(*program, options=["--no-energy", "--iterations", f"{first}..{end}"])

    def recorded_edges(self):
        return json.loads((self.results / "recording.jsonl").read_text().splitlines()[0])["edges"]

    def test_a_window_that_begins_within_an_iteration_is_replayed_to_the_bit(self):
        """Its first launch reads indices from memory that holds floats at its end: a second replay in a row would fault."""
        gather = iteration(200) + 3
        report = self.compare_launches(gather, gather + 3 * PLAIN_LAUNCHES + 5)
        edges = self.recorded_edges()
        self.assertEqual(edges, {"lead": 64, "tail": 64})
        self.assert_exact(report, 38)
        self.assertEqual(sum(kernel["count"] for kernel in report["top_kernels"]), 38)

    def test_three_windows_at_other_places(self):
        for begin, length in [(5, 1), (7, 23), (10, 64)]:
            with self.subTest(begin=begin, length=length):
                first = iteration(300) + begin
                report = self.compare_launches(first, first + length)
                self.assert_exact(report, length)

    def test_the_kernels_of_a_window_take_what_they_take_in_the_loop(self):
        loop = self.compare(options=["--no-energy"])
        each = {kernel["name"]: kernel["total_us"] / kernel["count"] for kernel in loop["top_kernels"]}
        first = iteration(200) + 3
        window = self.compare_launches(first, first + 4 * PLAIN_LAUNCHES)
        for kernel in window["top_kernels"]:
            with self.subTest(kernel=kernel["name"]):
                self.assertAlmostEqual(kernel["total_us"] / kernel["count"], each[kernel["name"]], delta=0.03 + 0.01 * each[kernel["name"]])

    def test_the_last_launches_of_a_program_have_a_shorter_tail(self):
        end = iteration(300)
        report = self.compare("--iterations", "300", options=["--no-energy", "--iterations", f"{end - 20}..{end}"])
        edges = self.recorded_edges()
        self.assertEqual(edges["lead"], 64)
        self.assertLess(edges["tail"], 8)
        self.assert_exact(report, 20)

    def test_the_energy_of_a_window_is_that_of_its_measured_launches(self):
        """NVML's stand-in draws 300 W all the time. The stand-in for the driver takes the host's time, which is longer than the GPU's."""
        first = iteration(200) + 3
        report = self.compare(options=["--iterations", f"{first}..{first + 60 * PLAIN_LAUNCHES}", "--energy-time-limit", "4"], **ENERGY_COUNTER)
        energy = report["energy"]
        self.assertAlmostEqual(energy["whole_joules"] / (300e-6 * energy["whole_us"]), 1, delta=0.05)
        self.assertGreater(energy["restore_joules"], 0)
        self.assertLess(abs(energy["error_percent"]), 5)
        self.assertEqual(report["verification"]["different"], [])

    def test_a_window_that_is_shorter_than_what_precedes_it_has_no_energy(self):
        done = self.run_kjoule("compare", options=["--iterations", f"{iteration(200) + 3}..{iteration(201) + 3}"], **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("which is longer than the window's", unwrapped(done.stdout))


class Ranges(Driver):
    """Of each iteration of the program, `step/first` and `step/second` are parts."""

    def recorded_edges(self):
        return json.loads((self.results / "recording.jsonl").read_text().splitlines()[0]).get("edges")

    def test_a_range_that_follows_its_own_end_is_an_iteration(self):
        report = self.compare("--ranges", "--range", "step", options=["--no-energy", "--range", "step"])
        self.assertIsNone(self.recorded_edges())
        self.assert_exact(report, 33)

    def test_a_name_in_wide_characters(self):
        """kjoule cannot be given such a name, but the end of its range is not the end of the one around it."""
        report = self.compare("--ranges", "wide", "--range", "step", options=["--no-energy", "--range", "step"])
        self.assert_exact(report, 33)

    def test_a_range_within_an_iteration_has_lead_and_tail(self):
        for name, launches in [("second", 11), ("first", 22)]:
            with self.subTest(name):
                report = self.compare("--ranges", "--range", "step", options=["--no-energy", "--range", name])
                edges = self.recorded_edges()
                self.assertEqual(edges, {"lead": 33 - launches, "tail": 64})
                self.assert_exact(report, launches)


class WindowsInPlace(Driver):
    """The shared memory of one launch differs from iteration to iteration, so that no loop is found."""

    def run_windows(self, *program, options=()):
        words = [KJOULE, "compare", "-o", self.results, "--no-energy", "--loop-seconds", "100", "--search-seconds", "0.3", *options, "--", PROGRAM,
                 "--growing", "--iterations", "3000000", *program]
        return self.run_words(words)

    def replayed(self):
        return json.loads((self.results / "run_report.json").read_text())["replayed"]

    def test_a_program_without_a_loop_is_measured_while_it_runs(self):
        page = self.folder / "run.html"
        done = self.run_windows(options=["--html", page])
        self.assertEqual(done.returncode, 0, done.stderr)
        replayed = self.replayed()
        sections = sections_of(page)
        self.assertEqual(len(sections["run"]["What was measured by replay"]["rows"]), len(replayed["phases"]))
        self.assertIn("kernels-window_1", sections)
        self.assertEqual(rows_of(sections["run"]["All kernels of the run"])[0]["windows"], [str(replayed["estimate"]["kernels"][0]["windows"]), replayed["estimate"]["kernels"][0]["windows"]])
        self.assertGreaterEqual(len(replayed["phases"]), 1)
        self.assertGreater(replayed["replayed_share_percent"], 90)
        for window in replayed["phases"]:
            self.assertLess(abs(window["sum_error_percent"]), 1)
            self.assertTrue((self.results / window["folder"] / "comparison_report.json").exists())
        self.assertIn("measured by replay: kernels with", unwrapped(done.stdout))

    def test_work_that_is_over_when_windows_are_chosen_is_measured_in_a_further_start(self):
        """The program works for less than a second, and its host for much longer: neither start is waited for to its end."""
        words = [KJOULE, "compare", "-o", self.results, "--no-energy", "--search-seconds", "1", "--", PROGRAM, "--iterations", "300", "--check-s", "500"]
        done = self.run_words(words)
        self.assertEqual(done.returncode, 0, done.stderr)
        replayed = self.replayed()
        self.assertEqual([(phase["kind"], phase["launches"]) for phase in replayed["phases"]], [("loop", PLAIN_LAUNCHES)])
        self.assertEqual((replayed["further_starts"], replayed["exit_code"]), (1, None))
        self.assertIn("the program was still running", unwrapped(done.stdout))

    def test_a_loop_that_begins_late_because_the_program_compiles_is_found(self):
        """Between its first launches and its loop, the program launches nothing for twice the time of the search."""
        def compare(loop_s):
            return self.run_words([KJOULE, "compare", "-o", self.results, "--no-energy", "--loop-seconds", loop_s, "--search-seconds", "2", "--time-limit", "2", "--", PROGRAM,
                                   "--iterations", "3000000", "--prepares-ms", "4000"])

        done = compare("0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("no loop fills", done.stderr)
        self.assert_exact(self.report(), PLAIN_LAUNCHES)
        shutil.rmtree(self.results)
        done = compare("100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no loop fills", done.stderr)
        self.assertGreaterEqual(len(self.replayed()["phases"]), 1, "the time of the windows does not contain the preparation")

    def test_a_program_that_ends_meanwhile_continues_as_without_kjoule(self):
        alone = self.run_words([PROGRAM, "--growing", "--iterations", "20000"])  # from 49,153 on, it launches what is refused
        self.assertEqual(alone.returncode, 0, alone.stderr)
        done = self.run_windows("--iterations", "20000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(alone.stdout.strip(), done.stdout)
        self.assertGreaterEqual(len(self.replayed()["phases"]), 1)


class AfterAFault(Driver):
    """A launch that faults when it is replayed takes the program's context with it: the program is started once more."""

    def compare_assertions(self, *words, **settings):
        return self.run_words([KJOULE, "compare", "-o", self.results, "--no-energy", *words], **settings)

    def replayed(self):
        return json.loads((self.results / "run_report.json").read_text())["replayed"]

    def test_windows_are_measured_of_a_loop_that_cannot_be_replayed_in_a_row(self):
        words = ["--loop-seconds", self.LOOP_SECONDS, "--", PROGRAM, "--asserts", "--iterations", "300000"]
        done = self.compare_assertions(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"the iteration could not be measured: launch 11 \(assert_count, .*failed when replayed")
        replayed = self.replayed()
        self.assertEqual(replayed["further_starts"], 1)
        self.assertGreater(replayed["replayed_share_percent"], 95)
        for window in replayed["phases"]:
            self.assertLess(abs(window["sum_error_percent"]), 1)
        for why, once, settings in [("--once", ["--once"], {}), ("a pipe", [], {"stdin": subprocess.PIPE})]:
            with self.subTest(why):
                shutil.rmtree(self.results)
                refused = self.compare_assertions(*once, *words, **settings)
                self.assertEqual(refused.returncode, 1)
                self.assertRegex(refused.stderr, "the program is not started again after a launch that faulted: .*" + why)

    def test_a_window_that_faults_is_left_out_and_a_second_fault_is_the_last(self):
        done = self.compare_assertions("--loop-seconds", "100", "--search-seconds", "0.3", "--", PROGRAM, "--asserts-new", "--iterations", "3000000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("starting", done.stderr.partition("illegal address")[2])
        self.assertIn("no window of the program's run was measured by replay: launch", done.stderr)
        self.assertTrue((self.results / "run_report.json").exists())
