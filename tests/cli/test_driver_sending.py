"""Copies from and to the host on the stand-in driver: what pinned memory sends when the device comes to the copy, and where an iteration goes."""
import json
import shutil

from .driver import Driver, KJOULE, STAND_INS, unwrapped

SENDING_PROGRAM = STAND_INS / "sending_program"


class Sends(Driver):
    def sent(self, written, way):
        """The report of a program whose device is late."""
        shutil.rmtree(self.results, ignore_errors=True)
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--loop-seconds", self.LOOP_SECONDS, "--time-limit", "0.5", "--no-energy", "--", SENDING_PROGRAM, written,
                               way],
                              {"FAKE_CUDA_DEFERS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.report()

    def test_what_a_copy_to_the_host_wrote_before(self):
        for way in ["linear", "unified", "strided", "registered", "graph"]:
            with self.subTest(way):
                report = self.sent("copied", way)
                self.assert_exact(report, 5)
                self.assertNotIn("host function", report["iteration"])

    def test_what_a_function_of_the_host_wrote_before(self):
        for way in ["linear", "graph"]:
            with self.subTest(way):
                report = self.sent("filled", way)
                self.assert_exact(report, 4)
                self.assertIn("; 1 host function in its streams", report["iteration"])

    def test_more_than_the_host_has_room_for_is_refused(self):
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--loop-seconds", self.LOOP_SECONDS, "--no-energy", "--", SENDING_PROGRAM, "copied",
                               "linear", "200", "10"], {"KJOULE_HOST_ROOM": str(8 << 20)})
        self.assertIn("it copies at least 20 MiB between host and GPU, of which kjoule keeps a copy, and the host has no free memory for this copy",
                      unwrapped(done.stderr))
        self.assertTrue((self.results / "run_report.json").exists(), done.stderr)


class PageableCopies(Driver):
    def test_the_iteration_is_divided(self):
        report = self.compare(options=["--no-energy"])
        division = report["iteration_division"]
        self.assertGreater(division["kernels_us"], 0)
        self.assertGreater(division["transfers_us"], 0)
        parts = sum(division[f"{part}_us"] for part in ["kernels", "device_copies", "transfers", "pageable_host_part", "launch_gaps"]) - division["overlap_us"]
        self.assertAlmostEqual(parts, division["iteration_us"] * (1 - division["unexplained_percent"] / 100), places=3)
        names = {kernel["name"] for kernel in json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]}
        self.assertIn("memcpy HtoD (pageable)", names)

    def test_the_first_screen_has_the_parts(self):
        done = self.run_kjoule("compare", options=["--no-energy"])
        for part in ["the program's iteration (mean of ", "kernels (replayed)", "transfers from and to the host (replayed)", "launch gaps", "not explained"]:
            self.assertIn(part, done.stdout)
