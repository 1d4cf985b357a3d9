"""kjoule doctor: what it misses, and that its remedies help. Each case lets an item be missing, and then does what the remedy says."""
import json
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

from .driver import BUILD, CUBLAS, FAKE_NVML, KJOULE, PROGRAM, STAND_INS
from .test_install import needs_torch



def torch_of_the_build():
    """Returns the folder of the torch with which this kjoule was built."""
    return (BUILD / "share/kjoule/torch_folder").read_text().rstrip("\n")


class Remedies(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def found(self, item, cwd=None, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KJOULE_") and name not in environment}
        done = subprocess.run([KJOULE, "doctor", "--json"], capture_output=True, text=True, check=False, cwd=cwd or self.folder, env={**kept, **environment})
        rows = {row["item"]: row for row in map(json.loads, done.stdout.splitlines())}
        return {**rows[item], "exit code": done.returncode}

    def check(self, item, without, remedy, with_it):
        """Checks that the item is missing with the environment `without`, that the remedy is printed, and that it is found with `with_it`."""
        lacking = self.found(item, **without)
        self.assertIn(lacking["status"], ["missing", "limited"], lacking)
        self.assertIn(remedy, lacking["remedy"])
        self.assertEqual(self.found(item, **with_it)["status"], "ok", item)
        return lacking

    @needs_torch
    def test_a_wrong_folder_of_torch(self):
        torch = torch_of_the_build()
        lacking = self.check("torch", {"KJOULE_TORCH": "/nonexistent"}, "unset KJOULE_TORCH, or set it to the folder of a torch package", {"KJOULE_TORCH": torch})
        self.assertEqual(lacking["exit code"], 1)
        self.assertEqual(self.found("torch")["status"], "ok")

    @needs_torch
    def test_a_python_without_torch(self):
        python = self.folder / "python3"
        python.write_text("#!/bin/sh\nexit 1\n")
        python.chmod(stat.S_IRWXU)
        self.check("python (export)", {"KJOULE_PYTHON": str(python)}, "or set KJOULE_PYTHON to a Python that has them",
                   {"KJOULE_PYTHON": str(pathlib.Path(torch_of_the_build()).parents[3] / "bin/python")})

    def test_a_folder_without_space(self):
        lacking = self.found("disk", cwd="/proc")
        self.assertEqual((lacking["status"], lacking["remedy"]), ("limited", "free some space, or write to another folder with --output-dir"))
        done = subprocess.run([KJOULE, "full", "--device", "simulated:seed=3", "--output-dir", self.folder / "results"], capture_output=True, text=True, check=False, cwd="/proc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "results/results.jsonl").exists())

    @unittest.skipUnless(PROGRAM.exists(), "built without CUDA's headers")
    def test_a_driver_and_cupti(self):
        libraries = {"LD_LIBRARY_PATH": str(STAND_INS)}
        cupti, = STAND_INS.glob("libcupti.so.*")
        self.check("NVIDIA driver", {}, "install NVIDIA's driver", libraries)
        lacking = self.check("CUPTI (GPU kernels)", {"KJOULE_CUPTI": "/nonexistent"}, "name the library with KJOULE_CUPTI=FILE", {"KJOULE_CUPTI": str(cupti)})
        self.assertEqual(lacking["detail"], "/nonexistent not found")

    @unittest.skipUnless(PROGRAM.exists(), "built without CUDA's headers")
    def test_cublas(self):
        library, = CUBLAS.glob("libcublas.so.*")
        self.check("cuBLAS (matrix products)", {"KJOULE_CUBLAS": "/nonexistent"}, "name the library with KJOULE_CUBLAS=FILE", {"KJOULE_CUBLAS": str(library)})

    def test_nvml(self):
        self.check("NVML (GPU power)", {"KJOULE_NVML": "/nonexistent"}, "install NVIDIA's driver", {"KJOULE_NVML": FAKE_NVML, "FAKE_NVML_WATTS": "300"})

    def test_nvidia_smi(self):
        program = self.folder / "nvidia-smi"
        program.write_text('#!/bin/sh\necho "A GPU, 700.00 W"\n')
        program.chmod(stat.S_IRWXU)
        without = {"PATH": "/nonexistent"}
        self.check("nvidia-smi", without, "install NVIDIA's driver", {"PATH": f"{self.folder}:{os.environ['PATH']}"})


if __name__ == "__main__":
    unittest.main()
