"""The wheel of tools/wheel, installed into an environment of its own and used from another folder.

By default, it is a wheel of the programs of this build, with the other files of a release. KJOULE_WHEEL names another one, as
tools/wheel does.
"""
import glob
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

from .driver import BUILD, PROGRAM, ROOT, STAND_INS
from .test_import import TraceBuilder
from .test_install import PIPELINES, TINY, needs_torch

LIMIT = 25_000_000  # bytes of the wheel
NOT_INHERITED = {"KJOULE", "KJOULE_PYTHON", "KJOULE_TORCH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME"}
MISSING = [name for name in ["scikit_build_core", "auditwheel"] if importlib.util.find_spec(name) is None]


@unittest.skipIf(MISSING and not os.environ.get("KJOULE_WHEEL"), f"this Python lacks {', '.join(MISSING)}")
@unittest.skipUnless((BUILD / "bin/kjoule").exists(), "kjoule was not built")
class InstalledWheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.made = pathlib.Path(temporary.name).resolve()
        if not os.environ.get("KJOULE_WHEEL"):
            cls.must([ROOT / "tools/release", "package", cls.made / "out"], env={**os.environ, "KJOULE_PYTHON": sys.executable})
        cls.wheel = pathlib.Path(os.environ.get("KJOULE_WHEEL") or glob.glob(f"{cls.made}/out/kjoule-*.whl")[0])
        cls.archive = next(cls.wheel.parent.glob("kjoule-*.tar.gz"))
        cls.venv = cls.made / "environment"
        cls.must([sys.executable, "-m", "venv", "--without-pip", cls.venv])
        cls.must([sys.executable, "-m", "pip", "--python", cls.venv / "bin/python", "install", "--quiet", "--no-index", cls.wheel])
        cls.packages, = (cls.venv / "lib").glob("python3*/site-packages")

    @classmethod
    def must(cls, words, **settings):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **settings)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self.environment = {**kept, "XDG_CACHE_HOME": str(self.folder / "cache"), "CUDA_VISIBLE_DEVICES": ""}

    def run_words(self, *words, **environment):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False, cwd=self.folder,
                              env={**self.environment, **environment})

    def kjoule(self, *arguments, **environment):
        done = self.run_words(self.venv / "bin/kjoule", *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def refused(self, *arguments, **environment):
        done = self.run_words(self.venv / "bin/kjoule", *arguments, **environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def use_torch_of_this_python(self):
        """Lets the environment import the packages of this Python: torch of this test's own machine serves as that of the environment."""
        path = self.packages / "packages_of_the_test.pth"
        spec = importlib.util.find_spec("torch")
        path.write_text(str(pathlib.Path(next(iter(spec.submodule_search_locations))).parent) + "\n")
        self.addCleanup(path.unlink)

    def test_files(self):
        self.assertLessEqual(self.wheel.stat().st_size, LIMIT)
        self.assertRegex(self.wheel.name, r"-py3-none-manylinux_2_\d+_x86_64\.whl$")
        with zipfile.ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
            for name in names:
                if name.startswith("kjoule/bin/kjoule-torch-"):
                    self.assertNotIn(str(ROOT).encode(), wheel.read(name), "the folder of the sources, in a message or an RPATH")
        files = {str(path.relative_to(ROOT / "python")) for path in (ROOT / "python").rglob("*.py")}
        self.assertGreater(len(files), 20)
        self.assertLessEqual({f"kjoule/share/kjoule/python/{file}" for file in files}, names)
        self.assertLessEqual({file for file in files if file.startswith("kjoule/")}, names)
        for built, packaged in [("kjoule", "bin/kjoule"), ("kjoule-blas", "bin/kjoule-blas"), ("kjoule-nccl", "bin/kjoule-nccl"), ("libkjoule_inject.so", "lib/libkjoule_inject.so")]:
            self.assertEqual((BUILD / "bin" / built).exists(), f"kjoule/{packaged}" in names, packaged)
        self.assertEqual((BUILD / "bin/kjoule-torch").exists(), any(name.startswith("kjoule/bin/kjoule-torch-2.") for name in names))
        for library in ["libyaml-cpp-dev", "dygraphs"]:
            self.assertIn(f"kjoule/share/doc/kjoule/licenses/{library}.txt", names)
        self.assertLessEqual({"kjoule/share/man/man1/kjoule.1", "kjoule/share/man/man1/kjoule-power-log.1", "kjoule/share/bash-completion/completions/kjoule"}, names)
        self.assertEqual({name.partition("/")[0].partition("-")[0] for name in names}, {"kjoule", "kjoule.libs"})

    def packaged_again(self):
        """Packages the same programs with other settings of the user, and returns the folder."""
        again = self.folder / "again"
        self.must(["bash", "-c", 'umask 077 && exec "$0" package "$1"', ROOT / "tools/wheel", again],
                  env={**os.environ, "KJOULE_PYTHON": sys.executable, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"})
        return again

    @unittest.skipIf(os.environ.get("KJOULE_WHEEL"), "tools/release compares the bytes")
    def test_the_same_programs_give_the_same_bytes(self):
        again = self.packaged_again()
        for file in [self.wheel, self.archive]:
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes(), file.name)

    @unittest.skipIf(os.environ.get("KJOULE_WHEEL"), "tools/wheel makes no checksums")
    def test_files_of_a_release(self):
        version = re.search(r"kjoule-([\d.]+)-", self.wheel.name)[1]
        sums = dict(reversed(line.split("  ")) for line in (self.wheel.parent / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {self.wheel.name, self.archive.name, f"kjoule-{version}.spdx.json", f"kjoule-{version}-notes.md"})
        self.assertEqual(set(sums) | {"SHA256SUMS"}, {path.name for path in self.wheel.parent.iterdir()})
        for name, stated in sums.items():
            self.assertEqual(hashlib.sha256((self.wheel.parent / name).read_bytes()).hexdigest(), stated, name)
        notes = (self.wheel.parent / f"kjoule-{version}-notes.md").read_text()
        self.assertIn("kjoule compare -- PROGRAM", notes)
        self.assertIn(f"pip install ./kjoule-{version}-*.whl", notes)

    @unittest.skipIf(os.environ.get("KJOULE_WHEEL"), "tools/wheel makes no SPDX list")
    def test_each_library_of_the_wheel_is_listed_with_its_licence(self):
        listed, = self.wheel.parent.glob("*.spdx.json")
        packages = {package["name"]: package for package in json.loads(listed.read_text())["packages"]}
        with zipfile.ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
        libraries = {re.match(r"lib([a-z]+)", pathlib.Path(name).name)[1] for name in names if ".so" in name} - {"kjoule"}
        self.assertEqual(libraries, {"dmlc", "gomp", "xgboost"})
        self.assertLessEqual({"libdmlc0", "libgomp1", "libxgboost0"}, set(packages))
        for name, package in packages.items():
            if not name.startswith("data/") and name != "kjoule" and package["versionInfo"] != "NOASSERTION":
                self.assertIn(f"kjoule/share/doc/kjoule/licenses/{name}.txt", names)
        self.assertIn("kjoule/share/doc/kjoule/licenses/regressors-Perlmutter.txt", names)

    def test_libraries_are_searched_within_the_wheel_only(self):
        for path in [*self.packages.glob("kjoule/bin/*"), *self.packages.glob("kjoule/lib/*"), *self.packages.glob("kjoule.libs/*")]:
            described = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            for line in described.splitlines():
                if "RUNPATH" in line or "RPATH" in line:
                    self.assertIn("[$ORIGIN", line, path)

    def test_without_torch(self):
        rows = map(json.loads, self.run_words(self.venv / "bin/kjoule", "doctor", "--json").stdout.splitlines())
        found = {row["item"]: row for row in rows}
        self.assertEqual(found["torch"]["status"], "missing", found)
        self.assertIn("pip install torch==2.", found["torch"]["remedy"])
        self.kjoule("compare", "--device", "simulated:seed=3", "--runs", "20", "--no-energy")
        self.assertGreater(json.loads((self.folder / "results/comparison_report.json").read_text())["sum_us"], 0)
        self.assertIn("no torch package was found, which models need (supported: 2.", self.refused("compare", "--model", self.model()))

    def model(self):
        path = self.folder / "any.pt"
        path.write_bytes(b"PK")
        return path

    def test_a_trace_to_a_table_of_kernels(self):
        (self.folder / "trace.json").write_text(json.dumps(TraceBuilder().as_dict()))
        lines = self.kjoule("kernels", "trace.json", "--jsonl").splitlines()
        self.assertGreater(len(lines), 1)
        self.assertTrue(all(json.loads(line)["count"] >= 1 for line in lines))

    def test_models_of_predictions_are_trained_with_the_library_of_the_wheel(self):
        rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (self.folder / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us)", *rows]) + "\n")
        asked = ["predict", "operator", "G", "mine", "fp16", "fwd", 500, 400, "--data", self.folder, "--json"]
        done = self.run_words(self.venv / "bin/kjoule", *asked, LD_DEBUG="files")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["predicted_us"], 202, delta=25)
        loaded = "\n".join(line for line in done.stderr.splitlines() if "calling init" in line and "libxgboost" in line)
        self.assertIn(f"{self.packages}/kjoule/bin/../lib/libxgboost.so.0", loaded)

    def test_python(self):
        script = ("import json, kjoule; result = kjoule.compare(device='simulated:seed=3', runs=20, energy=False); "
                  "print(json.dumps([str(kjoule.find_program()), result.verdict, len(result.kernels)]))")
        done = self.run_words(self.venv / "bin/python", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        program, verdict, kernels = json.loads(done.stdout)
        self.assertEqual(program, str(self.packages / "kjoule/bin/kjoule"))
        self.assertEqual(verdict, "adds up")
        self.assertGreater(kernels, 5)

    @unittest.skipUnless(PROGRAM.exists(), "built without CUDA's headers or without tests")
    def test_a_program_loads_the_library_of_the_wheel(self):
        self.kjoule("record", "-o", "recording.jsonl", "--loop-seconds", "0.05", "--", PROGRAM, "--iterations", "300000", "--until", "recording.jsonl",
                    LD_LIBRARY_PATH=str(STAND_INS), FAKE_CUDA_SEED="1")
        self.assertGreater(len((self.folder / "recording.jsonl").read_text().splitlines()), 10)

    @needs_torch
    def test_the_environments_torch_runs_models(self):
        self.use_torch_of_this_python()
        rows = {row["item"]: row for row in map(json.loads, self.kjoule("doctor", "--json").splitlines())}
        for item in ["torch", "kjoule-torch", "python (export)"]:
            self.assertEqual(rows[item]["status"], "ok", rows[item])
        self.kjoule("export", "gpt2", *TINY, "-o", "model.pt")
        self.kjoule("compare", "--model", "model.pt", "--device", "cpu", "--threads", "1", "--warmup", "1", "--runs", "3", "--time-limit", "0.3")
        report = json.loads((self.folder / "results/comparison_report.json").read_text())
        self.assertGreater(report["sum_us"], 0)

    @needs_torch
    def test_operators_and_pipelines_of_python_files(self):
        self.use_torch_of_this_python()
        (self.folder / "own.py").write_text("import torch\n\ndef scaled(shapes, precision, device_num):\n    torch.ones(*shapes) * 2\n")
        (self.folder / "own.yml").write_text("module_name: own\nkernel_name: scaled\nfunction_name: scaled\ncolumns_name: [rows, columns, F_dur(us)]\n"
                                             "targets: [[aten::mul]]\nfirst_n_column: 2\nstarts: [8, 64]\nsteps: [2, 64]\nends: [16, 128]\n"
                                             "operators: [mul, add]\nwarmup_shapes: [8, 64]\nwait: 1\nwarmup: 1\nactive: 6\nshapes: [8, 64]\nrun: get_all\n")
        self.kjoule("sample", "own.yml", "--python", "own.py", "--precision", "fp32", "--threads", "1", "--device", "cpu", "-o", "sampled")
        table, = self.folder.glob("sampled/sampling_data/*.csv")
        self.assertEqual(len(table.read_text().splitlines()), 1 + 4, table.read_text())
        (self.folder / "pipelines.py").write_text(PIPELINES)
        self.assertIn("pipelines.py: none of the layers of a can run; error of the first layer, one: ", self.refused("layers", "pipelines.py"))

    def test_a_torch_of_another_version_is_refused(self):
        self.make_torch()
        error = self.refused("compare", "--model", self.model(), "--device", "cpu", KJOULE_TORCH=str(self.folder / "torch"))
        self.assertIn(f"this kjoule does not support torch 2.1.0 in {self.folder}/torch (supported: 2.", error)
        beside = self.packages / "torch"
        beside.symlink_to(self.folder / "torch")
        self.addCleanup(beside.unlink)
        for program in [self.venv / "bin/kjoule", self.packages / "kjoule/bin/kjoule"]:  # the second one finds torch by itself
            done = self.run_words(program, "compare", "--model", self.model(), "--device", "cpu")
            self.assertIn(f"this kjoule does not support torch 2.1.0 in {beside} (supported: 2.", done.stderr)

    def make_torch(self):
        """Makes a folder like that of a torch package of a version that is not supported."""
        library = self.folder / "torch/lib/libtorch_cpu.so"
        library.parent.mkdir(parents=True)
        library.touch()
        (self.folder / "torch/version.py").write_text("\n__version__ = '2.1.0'\n")

    def test_the_archive_is_an_installation(self):
        subprocess.run(["tar", "-xzf", self.archive, "-C", self.folder], check=True)
        root, = self.folder.glob("kjoule-*")
        done = self.run_words(root / "bin/kjoule", "compare", "--device", "simulated:seed=3", "--runs", "20", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((root / "share/doc/kjoule/docs/guide/quickstart.md").exists())
        self.make_torch()
        done = self.run_words(root / "bin/kjoule", "compare", "--model", self.model(), "--device", "cpu")
        self.assertIn("no torch package was found", done.stderr, "a folder next to the archive is not loaded")
        told = subprocess.run(["ldd", root / "lib/libxgboost.so.0"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("not found", told)
        self.assertIn(f"{root}/lib/libdmlc", told)


if __name__ == "__main__":
    unittest.main()
