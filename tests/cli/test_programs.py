"""kjoule COMMAND -- PROGRAM, without a GPU: the injected library is a stand-in that serves a simulated device."""
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from .messages import errors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAND_IN = ROOT / "build/tests/fakes/injection/libkjoule_inject.so"
PROGRAM = [sys.executable, str(pathlib.Path(__file__).with_name("cuda_program.py"))]
USES_CUDA = ["init", "launch"]
LONG = ["--time-limit", "60", "--precision", "0.001%"]


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def sockets():
    return [line for line in pathlib.Path("/proc/net/unix").read_text().splitlines() if "@kjoule-" in line]


class WithOwnKjoule(unittest.TestCase):
    """Tests of a copy of kjoule in a folder, which finds the files next to it there, and the folder of torch."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "bin"
        self.folder.mkdir()
        self.results = self.folder / "results"
        self.kjoule = self.folder / "kjoule"
        shutil.copy(ROOT / "build/bin/kjoule", self.kjoule)
        self.torch_folder = pathlib.Path(temporary.name) / "share/kjoule/torch_folder"
        self.torch_folder.parent.mkdir(parents=True)
        shutil.copy(ROOT / "build/share/kjoule/torch_folder", self.torch_folder)


class Programs(WithOwnKjoule):
    def setUp(self):
        super().setUp()
        shutil.copy(STAND_IN, self.folder)
        self.environment = {**os.environ, "TEST_DEVICE": "seed=5", "TMPDIR": str(self.folder)}

    def command(self, command, program, options=()):
        results = [] if "--resume" in options else ["-o", self.results]
        output = {"compare": [*results, "--runs", "5"], "full": [*results, "--runs", "5"],
                  "isolated": results, "record": ["-o", self.folder / "recording.jsonl"], "kernels": []}
        return [str(word) for word in [self.kjoule, command, *output[command], *options, "--", *program]]

    def run_kjoule(self, command, program, *options, **settings):
        environment = {**self.environment, **settings.pop("environment", {})}
        return subprocess.run(self.command(command, program, options), capture_output=True, text=True, timeout=600,
                              check=False, env=environment, **settings)

    def start(self, command, program, *options, **settings):
        environment = {**self.environment, **settings.pop("environment", {})}
        process = subprocess.Popen(self.command(command, program, options), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment, **settings)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def steps(self, *steps):
        return [*PROGRAM, *steps]

    def succeed(self, *arguments, **settings):
        done = self.run_kjoule(*arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def fail_with(self, text, *arguments, **settings):
        """Non-zero, and kjoule's error is one line that contains `text`."""
        done = self.run_kjoule(*arguments, **settings)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])
        return done

    def wait_until(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def read_pid(self, name):
        path = self.folder / name
        self.wait_until(lambda: path.exists() and path.read_text(), f"{name} was never written")
        return int(path.read_text())

    def pid_step(self, name):
        return f"pid:{self.folder / name}"

    def rounds(self):
        rows = self.results / "results.jsonl"
        return rows.read_text().count('"kind":"round"') if rows.exists() else 0


class Measured(Programs):
    def test_every_command_measures_a_program(self):
        program = self.steps(*USES_CUDA, "sleep:0.5")
        compared = self.succeed("compare", program)
        self.assertIn("adds up within ", compared.stdout)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertTrue(report["timeline"]["audit"]["equal"])
        self.assertIn("results in", self.succeed("full", program).stdout)
        self.assertIn("results in", self.succeed("isolated", program).stdout)
        self.assertIn(" kernels", self.succeed("record", program).stdout)
        listed = subprocess.run([self.kjoule, "kernels", self.folder / "recording.jsonl", "--csv"], capture_output=True, text=True, check=True)
        self.assertGreater(len(listed.stdout.splitlines()), 2)  # kernels -- PROGRAM needs the real library: test_driver

    def full_timing(self):
        return json.loads((self.results / "full_model_timing.json").read_text())

    def test_full_reports_the_iterations_that_the_program_ran(self):
        self.succeed("full", self.steps(*USES_CUDA), "--warmup", "2", "--skip-iterations", "1")  # each takes 1 ms more
        timing = self.full_timing()
        self.assertEqual([round(us) for us in timing["run_times_us"]], [4000, 5000, 6000, 7000, 8000])
        self.assertEqual((timing["num_runs"], timing["warmup_runs"]), (5, 3))
        row = next(row for row in map(json.loads, (self.results / "results.jsonl").read_text().splitlines())
                   if row["kind"] == "program_iterations")
        self.assertEqual(row["end_ns"] - row["begin_ns"], 30_000_000, "the timestamps bracket what was timed alone")

    def test_compare_watches_few_iterations_unless_it_is_asked_for_more(self):
        words = [str(w) for w in [self.kjoule, "compare", "-o", self.results, "--", *self.steps(*USES_CUDA)]]
        subprocess.run(words, capture_output=True, check=True, env=self.environment, timeout=600)
        self.assertEqual((self.full_timing()["num_runs"], self.full_timing()["warmup_runs"]), (5, 0))
        self.succeed("compare", self.steps(*USES_CUDA), "--warmup", "3")
        self.assertEqual((self.full_timing()["num_runs"], self.full_timing()["warmup_runs"]), (5, 3))

    def test_full_needs_an_iteration_to_time(self):
        self.fail_with("no iteration was timed, because only the iterations before the recorded one are timed, and none was skipped; repeat the command with --skip-iterations", "full", self.steps(*USES_CUDA),
                       "--iterations", "5..9")

    def test_output_input_and_arguments_are_the_programs_own(self):
        done = self.succeed("compare", self.steps("echo", "print:--runs", "error:to stderr", "env:KJOULE_RANGE",
                                                  *USES_CUDA), "--range", "forward pass", input="from stdin\n")
        self.assertTrue(done.stdout.startswith("from stdin\n\n--runs\nforward pass\n"), done.stdout)
        self.assertIn("to stderr", done.stderr)

    def test_what_starts_the_program_does_not_matter(self):
        direct = shlex.join(self.steps(*USES_CUDA))
        for name, program in {
                "shell": ["sh", "-c", f"{direct}; touch {self.folder}/after"],
                "exec": ["sh", "-c", f"exec env A=1 nice {direct}"],
                "subshells": ["bash", "-c", f"(({direct}) & wait)"],
                "close_fds": self.steps("child:" + "+".join(USES_CUDA), "sleep:60"),
                "new session": ["setsid", "--wait", *self.steps(*USES_CUDA)],
        }.items():
            with self.subTest(name):
                self.succeed("compare", program)
                self.assertFalse((self.folder / "after").exists(), "the shell went on when kjoule had ended its program")

    def test_the_program_is_ended_with_all_that_it_started(self):
        helper = f"child:deaf+{self.pid_step('helper')}+sleep:100"
        orphan = ["setsid", "sh", "-c", f"({shlex.join(self.steps(self.pid_step('orphan'), 'sleep:100'))}) & exit 0"]
        program = ["sh", "-c", f"{shlex.join(orphan)}; exec " +
                   shlex.join(self.steps(helper, self.pid_step("main"), "sleep:0.5", *USES_CUDA))]
        self.succeed("compare", program)
        for name in ["main", "helper", "orphan"]:
            self.assertFalse(alive(self.read_pid(name)), name)

    def test_a_fork_that_holds_the_socket_hides_no_crash(self):
        self.fail_with("killed by signal 11", "compare", self.steps("init", "fork", "launch"),
                       environment={"TEST_FAULT": "crash:1"})

    def test_a_resumed_run_starts_the_program_again(self):
        program = self.steps(*USES_CUDA)
        self.fail_with("killed by signal 11", "compare", program, *LONG, environment={"TEST_FAULT": "crash:5"})
        kept = (self.results / "results.jsonl").read_text()
        resumed = [str(w) for w in [self.kjoule, "compare", "--resume", self.results, "--", *program]]
        done = subprocess.run(resumed, capture_output=True, text=True, check=False, env=self.environment, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.results / "results.jsonl").read_text().startswith(kept))

    def test_a_recording_of_a_program_is_measured_with_it(self):
        self.succeed("record", self.steps(*USES_CUDA, "sleep:0.5"), "--skip-iterations", "3")
        done = subprocess.run([self.kjoule, "isolated", "--recording", self.folder / "recording.jsonl", "--run-recorded", "--yes", "-o",
                               self.results], capture_output=True, text=True, check=False, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)


class SeveralProcesses(Programs):
    def test_those_that_only_look_for_a_gpu_are_passed_over(self):
        probes = shlex.join(self.steps("init")) + "; " + shlex.join(self.steps("init", "exit:4")) + "; "
        self.succeed("compare", ["sh", "-c", probes + shlex.join(self.steps(*USES_CUDA))])

    def test_the_first_with_work_is_measured_and_the_others_run_on(self):
        other = f"child:init+sleep:0.8+launch+sleep:0.2+{self.pid_step('other')}"
        done = self.succeed("record", self.steps("init", other, "sleep:0.5", "launch", "sleep:1.5", "exit:0"))
        self.assertIn("process was refused", done.stderr)
        self.read_pid("other")

    def test_the_rank_that_was_asked_for(self):
        ranks = " & ".join(f"RANK={rank} {shlex.join(self.steps(self.pid_step(f'rank{rank}'), *USES_CUDA, 'sleep:60'))}"
                           for rank in range(3)) + " & wait"
        process = self.start("compare", ["bash", "-c", ranks], "--rank", "2", environment={"TEST_FAULT": "hang:3"})
        self.wait_until(lambda: self.rounds() > 2, "rank 2 was never measured")
        os.kill(self.read_pid("rank2"), signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        self.assertIn(f"process {self.read_pid('rank2')} of bash", errors)
        self.fail_with("before its rank 7 used CUDA", "compare", self.steps(*USES_CUDA), "--rank", "7")


class Endings(Programs):
    def test_before_cuda(self):
        self.fail_with("(exit code 3) before it used CUDA", "compare", self.steps("exit:3"))
        self.fail_with("(killed by signal 9 (Killed)) before it used CUDA", "record", self.steps("kill:9"))
        self.fail_with("(exit code 137, which means signal 9 (Killed))", "full",
                       ["sh", "-c", shlex.join(self.steps("kill:9")) + "; exit $?"])
        self.fail_with("cannot be started: No such file", "compare", ["kjoule-no-such-program"])
        self.assertFalse(self.results.exists())

    def test_a_machine_without_a_driver_is_warned_of_before_the_program_starts(self):
        with contextlib.suppress(OSError):
            ctypes.CDLL("libcuda.so.1")
            self.skipTest("this machine has a CUDA driver")
        done = self.run_kjoule("kernels", ["sh", "-c", "echo started >&2"], environment={"LD_LIBRARY_PATH": ""})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?ms)^kjoule: warning: this machine has no CUDA driver \(libcuda.so.1\).*^started$")

    def test_before_an_iteration(self):
        never = {"TEST_RECORDS": "never"}
        told = self.fail_with("before an iteration was found: 3 launches seen, none repeated", "record",
                              self.steps("init", "launch", "launch", "launch", "exit:4"), environment=never)
        self.assertIn("ended (exit code 4)", told.stderr)
        self.assertIn("--range NAME", told.stderr)
        self.fail_with("fewer than 15 iterations, choose smaller numbers with --warmup and --runs", "full",
                       self.steps("init", "launch", "launch", "exit:4"), environment=never)
        self.fail_with("before an iteration was found: 0 launches seen", "compare", self.steps("init", "exit:0"))
        self.fail_with("ran anything on a GPU", "compare", self.steps("init", "kill:9"))

    def test_a_crash_while_measured_keeps_finished_rows(self):
        self.fail_with("killed by signal 11 (Segmentation fault)", "compare", self.steps(*USES_CUDA), *LONG,
                       environment={"TEST_FAULT": "crash:4"})
        self.assertEqual(self.rounds(), 4)
        self.fail_with("exit code 139, which means signal 11", "compare",
                       ["sh", "-c", shlex.join(self.steps(*USES_CUDA)) + "; exit $?"],
                       environment={"TEST_FAULT": "crash:4"})

    def test_killed_while_held(self):
        process = self.start("compare", self.steps(self.pid_step("main"), *USES_CUDA),
                             environment={"TEST_FAULT": "hang:3"})
        self.wait_until(lambda: self.rounds() == 3, "it was never measured")
        os.kill(self.read_pid("main"), signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("killed by signal 9 (Killed)); ", errors)
        self.assertIn("finished rows are kept", errors)

    def test_record_passes_the_exit_code_on(self):
        for step, code in [("exit:0", 0), ("exit:7", 7), ("kill:15", 143)]:
            done = self.run_kjoule("record", self.steps(*USES_CUDA, "sleep:0.5", "print:still here", step))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("still here", done.stdout)
            self.assertTrue((self.folder / "recording.jsonl").exists())


class Signals(Programs):
    def interrupted(self, number, *steps, **settings):
        process = self.start("compare", self.steps(f"child:{self.pid_step('helper')}+sleep:100",
                                                   self.pid_step("main"), *steps), **settings)
        pids = [self.read_pid("main"), self.read_pid("helper")]
        if "launch" in steps:
            self.wait_until(lambda: self.rounds() == 2, "it was never measured")
        process.send_signal(number)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number)
        for pid in pids:
            self.assertFalse(alive(pid))
        self.assertEqual([line for line in sockets() if f"@kjoule-{process.pid}-" in line], [])
        self.assertEqual({path.name for path in self.folder.iterdir()} -
                         {"kjoule", "libkjoule_inject.so", "results", "main", "helper"}, set())

    def test_before_the_program_uses_cuda(self):
        self.interrupted(signal.SIGINT, "sleep:100")

    def test_while_it_is_held(self):
        self.interrupted(signal.SIGINT, *USES_CUDA, environment={"TEST_FAULT": "hang:2"})
        self.assertEqual(self.rounds(), 2)

    def test_sigterm_of_a_program_that_is_deaf(self):
        self.interrupted(signal.SIGTERM, "deaf", *USES_CUDA, environment={"TEST_FAULT": "hang:2"})

    def test_a_killed_kjoule_leaves_no_held_program(self):
        process = self.start("compare", self.steps(self.pid_step("main"), *USES_CUDA, "exit:0"), *LONG)
        pid = self.read_pid("main")
        self.wait_until(lambda: self.rounds() > 1, "it was never measured")
        process.kill()
        self.wait_until(lambda: not alive(pid), "the program is still there")

    def test_recorded_programs_get_signals_and_decide(self):
        process = self.start("record", self.steps(self.pid_step("main"), *USES_CUDA, "deaf", self.pid_step("deaf"), "sleep:2", "exit:9"))
        self.wait_until((self.folder / "recording.jsonl").exists, "nothing was recorded")
        self.read_pid("deaf")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 9)

    def test_ctrl_c_of_a_terminal_reaches_both(self):
        master, slave = pty.openpty()
        process = self.start("compare", self.steps(self.pid_step("main"), "echo"), stdin=slave, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        pid = self.read_pid("main")
        os.write(master, b"typed\n")
        echoed = b""
        while b"typed" not in echoed:  # by the terminal, which then has the line for its reader
            echoed += os.read(master, 64)
        self.wait_until(lambda: fcntl.ioctl(slave, termios.FIONREAD, bytes(4)) == bytes(4), "reading the terminal stopped it")
        os.close(slave)
        self.assertTrue(alive(pid))
        os.write(master, b"\x03")
        _, errors = process.communicate(timeout=60)
        os.close(master)
        self.assertIn("KeyboardInterrupt", errors)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertFalse(alive(pid))


class Refusals(Programs):
    def test_without_the_injected_library(self):
        (self.folder / "libkjoule_inject.so").unlink()
        self.fail_with("kjoule was built without CUDA", "compare", self.steps(*USES_CUDA))

    def test_beside_another_tool(self):
        for name in ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"]:
            self.fail_with(f"another tool is loaded into CUDA programs by the environment variable {name}=/opt/other.so", "compare",
                           self.steps(*USES_CUDA), environment={name: "/opt/other.so"})

    def test_a_folder_that_another_kjoule_fills(self):
        first = self.start("compare", self.steps(*USES_CUDA), *LONG)
        self.wait_until(lambda: self.rounds() > 1, "it was never measured")
        touched = self.steps(self.pid_step("second"), *USES_CUDA)
        self.fail_with("another kjoule process is writing to it", "compare", touched)
        self.fail_with("another kjoule process is writing to it", "compare", touched, "--resume", self.results)
        self.assertFalse((self.folder / "second").exists(), "the program was started before the refusal")
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)
        self.succeed("compare", self.steps(*USES_CUDA))

    def test_a_folder_that_holds_no_results_is_told_before_the_program_starts(self):
        self.results.mkdir()
        (self.results / "letter").write_text("dear")
        touched = self.steps(self.pid_step("started"), *USES_CUDA)
        self.fail_with("contains files, but no results.jsonl", "compare", touched)
        self.assertFalse((self.folder / "started").exists())

    def test_options_that_would_have_no_effect(self):
        program = self.steps(*USES_CUDA)
        self.fail_with("--seq-len has no effect on a program", "compare", program, "--seq-len", "5")
        self.fail_with("a program after -- is always measured on its GPU, with CUDA", "compare", program, "--device", "cpu")
        self.fail_with("this is not a range of launches", "compare", program, "--iterations", "9..4")
        self.fail_with("no program follows --", "compare", [])
        done = subprocess.run([self.kjoule, "compare", "--range", "x", "--device", "simulated"], capture_output=True,
                              text=True, check=False)
        self.assertIn("--range has no effect on a simulated device", done.stderr)
        done = subprocess.run([self.kjoule, "doctor", "--", "x"], capture_output=True, text=True, check=False)
        self.assertIn("kjoule doctor starts no program", done.stderr)


if __name__ == "__main__":
    unittest.main()
