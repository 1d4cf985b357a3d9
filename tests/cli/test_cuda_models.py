"""kjoule COMMAND --model M --device cuda, without a GPU: the runner, or the injected library, is a stand-in."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from . import test_import
from .helpers import write_fixtures
from .messages import errors_in
from .test_programs import PROGRAM, ROOT, USES_CUDA, Programs

RUNNER = ROOT / "build/bin/kjoule-torch"
TORCH = next((ROOT / ".venv/lib").glob("python3*/site-packages/torch"), None)


class Models(Programs):
    """A kjoule-torch of its own beside kjoule, which notes its arguments and work and does `steps` like any CUDA program."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.pt"
        self.model.write_bytes(b"weights")

    def noted(self):
        """Returns the runner's first lines, which note its arguments and its work."""
        return (f"import os, shutil, sys\nopen({str(self.folder / 'asked')!r}, 'w').write(' '.join(sys.argv[1:]))\n"
                f"shutil.copy(sys.argv[sys.argv.index('--work') + 1], {str(self.folder / 'work')!r})\n")

    def work(self):
        return json.loads((self.folder / "work").read_text())

    def runner_does(self, *steps):
        runner = self.folder / "kjoule-torch"
        runner.write_text(f"#!{sys.executable}\n{self.noted()}os.execv(sys.executable, {[*PROGRAM, *steps]!r})\n")
        runner.chmod(0o755)

    def measure(self, command, *options):
        output = {"record": self.folder / "recording.jsonl"}.get(command, self.results)
        words = [self.kjoule, command, "--model", self.model, "--device", "cuda", "-o", output, *options]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=600,
                              env=self.environment)


class Measured(Models):
    def test_every_command_measures_its_runner_like_a_program(self):
        self.runner_does(*USES_CUDA, "sleep:60")
        for command in ["compare", "full", "isolated", "record"]:
            with self.subTest(command):
                done = self.measure(command, "--seq-len", "7", "--threads", "2")
                self.assertEqual(done.returncode, 0, done.stderr)
                asked = (self.folder / "asked").read_text()
                self.assertRegex(asked, r"^--run \d+ --work \S+$")
                self.assertFalse(pathlib.Path(asked.split()[3]).exists())
                self.assertEqual(self.work(), {"device": "cuda", "threads": 2,
                                               "model": {"path": str(self.model), "seq_len": 7, "inputs": [], "seed": 0, "fuses_operators": True}})
        program = json.loads((self.folder / "recording.jsonl").read_text().splitlines()[0])["program"]
        self.assertEqual((program["asked"]["model"], program["asked"]["device"]), (str(self.model), "cuda"))

    def test_a_recording_is_measured_with_its_model(self):
        self.runner_does(*USES_CUDA, "sleep:60")
        self.assertEqual(self.measure("record", "--skip-iterations", "2").returncode, 0)
        words = [self.kjoule, "isolated", "--recording", self.folder / "recording.jsonl", "--run-recorded", "--yes", "-o", self.results]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=self.environment, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.work()["device"], "cuda")

    def test_runs_are_as_many_as_asked_for(self):
        self.runner_does(*USES_CUDA, "sleep:60")
        done = self.measure("full", "--runs", "2000", "--warmup", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.results / "full_model_timing.json").read_text())["num_runs"], 2000)
        self.assertGreater(int((self.folder / "asked").read_text().split()[1]), 2004)


class Lending(Models):
    """On a GPU PyTorch's profiler tells operators and shapes; the runner's trace is a stand-in."""

    def setUp(self):
        super().setUp()
        self.table = self.folder / "table.jsonl"
        self.table.write_text(test_import.JSONL)

    def runner_writes(self, script):
        runner = self.folder / "kjoule-torch"
        runner.write_text(f"#!{sys.executable}\n{self.noted()}{script}\n")
        runner.chmod(0o755)

    def kernels(self):
        words = [self.kjoule, "kernels", self.table, "--model", self.model, "--device", "cuda", "--seq-len", "7", "--json"]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, env=self.environment)

    def test_the_profiler_tells(self):
        trace = json.dumps(test_import.TraceBuilder(1).as_dict())
        self.runner_writes(f"open(sys.argv[sys.argv.index('--profile') + 1], 'w').write({trace!r})")
        done = self.kernels()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([kernel["operator"] for kernel in json.loads(done.stdout)["kernels"]], ["aten::addmm", "aten::copy_"])
        self.assertIn(f"for 2 of them, {self.model} supplied one", done.stderr)
        asked = (self.folder / "asked").read_text()
        self.assertRegex(asked, r"^--profile \S+ --work \S+$")
        self.assertEqual((self.work()["device"], self.work()["model"]["seq_len"]), ("cuda", 7))
        self.assertFalse(pathlib.Path(asked.split()[1]).exists())

    def test_a_runner_that_fails_says_why(self):
        self.runner_writes("print('kjoule-torch: out of memory', file=sys.stderr)\nsys.exit(1)")
        done = self.kernels()
        self.assertEqual(done.returncode, 1)
        self.assertIn("was not profiled: out of memory", done.stderr.splitlines()[-1])


class Refused(Models):
    def fails(self, text, done):
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = done.stderr.splitlines()
        self.assertEqual(len(told), 1, done.stderr)
        self.assertTrue(told[0].startswith("kjoule: "), told[0])
        self.assertIn(text, told[0])

    def test_without_a_runner(self):
        self.fails("the program kjoule-torch, which runs models, is not in the folder of kjoule", self.measure("compare"))
        self.assertFalse(self.results.exists())

    def test_without_a_model(self):
        self.model.unlink()
        self.fails("no such file", self.measure("compare"))

    def test_without_the_injected_library(self):
        self.runner_does(*USES_CUDA)
        (self.folder / "libkjoule_inject.so").unlink()
        self.fails("kjoule was built without CUDA", self.measure("compare"))

    def test_options_for_cuda_on_the_cpu(self):
        done = subprocess.run([self.kjoule, "compare", "--model", self.model, "--device", "cpu", "--gpu", "1"],
                              capture_output=True, text=True, check=False)
        self.fails("--gpu has no effect on a model that runs on the CPU", done)

    def test_options_for_several_gpus(self):
        self.runner_does(*USES_CUDA)
        self.fails("choose the GPU with the environment variable CUDA_VISIBLE_DEVICES", self.measure("compare", "--gpu", "1"))

    @unittest.skipUnless(RUNNER.exists(), "kjoule-torch was not built")
    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "a GPU is here")
    def test_without_a_gpu_the_runner_itself_says_so(self):
        (self.folder / "kjoule-torch").symlink_to(RUNNER)
        self.fails("torch", self.measure("compare"))  # sees no GPU, or has no CUDA
        self.assertFalse(self.results.exists())


@unittest.skipUnless(RUNNER.exists() and TORCH, "kjoule-torch was not built against .venv")
class MovedTorch(Models):
    """A kjoule-torch that was built where torch is no longer: all mentions of its place are changed."""

    def setUp(self):
        super().setUp()
        place = str(TORCH.resolve().parent).encode()
        moved = self.folder / "kjoule-torch"
        moved.write_bytes(RUNNER.read_bytes().replace(place, b"/x" + place[2:]))
        moved.chmod(0o755)
        self.torch_folder.write_text("/x/torch\n")

    def full(self, **settings):
        words = [self.kjoule, "full", "--model", self.folder / "models/inplace.pt", "--device", "cpu", "-o", self.results]
        environment = {name: value for name, value in {**os.environ, **settings}.items() if value}
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, env=environment)

    def test_kjoule_torch_says_where_it_is(self):
        write_fixtures(self.folder / "models")
        for write, said in [(lambda: None, "the torch package with which kjoule-torch was built is no longer in /x/torch;"),
                            (self.torch_folder.unlink, "it is not known with which torch package kjoule-torch was built;")]:
            write()
            refused = self.full(KJOULE_TORCH="")
            self.assertEqual(refused.returncode, 1)
            self.assertIn(said, refused.stderr)
        done = self.full(KJOULE_TORCH=str(TORCH))
        self.assertEqual((done.returncode, errors_in(done.stderr)), (0, []), done.stderr)

    def test_doctor_knows_it(self):
        environment = {**os.environ, "KJOULE_TORCH": str(TORCH)}
        done = subprocess.run([self.kjoule, "doctor", "--json"], capture_output=True, text=True, check=False, env=environment)
        found = {row["item"]: row for row in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(found["torch"]["status"], "ok", found["torch"])
        self.assertEqual(found["kjoule-torch"]["status"], "ok", found["kjoule-torch"])


if __name__ == "__main__":
    unittest.main()
