"""Programs on the stand-in driver with an uncommon habit (tests/fakes/driver/uncommon_program.cpp)."""
import unittest

from .driver import KJOULE, STAND_INS, Driver

UNCOMMON_PROGRAM = STAND_INS / "uncommon_program"


class Uncommon(Driver):
    def run_habit(self, command, habit, **settings):
        output = [] if command == "kernels" else ["-o", self.results, "--once", "--no-energy"]
        done = self.run_words([KJOULE, command, *output, "--", UNCOMMON_PROGRAM, habit], **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("uncommon_program: done", done.stdout)
        return done

    def both_tell(self, text, habit):
        """Returns what compare and kernels told; both told `text`."""
        told = []
        for command in ("compare", "kernels"):
            with self.subTest(command):
                done = self.run_habit(command, habit)
                self.assertIn(text, done.stdout)
                told.append(done.stdout + done.stderr)
        return told

    def test_ranges_before_cuda(self):
        self.both_tell("fill", "before-cuda")

    def test_ranges_while_the_program_exits(self):
        """Of a thread that still runs, and of a static object's destructor."""
        self.both_tell("uncommon_program: exits", "at-exit")

    def test_signals_that_the_program_waits_for(self):
        """If a thread of kjoule's library received one, the program would be ended by it."""
        self.both_tell("took signal 15", "waits-for-signal")

    def test_processes_that_are_forked_while_a_thread_uses_ranges(self):
        self.both_tell("uncommon_program: done", "forks-with-cuda")

    def test_processes_that_are_forked_before_cuda_starts(self):
        done = self.run_words([KJOULE, "kernels", "--", UNCOMMON_PROGRAM, "forks"])
        self.assertIn("uncommon_program: done", done.stdout)
        self.assertIn("ended (exit code 0) without using CUDA", done.stderr)

    def test_a_thread_that_allocates_while_an_iteration_is_measured(self):
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--no-energy", "--loop-seconds", "0.05", "--", UNCOMMON_PROGRAM, "allocates-beside"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("adds up", done.stdout)

    def test_cuda_in_a_forked_process_only(self):
        for told in self.both_tell("fill", "cuda-in-child"):
            self.assertNotIn("incomplete", told)


if __name__ == "__main__":
    unittest.main()
