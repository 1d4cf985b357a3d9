"""What copies from pinned memory send, on the stand-in driver: what is there when the device comes to the copy."""
import shutil

from .driver import Driver, KJOULE, STAND_INS, unwrapped

SENDING_PROGRAM = STAND_INS / "sending_program"


class Sends(Driver):
    def sent(self, written, way):
        """The report of a program whose device is late."""
        shutil.rmtree(self.results, ignore_errors=True)
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--loop-seconds", self.LOOP_SECONDS, "--no-energy", "--", SENDING_PROGRAM, written, way],
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
        self.assertIn("it copies at least 20 MiB between host and GPU, of which kjoule keeps a copy, and the host's memory has no room for more",
                      unwrapped(done.stderr))
        self.assertTrue((self.results / "run_report.json").exists(), done.stderr)
