"""The commands on the small models of fixtures.py, on the CPU."""
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile

from .helpers import write_fixtures
from .test_commands import KJOULE, ON_CPU, InAFolder, run


class OnTheCpu(InAFolder):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.models = pathlib.Path(temporary.name)
        write_fixtures(cls.models)

    def compare(self, model, *more):
        return run("compare", "--model", self.models / model, "-o", self.results, "--threads", "1", "--time-limit", "0.5",
                   "--runs", "5", *more)

    def child_when(self, process, text, times=1):
        """The process that runs the model, once `text` stands in the rows so often."""
        rows = self.results / "results.jsonl"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (rows.exists() and rows.read_text().count(text) >= times):
            time.sleep(0.01)
        return int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[-1])  # the first one is the guardian

    def test_every_launch_replays_to_equal_bits(self):
        for model in ["bloom_tiny", "gpt2_tiny", "resnet_tiny", "batchnorm_train", "inplace", "views", "dropout",
                      "gather", "dtypes", "lists", "throws"]:
            with self.subTest(model=model):
                done = self.compare(f"{model}.pt")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = self.report()
                self.assertEqual(report["verification"]["different"], [])
                self.assertGreater(report["verification"]["launches"], 3)
                self.assertGreater(report["sum_us"], 0)

    def test_the_number_of_tokens_is_that_of_the_recorded_shapes(self):
        for tokens in (5, 9):
            recording = self.folder / f"{tokens}.jsonl"
            done = run("record", "--model", self.models / "bloom_tiny.pt", "--seq-len", str(tokens), "-o", recording)
            self.assertEqual(done.returncode, 0, done.stderr)
            signatures = [json.loads(line).get("signature", "") for line in recording.read_text().splitlines()]
            embedded = [one for one in signatures if "embedding" in one]
            self.assertTrue(embedded and all(f"[1,{tokens}]" in one for one in embedded), embedded)

    def test_bad_models_are_refused_in_one_line(self):
        self.fail_with("no such file", "compare", "--model", self.models / "none.pt")
        torn = self.models / "torn.pt"
        torn.write_bytes((self.models / "bloom_tiny.pt").read_bytes()[:2000])
        self.fail_with("this is not a TorchScript file", "full", "--model", torn, "-o", self.results)
        self.fail_with("the model failed while it ran", "full", "--model", self.models / "throws_later.pt", "-o", self.results)
        self.fail_with("iterations differ", "compare", "--model", self.models / "varying.pt", "-o", self.results)
        self.fail_with("no input whose size is set by --seq-len", "full", "--model", self.models / "resnet_tiny.pt", "--seq-len",
                       "9", "-o", self.results)
        self.fail_with("this is not the description of an input", "full", "--model", self.models / "resnet_tiny.pt", "--input", "x", "-o",
                       self.results)
        self.fail_with("the model cannot run with its inputs", "full", "--model", self.models / "resnet_tiny.pt", "--input",
                       "float32:1x2", "-o", self.results)

    def test_a_package_for_another_device_is_refused(self):
        package = self.folder / "cuda.pt2"
        with zipfile.ZipFile(package, "w") as archive:
            archive.writestr("m/data/aotinductor/model/a.wrapper.so", b"")
            archive.writestr("m/data/aotinductor/model/a.wrapper_metadata.json", json.dumps({"AOTI_DEVICE_KEY": "cuda"}))
        for command in ["full", "compare"]:
            self.fail_with("this model was exported for cuda, not for the CPU; export it again", command, "--model", package, "-o", self.results)
        self.assertFalse(self.results.exists())
        package.write_bytes(package.read_bytes()[:100])
        self.fail_with("this is not an AOTInductor package", "full", "--model", package, "-o", self.results)

    def test_out_of_memory_is_told_in_one_line(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

        command = [KJOULE, "full", "--model", self.models / "bloom_tiny.pt", "--batch", "4000000", *ON_CPU, "-o", self.results]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=little_memory, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^kjoule: .*not enough memory to run this model; .*smaller --batch[^\n]*\n$")

    def test_out_of_memory_amid_a_run_keeps_its_rows(self):
        process = subprocess.Popen([KJOULE, "compare", "--model", self.models / "bloom_tiny.pt", "--batch", "500",
                                    "--runs", "2", "--threads", "1", *ON_CPU, "-o", self.results], stderr=subprocess.PIPE, text=True)
        child = self.child_when(process, '"kind":"program_iterations"')
        pages = int(pathlib.Path(f"/proc/{child}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (16 << 20)  # recording keeps every result: far more than that
        resource.prlimit(child, resource.RLIMIT_AS, (most, most))
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors.splitlines()[-1], "^kjoule: .*out of memory; ")
        self.assertIn('"kind":"program_iterations"', (self.results / "results.jsonl").read_text())

    def test_the_load_of_the_machine_is_kept_and_told(self):
        done = self.compare("inplace.pt")
        self.assertEqual(done.returncode, 0, done.stderr)
        load, = self.report()["run"]["load"]
        self.assertEqual(load["threads"], 1)
        self.assertGreaterEqual(load["load_average"], 0)
        self.assertEqual("warning: " in done.stderr, "warnings" in load)
        self.assertEqual(self.report()["findings"], load.get("warnings", []))

    def test_a_bar_on_a_terminal_leaves_nothing_behind(self):
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            done = subprocess.run([KJOULE, "full", "--model", self.models / "inplace.pt", *ON_CPU, "-o", self.results, "--runs", "5"],
                                  stdout=subprocess.DEVNULL, stderr=theirs, check=False, env={**os.environ, "TERM": "xterm"})
            os.close(theirs)
            drawn = terminal.read(65536).decode()
        self.assertEqual(done.returncode, 0)
        self.assertIn("timing the program's own iterations", drawn)
        self.assertTrue(drawn.endswith("\r\x1b[K"), drawn)

    def test_folder_not_writable(self):
        self.fail_with("choose a folder that you may write to", "full", "--model", self.models / "inplace.pt", "-o", "/proc/none")

    def test_a_recording_is_replayed_with_its_model(self):
        recording = self.folder / "r.jsonl"
        self.succeed("record", "--model", self.models / "inplace.pt", "-o", recording)
        self.succeed("isolated", "--recording", recording, "--run-recorded", "--yes", "-o", self.results)
        moved = self.folder / "moved.pt"
        moved.write_bytes((self.models / "inplace.pt").read_bytes())
        self.succeed("isolated", "--recording", recording, "--model", moved, "--threads", "1", "-o", self.results)
        asked = self.report("isolated_kernels_timing.json")["run"]["program"]["asked"]
        self.assertEqual((asked["model"], asked["threads"]), (str(moved), 1))
        self.fail_with("its launches differ from those in the recording", "isolated", "--recording", recording, "--model",
                       self.models / "views.pt", "-o", self.results)
        lines = recording.read_text().replace("aten::mul.Scalar", "aten::div.Scalar")
        recording.write_text(lines)
        self.fail_with("its launches differ from those in the recording", "isolated", "--recording", recording, "--run-recorded", "--yes",
                       "-o", self.results)

    def test_a_killed_child_is_told_and_rows_are_kept(self):
        process = subprocess.Popen([KJOULE, "compare", "--model", self.models / "bloom_tiny.pt", "-o", self.results,
                                    "--time-limit", "60", "--precision", "0.001%", "--runs", "5", *ON_CPU],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        rows = self.results / "results.jsonl"
        os.kill(self.child_when(process, '"kind":"round"', times=4), signal.SIGKILL)
        _, errors = process.communicate(timeout=600)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("killed by signal 9", errors)
        self.assertIn("memory ran out", errors)
        kept = rows.read_text()
        self.assertGreater(kept.count('"kind":"round"'), 3)
        resumed = run("compare", "--model", self.models / "bloom_tiny.pt", "--resume", self.results, "--time-limit", "0.1")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertTrue(rows.read_text().startswith(kept))


if __name__ == "__main__":
    unittest.main()
