"""Programs on the stand-in driver with several threads, changed graphs, and memory that is freed, managed or pinned."""
import json
import re
import shutil

from .driver import Driver


class Threads(Driver):
    def test_threads_that_take_turns_make_one_iteration(self):
        self.assert_exact(self.compare("--threads", "32", "--in-turn"), 32 * 11)

    def test_threads_that_launch_at_once_are_all_held(self):
        for run in range(5):  # which thread comes first is chance
            self.results = self.folder / f"results{run}"
            report = self.compare("--threads", "8", "--streams", options=["--iterations", "100000..100044"])
            self.assert_exact(report, 44)

    def test_threads_without_a_common_iteration_run_to_their_end(self):
        done = self.run_kjoule("record", "--threads", "32", "--iterations", "200")
        self.assertIn("program: 200 iterations", done.stdout)
        self.assertNotIn("signal", done.stderr)

    def test_default_streams_of_their_own(self):
        """Both have the same handle."""
        report = self.compare("--threads", "2", "--in-turn", "--own-streams", options=["--no-energy", "--iterations", "120..142"])
        self.assert_exact(report, 22)
        self.assertEqual(report["timeline"]["audit"]["differences"], [])
        launches = [json.loads(line) for line in (self.results / "recording.jsonl").read_text().splitlines()][1:]
        self.assertEqual({launch["detail"]["stream"] for launch in launches}, {0, 1})

    def test_that_launch_in_any_order(self):
        """One of them begins the iterations; what the other launches between is of the iteration, too. Where each happens to launch whole
        iterations, without the other between, these are the loop."""
        done = self.run_kjoule("compare", "--threads", "2", options=["--no-energy", "--time-limit", "4"])
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertRegex(report["iteration"], "^(one iteration of a loop of |11 launches, which had repeated )")
        self.assertGreaterEqual(report["verification"]["launches"], 11)
        self.assert_exact(report, report["verification"]["launches"])


class Streams(Driver):
    def test_work_that_follows_other_work_because_the_host_waited(self):
        launches, _ = self.recorded("--streams-in-turn")
        self.assertEqual({launch["detail"]["stream"] for launch in launches}, {0, 1})
        for number, launch in enumerate(launches[1:], 1):
            self.assertIn(number - 1, launch["detail"]["after"], "no two launches overlap in the program")

    def test_a_launch_that_fails_is_not_of_the_iteration(self):
        """The program tries a kernel with too much shared memory first, and goes on without it."""
        report = self.compare("--falls-back", options=["--no-energy"])
        self.assert_exact(report, 11)
        self.assert_audited(report)

    def test_a_window_of_persisting_cache(self):
        """It is an attribute of the stream, which kernels of other streams do not have."""
        launches, _ = self.recorded("--persists")
        self.assertEqual({tuple(launch["detail"]["attributes"]) for launch in launches if "attributes" in launch["detail"]}, {(1,)})
        launches, _ = self.recorded()
        self.assertEqual({tuple(launch["detail"]["attributes"]) for launch in launches if "attributes" in launch["detail"]}, {()})


class ChangedGraphs(Driver):
    """A graph whose nodes the program changes before each launch: the replayed ones are those of the recorded iteration."""

    def test_changes_are_followed(self):
        for way, launches in [("kernel", 13), ("node", 13), ("child", 13), ("update", 13), ("update_then_kernel", 13), ("disable", 12)]:
            with self.subTest(way):
                shutil.rmtree(self.results, ignore_errors=True)
                report = self.compare("--change", way, options=["--no-energy"])
                self.assert_exact(report, launches)
                self.assertEqual(report["findings"], [])


class OtherMemory(Driver):
    """Memory that is not simply there: what an iteration frees stays allocated while it is replayed."""

    def assert_measured(self, *program, **environment):
        report = self.compare(*program, options=["--no-energy"], **environment)
        self.assert_exact(report, 10)
        self.assertEqual(report["findings"], [])
        return report

    def test_allocated_anew(self):
        self.assert_measured("--allocates")

    def test_allocated_at_other_addresses_each_time(self):
        self.assert_measured("--allocates", FAKE_CUDA_NEXT_FIT="1")

    def test_of_a_pool(self):
        self.assert_measured("--pool")

    def test_of_a_graph(self):
        report = self.compare("--graph-memory", options=["--no-energy"])
        self.assert_exact(report, 10)
        self.assertEqual(report["findings"], [])

    def assert_refused(self, why, *program, **environment):
        done = self.run_kjoule("compare", *program, options=["--no-energy"], **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "no iteration was measured.*the iteration cannot be replayed: it " + why)
        self.assertTrue((self.results / "run_report.json").exists())

    def test_that_is_unmapped(self):
        self.assert_refused(r"unmaps device memory \(cuMemUnmap\); record a later iteration with --skip-iterations N", "--maps")

    def test_that_only_a_graph_may_set(self):
        self.assert_refused("copies or sets memory that a CUDA graph allocates", "--graph-memory", "--sets")

    def test_that_the_gpu_needs_again(self):
        """The program itself goes on: what it freed is freed, and its call made again."""
        self.assert_refused("frees device memory that kjoule must keep for the replay, and the remaining GPU memory", "--allocates", FAKE_CUDA_MEMORY="150000")

    def test_of_the_host_that_kernels_change(self):
        self.assert_exact(self.compare("--pinned", options=["--no-energy"]), 12)
        recording = [json.loads(line) for line in (self.results / "recording.jsonl").read_text().splitlines()][1:]
        self.assertTrue(any(launch["detail"].get("uses_host_memory") for launch in recording))

    def test_of_the_host_that_only_a_graph_is_given(self):
        report = self.compare("--pinned-graph", options=["--no-energy"])
        self.assert_exact(report, 13)
        self.assertEqual(report["findings"], [])

    def test_of_a_context_that_was_reset_before(self):
        """Its memory is not allocated again, so that it does not exist when the program is paused."""
        self.assert_exact(self.compare("--resets", options=["--no-energy"], FAKE_CUDA_NEXT_FIT="1"), 11)

    def test_of_the_host_that_begins_within_a_unit_of_16_bytes(self):
        """The program has registered its own memory, of which the device can access the whole pages."""
        self.assert_exact(self.compare("--registered", options=["--no-energy"]), 12)

    def test_functions_of_the_host_are_told(self):
        report = self.compare("--host-function", options=["--no-energy"])
        self.assert_exact(report, 11)
        self.assertRegex(report["iteration"],
                         r"; 1 host function in its streams \(cudaLaunchHostFunc\), [0-9.]+ us in total, is not replayed; its time is part of the launch gaps$")

    def test_functions_of_the_host_in_graphs_are_told(self):
        report = self.compare("--graph", "--host-function", options=["--no-energy"])
        self.assert_exact(report, 12)
        self.assertTrue(report["iteration"].endswith("; 1 host function in its CUDA graphs is not replayed"), report["iteration"])

    def test_functions_of_the_host_are_timed(self):
        """They sleep for 2 ms and, depending on the machine, longer. The program prints the longest of their times."""
        done = self.run_kjoule("compare", "--host-function", "--host-us", "2000", "--iterations", "2000", options=["--no-energy"])
        self.assertEqual(done.returncode, 0, done.stderr)
        longest = max(map(float, re.findall(r"^host function: ([0-9.]+) us$", done.stdout, re.MULTILINE)))
        microseconds = float(re.search(r"cudaLaunchHostFunc\), ([0-9.e+]+) us in total", self.report()["iteration"])[1])
        self.assertGreaterEqual(microseconds, 2000)
        self.assertLess(microseconds, longest + 600, "the calls take less than a millisecond")

    def test_variables_of_device_code(self):
        """No call tells of them: their names come from machine code that the driver loads."""
        for container in ["module", "library"]:
            with self.subTest(container):
                shutil.rmtree(self.results, ignore_errors=True)
                report = self.compare("--variable", container, options=["--no-energy"])
                self.assert_exact(report, 12)
                self.assertEqual(report["findings"], [])

    def test_managed(self):
        report = self.compare("--managed", options=["--no-energy"])
        self.assert_exact(report, 8)
        self.assertIn("0.0156 MiB of managed memory stay on the GPU", report["iteration"])

    def test_managed_that_the_driver_does_not_move(self):
        report = self.compare("--managed", options=["--no-energy"], FAKE_CUDA_KEEPS_MANAGED="1")
        self.assert_exact(report, 8)
        self.assertIn("0.0156 MiB of managed memory were not moved to the GPU (cuMemPrefetchAsync: ", report["iteration"])

    def test_managed_that_the_gpu_cannot_hold(self):
        done = self.run_kjoule("compare", "--managed", options=["--no-energy"], FAKE_CUDA_MEMORY="121000")
        self.assertRegex(done.stderr, r"no iteration was measured.*uses 112 KiB of device memory, some of it managed; the GPU has 118 KiB, too little for this memory")
