"""Programs on the stand-in driver that end before one of their iterations was recorded."""
import collections
import json
import re
import shlex
import shutil
import subprocess
import time

from .driver import ENERGY_COUNTER, KJOULE, PLAIN, PROGRAM, Driver, short, unwrapped
from .pages import rows_of, sections_of

# for a copy of the program's memory
NO_ROOM = "FAKE_CUDA_MEMORY=200000 KJOULE_HOST_ROOM=0 KJOULE_FILE_ROOM=0"


class EndsEarly(Driver):
    """`compare` of a program that ends before an iteration was recorded reports its whole run."""

    def whole_run(self, *program, code=0, options=(), **settings):
        done = self.run_kjoule("compare", *program, options=["--once", *options], **settings)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads((self.results / "run_report.json").read_text()), done

    def test_a_program_that_does_not_repeat(self):
        run, done = self.whole_run("--growing", "--iterations", "500", "--exit", "4", code=1)
        self.assertTrue(run["complete"])
        self.assertGreaterEqual(run["gpu"]["operations"], 6005)
        self.assertEqual(run["unmatched_operations"], 0)
        self.assertIn("no iteration was measured; the report has the profiler's times of the whole run", done.stderr)
        self.assertIn("ended (exit code 4) before an iteration was found: 6005 launches seen", done.stderr)
        self.assertIn("--range NAME or --iterations A..B", done.stderr)

    def test_a_short_program(self):
        run, done = self.whole_run("--iterations", "3")
        self.assertEqual(sum(kernel["count"] for kernel in run["kernels"]), run["gpu"]["operations"])
        self.assertTrue(run["complete"])
        self.assertIn("GPU", done.stdout)
        self.assertIn(f"results in {self.results}", done.stdout)
        self.assertIn("name,short_name,count,", (self.results / "summary.csv").read_text())

    def test_its_timeline(self):
        file = self.folder / "run.json"
        run, _ = self.whole_run("--iterations", "3", options=["--timeline", file])
        events = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X" and event["cat"] != "part"]
        self.assertEqual(len(events), run["gpu"]["operations"])

    def test_energy_that_is_not_wanted(self):
        run, _ = self.whole_run("--iterations", "3", options=["--no-energy"], **ENERGY_COUNTER)
        self.assertEqual(run["energy_missing"], "--no-energy was given")

    def test_the_energy_of_its_run(self):
        run, done = self.whole_run("--iterations", "3", "--sleep-us", "800000", **ENERGY_COUNTER)
        self.assertAlmostEqual(run["energy"]["watts"] / 300, 1, delta=0.05)
        self.assertRegex(done.stdout, r"energy  \d+\.\d \+- \d+\.\d J in \d\.\d+ s")

    def test_launches_without_records_are_counted(self):
        """The iteration is known, and a few of them are being timed without the profiler's records when the program ends."""
        run, _ = self.whole_run("--iterations", "20000", options=["--skip-iterations", "1000000"])
        self.assertGreater(run["dropped_operations"], 0)
        self.assertLessEqual(run["launches"] - run["gpu"]["operations"] - run["dropped_operations"], 1)

    def test_a_verdict_cannot_be_given(self):
        _, done = self.whole_run("--iterations", "3", code=4, options=["--check"])
        self.assertIn("no iteration was measured", done.stderr)

    def test_a_log_that_cannot_be_written_does_not_end_the_program(self):
        done = self.run_kjoule("compare", "--iterations", "3", FAKE_CUPTI_FAILS="flush")
        self.assertIn("kjoule: the log of the program's launches is incomplete from now on: cuptiActivityFlushAll", done.stderr)
        self.assertIn("program: 3 iterations", done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("before an iteration was found: 38 launches seen", done.stderr)


class StartsAgain(Driver):
    """`compare` of a program that ended before an iteration was recorded measures the phases of its run in further starts."""
    LOOP_SECONDS = "1000"  # no loop is found while the program runs, however slow the machine is
    TIME_LIMIT = None  # for all phases

    def measured_again(self, *program, code=0, **settings):
        """The report of the phase with the most time."""
        done = self.run_kjoule("compare", *program, **settings)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"again to measure \d+ of its phases, first launches ")
        self.assertIn("--once prevents further starts", done.stderr)
        return self.phase(1), done

    def phase(self, number):
        return json.loads((self.results / f"phase_{number}/comparison_report.json").read_text())

    def replayed(self):
        """What the report of the run says of its phases."""
        return json.loads((self.results / "run_report.json").read_text())["replayed"]

    def shell(self, script, *options, **settings):
        """`kjoule compare` of a shell script, in which `program` runs the program and `first` tells the first start."""
        start = f'program() {{ {shlex.quote(str(PROGRAM))} "$@"; }}; first() {{ mkdir {shlex.quote(str(self.folder))}/started 2>/dev/null; }}; '
        return self.run_words([KJOULE, "compare", "-o", self.results, "--no-energy", *options, "--", "sh", "-c", start + script], **settings)

    def assert_first_start_only(self, done, why, code=0):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(why, done.stderr)
        self.assertIn("no iteration was measured; the report has the profiler's times of the whole run", done.stderr)
        self.assertNotIn("replayed", json.loads((self.results / "run_report.json").read_text()))

    def assert_not_measured(self, done, why, code=0):
        """No phase could be measured in a further start; the run's own report is there."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, f"nothing of the program's run was replayed: .*{re.escape(why)}")
        self.assertEqual(self.replayed()["phases"], [])
        self.assertEqual(self.replayed()["verdict"], "inconclusive")
        self.assertTrue(any(why in left["reason"] for left in self.replayed()["not_replayed"]))

    def output_alone(self, *program):
        return subprocess.run([PROGRAM, *program], capture_output=True, text=True, check=True, env=self.environment).stdout

    def test_a_single_pass_of_launches_that_differ(self):
        report, done = self.measured_again("--growing", "--iterations", "20", options=["--no-energy"])
        self.assertEqual(report["part"]["kind"], "single pass")
        self.assertEqual((report["part"]["first_launch"], report["part"]["launches"]), (1, 244))
        self.assertEqual(report["verification"]["launches"], 244)
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertLess(done.stdout.index("single pass of 12 launches"), done.stdout.index("adds up"))
        self.assertEqual(done.stdout.count("program: 20 iterations"), 1, "the output of the further start is in a file")
        self.assertNotIn("no iteration was measured", done.stderr)

    def test_a_loop_that_is_too_short_to_be_found(self):
        """The iteration's times are those of the iterations before it, and it begins where the program's does."""
        report, done = self.measured_again("--iterations", "20", options=["--no-energy", "--check"])
        part = report["part"]
        self.assertEqual((part["kind"], part["launches"]), ("loop", 11))
        self.assertGreaterEqual(part["iterations"], 19)
        self.assertGreater(part["first_launch"], 5 + 5 * 11)
        self.assertLess(part["spread_percent"], 5)
        self.assertAlmostEqual(part["part_us"], report["whole_us"] * part["part_busy_us"] / part["measured_busy_us"], places=3)
        self.assert_exact(report, 11)
        timing = json.loads((self.results / "phase_1/full_model_timing.json").read_text())
        self.assertEqual(timing["num_runs"], 5)
        self.assertIn("all iterations together take ", unwrapped(done.stdout))
        counts = collections.Counter()
        for kernel in report["top_kernels"]:
            counts[short(kernel["name"])] += kernel["count"]
        self.assertEqual(counts, PLAIN)

    def test_of_iterations_that_differ_several_are_measured(self):
        """At even distances, in one start; each stands for as many iterations as the others."""
        report, done = self.measured_again("--uneven", "--iterations", "60", options=["--no-energy"])
        replayed = self.replayed()
        self.assertEqual((replayed["further_starts"], replayed["matched_share_percent"], replayed["exit_code"]), (1, 100, 0))
        phases = replayed["phases"]
        self.assertEqual([(phase["kind"], phase["samples"], phase["iterations"]) for phase in phases], 5 * [("loop", 5, 12)])
        distances = [later["first_launch"] - phase["first_launch"] for phase, later in zip(phases, phases[1:])]
        self.assertLess(max(distances), 1.1 * min(distances))
        for phase in phases:
            self.assertIn(phase["launches"], range(16, 20))
            self.assert_exact(self.phase(phase["phase"]), phase["launches"])
        self.assertGreater(report["part"]["spread_percent"], 5)
        self.assertIn("5 of them are measured; the one of this report takes ", unwrapped(done.stdout))
        mean = replayed["estimate"]["mean_iteration"]
        whole_us = sorted(phase["whole_us"] for phase in phases)
        self.assertGreater(mean["replayed_us"] + mean["half_width_us"], whole_us[0])
        self.assertLess(mean["replayed_us"] - mean["half_width_us"], whole_us[-1])

    def test_an_iteration_that_is_a_graph(self):
        report, _ = self.measured_again("--graph", "--iterations", "12", options=["--no-energy"])
        self.assertEqual((report["part"]["first_launch"] - 5) % 12, 0)
        self.assert_exact(report, 12)

    def test_the_reports_are_one_document(self):
        done = self.run_kjoule("compare", "--iterations", "20", options=["--no-energy", "--json"])
        self.assertEqual(json.loads(done.stdout[done.stdout.index("{"):])["replayed"]["phases"][0]["kind"], "loop")
        self.assertNotIn("times   measured by the profiler", done.stdout)

    def test_the_result_is_printed_before_the_programs_end_is_waited_for(self):
        """The second start waits for a file that the test makes after it has read the result."""
        seen = shlex.quote(str(self.folder / "seen"))
        script = (f"program --iterations 20; first || {{ until [ -e {seen} ]; do sleep 0.05; done; exit 5; }}")
        start = f'program() {{ {shlex.quote(str(PROGRAM))} "$@"; }}; first() {{ mkdir {shlex.quote(str(self.folder))}/started 2>/dev/null; }}; '
        words = [KJOULE, "compare", "-o", self.results, "--no-energy", "--", "sh", "-c", start + script]
        with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment) as kjoule:
            text = ""
            while "measured by replay" not in text or "results in" not in text[text.index("measured by replay"):]:
                line = kjoule.stdout.readline()
                self.assertTrue(line, "the result never came")
                text += line
            self.assertIsNone(self.replayed()["exit_code"], "the result's files are there, too")
            (self.folder / "seen").touch()
            rest, said = kjoule.communicate(timeout=60)
        self.assertEqual(kjoule.returncode, 0, said)
        self.assertIn("the program runs to its end, so that its output is complete; kjoule waits for at most", said)
        self.assertNotIn("adds up", rest)
        self.assertIn("one start ran to its end (exit code 5)", unwrapped(rest))
        self.assertEqual(self.replayed()["exit_code"], 5)

    def test_once(self):
        done = self.run_kjoule("compare", "--iterations", "20", options=["--once"])
        self.assert_first_start_only(done, "nothing of the program's run is replayed: --once")

    def test_launches_up_to_the_programs_last_one(self):
        self.assert_exact(self.compare("--iterations", "20", options=["--no-energy", "--iterations", "214..225"]), 11)

    def test_an_input_that_cannot_be_read_again(self):
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--", PROGRAM, "--iterations", "20"], stdin=subprocess.PIPE)
        self.assert_first_start_only(done, "nothing of the program's run is replayed: the program's standard input is a pipe, which cannot be read again")

    def test_an_input_that_is_a_file_is_read_again(self):
        script = self.folder / "arguments"
        script.write_text("20\n")
        with script.open() as file:
            done = self.shell("read count; program --iterations $count", stdin=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.phase(1)["part"]["kind"], "loop")

    def test_a_program_that_fails(self):
        done = self.run_kjoule("compare", "--iterations", "20", "--exit", "3")
        self.assert_first_start_only(done, "(exit code 3)", code=1)
        self.assertNotIn("by replay", done.stderr)

    def test_a_program_of_two_processes(self):
        done = self.shell("program --iterations 20; program --iterations 20")
        self.assert_first_start_only(done, "nothing of the program's run is replayed: 2 of the program's processes used CUDA")

    def test_a_further_start_with_other_kernels(self):
        """What is recorded at the launch numbers counts, but the kernels of the first start remain unmeasured."""
        for options, code in [([], 0), (["--check"], 5)]:
            with self.subTest(options):
                shutil.rmtree(self.folder / "started", ignore_errors=True)
                shutil.rmtree(self.results, ignore_errors=True)
                done = self.shell("if first; then program --growing --iterations 200; else program --streams --iterations 400; fi", *options)
                self.assertEqual(done.returncode, code, done.stderr)
                replayed = self.replayed()
                self.assertEqual({phase["kind"] for phase in replayed["phases"]}, {"window"})
                self.assertLess(replayed["replayed_share_percent"], 95)

    def test_a_further_start_that_ends_before_the_phase(self):
        done = self.shell("if first; then program --iterations 20; else program --iterations 2; echo short; fi", "--json")
        self.assert_not_measured(done, "the program did not run this phase again")
        self.assertEqual(json.loads(done.stdout[done.stdout.index("{"):])["replayed"], self.replayed())
        self.assertIn("short\n", (self.results / "further_starts.log").read_text())

    def test_a_further_start_without_room_for_the_state(self):
        done = self.shell(f"if first; then program --iterations 20; else {NO_ROOM} program --iterations 20; fi")
        self.assert_not_measured(done, "copies of the program's memory need 112 KiB, but there is room for ")

    def test_all_phases_are_measured_in_one_start_that_goes_on_unharmed(self):
        """The second loop frees memory in each iteration; it is freed when the program goes on."""
        words = ["--iterations", "20", "--then", "15"]
        report, done = self.measured_again(*words, options=["--no-energy", "--check"])
        self.assert_exact(report, 11)
        self.assert_exact(self.phase(2), 10)
        replayed = self.replayed()
        self.assertEqual((replayed["further_starts"], replayed["exit_code"], replayed["ended"]), (1, 0, []))
        self.assertEqual([phase["folder"] for phase in replayed["phases"]], ["phase_1", "phase_2"])
        for unit in ["whole_us", "sum_us", "half_width_us"]:
            self.assertAlmostEqual(replayed[unit], sum(phase["iterations"] * phase[unit] for phase in replayed["phases"]), places=6)
        self.assertGreater(replayed["replayed_share_percent"], 95)
        self.assertEqual((self.results / "further_starts.log").read_text(), self.output_alone(*words))
        self.assertIn("by replay: kernels with 98 % of all kernels' time", done.stdout)

    def test_the_page_has_the_coverage_of_the_run(self):
        """It has the figures of the report; a damaged report cannot lead to another folder."""
        page = self.folder / "run.html"
        self.measured_again("--iterations", "20", "--then", "15", options=["--no-energy", "--html", page])
        run, replayed = json.loads((self.results / "run_report.json").read_text()), self.replayed()
        sections = sections_of(page)
        self.assertEqual([name for name in sections if name.startswith(("run", "iterations", "kernels"))], ["run", "iterations", "kernels-phase_1", "kernels-phase_2"])
        figures = {one["label"]: one["value"] for one in sections["run"]["figures"]["figures"]}
        self.assertEqual(figures["The GPU was busy for"], f"{1e3 * run['gpu']['busy_ms']:.1f} us")
        self.assertEqual(figures["Measured by replay"], f"{replayed['replayed_share_percent']:.0f} %")
        phases, left = rows_of(sections["run"]["What was measured by replay"]), rows_of(sections["run"]["What was not replayed"])
        self.assertEqual([float(row["% of run"][0]) for row in phases], [round(phase["run_share_percent"], 2) for phase in replayed["phases"]])
        self.assertEqual([float(row["whole us"][0]) for row in phases], [round(phase["whole_us"], 3) for phase in replayed["phases"]])
        self.assertAlmostEqual(sum(row["% of run"][1] for row in phases + left), 100, delta=0.01)
        copy, = [row for row, name in zip(rows_of(sections["work-phase_1"]["Operators, copies and memsets whose FLOPs or bytes are known"]),
                                          sections["work-phase_1"]["Operators, copies and memsets whose FLOPs or bytes are known"]["rows"]) if name["name"].startswith("memcpy DtoD")]
        self.assertAlmostEqual(copy["GB/s"][1] / (1e3 * copy["MB"][1] / copy["all us"][1]), 1)
        kernels = rows_of(sections["run"]["All kernels of the run"])
        self.assertEqual(sum(float(row["count"][0]) for row in kernels), run["gpu"]["operations"])
        run["replayed"]["phases"][0]["folder"] = "phase_1/../../results/phase_2"
        (self.results / "run_report.json").write_text(json.dumps(run))
        done = self.run_words([KJOULE, "report", self.results, "-o", page])
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no results folder of a phase or window", done.stderr)

    def test_programs_go_on_as_their_own_iteration_left_them(self):
        for words in [["--variable", "library"], ["--pinned"], ["--managed"], ["--graph-memory"], ["--pool"], ["--uneven"]]:
            with self.subTest(words):
                self.measured_again(*words, "--iterations", "20", options=["--no-energy"])
                self.assertEqual((self.replayed()["exit_code"], self.replayed()["ended"]), (0, []))
                alone = self.output_alone(*words, "--iterations", "20")
                self.assertEqual((self.results / "further_starts.log").read_text(), self.replayed()["further_starts"] * alone)

    def test_a_program_that_varies_goes_on(self):
        """Its replays have other bits than its own iteration, which are kept and restored."""
        self.measured_again("--nondeterministic", "--iterations", "20", options=["--no-energy"])
        self.assertEqual(self.replayed()["exit_code"], 0)

    def test_a_program_whose_end_cannot_be_kept_is_ended(self):
        """There is room for one copy of the 1 MiB that each iteration changes, and not for two."""
        words = "program --cache 1024 --writes all --iterations 20 --then 15"
        done = self.shell(f"if first; then {words}; else {NO_ROOM.replace('200000', '3300000')} {words}; fi")
        replayed = self.replayed()
        self.assertEqual(len(replayed["phases"]), 2, done.stderr)
        self.assertEqual(replayed["exit_code"], None)
        self.assertEqual(len(replayed["ended"]), 2)
        for why in replayed["ended"]:
            self.assertRegex(why, r"^after phase \d a copy of the memory that its iteration changed could not be kept: copies of the memory that the iteration changes need 1(\.\d+)? MiB")
        self.assertIn("its output files may be incomplete", unwrapped(done.stdout))

    def test_a_program_with_arrays_is_started_for_each_phase(self):
        self.measured_again("--array", "--iterations", "20", "--then", "15", options=["--no-energy"])
        replayed = self.replayed()
        self.assertEqual((len(replayed["phases"]), replayed["further_starts"], replayed["exit_code"]), (2, 2, None))
        self.assertEqual(replayed["ended"], [f"after phase {number} it uses CUDA arrays, whose contents kjoule cannot restore" for number in (1, 2)])

    def test_a_run_of_phases_is_resumed(self):
        """The program runs again, and what was measured is not measured again."""
        words = ["--iterations", "20", "--then", "15"]
        self.measured_again(*words, options=["--no-energy"])
        before = self.replayed()
        rows = self.results / "phase_2/results.jsonl"
        whole = rows.read_text().splitlines(keepends=True)
        rows.write_text("".join(whole[:-2]))
        first = (self.results / "phase_1/results.jsonl").read_text()
        done = self.run_words([KJOULE, "compare", "--no-energy", "--loop-seconds", self.LOOP_SECONDS, "--resume", self.results, "--", PROGRAM, "--iterations", "300000",
                               *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.results / "phase_1/results.jsonl").read_text(), first)
        self.assertEqual(len(rows.read_text().splitlines()), len(whole))
        self.assertEqual(self.replayed()["phases"][0], before["phases"][0])
        self.assertEqual(len(self.replayed()["phases"]), 2)

    def test_other_starts_are_of_the_largest_phase(self):
        report, _ = self.measured_again("--iterations", "20", "--then", "15", options=["--no-energy", "--starts", "3"])
        self.assertEqual(len(report["other_starts"]), 2)
        for start in report["other_starts"]:
            self.assertLess(abs(start["whole_us"] / report["whole_us"] - 1), 0.01)
        replayed = self.replayed()
        self.assertEqual((len(replayed["phases"]), replayed["further_starts"], replayed["exit_code"]), (2, 4, 0))
        self.assertIn("so that the GPU was free", replayed["ended"][0])

    def test_the_timeline_of_a_run_whose_phases_could_not_be_measured(self):
        svg = self.folder / "run.svg"
        done = self.shell(f"if first; then program --iterations 20; else {NO_ROOM} program --iterations 20; fi", "--timeline", svg)
        self.assert_not_measured(done, "copies of the program's memory need 112 KiB, but there is room for ")
        self.assertTrue(svg.exists())

    def test_a_phase_that_cannot_be_recorded_does_not_cost_the_others(self):
        """The second one needs more memory than there is."""
        words = "program --iterations 20 --then 15"
        self.shell(f"if first; then {words}; else FAKE_CUDA_MEMORY=150000 {words}; fi")
        replayed = self.replayed()
        self.assertEqual([phase["phase"] for phase in replayed["phases"]], [1])
        self.assertEqual(replayed["further_starts"], 1)
        self.assertIn("it frees device memory that kjoule must keep for the replay, and the remaining GPU memory", replayed["not_replayed"][0]["reason"])

    def test_threads_whose_launches_change_their_order(self):
        """Their order is that of the first start by chance only: what does not come again is left, and nothing waits for it."""
        self.run_kjoule("compare", "--threads", "3", "--own-streams", "--iterations", "30", options=["--no-energy"])
        replayed = self.replayed()
        self.assertEqual(replayed["exit_code"], 0)
        self.assertTrue(replayed["phases"] or any("did not run this phase again" in left["reason"] for left in replayed["not_replayed"]))

    def test_a_second_loop_of_the_same_kernels_need_not_be_measured(self):
        done = self.run_kjoule("compare", "--iterations", "20", "--then", "15", options=["--no-energy", "--time-limit", "1.5", "--check"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([phase["kind"] for phase in self.replayed()["phases"]], ["loop"])
        self.assertGreater(self.replayed()["replayed_share_percent"], 95)
        self.assertIn("it does not fit into the time limit; --time-limit 4 suffices for all phases", [left["reason"] for left in self.replayed()["not_replayed"]])

    def test_windows_are_measured_where_no_phase_fits_into_the_time_limit(self):
        done = self.run_kjoule("compare", "--iterations", "300", options=["--no-energy", "--time-limit", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        replayed = self.replayed()
        self.assertEqual({phase["kind"] for phase in replayed["phases"]}, {"window"})
        self.assertEqual((replayed["further_starts"], replayed["exit_code"]), (1, 0))
        self.assertGreater(replayed["replayed_share_percent"], 95)
        self.assertEqual((self.results / "further_starts.log").read_text(), self.output_alone("--iterations", "300"))
        self.assertIn("it does not fit into the time limit; --time-limit 3 suffices for all phases", [left["reason"] for left in replayed["not_replayed"]])

    def test_the_energy_of_the_largest_phase(self):
        self.measured_again("--iterations", "20", "--then", "15", options=["--energy-time-limit", "1"], **ENERGY_COUNTER)
        self.assertTrue(self.phase(1)["energy"])
        self.assertFalse(self.phase(2)["energy"])

    def test_memory_that_is_allocated_between_launches_and_kept(self):
        """As in a first forward pass, whose memory pool grows. The input stays, or the replay would have other values."""
        report, _ = self.measured_again("--keeps", "--iterations", "1", options=["--no-energy"])
        self.assertEqual(report["part"]["kind"], "single pass")
        self.assert_exact(report, 9)
        self.assertEqual(report["findings"], [])

    def test_a_loop_that_frees_its_memory(self):
        report, _ = self.measured_again("--allocates", "--iterations", "20", options=["--no-energy"])
        self.assert_exact(report, 10)
