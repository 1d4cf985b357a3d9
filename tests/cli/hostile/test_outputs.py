"""Outputs never overwrite, follow or wait for what kjoule did not write: links, pipes, inputs and files of others."""
import json
import os
import re
import shutil
import subprocess
import unittest

import torch

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, ROOT, InAFolder
from ..test_energy import FULL, ISOLATED, wattsup
from .test_full_disks import SWEEP, can_mount

SIMULATED = ["--device", "simulated:seed=5,launches=12"]
QUICK = [*SIMULATED, "--runs", "5", "--time-limit", "0.2", "--no-energy"]
FOREIGN = "of another\n"


class OutputCase(InAFolder):
    def setUp(self):
        super().setUp()
        self.foreign = self.file("foreign", FOREIGN)
        self.log = self.file("p.csv", wattsup())
        self.timing = self.file("t.json", json.dumps(FULL))

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def refused(self, text, *command, code=1, timeout=60, **more):
        """The command ends at once with one line that has this text, and foreign files are unchanged. Returns the line."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        done = subprocess.run([KJOULE, *map(str, command)], capture_output=True, text=True, timeout=timeout, check=False, cwd=self.folder,
                              stdin=subprocess.DEVNULL, **more)
        told = errors_in(done.stderr)
        self.assertEqual((done.returncode, len(told)), (code, 1), done.stdout + done.stderr)
        self.assertIn(text, told[0])
        self.assertIn("; ", told[0], "cause and remedy")
        self.assertEqual(before, {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()})
        return told[0]

    def take_place(self, path, check, is_named=False):
        """Calls `check` with the reason of each refusal, while links and a pipe take the place of the file in turn. A pipe or a device is
        accepted if the user named it."""
        for make, why in [(lambda: path.symlink_to(self.foreign), "is a symbolic link, which is not followed"),
                          (lambda: path.symlink_to(self.folder / "new"), "is a symbolic link, which is not followed"),
                          (lambda: path.symlink_to("/dev/null"), "is a symbolic link, which is not followed"),
                          (lambda: os.mkfifo(path), "is a pipe, not a regular file")][:2 if is_named else 4]:
            if path.is_symlink() or path.exists():
                path.unlink()
            make()
            with self.subTest(file=path.name, why=why):
                check(why)
        path.unlink()
        self.assertEqual(self.foreign.read_text(), FOREIGN)
        self.assertFalse((self.folder / "new").exists())


class Links(OutputCase):
    def test_in_a_resumed_folder(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        shutil.copytree(self.results, self.folder / "known")
        for name in sorted(path.name for path in (self.folder / "known").iterdir()):
            self.take_place(self.results / name, lambda why, name=name: self.refused(f"{name}: {why}", "compare", *QUICK, "--resume", self.results))
            shutil.copy(self.folder / "known" / name, self.results / name)
        (self.results / "sub").symlink_to(self.folder)
        self.refused("sub: is a symbolic link", "compare", *QUICK, "--resume", self.results)
        (self.results / "sub").unlink()
        os.link(self.results / "results.jsonl", self.folder / "copy.jsonl")
        self.refused("is also another file (a hard link)", "compare", *QUICK, "--resume", self.results)
        (self.folder / "copy.jsonl").unlink()
        self.succeed("compare", *QUICK, "--resume", self.results)

    def test_in_place_of_an_energy_report(self):
        self.results.mkdir()
        shutil.copy(self.timing, self.results / "full_model_timing.json")
        self.take_place(self.results / "energy_report.json", lambda why: self.refused(why, "energy", "--power-log", self.log, "--timing", self.results))
        self.succeed("energy", "--power-log", self.log, "--timing", self.results)

    def test_in_place_of_samples(self):
        sweep = self.file("sweep.yml", SWEEP)
        command = ["sample", sweep, "--precision", "fp32", *ON_CPU, "--threads", "1", "-o", self.results]
        self.succeed(*command)
        names = [path.relative_to(self.results) for path in self.results.rglob("*") if path.is_file()]
        self.assertEqual(len(names), 3)
        for name in names:
            self.take_place(self.results / name, lambda why: self.refused(why, *command))
            shutil.rmtree(self.results)
            self.succeed(*command)
        for folder in ["sampling_data", "sampling_log"]:
            (self.results / folder).rename(self.folder / folder)
            (self.results / folder).symlink_to(self.folder / folder)
            self.refused("is a symbolic link, which is not followed", *command)
            (self.results / folder).unlink()
            (self.folder / folder).rename(self.results / folder)

    def test_in_place_of_a_named_file(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        part = self.file("G_gelu_fp16_1_1.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n")
        path = self.folder / "out"
        for command in [["record", *SIMULATED, "-o"], ["baseline", self.results, "-o"], ["report", self.results, "-o"], ["sample", "merge", part, "-o"],
                        ["energy", "--power-log", self.log, "--timing", self.timing, "-o"], ["power", "log", "--source", f"csv:{self.log}", "--duration", "0.1", "-o"]]:
            self.take_place(path, lambda why, command=command: self.refused(why, *command, path), is_named=True)
        self.take_place(self.folder / "out.json", lambda why: self.refused(why, "compare", *QUICK, "-o", self.folder / "other", "--timeline", "out.json"), is_named=True)
        self.take_place(self.folder / "out.pt", lambda why: self.refused(why, "export", "bloom", "-o", "out.pt", code=2), is_named=True)

    def test_pipes_that_the_user_names(self):
        """They receive the output if a program reads them; otherwise kjoule does not wait."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.refused("no program reads this pipe; start its reader first", "record", *SIMULATED, "-o", pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.succeed("record", *SIMULATED, "-o", pipe)
        self.assertEqual(json.loads(os.read(reader, 1 << 16).splitlines()[0])["format"], "kjoule-recording")

    def test_a_link_as_the_results_folder_is_followed(self):
        (self.folder / "real").mkdir()
        self.results.symlink_to(self.folder / "real")
        self.succeed("compare", *QUICK, "-o", self.results)
        self.assertTrue((self.folder / "real/comparison_report.json").exists())


class Inputs(OutputCase):
    def test_an_output_that_is_an_input(self):
        self.succeed("record", *SIMULATED, "-o", self.folder / "r.jsonl")
        part = self.file("G_gelu_fp16_1_1.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n")
        model = self.file("m.pt", "a model")
        (self.folder / "sub").mkdir()
        (self.folder / "link").symlink_to(".")
        os.link(self.folder / "r.jsonl", self.folder / "second.jsonl")
        why = "this file is an input of the command; choose another file"
        for command in [["energy", "--power-log", "p.csv", "--timing", "t.json", "-o", "p.csv"], ["energy", "--power-log", "p.csv", "--timing", "t.json", "-o", "t.json"],
                        ["energy", "--power-log", "p.csv", "--timing", "t.json", "-o", "sub/../p.csv"], ["energy", "--power-log", "link/p.csv", "--timing", "t.json", "-o", self.log],
                        ["record", "--model", "m.pt", "-o", "m.pt"], ["record", "--model", model, "-o", "./m.pt"], ["record", *SIMULATED, "--recording", "r.jsonl", "-o", "r.jsonl"],
                        ["record", *SIMULATED, "--recording", "r.jsonl", "-o", "second.jsonl"], ["sample", "merge", part, "-o", "link/" + part.name],
                        ["compare", *QUICK, "--recording", "r.jsonl", "--timeline", "r.jsonl"], ["compare", *QUICK, "--rules", "t.json", "--timeline", "t.json"],
                        ["kernels", "--rules", "t.json", "--timeline", "t.json", "--", "true"], ["compare", "--kernels", "t.json", "--timeline", "link/t.json"],
                        ["import", "p.csv", "-o", "imported", "--timeline", "p.csv"]]:
            with self.subTest(command):
                self.refused(why, *command, code=2)

    def test_a_folder_with_the_input(self):
        for kernel in [{"name": "a", "grid": [1, 1, 1], "block": [32, 1, 1], "count": 4}]:
            self.file("kernels.jsonl", json.dumps(kernel) + "\n")
        self.refused("this file is an input of the command", "import", "kernels.jsonl", "-o", ".", code=2)
        self.refused("kernels.jsonl: this file exists, is not a kernel table of kjoule import", "import", self.file("other.jsonl", (self.folder / "kernels.jsonl").read_text()), "-o", ".")

    def test_two_outputs_in_one_file(self):
        self.refused("also writes this file", "record", *SIMULATED, "-o", "a.json", "--timeline", "./a.json", code=2)

    def test_files_of_others(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        part = self.file("G_gelu_fp16_1_1.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n")
        text = self.file("notes.json", '{"mine": 1}\n')
        for command in [["record", *SIMULATED, "-o"], ["baseline", self.results, "-o"], ["report", self.results, "-o"], ["sample", "merge", part, "-o"],
                        ["energy", "--power-log", self.log, "--timing", self.timing, "-o"], ["compare", *QUICK, "-o", self.folder / "other", "--timeline"]]:
            with self.subTest(command):
                self.refused("notes.json: this file exists, is not ", *command, text)
        self.refused("exists already", "power", "log", "--source", f"csv:{self.log}", "--duration", "0.1", "-o", text)
        self.refused("was not written by kjoule export", "export", "bloom", "--layers", "1", "-o", self.file("notes.pt", "mine"))
        self.refused("notes.pt is not a folder", "export", "bloom", "--layers", "1", "-o", self.folder / "notes.pt" / "bloom.pt", code=2)
        (self.folder / "energy_report.json").write_text(text.read_text())
        self.refused("energy_report.json: this file exists, is not an energy report", "energy", "--power-log", self.log, "--timing", self.timing)

    def test_own_files_are_replaced(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        part = self.file("G_gelu_fp16_1_1.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n")
        for name, command in [("r.jsonl", ["record", *SIMULATED, "-o"]), ("b.json", ["baseline", self.results, "-o"]), ("merged.csv", ["sample", "merge", part, "-o"]),
                              ("e.json", ["energy", "--power-log", self.log, "--timing", self.timing, "-o"])]:
            with self.subTest(name):
                self.file(name, "")  # as mktemp makes it
                self.succeed(*command, self.folder / name)
                first = (self.folder / name).read_bytes()
                self.succeed(*command, self.folder / name)
                self.assertEqual(len((self.folder / name).read_bytes()), len(first))


class ResultsFolders(OutputCase):
    """The files of a results folder are written only by the command that owns it."""

    OWN = ["comparison_report.json", "full_model_timing.json", "isolated_kernels_timing.json"]

    def test_an_output_in_the_folder_of_the_results(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        for name in ["empty", "sub"]:
            (self.folder / name).mkdir()
        for name, to in [("link", "empty"), ("linked", "results"), ("here", ".")]:
            (self.folder / name).symlink_to(to)
        why = "this file is in the folder of the results"
        for folder, named in [("results", "results"), ("empty", "empty"), ("new", "new"), ("results", "sub/../results"), ("new", "sub/../new"), ("link", "empty"), ("empty", "link"),
                              ("linked", "results"), ("results", "linked"), ("here/new", "new"), ("new/", "./new"), ("results", self.folder / "results"), ("empty", "here/here/empty")]:
            for name in self.OWN:
                with self.subTest(folder=folder, named=named, name=name):
                    self.refused(why, "compare", *QUICK, "-o", folder, "--timeline", f"{named}/{name}", code=2)
        for command in [["compare", *QUICK, "--resume", "results", "--timeline", "results/comparison_report.json"], ["compare", *QUICK, "--timeline", "results/new.svg"],
                        ["compare", *QUICK, "--resume", "linked", "--timeline", "results/t.svg"], ["compare", "-o", "empty", "--timeline", "empty/sub/t.svg", "--", "true"]]:
            with self.subTest(command):
                self.refused(why, *command, code=2)

    def test_two_outputs_of_one_option(self):
        (self.folder / "link").symlink_to(".")
        (self.folder / "sub").mkdir()
        for second in ["a.json", "./a.json", "sub/../a.json", "link/a.json", self.folder / "a.json"]:
            with self.subTest(second):
                self.refused("--timeline also writes this file", "record", *SIMULATED, "-o", "r.jsonl", "--timeline", "a.json", "--timeline", second, code=2)

    def test_names_of_results_in_a_folder_of_another_command(self):
        """Each file that formats.md lists is refused, whether it exists or not."""
        self.succeed("compare", *QUICK, "-o", self.results)
        page = (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8").split("## Results folder")[1].split("###")[0]
        names = [name.replace("*", "meter") for row in re.findall(r"^\| (`.*?) \|", page, flags=re.M) for name in re.findall(r"`([a-z_*]+[.][a-z]+)`", row)]
        of_energy = {"energy_report.json", "gpu_energy_report.json"}  # kjoule energy replaces those of any folder
        self.assertGreater(len(names), 14)
        (self.folder / "link").symlink_to(self.results)
        for name in set(names) - of_energy:
            for folder in ["results", "link", "link/../results"]:
                with self.subTest(name=name, folder=folder):
                    self.refused("", "record", *SIMULATED, "-o", f"{folder}/{name}")
                    self.refused("", "baseline", "results", "-o", f"{folder}/{name}")
        self.refused("this name is that of a file of the results", "record", *SIMULATED, "-o", "results/recording.jsonl")
        self.refused("this name is that of a file of the results", "baseline", "results", "-o", "results/layers.json")
        self.refused("this name is that of a file of the results", "import", "results/recording.jsonl", "-o", "results")
        self.succeed("record", *SIMULATED, "-o", self.results / "mine.jsonl")

    def test_parts_of_a_sweep_are_no_merged_table(self):
        for name in ["G_gelu_fp16_2_1", "G_gelu_fp16_2_2"]:
            self.file(f"{name}.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n")
        self.file("G_gelu_fp16_2_2.jsonl", "")
        self.refused("is not a table of kjoule sample merge", "sample", "merge", "G_gelu_fp16_2_1.csv", "-o", "G_gelu_fp16_2_2.csv", "--incomplete")

    def test_inputs_in_the_folder_of_earlier_results(self):
        self.succeed("compare", *QUICK, "-o", self.results)
        (self.folder / "link").symlink_to("results")
        (self.folder / "r.jsonl").symlink_to("results/recording.jsonl")
        why = "this input is in the folder --output-dir results, which is renamed because it has earlier results"
        for command in [["compare", *QUICK, "--recording", "results/recording.jsonl"], ["compare", *QUICK, "--recording", "r.jsonl", "-o", "results"],
                        ["compare", *QUICK, "--recording", "link/../link/recording.jsonl"], ["isolated", "--kernels", "results"], ["isolated", "--kernels", "results/recording.jsonl"],
                        ["full", *SIMULATED, "--power-source", "csv:results/summary.csv,column=a"], ["full", *SIMULATED, "--power-log", "link/summary.csv"],
                        ["compare", "--model", "results/m.pt"] if self.file("results/m.pt", "") else [], ["isolated", "--kernels", "p.csv", "--like", "results/summary.csv"]]:
            with self.subTest(command):
                self.refused(why, *command, code=2)
        self.refused("no such file", "compare", *QUICK, "--recording", "results/none.jsonl")

    def test_nothing_is_left_behind_by_a_refusal(self):
        """The second report of kjoule energy is checked before the first is written, and a recording before the results begin."""
        self.file("i.json", json.dumps(ISOLATED))
        command = ["energy", "--power-log", self.log, "--timing", self.timing, "--timing", "i.json", "-o"]
        self.take_place(self.folder / "gpu_energy_report.json", lambda why: self.refused(why, *command, "s"))
        self.refused("two reports are written", *command, "/dev/stdout", code=2)
        self.assertFalse(os.path.exists("/dev/gpu_energy_report.json"))
        self.assertFalse((self.folder / "s").exists())


class Names(OutputCase):
    def test_empty_names(self):
        for option, *command in [("--output-dir", "compare", *QUICK, "-o", ""), ("--output", "record", *SIMULATED, "-o", ""), ("--resume", "compare", *QUICK, "--resume", ""),
                                 ("--output", "energy", "--power-log", "p.csv", "--timing", "t.json", "-o", ""), ("--timeline", "record", *SIMULATED, "--timeline", ""),
                                 ("--output", "baseline", "results", "-o", ""), ("-o", "sample", "merge", "p.csv", "-o", ""), ("--output", "power", "log", "-o", ""),
                                 ("--output-dir", "import", "p.csv", "-o", ""), ("--models", "train", "data", "-o", ""), ("--output-dir", "sample", "gelu", "-o", ""),
                                 ("--model", "record", "--model", ""), ("--recording", "record", "--recording", ""), ("--power-log", "energy", "--power-log", "", "--timing", "t.json")]:
            with self.subTest(command):
                self.refused(f"{option}: the name of the file is empty", *command, code=2)
        self.refused("the name of the file is empty", "export", "bloom", "-o", "", code=2)

    def test_folders_that_cannot_be_written(self):
        """They are found before the program is started."""
        started = ["--", "touch", "started"]
        for text, *command in [("foreign is not a folder", "compare", "-o", "foreign/x"), ("foreign: is not a folder", "compare", "-o", "foreign"),
                               ("not permitted", "compare", "-o", "/proc/x"), ("not permitted", "record", "-o", "/proc/x"), ("no such folder", "record", "-o", "none/x"),
                               ("foreign is not a folder", "record", "-o", "foreign/x"), ("not permitted", "kernels", "--timeline", "/proc/x.json"),
                               ("foreign is not a folder", "full", "-o", "foreign/a/b"), ("foreign is not a folder", "layers", "-o", "foreign/a"),
                               ("not permitted", "isolated", "-o", "/proc/x")]:
            with self.subTest(command):
                self.refused(text, *command, *started)
                self.assertFalse((self.folder / "started").exists())

    @unittest.skipUnless(can_mount(), "a file system cannot be mounted here")
    def test_a_file_system_that_is_read_only(self):
        """Root may write to every folder, but not here."""
        (self.folder / "mounted").mkdir()
        for command in [["compare", *QUICK, "-o", "mounted/results"], ["record", *SIMULATED, "-o", "mounted/r.jsonl"], ["sample", "gelu", "-o", "mounted/samples"],
                        ["import", "p.csv", "-o", "mounted/imported"], ["train", "H200/operator", "-o", "mounted/models"]]:
            with self.subTest(command):
                done = subprocess.run(["unshare", "-m", "bash", "-c", 'mount -t tmpfs -o ro none mounted && exec "$@"', "-", KJOULE, *map(str, command)], capture_output=True,
                                      text=True, timeout=60, check=False, cwd=self.folder)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot be written: not permitted; choose a folder that you may write to", done.stderr)


class LostRoof(OutputCase):
    def test_a_process_that_ends_while_the_roof_is_measured(self):
        """The first process answers the greeting and ends at the next request, which is that of the roof."""
        folder = self.folder / "bin"
        folder.mkdir()
        shutil.copy(KJOULE, folder / "kjoule")
        (folder / "kjoule-torch").write_text(rf"""#!/bin/bash
if mkdir "$0.began" 2>/dev/null; then
  next() {{ size=$(head -c 4 <&$1 | od -An -tu4); head -c $size <&$1 >/dev/null; }}
  next $2; printf '\x0d\0\0\0\xa2\x62id\x01\x66result\xf6' >&$2; next $2; kill -SEGV $$
fi
exec {KJOULE.parent}/kjoule-torch "$@"
""")
        (folder / "kjoule-torch").chmod(0o755)
        done = subprocess.run([folder / "kjoule", "layers", ROOT / "examples/two_blocks.yaml", "--threads", "1", "--runs", "3", "--warmup", "1", "--time-limit", "0.3", *ON_CPU,
                               "-o", self.results], capture_output=True, text=True, check=False, env={**os.environ, "KJOULE_TORCH": os.path.dirname(torch.__file__)})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kjoule: the roof was not measured: ", done.stderr)
        self.assertIn("ended", done.stderr)
        self.assertIn("roof (peak rates): not measured: ", done.stdout)
        report = self.report("layers.json")
        self.assertIn("ended", report["roof_missing"])
        self.assertIsNone(report["roof_flop_per_s"])
        self.assertTrue(report["complete"])


class Sources(unittest.TestCase):
    """Only base/files/output_place and kjoule_export/outputs.py open files for output."""

    # Files that open something else: a serial port, memory that processes share, /dev/null, a copy in a temporary folder of kjoule's own.
    OTHERS = {"importers/sqlite_file.cpp", "base/files/output_place.cpp", "power/meters/serial_port.cpp", "device/rank_board.cpp", "base/process/guardian.cpp", "base/process/terminal.cpp"}
    IN_CPP = re.compile(r"\bofstream\b|\bstd::fstream\b|\bfopen\(|\bfreopen\(|\bcreat\(|\bopenat2?\(|\bO_CREAT\b|::rename\(|\btruncate\(|\bcopy_file\(|\bmkstemp\(|"
                        r"(?<!\.)\bopen\([^;]*\bO_(?:WRONLY|RDWR)\b")
    IN_PYTHON = re.compile(r"\bopen\([^)]*[\"'][wax+][^\"']*[\"']|\.write_(?:text|bytes)\(|os\.(?:replace|rename|open)\(|shutil\.(?:copy|move)|ZipFile\([^)]*[\"'][wax][\"']")

    def test_no_other_source_opens_an_output(self):
        for path in sorted((ROOT / "src").rglob("*.[chp]*")):
            name = str(path.relative_to(ROOT / "src"))
            if not path.is_file() or "_test." in name or "fake_" in name or name in self.OTHERS:
                continue
            with self.subTest(name):
                code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8")).replace("fs::rename(folder, aside, failed)", "")  # older results
                self.assertIsNone(self.IN_CPP.search(code))

    def test_no_other_module_of_python_opens_an_output(self):
        # formats.py writes to the hidden folder of outputs.py only; __main__.py to a folder of kjoule; cli.py opens /dev/null.
        # layer_tests.py and traced_kernel.py write to temporary folders only, pipeline_tests.py to a new folder.
        allowed = {"kjoule_export/formats.py": 4, "kjoule_export/outputs.py": 1, "kjoule_export/cli.py": 1, "kjoule_pipelines/__main__.py": 1,
                   "kjoule/layer_tests.py": 3, "kjoule/traced_kernel.py": 1, "kjoule/pipeline_tests.py": 1}
        for path in sorted((ROOT / "python").rglob("*.py")):
            name = str(path.relative_to(ROOT / "python"))
            with self.subTest(name):
                self.assertEqual(len(self.IN_PYTHON.findall(path.read_text(encoding="utf-8"))), allowed.get(name, 0))

    def test_each_way_to_open_an_output_is_found(self):
        for code in ["std::ofstream(path) << 1", 'fopen(log.c_str(), "w")', "open(path, O_WRONLY | O_APPEND)", "open(p,\n  O_RDWR)", "std::rename(a, b)", "fs::rename(a, b)"]:
            with self.subTest(code):
                self.assertIsNotNone(self.IN_CPP.search(code))
        for code in ['open(path, "w")', "open(path, 'ab')", "path.write_text(x)", "os.replace(a, b)"]:
            with self.subTest(code):
                self.assertIsNotNone(self.IN_PYTHON.search(code))
