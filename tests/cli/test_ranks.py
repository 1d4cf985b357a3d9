"""Programs of several ranks on the stand-in driver, whose devices map each other's memory: recorded and replayed in step."""
import concurrent.futures
import json
import os
import pathlib
import signal
import statistics
import subprocess
import time
import unittest

from .driver import KJOULE, STAND_INS, Driver, unwrapped
from .pages import sections_of
from .test_schemas import validator

PROGRAM = STAND_INS / "ranks_program"


class Ranks(Driver):
    def setUp(self):
        super().setUp()
        self.environment["RANKS_OF_TEST"] = str(self.folder)

    def processes(self):
        """Returns the ranks of this test's program."""
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(path / "exe") == str(PROGRAM) and str(self.folder) in (path / "environ").read_text():
                    found[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended, or is another user's
                continue
        return sorted(process for process, parent in found.items() if parent in found)

    def words(self, *program, ranks=2, options=(), seconds=1):
        return [KJOULE, "compare", "--no-energy", "-o", self.results, "--loop-seconds", self.LOOP_SECONDS, "--time-limit", seconds, *options, "--", PROGRAM,
                ranks, 10_000_000, *program]

    def run_ranks(self, *program, ranks=2, options=(), seconds=1, **environment):
        return self.run_words(self.words(*program, ranks=ranks, options=options, seconds=seconds), environment)

    def measured(self, *program, **settings):
        """The report of ranks that were measured, each of which adds up."""
        done = self.run_ranks(*program, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        for rank in report["ranks"]:
            self.assertEqual(rank["verdict"], "adds up", rank)
            own = json.loads((pathlib.Path(rank["results"]) / "comparison_report.json").read_text())
            self.assertEqual(own["verification"]["different"] + own["verification"]["varying"], [], "each launch gives the recorded bits")
            self.assertEqual(own["verification"]["launches"], rank["launches"])
            self.assertEqual(f"rank {own['run'].get('rank')}" if "rank" in own["run"] else None, rank["rank"] if rank["rank"].startswith("rank") else None)
        self.assertEqual(self.processes(), [])
        return report, done

    def failed(self, *program, **settings):
        """kjoule's words on a program that could not be measured; nothing of it is left. Alone it takes 25 s at most."""
        begin = time.monotonic()
        done = self.run_ranks(*program, **settings)
        self.assertLess(time.monotonic() - begin, 90)
        self.assertEqual(self.processes(), [])
        self.assertNotIn("ranks", self.report() if (self.results / "comparison_report.json").exists() else {})
        return unwrapped(done.stderr)


class Measured(Ranks):
    def test_two_ranks(self):
        report, done = self.measured(options=["--check"])
        self.assertEqual([rank["rank"] for rank in report["ranks"]], ["rank 0", "rank 1"])
        self.assertEqual([rank["launches"] for rank in report["ranks"]], [16, 16])
        validator("comparison_report").validate(report)
        self.assertEqual(len({rank["gpu_uuid"] for rank in report["ranks"]}), 2)
        self.assertTrue(any("ncclDevKernel" in kernel["name"] and kernel["count"] == 3 for kernel in report["top_kernels"]))
        self.assertRegex(done.stdout, r"ranks, in step +launches +whole us +sum us +error % +\+- % +verdict\n +rank 0 +16 .* adds up\n +rank 1 +16 .* adds up\n")
        self.assertTrue((self.results / "rank-1/results.jsonl").exists())

    def test_ranks_of_a_process_that_uses_ranges_before_it_forks_them(self):
        self.measured("--prepares")

    def messages(self, folder="."):
        """The messages of each launch that has any."""
        launches = [json.loads(line) for line in (self.results / folder / "recording.jsonl").read_text().splitlines()][1:]
        return [launch["detail"]["messages"] for launch in launches if "messages" in launch["detail"]]

    def test_messages_of_two_communicators(self):
        self.measured("--two")
        own = self.messages()
        self.assertEqual([[(message["operation"], message["bytes"]) for message in messages] for messages in own], [[("ncclAllReduce", 256 * 4)]] * 3)
        communicators = {"00000000c0ffee00", "00000000c0ffee01"}
        self.assertEqual({messages[0]["communicator"] for messages in own}, communicators, "in an order that depends on where the iteration begins")
        self.assertEqual(own, self.messages("rank-1"), "equal on all ranks of a communicator")

    def test_messages_of_a_group(self):
        self.measured("--stages")
        self.assertEqual([[message["operation"] for message in messages] for messages in self.messages()], [["ncclSend"]])
        self.assertEqual([[message["operation"] for message in messages] for messages in self.messages("rank-1")], [["ncclRecv"]])

    def waited_us(self, report):
        """How long each rank must have waited for its collectives: the longest work between them, minus its own."""
        kind, = report["collectives"]
        own = [rank["sum_us"] - of_rank["total_us"] for rank, of_rank in zip(report["ranks"], kind["ranks"])]
        return [max(own) - one for one in own]

    def test_waiting_for_the_last_rank(self):
        """Rank 1 has one more kernel before each all-reduce. The clocks of the GPUs differ by 1 ms and 10 ppm; the way to rank 1 is 0.2 us shorter than
        the way back, so the clocks' comparison is wrong by 0.1 us, which it cannot know: it states half of the round trip of 2 us."""
        page = self.folder / "ranks.html"
        report, done = self.measured("--uneven", "1", options=["--html", page], FAKE_CUDA_CLOCKS="apart")
        self.check_page(page, report["program_iterations_of_ranks"])
        kind, = report["collectives"]
        self.assertEqual((kind["operation"], kind["count"], kind["bytes"]), ("ncclAllReduce", 3, 1024))
        self.assertAlmostEqual(kind["clock_error_us"], 1, delta=0.01)
        expected = self.waited_us(report)
        self.assertGreater(expected[0], 6, "three kernels of more than 2 us")
        for rank, us in zip(kind["ranks"], expected):
            self.assertAlmostEqual(rank["waiting_us"], us, delta=3 * 0.1 + 0.15)
            low, high = rank["waiting_interval_us"]
            self.assertTrue(low <= us <= high, rank)
        moving = statistics.fmean(rank["total_us"] - rank["waiting_us"] for rank in kind["ranks"]) / 3
        self.assertAlmostEqual(kind["moving_us"], moving)
        self.assertAlmostEqual(kind["algorithm_bytes_per_s"] * 1e-6 * moving / 1024, 1)
        self.assertAlmostEqual(kind["bus_bytes_per_s"] / kind["algorithm_bytes_per_s"], 1, msg="2(n-1)/n = 1")
        validator("comparison_report").validate(report)
        self.assertRegex(done.stdout, r"\n  AllReduce +3 +1024 +\d\.\d\d +\d\.\d\d +\d+\.\d +\d\.\d +3\.\d +\d+\.\d\n")
        rows = [json.loads(line) for line in (self.results / "results.jsonl").read_text().splitlines()]
        row, = [row for row in rows if row["kind"] == "collectives"]
        validator("results_row").validate(row)
        compared, = [rank["replays"][0]["before"] for rank in row["ranks"] if rank["replays"][0]["position"] == 0]
        self.assertGreater(abs(compared[1]["ahead_ns"]), 1e6)

    def check_page(self, page, own):
        """The page answers which rank computes longest, and which waits, unless the intervals do not tell."""
        figures = {one["label"]: one for one in sections_of(page)["iterations"]["figures"]["figures"]}
        longest = max(own["ranks"], key=lambda rank: rank["computation_us"])
        self.assertEqual(longest["rank"], "rank 1")
        self.assertEqual((figures["Rank that computes longest"]["value"], figures["Rank that computes longest"]["note"]),
                         ("rank 1", f"{longest['computation_us']:.1f} us: {own['imbalance_percent']:.1f} % more than the mean of the ranks"))
        self.assertEqual(figures["One iteration takes"]["value"], f"{max(rank['iteration_us'] for rank in own['ranks']):.1f} us")
        least, most = sorted(own["ranks"], key=lambda rank: rank["waiting_us"])
        is_certain = most["waiting_interval_us"][0] > least["waiting_interval_us"][1]
        self.assertEqual(figures["Rank that waits most"]["value"], most["rank"] if is_certain else "not certain")
        self.assertIn(f"{most['waiting_us']:.1f} us +- ", figures["Rank that waits most"]["note"])

    def test_one_timeline_has_all_ranks(self):
        chrome = self.folder / "t.json"
        self.measured(options=["--timeline", chrome])
        events = json.loads(chrome.read_text())["traceEvents"]
        lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(len(lanes), 2)
        self.assertEqual(sum(name.startswith("GPU 1, ") for name in lanes.values()), 1)
        for lane in lanes:
            self.assertEqual(len([event for event in events if event["ph"] == "X" and event["tid"] == lane]), 16)

    def test_differences_of_each_rank(self):
        self.measured()
        before = self.results.rename(self.folder / "before")
        self.measured("--uneven", "1")
        done = self.run_words([KJOULE, "diff", before, self.results, "--json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        difference = json.loads(done.stdout)
        validator("difference").validate(difference)
        self.assertEqual([one["phase_after"] for one in difference["iterations"]], ["first rank", "rank 1"])
        self.assertIsNone(difference["run_us"], "ranks run at the same time")
        added = [[kernel["kind"] for kernel in one["kernels"] if kernel["kind"] != "same"] for one in difference["iterations"]]
        self.assertEqual([bool(kinds) for kinds in added], [False, True], added)
        for one in difference["iterations"]:
            self.assertGreater(one["whole_us"]["after"], one["whole_us"]["before"] + 5, "the other rank waits for the added kernels")

    def test_sends_synchronise_nobody(self):
        report, _ = self.measured("--stages")
        kinds = {kind["operation"]: kind for kind in report["collectives"]}
        self.assertEqual(set(kinds), {"ncclSend", "ncclRecv"})
        for kind in kinds.values():
            self.assertIsNone(kind["ranks"][0]["waiting_us"])
            self.assertIsNone(kind["bus_bytes_per_s"])
            self.assertGreater(kind["ranks"][0]["total_us"], 1)

    def test_four_ranks(self):
        report, _ = self.measured(ranks=4)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [f"rank {number}" for number in range(4)])

    def test_a_transport_through_a_file_of_the_host(self):
        self.measured("--host-file")

    def test_ranks_that_launch_different_kernels(self):
        report, done = self.measured("--uneven", "1", options=["-v"])
        self.assertEqual([rank["launches"] for rank in report["ranks"]], [16, 19])
        self.assertIn("the ranks launch different kernels, so that single ones cannot be replayed in step", unwrapped(done.stdout))

    def test_ranks_that_fill_their_gpus(self):
        """Memory is restored between graphs, from the host's memory."""
        done = self.run_words([*self.words(options=["-v"])], {"FAKE_CUDA_MEMORY": "88000"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("copies of its memory are kept outside the GPU", unwrapped(done.stdout))
        self.assertEqual([rank["verdict"] for rank in self.report()["ranks"]], ["adds up", "adds up"])

    def test_a_rank_without_a_loop(self):
        """The others' collectives say where its iteration begins and ends."""
        self.measured("--wanders", "1")

    def test_stages_of_a_pipeline(self):
        """Those between two others have twice as many messages. Each rank records an iteration of its own loop."""
        report, _ = self.measured("--stages", ranks=4)
        self.assertEqual([rank["launches"] for rank in report["ranks"]], [13, 14, 14, 13])

    def test_a_stage_that_comes_late(self):
        self.measured("--stages", "--late", "2", ranks=3)

    def test_a_late_rank(self):
        self.measured("--late", "1")

    def test_ranks_that_no_launcher_has_numbered(self):
        report, _ = self.measured("--no-launcher")
        for rank in report["ranks"]:
            self.assertRegex(rank["rank"], r"^process \d+$")

    def test_processes_without_collectives(self):
        """One is measured alone; the other goes on."""
        one, other = (f"FAKE_CUDA_DEVICE={number} {STAND_INS}/program --iterations {iterations}" for number, iterations in [(0, 10_000_000), (1, 60_000)])
        done = self.run_words([KJOULE, "compare", "--no-energy", "--once", "-o", self.results, "--loop-seconds", "1", "--time-limit", "1", "--", "sh", "-c",
                               f"{one} & {other} > {self.folder}/said; wait"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report()["verdict"], "adds up")
        self.assertNotIn("ranks", self.report())

    def test_a_watchdog_that_is_too_impatient_is_named(self):
        done = self.run_words(self.words(), {"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "2"})
        self.assertRegex(done.stderr, r"warning: TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=2 may end the program during its pause of about \d+ s; set it to \d+\n")
        done = self.run_words(self.words(), {"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "480"})
        self.assertNotIn("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", done.stderr)

    def test_nvlink_multicast_is_off(self):
        told = self.folder / "environment"
        for command in (["compare", "-o", self.results], ["kernels"]):
            told.unlink(missing_ok=True)
            self.run_words([KJOULE, *command, "--", "sh", "-c", f"env > {told}"], {"NCCL_NVLS_ENABLE": "1"})
            for line in ["NCCL_NVLS_ENABLE=0", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1", "NVSHMEM_DISABLE_NVLS=1"]:
                self.assertIn(line, told.read_text().splitlines(), command)


class Refused(Ranks):
    def test_one_rank_alone(self):
        said = self.failed(options=["--rank", "1"])
        self.assertRegex(said, r"it has a collective \(ncclDevKernel\w+\), and the other processes that take part in it are not paused")

    def test_a_queue_of_work(self):
        self.assertRegex(self.failed("--queue"), r"has a group of so many collectives \(ncclDevKernel\w+\) that NCCL passes them through a queue")

    def test_ranks_on_other_machines(self):
        self.assertRegex(self.failed("--elsewhere"), r"it has a collective \(ncclDevKernel\w+\), and 2 of the program's 4 ranks are on other machines")


class Faults(Ranks):
    def test_a_rank_that_crashes(self):
        self.assertIn("rank 1 of ranks_program 2 10000000 --dies 1 5 ended", self.failed("--dies", "1", "5"))

    def test_a_rank_that_ends(self):
        self.assertRegex(self.failed("--leaves", "1", "5"), r"rank 1 of ranks_program 2 10000000 --leaves 1 5 ended before an iteration was found: \d+ launches seen")

    def test_a_standstill(self):
        """Each is given up after 20 s; so they are waited for side by side."""
        hangs = "the program has launched nothing for 20 s: a rank may have ended, or wait for another"
        stuck = "the ranks of the program made no progress for 20 s: replayed in the order in which each rank launched them, their collectives wait for " \
                "each other, or for a process of the host"
        cases = {"a rank hangs": (["--stops", "1", "5"], 2, {}, hangs),
                 "a stage hangs": (["--stages", "--stops", "2", "5"], 3, {}, hangs),
                 # the program runs those of two communicators at the same time; replayed one after another, each rank waits for the other
                 "collectives in another order": (["--crossed"], 2, {"FAKE_CUDA_DEFERS": "streams"}, "their collectives wait for each other"),
                 # as with a network: what a process of the host does for each message is not replayed
                 "the host is needed": (["--network"], 2, {}, stuck)}

        def fail_alone(words, ranks, environment, _):
            alone = Ranks()  # with a folder of its own
            alone.setUp()
            self.addCleanup(alone.doCleanups)
            alone.environment.update(environment)
            return alone.failed(*words, ranks=ranks)
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            runs = {name: pool.submit(fail_alone, *case) for name, case in cases.items()}
        for name, (_, _, _, expected) in cases.items():
            with self.subTest(name):
                self.assertIn(expected, runs[name].result())

    def test_a_rank_that_is_killed_while_it_replays(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                words = self.words(options=["--precision", "0.001%"], seconds=20)
                with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
                                      stdin=subprocess.DEVNULL) as kjoule:
                    while (line := kjoule.stderr.readline()) and not line.startswith("the program is paused while it is measured"):
                        pass
                    self.assertTrue(line)
                    begin = time.monotonic()
                    os.kill(self.processes()[victim], signal.SIGKILL)
                    _, said = kjoule.communicate(timeout=60)
                self.assertLess(time.monotonic() - begin, 90)
                self.assertNotEqual(kjoule.returncode, 0)
                self.assertIn(" ended", said)
                self.assertEqual(self.processes(), [])
                self.assertTrue((self.results / "results.jsonl").exists(), "what was measured is kept")


if __name__ == "__main__":
    unittest.main()
