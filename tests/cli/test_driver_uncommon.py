"""Programs on the stand-in driver with an uncommon habit (tests/fakes/driver/uncommon_program.cpp)."""
import pathlib
import signal
import subprocess
import time
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

    def result_at_exit(self, folder, wait_s):
        """Returns what compare told; kjoule is stopped until the program has left main, so that it learns of the program and of its end at once."""
        words = [KJOULE, "compare", "-o", folder, "--once", "--no-energy", "--", UNCOMMON_PROGRAM, "result-at-exit"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment) as kjoule:
            tasks = pathlib.Path("/proc") / kjoule.stdout.readline().split()[-1] / "task"
            kjoule.send_signal(signal.SIGSTOP)
            kjoule.stdin.write("\n")
            kjoule.stdin.flush()
            self.assertEqual(kjoule.stdout.readline(), "uncommon_program: leaves main\n")
            threads = len(list(tasks.iterdir()))
            kjoule.send_signal(signal.SIGCONT)
            until = time.monotonic() + wait_s
            while tasks.exists() and len(list(tasks.iterdir())) >= threads and time.monotonic() < until:
                time.sleep(0.01)  # until the thread that served kjoule has ended, if it does
            return kjoule.communicate("\n", timeout=60)

    def test_a_result_that_is_written_after_kjoule_knows_of_the_end(self):
        for run, wait_s in enumerate([2] * 6 + [6]):  # kjoule closes the connection at once in about a third of them
            told, said = self.result_at_exit(self.folder / str(run), wait_s)
            self.assertIn("uncommon_program: result", told, said)
            self.assertIn("ended (exit code 0) before an iteration was found", said)

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
