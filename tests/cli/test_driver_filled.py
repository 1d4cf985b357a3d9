"""Programs on the stand-in driver that leave the device little memory: a copy of all of it has no room there."""
import json

from .driver import ENERGY_COUNTER, PROGRAM, Driver

MIB = 1 << 20
FULL = {"FAKE_CUDA_MEMORY": str(32 * MIB)}
MOST = ["--cache", str(27 * 1024)]  # KiB: 84 % of the memory
LOST = "a replay changed"


class Full(Driver):
    def compare_filled(self, *program, options=(), **environment):
        self.done = self.run_kjoule("compare", *program, options=["--no-energy", *options], **environment)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertTrue((self.results / "comparison_report.json").exists(), self.done.stderr)
        return self.report()

    def assert_measured(self, launches, *program, options=(), **environment):
        report = self.compare_filled(*program, options=options, **environment)
        self.assert_exact(report, launches)
        self.assertEqual(report["findings"], [])
        return report["iteration"]


class Filled(Full):
    def assert_little_is_copied(self, launches, *program, **settings):
        said = self.assert_measured(launches, *MOST, *program, **FULL, **settings)
        self.assertNotIn("copies of its memory", said)

    def test_a_cache_that_is_filled_page_by_page(self):
        self.assert_little_is_copied(13, "--writes", "next")
        self.assertNotIn(LOST, self.done.stderr)

    def test_a_cache_that_is_filled_at_places_that_nobody_can_predict(self):
        self.assert_little_is_copied(13, "--writes", "jump")
        self.assertNotIn(LOST, self.done.stderr)

    def test_sums_at_places_that_nobody_can_predict(self):
        """A place was overwritten before anybody knew it; another one still holds the same."""
        self.assert_little_is_copied(13, "--writes", "sum")
        self.assertNotIn(LOST, self.done.stderr)

    def test_a_cache_whose_next_page_a_counter_on_the_device_chooses(self):
        self.assert_little_is_copied(12, "--writes", "device")

    def test_scratch_memory_that_returns_to_its_contents(self):
        """Kernels are also repeated by themselves, which leaves it as it is in the middle of an iteration."""
        self.assert_little_is_copied(14, "--writes", "scratch")
        self.assertNotIn(LOST, self.done.stderr)

    def test_buffers_that_are_cut_from_one_allocation(self):
        said = self.assert_measured(11, "--arena", str(28 * 1024), **FULL)
        self.assertNotIn("copies of its memory", said)
        self.assertNotIn(LOST, self.done.stderr)

    def test_an_iteration_that_a_range_marks(self):
        self.assert_little_is_copied(13, "--range", "step", options=["--range", "step"])

    def test_iterations_that_take_turns_with_their_buffers(self):
        """Eight threads with buffers of their own: the next iteration changes other memory than those before, and continues its sums."""
        said = self.assert_measured(13, "--cache", str(27 * 1024 // 8), "--threads", "8", "--in-turn", **FULL)
        self.assertNotIn("copies of its memory", said)

    def test_threads_that_launch_in_any_order(self):
        self.compare_filled("--cache", str(13 * 1024), "--threads", "2", options=["--time-limit", "4"], **FULL)
        self.assertEqual(self.report()["verification"]["different"], [])

    def test_an_iteration_that_is_given(self):
        """No other one is known to be like it: a copy of everything is kept."""
        said = self.assert_measured(13, *MOST, options=["--iterations", "130..143"], **FULL)
        self.assertRegex(said, "copies of its memory are kept outside the GPU, which has no free memory for them: 2[0-9.]+ MiB in the host's memory$")

    def test_a_program_that_ends(self):
        """Its phases are measured in a further start, which continues afterwards, so all of its memory is copied."""
        words = ["--iterations", "100", *MOST, "--writes", "scratch"]  # so many that setting the cache once is not worth measuring
        self.LOOP_SECONDS, self.TIME_LIMIT = "1000", None  # no loop is found while the program runs, however slow the machine is
        done = self.run_kjoule("compare", *words, options=["--no-energy"], **FULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "phase_1/comparison_report.json").read_text())
        self.assert_exact(report, 14)
        self.assertRegex(report["iteration"], "2[0-9.]+ MiB in the host's memory$")
        replayed = json.loads((self.results / "run_report.json").read_text())["replayed"]
        self.assertEqual((replayed["exit_code"], replayed["ended"]), (0, []))
        alone = self.run_words([PROGRAM, *words], FULL)
        self.assertEqual((self.results / "further_starts.log").read_text(), alone.stdout)

    def test_a_page_that_only_replays_change_is_noticed(self):
        report = self.compare_filled(*MOST, "--writes", "anywhere", **FULL)
        self.assertEqual(report["verification"]["varying"], [11])
        self.assertIn(LOST, self.done.stderr)


class KeptElsewhere(Full):
    """An iteration that changes most of the memory."""
    SMALL = {"FAKE_CUDA_MEMORY": str(8 * MIB)}
    ALL = ["--cache", str(6 * 1024), "--writes", "all"]

    def test_to_the_host(self):
        said = self.assert_measured(12, *self.ALL, **self.SMALL)
        self.assertRegex(said, "no free memory for them: 5[0-9.]+ MiB in the host's memory$")

    def test_to_the_host_and_a_file(self):
        said = self.assert_measured(12, *self.ALL, **self.SMALL, KJOULE_HOST_ROOM=str(MIB), KJOULE_FILE_ROOM=str(100 * MIB), TMPDIR=str(self.folder))
        self.assertRegex(said, "no free memory for them: 1 MiB in the host's memory and 4[0-9.]+ MiB in a temporary file$")
        self.assertEqual(list(self.folder.glob(".kjoule*")), [])

    def test_nowhere(self):
        done = self.run_kjoule("compare", *self.ALL, **self.SMALL, KJOULE_HOST_ROOM=str(MIB), KJOULE_FILE_ROOM="10240", TMPDIR=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"no iteration was measured.*: copies of the memory that the iteration changes need 6\.\d+ MiB, but there is "
                         rf"room for \S+ MiB on the GPU, 1 MiB in the host's memory and 10 KiB in {self.folder}; let the program allocate less")

    def test_energy_is_not_measured(self):
        done = self.run_kjoule("compare", *self.ALL, **self.SMALL, **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_exact(self.report(), 12)
        self.assertRegex(" ".join(done.stdout.split()), r"the iteration changes 6\.\d+ MiB of memory, and the GPU has no free memory for copies")
