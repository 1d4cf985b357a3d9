"""Installing: kjoule in a folder that was moved after `cmake --install`, what tools/setup announces, and that cmake by itself installs nothing."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
STAND_INS = BUILD / "tests/fakes/driver"
TINY = ["--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100", "--seq-len", "8"]
PIPELINES = "pipelines = [('a', [('one', (lambda: 1, lambda state: None))])]\n"


def reason_without_torch():
    """Returns why models cannot run in this build, or nothing when they can."""
    if not (BUILD / "bin/kjoule-torch").exists():
        return "no torch: kjoule-torch was not built"
    missing = [name for name in ["torch", "transformers"] if importlib.util.find_spec(name) is None]
    return f"no torch: this Python lacks {' and '.join(missing)}" if missing else ""


WITHOUT_TORCH = reason_without_torch()
needs_torch = unittest.skipIf(WITHOUT_TORCH, WITHOUT_TORCH)
built_here = unittest.skipUnless(shutil.which("cmake") and (BUILD / "cmake_install.cmake").exists(), "kjoule was not built here with cmake")


class InAFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()


@built_here
class Relocated(InAFolder):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        installed = pathlib.Path(temporary.name).resolve() / "installed"
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", installed], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.prefix = installed.parent / "moved/kjoule 0"
        cls.prefix.parent.mkdir()
        installed.rename(cls.prefix)

    def run_kjoule(self, *arguments, **environment):
        return subprocess.run([self.prefix / "bin/kjoule", *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False,
                              cwd=self.folder, env={**os.environ, **environment})

    def succeed(self, *arguments, **environment):
        done = self.run_kjoule(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_files_are_where_kjoule_looks_for_them(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertLessEqual({"bin/kjoule", "share/doc/kjoule/LICENSE", "share/doc/kjoule/README.md", "share/doc/kjoule/CHANGELOG.md", "share/doc/kjoule/licenses/regressors-Perlmutter.txt", "share/doc/kjoule/docs/guide/quickstart.md"}, files)
        for built, installed in [("kjoule-torch", "bin/kjoule-torch"), ("kjoule-blas", "bin/kjoule-blas"), ("kjoule-nccl", "bin/kjoule-nccl"), ("libkjoule_inject.so", "lib/libkjoule_inject.so")]:
            self.assertEqual((BUILD / "bin" / built).exists(), installed in files, installed)
        ours = {f"share/kjoule/{path.relative_to(ROOT)}" for path in (ROOT / "python").rglob("*.py")}
        self.assertGreater(len(ours), 2)
        self.assertEqual(ours, {file for file in files if file.endswith(".py") and file.startswith("share/kjoule/")})
        self.assertLessEqual({file.partition("/")[0] for file in files}, {"bin", "lib", "share"})

    def test_manual_pages_and_completions_are_those_of_the_program(self):
        share = self.prefix / "share"
        for words, file in [(["manual"], "man/man1/kjoule.1"), (["manual", "power", "log"], "man/man1/kjoule-power-log.1"), (["completion", "bash"], "bash-completion/completions/kjoule"),
                            (["completion", "zsh"], "zsh/site-functions/_kjoule"), (["completion", "fish"], "fish/vendor_completions.d/kjoule.fish")]:
            self.assertEqual((share / file).read_text(), self.succeed(*words), file)
        commands = self.succeed("manual", "--list").splitlines()
        self.assertEqual({path.name for path in (share / "man/man1").iterdir()}, {"kjoule.1", *(f"kjoule-{command.replace(' ', '-')}.1" for command in commands)})

    def test_no_file_names_the_build_or_the_python_packages_beside_the_sources(self):
        """The folder of torch is named, and so are source files, in torch's messages."""
        for path in filter(pathlib.Path.is_file, self.prefix.rglob("*")):
            for folder in [BUILD, ROOT / "python"]:
                self.assertFalse(f"{folder}/".encode() in path.read_bytes(), f"{path} names {folder}")

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"\d+\.\d+\.\d+")

    def test_simulated_device(self):
        self.succeed("compare", "--device", "simulated:seed=3", "--runs", "20", "--no-energy")
        self.assertGreater(json.loads((self.folder / "results/comparison_report.json").read_text())["sum_us"], 0)

    @unittest.skipUnless((STAND_INS / "program").exists(), "built without CUDA's headers or without tests")
    def test_cuda_program_loads_the_installed_library(self):
        environment = {"LD_LIBRARY_PATH": str(STAND_INS), "FAKE_CUDA_SEED": "1"}
        self.succeed("record", "-o", "recording.jsonl", "--loop-seconds", "0.05", "--", STAND_INS / "program", "--iterations", "300000",
                     "--until", "recording.jsonl", **environment)
        self.assertGreater(len((self.folder / "recording.jsonl").read_text().splitlines()), 10)

    @needs_torch
    def test_doctor_misses_nothing_for_models_on_the_cpu(self):
        findings = {finding["item"]: finding for finding in map(json.loads, self.succeed("doctor", "--json").splitlines())}
        for item in ["torch", "kjoule-torch", "python (export)"]:
            self.assertEqual(findings[item]["status"], "ok", findings[item])

    @needs_torch
    def test_exported_model_runs(self):
        self.succeed("export", "gpt2", *TINY, "-o", "model.pt")
        self.succeed("full", "--model", "model.pt", "--device", "cpu", "--threads", "1", "--warmup", "1", "--runs", "3")
        self.assertGreater(json.loads((self.folder / "results/full_model_timing.json").read_text())["full_model_inference_us"], 0)

    @needs_torch
    def test_models_are_exported_and_measured_with_one_torch(self):
        """That of the one Python environment that the doctor names."""
        findings = {finding["item"]: finding["detail"] for finding in map(json.loads, self.succeed("doctor", "--json").splitlines())}
        self.succeed("export", "gpt2", *TINY, "-o", "model.pt")
        with zipfile.ZipFile(self.folder / "model.pt") as model:
            described, = [name for name in model.namelist() if name.endswith("/extra/kjoule.json")]
            exported = json.loads(model.read(described))["versions"]["torch"]
        self.succeed("full", "--model", "model.pt", "--device", "cpu", "--threads", "1", "--warmup", "1", "--runs", "3")
        measured = json.loads((self.folder / "results/full_model_timing.json").read_text())["run"]["device"]["torch"]
        version, _, folder = findings["torch"].partition(" in ")
        self.assertEqual([one.partition("+")[0] for one in (exported, measured)], [version.partition("+")[0]] * 2)
        self.assertIn(f"torch {version.partition('+')[0]}", findings["python (export)"])
        self.assertTrue((pathlib.Path(folder) / "lib/libtorch_cpu.so").exists(), folder)

    @needs_torch
    def test_layers_of_a_python_file_are_read(self):
        """They need a GPU to run; the error about the missing one comes from the installed kjoule_pipelines."""
        (self.folder / "own.py").write_text(PIPELINES)
        done = self.run_kjoule("layers", "own.py", CUDA_VISIBLE_DEVICES="")
        self.assertIn("own.py: none of the layers of a can run; error of the first layer, one: ", done.stderr)

    @needs_torch
    def test_python_packages_are_the_installed_ones(self):
        """The interpreter is told to trace imports; each file of ours that it loads must lie in the moved folder."""
        done = self.run_kjoule("export", "--help", PYTHONVERBOSE="1", PYTHONDONTWRITEBYTECODE="1")
        loaded = [line for line in done.stderr.splitlines() if line.startswith("# code object from") and "kjoule_export" in line]
        self.assertTrue(loaded, done.stderr[-500:])
        for line in loaded:
            self.assertIn(f"{self.prefix}/share/kjoule/python/kjoule_export/", line)


class Setup(InAFolder):
    """tools/setup on a machine without compiler, cmake and .venv: a PATH with stand-ins, which write a line when they install something."""

    TOOLS = ["awk", "bash", "cat", "cmp", "cp", "cut", "dirname", "env", "grep", "mkdir", "paste", "sed", "tail"]

    def setUp(self):
        super().setUp()
        for name in ["tools/setup", "tools/python", "python/requirements.txt"]:
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for tool in self.TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", f"""case " $* " in
  *" --print-uris "*) echo "'http://mirror/g++.deb' g++.deb 11000000 SHA256:0"; echo "'http://mirror/cmake.deb' cmake.deb 9000000 SHA256:0" ;;
  *) echo "apt-get $*" >/dev/output_of_setup ;;
esac""")
        self.stand_in("python3", f"""case " $* " in
  *" venv "*) echo "python3 $*" >/dev/output_of_setup; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *" install "*) echo "pip $*" >/dev/output_of_setup ;;
  *" pip --version "*) exit 0 ;;
esac""")

    def stand_in(self, name, script):
        """Writes a program to the PATH. Its lines for the test go to the pipe of tools/setup's own output, so that their order is kept."""
        path = self.programs / name
        path.write_text(f"#!{shutil.which('bash')}\n" + script.replace("/dev/output_of_setup", "/proc/$SETUP/fd/3") + "\n")
        path.chmod(0o755)

    def run_setup(self, *arguments, **environment):
        """Returns the lines that tools/setup and the stand-ins wrote, in their order."""
        script = 'exec 3>&1; export SETUP=$$; tools/setup "$@"'
        done = subprocess.run([shutil.which("bash"), "-c", script, "bash", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, cwd=self.folder, env={"PATH": str(self.programs), **environment})
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.splitlines()

    def test_all_is_announced_before_anything_is_installed(self):
        lines = self.run_setup()
        debian, python, *rest = lines
        self.assertRegex(debian, r"will install Debian packages .*: g\+\+ cmake ninja-build .*ccache mold.*dependencies, 20 MB to download")
        self.assertRegex(python, rf"will install Python packages into {self.folder}/\.venv: torch==\S+ transformers==.*\bGB")
        installing = [line for line in rest if line.startswith(("apt-get", "python3", "pip"))]
        self.assertEqual([" ".join(line.split()[:2]) for line in installing], ["apt-get update", "apt-get install", "python3 -m", "pip -m"], lines)

    def test_installed_python_packages_are_not_announced(self):
        for name in ["g++", "cmake", "ninja"]:
            self.stand_in(name, "")
        self.run_setup()
        lines = self.run_setup()
        self.assertFalse([line for line in lines if "Python" in line], lines)

    def test_a_command_runs_while_pip_installs(self):
        """pip's stand-in waits for the command, and the command for pip's stand-in."""
        for name in ["pip_began", "command_ran"]:
            os.mkfifo(self.folder / name)
        self.stand_in("python3", """case " $* " in
  *" venv "*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *" install "*) echo >pip_began; read -r _ <command_ran; echo "pip ended" >/dev/output_of_setup ;;
  *" pip --version "*) exit 0 ;;
esac""")
        self.stand_in("compile", 'read -r _ <pip_began; echo "compiled $*" >/dev/output_of_setup; echo >command_ran')
        lines = self.run_setup("build", "compile", "all")
        self.assertEqual(lines[-2:], ["compiled all", "pip ended"])
        self.assertNotIn("compiled all", self.run_setup("build", "compile", "all"), "nothing was missing but Debian packages")

    def test_a_command_that_fails_is_the_error(self):
        self.stand_in("compile", "exit 3")
        with self.assertRaisesRegex(AssertionError, "3 != 0"):
            self.run_setup("build", "compile")
        self.assertTrue((self.folder / ".venv/kjoule-requirements.txt").exists(), "pip ended, too")

    def test_torch_of_another_index_comes_first_and_the_headers_of_cuda_with_the_other_packages(self):
        lines = self.run_setup(KJOULE_TORCH_INDEX="https://index/cpu")
        announced, = [line for line in lines if "will install Python packages into" in line]
        self.assertIn("(torch from https://index/cpu, and the headers of CUDA)", announced)
        torch, others = [line for line in lines if line.startswith("pip")]
        self.assertRegex(torch, r" --index-url https://index/cpu torch==[\d.]+$")
        self.assertRegex(others, r" --requirement python/requirements\.txt .*nvidia-cuda-cupti==13")
        self.assertNotIn("--index-url", others)
        self.stand_in("python3", """case " $* " in
  *" venv "*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *" --index-url "*) exit 1 ;;
  *" pip --version "*) exit 0 ;;
esac""")
        (self.folder / ".venv/kjoule-requirements.txt").unlink()
        (self.folder / ".venv/bin/python").unlink()
        with self.assertRaisesRegex(AssertionError, "could not install torch==.* from KJOULE_TORCH_INDEX=https://index/cpu .*; correct or unset it"):
            self.run_setup(KJOULE_TORCH_INDEX="https://index/cpu")

    def test_a_torch_of_the_users_own_needs_no_python_packages(self):
        library = self.folder / "torch/lib/libtorch_cpu.so"
        library.parent.mkdir(parents=True)
        library.touch()
        lines = self.run_setup(KJOULE_TORCH=str(self.folder / "torch"))
        self.assertFalse([line for line in lines if "Python packages" in line or line.startswith(("pip", "python3"))], lines)


@built_here
class Configuring(InAFolder):
    @needs_torch
    def test_a_libtorch_of_the_users_own_is_linked(self):
        """The two ways of naming it: kjoule's, and that of a document (cmake .. -DCMAKE_PREFIX_PATH=/path/to/libtorch)."""
        folder = pathlib.Path(next(iter(importlib.util.find_spec("torch").submodule_search_locations)))
        own = self.folder / "libtorch"
        own.mkdir()
        for part in folder.iterdir():
            if part.name in {"lib", "include", "share", "version.py", "_C"}:
                (own / part.name).symlink_to(part)
        for name, arguments, environment in [("environment", [], {"KJOULE_TORCH": str(own)}), ("prefix", [f"-DCMAKE_PREFIX_PATH={own}"], {"KJOULE_TORCH": ""})]:
            with self.subTest(name):
                build = self.folder / name
                done = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-Wno-dev", *arguments], capture_output=True, text=True, check=False,
                                      env={**os.environ, **environment})
                self.assertEqual(done.returncode, 0, done.stderr)
                linked = set(re.findall(r"\S+/libtorch_cpu\.so", (build / "build.ninja").read_text()))
                self.assertEqual(linked, {f"{own}/lib/libtorch_cpu.so"})

    def test_headers_of_cuda_12_are_refused_and_the_rest_is_built_without_them(self):
        headers = self.folder / "include"
        headers.mkdir()
        (headers / "cuda.h").write_text("#define CUDA_VERSION 12090\n")
        done = subprocess.run(["cmake", "-S", ROOT, "-B", self.folder / "build", "-G", "Ninja", "-Wno-dev", f"-DKJOULE_CUDA_FOLDER={headers}"],
                              capture_output=True, text=True, check=False, env={**os.environ, "KJOULE_WITHOUT_TORCH": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{headers}/cuda.h is of CUDA 12, but libkjoule_inject.so needs the headers of CUDA 13", " ".join(done.stderr.split()))
        targets = (self.folder / "build/build.ninja").read_text()
        self.assertNotIn("bin/libkjoule_inject.so", targets)
        self.assertIn("bin/kjoule", targets)

    INSTALLERS = ["apt", "apt-get", "curl", "git", "pip", "pip3", "python", "python3", "sudo", "wget"]

    def test_cmake_by_itself_installs_nothing(self):
        """Stand-ins for programs that could install something write a file when they are called."""
        programs, called = self.folder / "programs", self.folder / "called"
        programs.mkdir()
        for name in self.INSTALLERS:
            path = programs / name
            path.write_text(f"#!/bin/sh\necho {name} \"$@\" >>{called}\nexit 1\n")
            path.chmod(0o755)
        done = subprocess.run(["cmake", "-S", ROOT, "-B", self.folder / "build", "-G", "Ninja", "-Wno-dev"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(called.exists(), called.exists() and called.read_text())
