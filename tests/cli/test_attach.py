"""kjoule env and --attach: a program that runs already is paused, measured and let go. The program is a server
(tests/fakes/driver/program --serve): each line of its input is a request, each answer depends on all requests before."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from .driver import ENERGY_COUNTER, KJOULE, PROGRAM, STAND_INS
from .messages import errors_in

ON_STAND_INS = {**os.environ, "LD_LIBRARY_PATH": str(STAND_INS), "FAKE_CUDA_SEED": "1"}
FEW_S = 60  # the longest wait for what takes less than a second


def answers_alone(count, *options):
    done = subprocess.run([PROGRAM, "--serve", "--iterations", "100000000", *options], input="\n" * count, capture_output=True, text=True, check=True,
                          env=ON_STAND_INS, timeout=FEW_S)
    return done.stdout.splitlines()[:count]


OWN_PROCESSES = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")


def own_processes_possible():
    return subprocess.run([*OWN_PROCESSES, "true"], capture_output=True, check=False).returncode == 0


def variables_of(name):
    """The variables with which a program waits as NAME."""
    printed = subprocess.run([KJOULE, "env", "--name", name], capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in printed.splitlines())


class Server:
    """A program that waits as NAME, and a client that sends it one request after the other."""

    def __init__(self, name, *options, words=(PROGRAM,), **environment):
        variables = variables_of(name)
        self.name, self.options, self.answers = name, options, []
        self.process = subprocess.Popen([*words, "--serve", "--iterations", "100000000", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
                                        env={**ON_STAND_INS, **variables, **environment})
        self.is_over = threading.Event()
        self.client = threading.Thread(target=self.request_until_over)
        self.request()

    def request(self):
        self.process.stdin.write("\n")
        self.answers.append(self.process.stdout.readline().strip())

    def request_until_over(self):
        while not self.is_over.is_set() and self.answers[-1]:
            self.request()

    def stop_client(self):
        self.is_over.set()
        if self.client.ident is not None:
            self.client.join(FEW_S)

    def end(self):
        """Ends the server; its exit code and what it wrote to stderr."""
        self.stop_client()
        self.process.stdin.close()
        code = self.process.wait(FEW_S)
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, errors


@unittest.skipIf(os.environ.get("KJOULE_TORCH") and not PROGRAM.exists(), "built without CUDA's headers")
class Attached(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.results = self.folder / "results"
        self.name = "server-" + self.folder.name.replace("_", "-")  # other tests may run at the same time

    def serve(self, *options, requests=True, **environment):
        server = Server(self.name, *options, **environment)
        self.addCleanup(server.process.kill)
        if requests:
            server.client.start()
            self.addCleanup(server.is_over.set)
        return server

    def words(self, command, *options, target=None):
        target = target or ["--attach", self.name]
        output = ["-o", self.folder / "recording.jsonl" if command == "record" else self.results]
        if command == "compare" and "--time-limit" not in options:
            output += ["--time-limit", "0.5"]
        return [str(word) for word in [KJOULE, command, *output, "--loop-seconds", "0.05", *target, *options]]

    def kjoule(self, command, *options, target=None, **environment):
        return subprocess.run(self.words(command, *options, target=target), capture_output=True, text=True, timeout=300,
                              check=False, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)

    def start_kjoule(self, *options):
        kjoule = subprocess.Popen(self.words("compare", "--no-energy", *options), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        self.addCleanup(kjoule.stderr.close)
        self.addCleanup(kjoule.kill)
        return kjoule

    def assert_unharmed(self, server, *options):
        """It answers further requests, as if kjoule had never been there, and ends by itself."""
        server.stop_client()
        for _ in range(10):
            server.request()
        code, errors = server.end()
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(server.answers, answers_alone(len(server.answers), *options))

    def wait_for_line(self, kjoule, line):
        said = ""
        for told in kjoule.stderr:
            said += told
            if line in told:
                return
        self.fail(f"kjoule never said {line}, but {said}")


class Measured(Attached):
    def test_a_server_is_measured_again_and_again(self):
        server = self.serve()
        for _ in range(2):
            done = self.kjoule("compare", "--no-energy", "--check")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("will be paused as soon as one of its iterations has been found", done.stderr)
            self.assertIn("the program continues", done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertEqual(report["verification"]["launches"], 11)
        self.assertEqual(report["verification"]["different"], [])
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assert_unharmed(server)

    def test_with_energy(self):
        server = self.serve()
        done = self.kjoule("compare", "--energy-time-limit", "1", **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertGreater(report["energy"]["whole_joules"], 0)
        self.assert_unharmed(server)

    def test_whatever_its_iterations_do(self):
        for options in (["--pool"], ["--allocates"], ["--graph"], ["--graph-memory"], ["--pinned"], ["--variable", "module"],
                        ["--streams"], ["--managed"], ["--own-streams"], ["--change", "update"]):
            with self.subTest(options=options):
                server = self.serve(*options)
                done = self.kjoule("compare", "--no-energy")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_unharmed(server, *options)

    def test_an_iteration_that_cannot_be_replayed(self):
        server = self.serve("--maps")
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the iteration cannot be replayed: it unmaps device memory (cuMemUnmap", done.stderr)
        self.assert_unharmed(server, "--maps")

    def test_a_launch_that_faults_when_it_is_replayed_takes_the_context_with_it(self):
        server = self.serve("--asserts")
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"launch \d+ \(assert_count, .*failed when replayed")
        code, errors = server.end()
        self.assertEqual(code, 1, "it is ended with a message, and does not crash")
        self.assertIn("kjoule: the program is ended, because it cannot continue after it was measured: ", errors)

    def test_a_kernel_that_cannot_be_repeated_in_isolation(self):
        """compare measures an attached program without this step, which is not part of the verdict."""
        server = self.serve("--runs-once", "asserts")
        done = self.kjoule("compare", "--no-energy", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the program continues", done.stderr)
        self.assert_unharmed(server, "--runs-once", "asserts")

    def test_the_report_of_a_program_that_has_ended(self):
        """Blocks for a power log were requested, and the first kernel that cannot be repeated ends the program."""
        server = self.serve("--runs-once", "asserts")
        done = self.kjoule("compare", "--power-source", "nvml-counter", "--block", "0.1", "--energy-time-limit", "1", **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: the program was ended, because it cannot continue: ", done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertLess(abs(report["sum_error_percent"]), 1)
        self.assertEqual(server.end()[0], 1)

    def test_its_range(self):
        server = self.serve("--range", "request")
        done = self.kjoule("compare", "--no-energy", "--range", "request")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_unharmed(server)

    def test_joules_per_token_of_a_phase(self):
        """They are the energy of the iteration in the range, divided by its tokens."""
        server = self.serve("--range", "decode")
        done = self.kjoule("compare", "--range", "decode", "--items", "8", "--energy-time-limit", "1", **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        of_item = report["per_item"]
        self.assertAlmostEqual(of_item["whole_us"], report["whole_us"] / 8, places=6)
        self.assertAlmostEqual(of_item["whole_joules"], report["energy"]["whole_joules"] / 8, places=9)
        self.assert_unharmed(server)

    def test_a_program_that_has_reset_its_gpu(self):
        """Neither its memory nor its CUDA arrays of the time before exist."""
        server = self.serve("--resets")
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_unharmed(server, "--resets")

    def test_a_program_that_fills_the_gpu(self):
        """The copy that lets it go on in any case is in the host's memory."""
        options = ["--cache", str(27 * 1024), "--writes", "next"]
        server = self.serve(*options, FAKE_CUDA_MEMORY=str(32 << 20))
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertRegex(report["iteration"], "which has no free memory for them: 2[0-9.]+ MiB in the host's memory$")
        self.assertEqual(report["verification"]["different"], [])
        self.assert_unharmed(server, *options)

    def test_full_record_and_isolated_attach_too(self):
        server = self.serve()
        for command, options in (("record", []), ("full", ["--runs", "5"]), ("isolated", [])):
            done = self.kjoule(command, *options)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
        lines = (self.folder / "recording.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 12)
        self.assertEqual(json.loads(lines[0])["program"]["asked"]["attached"], self.name)
        self.assert_unharmed(server)

    def test_a_run_is_resumed(self):
        server = self.serve()
        self.assertEqual(self.kjoule("compare", "--no-energy").returncode, 0)
        rows = self.results / "results.jsonl"
        rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:-1]))
        resumed = subprocess.run([KJOULE, "compare", "--no-energy", "--loop-seconds", "0.05", "--time-limit", "0.5", "--attach", self.name,
                                  "--resume", self.results], capture_output=True, text=True, timeout=FEW_S, check=False)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assert_unharmed(server)


class Interrupted(Attached):
    def test_a_kjoule_that_is_killed_while_the_program_is_paused(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(signal=number):
                server = self.serve()
                kjoule = self.start_kjoule("--precision", "0.001%", "--time-limit", "100")
                self.wait_for_line(kjoule, "the program is paused")
                kjoule.send_signal(number)
                kjoule.wait(FEW_S)
                self.assert_unharmed(server)

    def test_a_kjoule_that_is_killed_while_a_kernel_never_ends(self):
        """The kernel is repeated in isolation, and waits for what only the program's other work does."""
        server = self.serve("--runs-once", "stalls", KJOULE_RETURN_PATIENCE="3")
        kjoule = subprocess.Popen(self.words("isolated"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        self.addCleanup(kjoule.stderr.close)
        self.addCleanup(kjoule.kill)
        rows = self.results / "results.jsonl"
        until = time.monotonic() + FEW_S
        while time.monotonic() < until and not (rows.exists() and rows.read_text().count('"isolated"') >= 11):
            time.sleep(0.1)
        time.sleep(1)
        kjoule.kill()
        kjoule.wait(FEW_S)
        code, errors = server.end()
        self.assertEqual(code, 1, errors)
        self.assertIn("cannot continue after it was measured: the GPU has not completed the replayed work for 3 s", errors)

    def test_a_kjoule_that_is_killed_before_an_iteration_came(self):
        server = self.serve(requests=False)
        kjoule = self.start_kjoule()
        self.wait_for_line(kjoule, "will be paused as soon as")
        server.request()
        kjoule.kill()
        kjoule.wait(FEW_S)
        server.client.start()
        done = self.kjoule("compare", "--no-energy")
        while "is measuring the program" in done.stderr:  # it has not noticed the end of the other one yet
            done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_unharmed(server)

    def test_a_server_that_ends_before_an_iteration_came(self):
        server = self.serve(requests=False)
        kjoule = self.start_kjoule()
        self.wait_for_line(kjoule, "will be paused as soon as")
        begin = time.monotonic()
        self.assertEqual(server.end(), (0, ""))
        self.assertLess(time.monotonic() - begin, 10, "there is no replay that it would wait for")
        told = kjoule.stderr.read()
        self.assertNotEqual(kjoule.wait(FEW_S), 0)
        self.assertEqual(told.count("\n"), 1, told)
        self.assertIn(f"{self.name} (process {server.process.pid}) ended", told)

    def test_a_server_that_is_killed_while_it_is_paused(self):
        server = self.serve()
        kjoule = self.start_kjoule("--precision", "0.001%", "--time-limit", "100")
        self.wait_for_line(kjoule, "the program is paused")
        server.process.kill()
        told = kjoule.stderr.read()
        self.assertEqual(kjoule.wait(FEW_S), 1)
        self.assertIn(f"{self.name} (process {server.process.pid}) ended", told)


class Refused(Attached):
    def error(self, *options, target=None):
        done = self.kjoule("compare", "--no-energy", *options, target=target)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        return told[0]

    def test_while_another_kjoule_measures_it(self):
        server = self.serve()
        other = self.start_kjoule("--precision", "0.001%", "--time-limit", "100")
        self.wait_for_line(other, "the program is paused")
        self.results = self.folder / "other_results"
        self.assertIn(f"another kjoule (process {other.pid}) is measuring the program", self.error())
        other.kill()
        other.wait(FEW_S)
        self.assert_unharmed(server)

    @unittest.skipUnless(own_processes_possible(), "no namespace for processes can be made here")
    def test_while_a_kjoule_that_it_does_not_see_measures_it(self):
        """As in a container. The program does not know the id of either kjoule's process."""
        server = self.serve(words=(*OWN_PROCESSES, PROGRAM))
        other = self.start_kjoule("--precision", "0.001%", "--time-limit", "100")
        self.wait_for_line(other, "the program is paused")
        self.results = self.folder / "other_results"
        self.assertIn("another kjoule is measuring the program", self.error())
        other.kill()
        other.wait(FEW_S)
        self.assert_unharmed(server)

    def test_a_program_that_could_not_go_on(self):
        """It is not even paused."""
        server = self.serve("--array")
        self.assertIn("uses CUDA arrays, whose contents kjoule cannot restore", self.error())
        self.assert_unharmed(server, "--array")

    def test_a_program_that_fills_the_gpu_and_the_host(self):
        full = {"FAKE_CUDA_MEMORY": str(1 << 20), "KJOULE_HOST_ROOM": "300000", "KJOULE_FILE_ROOM": "0"}
        server = self.serve(**full)
        self.assertRegex(self.error(), r"has allocated 112 KiB of GPU memory, which kjoule must copy, but there is room for \d+ KiB on the GPU, 293 KiB in the "
                         r"host's memory and 0 bytes in \S+; let the program allocate less")
        self.assert_unharmed(server)

    def test_a_process_without_the_library(self):
        told = self.error(target=["--pid", str(os.getpid())])
        self.assertIn(f"process {os.getpid()} was not started with kjoule's variables, so it cannot be measured", told)
        self.assertIn("start the program with the variables that kjoule env -- COMMAND prints", told)

    def test_a_name_that_nobody_has(self):
        server = self.serve()
        told = self.error(target=["--attach", "nobody"])
        self.assertIn("no running program that can be measured has the name nobody; programs that can be measured: ", told)
        self.assertIn(f"{self.name} (process {server.process.pid})", told)
        self.assert_unharmed(server)

    def test_two_of_one_name(self):
        servers = [self.serve(), self.serve()]
        self.assertIn("choose one with --pid N", self.error())
        done = self.kjoule("compare", "--no-energy", target=["--pid", str(servers[1].process.pid)])
        self.assertEqual(done.returncode, 0, done.stderr)
        for server in servers:
            self.assert_unharmed(server)

    def test_a_table_beside_it(self):
        done = subprocess.run([KJOULE, "isolated", "--attach", self.name, "--kernels", self.folder / "table.jsonl"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--kernels was given with a program or recording, but only one of them can be replayed in isolation", done.stderr)

    def test_options_without_effect(self):
        for options, cause in ((["--once"], "--once has no effect on a program that is already running"),
                               (["--starts", "2"], "--starts has no effect on a program that is already running"),
                               (["--gpu", "0"], "give them to kjoule env when the program is started"),
                               (["--threads", "2"], "--threads has no effect on a program"),
                               (["--", "true"], "--attach and --pid measure a program that is already running, but another program was given after --")):
            with self.subTest(options=options):
                self.assertIn(cause, self.error(*options))


class Variables(unittest.TestCase):
    def env(self, *words):
        return subprocess.run([KJOULE, "env", *words], capture_output=True, text=True, check=False, timeout=FEW_S)

    def test_lines_for_files_of_variables(self):
        lines = self.env("--name", "web", "--gpu", "1").stdout.splitlines()
        library = str(KJOULE.parent / "libkjoule_inject.so")
        self.assertEqual(lines, [f"CUDA_INJECTION64_PATH={library}", "KJOULE_GPU=1", "KJOULE_WAITS_AS=web", "NCCL_NVLS_ENABLE=0", "NVSHMEM_DISABLE_NVLS=1",
                                 f"NVTX_INJECTION64_PATH={library}", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1"])

    def test_a_command_line_for_a_shell(self):
        line = self.env("--", sys.executable, "-c", "import os; print(os.environ['KJOULE_WAITS_AS'])").stdout
        printed = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.strip(), pathlib.Path(sys.executable).name)

    def test_json(self):
        self.assertEqual(json.loads(self.env("--json", "--", "./my server").stdout)["KJOULE_WAITS_AS"], "my-server")

    def test_what_is_no_name(self):
        for words, cause in ((["--name", "a/b"], "'a/b' is not a valid name for a program"), ([], "no program was given")):
            done = self.env(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(cause, done.stderr)


if __name__ == "__main__":
    unittest.main()
