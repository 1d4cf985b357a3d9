"""Programs on the stand-in driver with an uncommon habit (tests/fakes/driver/uncommon_program.cpp)."""
import contextlib
import json
import signal
import subprocess
import threading
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

    def test_a_solver_that_is_started_once(self):
        """Its one launch needs 16 passes over its memory, but a second launch on the results of the first needs one."""
        options = ["-o", self.results, "--no-energy", "--loop-seconds", "1000", "--time-limit", "2"]
        done = self.run_words([KJOULE, "compare", *options, "--", UNCOMMON_PROGRAM, "solves-once"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("so memory is restored before each replay", " ".join(done.stdout.split()))
        run = json.loads((self.results / "run_report.json").read_text())
        report = json.loads((self.results / "phase_1/comparison_report.json").read_text())
        self.assertEqual((report["part"]["kind"], report["part"]["launches"], report["verdict"]), ("single pass", 1, "adds up"))
        self.assertEqual(report["verification"]["different"], [])
        profiled_us = run["kernels"][0]["mean_us"]
        self.assertAlmostEqual(report["whole_us"] / profiled_us, 1, delta=0.08, msg="CUPTI's times are 2 to 6 % longer")

    def test_ranges_before_cuda(self):
        self.both_tell("fill", "before-cuda")

    def test_ranges_while_the_program_exits(self):
        """Of a thread that still runs, and of a static object's destructor."""
        self.both_tell("uncommon_program: exits", "at-exit")

    @contextlib.contextmanager
    def compare_of_result_at_exit(self):
        """Runs compare on a program that waits for a line before it uses CUDA, before it leaves main, and before it writes its result."""
        words = [KJOULE, "compare", "-o", self.results, "--once", "--no-energy", "--", UNCOMMON_PROGRAM, "result-at-exit"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment) as kjoule:
            watch = threading.Timer(60, kjoule.kill)
            watch.start()
            try:
                self.assertIn("uncommon_program: process", kjoule.stdout.readline())
                yield kjoule
            finally:
                watch.cancel()
                kjoule.kill()

    def go_on(self, kjoule, seconds):
        """Lets the program go on, then gives kjoule so much time to do what it must not."""
        kjoule.stdin.write("\n")
        kjoule.stdin.flush()
        with contextlib.suppress(subprocess.TimeoutExpired):
            kjoule.wait(seconds)

    def check_result(self, kjoule):
        told, said = kjoule.communicate("\n")
        self.assertIn("uncommon_program: result", told, said)
        self.assertIn("ended (exit code 0) before an iteration was found", said)

    def test_a_result_that_is_written_after_kjoule_knows_of_the_end(self):
        """kjoule is stopped until the program has left main, so that it learns of the program and of its end at once."""
        with self.compare_of_result_at_exit() as kjoule:
            kjoule.send_signal(signal.SIGSTOP)
            self.go_on(kjoule, 0.2)
            self.go_on(kjoule, 0)
            self.assertEqual(kjoule.stdout.readline(), "uncommon_program: leaves main\n")
            kjoule.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                kjoule.wait(2)
            self.check_result(kjoule)

    def test_a_result_that_is_written_long_after_the_end_of_main(self):
        with self.compare_of_result_at_exit() as kjoule:
            self.go_on(kjoule, 1)  # kjoule knows the program
            self.go_on(kjoule, 8)
            self.assertEqual(kjoule.stdout.readline(), "uncommon_program: leaves main\n")
            self.check_result(kjoule)

    def test_launches_of_a_thread_that_is_joined_at_the_exit(self):
        """kjoule has nothing to measure, but lets the thread launch to its end."""
        done = self.run_words([KJOULE, "compare", "-o", self.results, "--once", "--no-energy", "--", UNCOMMON_PROGRAM, "launches-at-exit"])
        self.assertIn("uncommon_program: joined", done.stdout, done.stderr)

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

    def compare_loop(self, habit):
        return self.run_words([KJOULE, "compare", "-o", self.results, "--once", "--no-energy", "--loop-seconds", "0.05", "--", UNCOMMON_PROGRAM, habit])

    def assert_refused(self, why, habit):
        """The program itself goes on to its end, and its run is reported."""
        done = self.compare_loop(habit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "no iteration was measured.*the iteration cannot be replayed: it " + why)
        self.assertTrue((self.results / "run_report.json").exists())

    def assert_measured(self, habit):
        done = self.compare_loop(habit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("adds up", done.stdout)

    def test_a_call_that_writes_a_value_in_a_stream(self):
        self.assert_refused(r"calls cuStreamWriteValue32_v2; choose another part of the program with --range NAME", "writes-values")

    def test_such_a_call_before_the_loop(self):
        self.assert_measured("writes-value-once")

    def test_memory_of_another_process(self):
        self.assert_refused(r"maps memory of another process \(cuIpcOpenMemHandle_v2\), which may write it .*; let the program use one process", "opens-memory")

    def test_memory_of_another_process_that_is_closed(self):
        self.assert_measured("opens-and-closes-memory")

    def test_an_event_of_another_process(self):
        self.assert_refused(r"may wait for another process, whose event it has opened \(cuIpcOpenEventHandle\)", "opens-event")

    def test_kernels_of_nvshmem(self):
        self.assert_refused(r"has a collective on symmetric memory \(nvshmemi_fill_kernel\)", "uses-nvshmem")

    def test_cuda_in_a_forked_process_only(self):
        for told in self.both_tell("fill", "cuda-in-child"):
            self.assertNotIn("incomplete", told)


if __name__ == "__main__":
    unittest.main()
