"""Data never starts anything, reads or writes other files, or controls the terminal (docs/design/trust.md)."""
import csv
import io
import json
import os
import pathlib
import pty
import re
import select
import stat
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, ROOT, InAFolder
from ..test_import import TraceBuilder

STAND_INS = ROOT / "build/tests/fakes/driver"
QUICK = ["--threads", "1", "--runs", "2", "--warmup", "1", "--time-limit", "0.2", *ON_CPU]
# Characters that control a terminal, but for the line end and the tab.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Hostile(InAFolder):
    def setUp(self):
        super().setUp()
        self.mark = self.folder / "mark"
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run_here(self, *arguments, **changed):
        """Runs kjoule in the test's folder, without input; a variable that is None is not set."""
        environment = {name: value for name, value in {**self.environment, **changed}.items() if value is not None}
        return subprocess.run([KJOULE, *map(str, arguments)], capture_output=True, cwd=self.folder, env=environment, timeout=600,
                              stdin=subprocess.DEVNULL, check=False, encoding="utf-8", errors="surrogateescape")

    def refused(self, text, *arguments, code=None, **changed):
        """The command fails, and its last line names cause and remedy; nothing was started."""
        done = self.run_here(*arguments, **changed)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])
        self.assertFalse(self.mark.exists(), f"{arguments} started what a file names")

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def marker(self, message="import"):
        """A line of Python that leaves a mark."""
        return f"open({str(self.mark)!r}, 'w').write({message!r})\n"


class Recordings(Hostile):
    def recording(self, **asked):
        """A recording that says that it was made from `asked`."""
        path = self.folder / "recording.jsonl"
        self.succeed("record", "--device", "simulated:seed=5,launches=4", "-o", path)
        header, *launches = path.read_text().splitlines()
        changed = {**json.loads(header)}
        changed["program"]["asked"] = {"device": "auto", "seed": 0, "threads": 0, "inputs": [], **asked}
        path.write_text("\n".join([json.dumps(changed), *launches]) + "\n")
        return path

    def touching(self, **more):
        return self.recording(program=["touch", str(self.mark)], **more)

    def output_of(self, command):
        return ["-o", self.folder / "out.jsonl"] if command == "record" else ["-o", self.results]

    def test_the_recorded_program_is_not_started(self):
        recording = self.touching(injection={})
        for command in ["compare", "full", "isolated", "record"]:
            with self.subTest(command=command):
                self.refused("-- PROGRAM", command, "--recording", recording, *self.output_of(command))
            with self.subTest(command=command, run_recorded=True):
                self.refused("--yes", command, "--recording", recording, "--run-recorded", *self.output_of(command))

    def test_the_recorded_model_is_not_loaded(self):
        for model in ["evil.pt2", str(self.folder / "evil.pt"), "$(touch mark)"]:
            recording = self.recording(model=model)
            for command in ["compare", "isolated"]:
                with self.subTest(model=model, command=command):
                    self.refused("--model", command, "--recording", recording, *self.output_of(command), *ON_CPU)

    def test_reading_a_recording_starts_nothing(self):
        recording = self.touching()
        for arguments in [["kernels", recording], ["import", recording, "-o", "imported"], ["isolated", "--kernels", recording, *ON_CPU]]:
            with self.subTest(command=arguments[0]):
                self.run_here(*arguments)
                self.assertFalse(self.mark.exists())

    def test_yes_alone_has_no_effect(self):
        self.refused("--run-recorded", "compare", "--recording", self.touching(), "--yes", code=2)
        self.refused("--recording", "compare", "--run-recorded", "--yes", code=2)

    def test_run_recorded_runs_what_was_confirmed(self):
        self.run_here("full", "--recording", self.touching(injection={}), "--run-recorded", "--yes", "-o", self.results)
        self.assertTrue(self.mark.exists())

    def answer(self, answer, program):
        """Answers the question on a terminal; returns all that the terminal showed."""
        recording = self.recording(program=program, injection={})
        ours, theirs = pty.openpty()
        process = subprocess.Popen([KJOULE, "full", "--recording", recording, "--run-recorded", "-o", self.results], stdin=theirs, stderr=theirs,
                                   stdout=subprocess.DEVNULL, cwd=self.folder, env=self.environment)
        os.close(theirs)
        os.write(ours, answer)
        shown = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        self.assertNotEqual(process.wait(60), 0)
        os.close(ours)
        return shown.decode(errors="replace")

    def test_the_question_shows_the_program(self):
        for answer, runs in [(b"n\n", False), (b"\n", False), (b"yellow\n", False), (b"\x04", False), (b"y\n", True), (b"yes\n", True)]:
            with self.subTest(answer=answer):
                self.mark.unlink(missing_ok=True)
                shown = self.answer(answer, ["touch", str(self.mark), "/none/a b"])
                self.assertIn("'/none/a b'", shown)
                self.assertEqual(self.mark.exists(), runs)

    def test_the_question_cannot_be_painted_over(self):
        shown = self.answer(b"n\n", ["touch", "a\x1b[2K\rharmless \u202e\x9b1m\nharmless"])
        self.assertEqual(CONTROLS.findall(shown.replace("\r\n", "\n")), [], shown)
        self.assertIn("\\u001b[2K\\u000d", shown)

    @unittest.skipUnless((STAND_INS / "program").exists(), "built without CUDA's headers")
    def test_a_given_program_is_compared_with_the_recording(self):
        own = {"LD_LIBRARY_PATH": str(STAND_INS), "FAKE_CUDA_SEED": "1"}
        program = ["--", STAND_INS / "program", "--iterations", "300000"]
        path = self.folder / "own.jsonl"
        self.assertEqual(self.run_here("record", "--loop-seconds", "0.05", "-o", path, "--", STAND_INS / "program", "--iterations", "300000", "--until", path, **own).returncode, 0)
        header, *launches = path.read_text().splitlines()
        stored = json.loads(header)
        stored["program"]["asked"]["program"] = ["touch", str(self.mark)]
        log = self.folder / "log"
        log.mkdir()
        stored["program"]["asked"]["injection"] |= {"KJOULE_RUN_LOG": str(log), "KJOULE_SOCKET": "", "LD_PRELOAD": "/none.so"}
        path.write_text("\n".join([json.dumps(stored), *launches]) + "\n")
        done = self.run_here("isolated", "--recording", path, "-o", self.results, *program, **own)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(log.iterdir()), [], "a recording names no folder to write to")
        other = json.loads(launches[0])
        other["signature"] = "another"
        path.write_text("\n".join([json.dumps(stored), json.dumps(other), *launches[1:]]) + "\n")
        self.refused("its launches differ from those in the recording", "compare", "--recording", path, "-o", self.results, *program, **own)


class Operators(Hostile):
    """The operators are those that a file could call to write to `target`."""

    def setUp(self):
        super().setUp()
        self.target = self.folder / "target"
        self.target.write_bytes(bytes(range(64)))

    def calls(self):
        target, made, tensor = str(self.target), str(self.folder / "made"), {"tensor": [16]}
        from_file = [target, True, 16]
        return [("aten::from_file", from_file), ("aten::from_file.", from_file), ("aten::from_file", [made, True, 16]), ("aten::from_file.out", [*from_file, tensor]),
                ("aten::set_", [tensor]), ("aten::set_.source_Tensor", [tensor, tensor]), ("aten::resize_", [tensor, [1 << 20], None]), ("aten::set_data", [tensor, tensor]),
                ("aten::pin_memory", [tensor]), ("aten::fbgemm_linear_fp16_weight", [tensor, tensor, tensor]), ("aten::_print", [target]), ("mkldnn::_linear_pointwise", [tensor, tensor]),
                ("quantized::linear_unpack_fp16", [tensor]), ("aten::_foobar", [tensor])]

    def table(self, calls):
        def full(argument):
            return {"tensor": {"dtype": "Float", "shape": argument["tensor"], "strides": [1]}} if isinstance(argument, dict) else argument
        rows = [{"name": f"k{n}", "operator": name, "arguments": [full(one) for one in arguments], "count": 1} for n, (name, arguments) in enumerate(calls)]
        return self.file("table.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    def network(self, calls):
        layers = [{"name": f"l{n}", "kind": "operator", "operator": name, "arguments": arguments} for n, (name, arguments) in enumerate(calls)]
        return self.file("network.yaml", json.dumps({"name": "n", "layers": layers}))

    def sweep(self, name, arguments):
        return self.file("sweep.yml", json.dumps({
            "kernel_name": "evil", "function_name": "evil", "columns_name": ["b", "F_dur(us)"], "first_n_column": 1, "operator": name, "arguments": arguments, "starts": [1],
            "steps": [1], "ends": [1], "operators": ["add"], "warmup_shapes": [1], "wait": 0, "warmup": 1, "active": 6, "shapes": [1], "run": "get_one"}))

    def assert_untouched(self):
        self.assertEqual(self.target.read_bytes(), bytes(range(64)))
        self.assertFalse((self.folder / "made").exists())

    def test_tables_call_only_listed_operators(self):
        calls = self.calls()
        done = self.run_here("isolated", "--kernels", self.table([*calls, ("aten::relu", [{"tensor": [16]}])]), *ON_CPU, "--json", "-o", self.results)
        self.assertEqual(done.returncode, 1, done.stderr)
        kernels = {kernel["name"]: kernel for kernel in json.loads(done.stdout)["kernels"]}
        for number, (name, _) in enumerate(calls):
            with self.subTest(name, number=number):
                self.assertEqual(kernels[f"k{number}"]["replayed"], "not replayable")
                self.assertIn("--allow-operator", kernels[f"k{number}"]["error"])
        self.assertGreater(kernels[f"k{len(calls)}"]["single_time_us"], 0, "relu is listed")
        self.assert_untouched()

    def test_a_csv_of_calls_is_refused_too(self):
        row = ["k", "aten::from_file", json.dumps([str(self.target), True, 16]), "1"]
        text = io.StringIO()
        csv.writer(text).writerows([["name", "operator", "arguments", "count"], row])
        self.refused("--allow-operator aten::from_file", "isolated", "--kernels", self.file("table.csv", text.getvalue()), *ON_CPU, "-o", self.results)
        self.assert_untouched()

    def test_networks_call_only_listed_operators(self):
        fill = ("aten::fill_.Scalar", [{"tensor": [16], "previous": True}, 7])
        for name, arguments in self.calls()[:7]:
            with self.subTest(name):
                done = self.run_here("layers", self.network([(name, arguments), fill]), *QUICK, "-o", self.results)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("--allow-operator", done.stderr.splitlines()[-1])
                self.assert_untouched()

    def test_sweeps_call_only_listed_operators(self):
        for name, arguments in self.calls()[:4]:
            with self.subTest(name):
                self.refused("--allow-operator", "sample", self.sweep(name, arguments), "--precision", "fp32", *ON_CPU, "-o", self.results)
                self.assert_untouched()

    def test_an_operator_can_be_allowed(self):
        call = ("aten::resize_", [{"tensor": [16]}, [8], None])
        allow = ["--allow-operator", "aten::resize_"]
        for arguments in [["sample", self.sweep(*call), "--precision", "fp32"], ["isolated", "--kernels", self.table([call])]]:
            with self.subTest(arguments[0]):
                done = self.run_here(*arguments, *allow, *ON_CPU, "-o", self.folder / arguments[0])
                self.assertNotIn("--allow-operator", done.stdout + done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_only_whole_names_are_allowed(self):
        for name in ["aten::*", "*", "resize_", "aten::", "aten::resize_.out", "aten::a b"]:
            with self.subTest(name):
                self.refused("--allow-operator", "isolated", "--kernels", self.table(self.calls()[:1]), "--allow-operator", name, *ON_CPU, code=2)


class Lists(unittest.TestCase):
    """What data/callable_operators.txt has."""

    names = set((ROOT / "data/callable_operators.txt").read_text().split("\n")) if (ROOT / "data/callable_operators.txt").exists() else set()

    def test_dangerous_operators_are_not_listed(self):
        for name in ["from_file", "save", "load", "set_", "set", "set_data", "resize_", "resize", "resize_as_", "resize_as_sparse_", "_resize_output_", "sparse_resize_", "as_strided_",
                     "data", "pin_memory", "_pin_memory", "record_stream", "fbgemm_linear_fp16_weight", "fbgemm_pack_gemm_matrix_fp16", "_wrapped_quantized_linear_prepacked", "_print",
                     "_nested_view_from_buffer", "_sparse_csr_tensor_unsafe", "_reshape_alias", "_cufft_set_plan_cache_max_size", "_triton_multi_head_attention", "_foobar"]:
            with self.subTest(name):
                self.assertNotIn(f"aten::{name}", self.names)

    def test_the_list_is_what_the_rules_make(self):
        made = subprocess.run([sys.executable, ROOT / "tools/list_operators"], capture_output=True, text=True, check=True).stdout
        if made.splitlines()[0] == (ROOT / "data/callable_operators.txt").read_text().splitlines()[0]:
            self.assertEqual(set(made.splitlines()), self.names - {""}, "run tools/list_operators again")

    def test_the_list_has_one_namespace(self):
        self.assertGreater(len(self.names), 1000)
        self.assertEqual({name.partition("::")[0] for name in self.names if name and not name.startswith("#")}, {"aten"})

    def test_our_own_operators_are_listed(self):
        used = re.compile(r"operator:\s*(aten::\w+)|\"(aten::\w+)[.\"]|calling\(\s*\"(aten::\w+)")
        files = [*ROOT.glob("data/**/*.y*ml"), *[path for path in ROOT.glob("examples/**/*") if path.suffix in (".py", ".yaml", ".yml", ".csv")], ROOT / "src/layers/layer_kinds.cpp", ROOT / "tests/cli/test_layers.py", ROOT / "tests/cli/test_sample.py",
                 ROOT / "tests/cli/test_replay.py", ROOT / "tests/cli/test_import.py"]
        found = {name for path in files for match in used.findall(path.read_text()) for name in match if name}
        self.assertGreater(len(found), 15)
        invented = {"aten::no_such_operator", "aten::no", "aten::siluu", "aten::nothing", "aten::powder"}
        self.assertEqual(found - invented - self.names, set())


class Helpers(Hostile):
    """Modules in the current folder, and in folders that only an empty entry of PYTHONPATH names."""

    def test_python_does_not_run_the_current_folder(self):
        pipelines = self.folder / "sub" / "pipelines.py"
        for planted in ["argparse.py", "json.py", "runpy.py", "platform.py", "torch.py", "kjoule_export/__init__.py", "sitecustomize.py", "usercustomize.py"]:
            self.file(planted, self.marker(planted))
        self.file("sub/pipelines.py", "pipelines = []\n")
        for command in [["export", "--help"], ["layers", pipelines], ["doctor"]]:
            for path in [None, "", ":", "/none:", ":/none", "/none::/none"]:
                with self.subTest(command=command[0], path=path):
                    self.run_here(*command, PYTHONPATH=path)
                    self.assertFalse(self.mark.exists(), self.mark.read_text() if self.mark.exists() else "")

    def test_a_folder_of_weights_runs_no_code(self):
        self.file("model/config.json", json.dumps({"model_type": "own", "auto_map": {"AutoConfig": "evil.Config"}}))
        self.file("model/evil.py", self.marker())
        for source in ["model", self.folder / "model"]:
            with self.subTest(source=source):
                done = self.run_here("export", source, "-o", "m.pt")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("kjoule export: ", done.stderr.splitlines()[-1])
                self.assertFalse(self.mark.exists())

    def test_the_user_s_pythonpath_follows_ours(self):
        own = self.folder / "own"
        self.file("own/kjoule_pipelines/__init__.py", self.marker())
        self.file("own/mine.py", "layers = [('a', (lambda: None, lambda state: None))]\n")
        pipelines = self.file("sub/pipelines.py", "import mine\npipelines = [('p', mine.layers), 3]\n")
        self.refused("an entry of pipelines is not a pipeline", "layers", pipelines, PYTHONPATH=str(own))


class Models(Hostile):
    PREDICT = ["predict", "operator", "NVIDIAA100-SXM4-80GB", "layernorm", "fp16", "fwd", "2", "2048", "4096"]

    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.cache.mkdir()
        self.environment |= {"TMPDIR": str(self.folder), "XDG_CACHE_HOME": str(self.cache)}
        self.kept = self.cache / "kjoule/models/Perlmutter/operator"

    def predict(self, **changed):
        done = self.run_here(*self.PREDICT, **changed)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_private_folder_is_used(self):
        self.assertIn("training", self.predict().stderr)
        self.assertEqual(stat.S_IMODE(self.kept.stat().st_mode) & 0o077, 0)
        self.assertEqual(self.predict().stderr, "")

    def test_without_home_nothing_is_kept(self):
        for unset in [{"HOME": None}, {"HOME": ""}, {"HOME": "relative"}]:
            with self.subTest(**unset):
                for _ in range(2):
                    self.assertIn("training", self.predict(XDG_CACHE_HOME=None, **unset).stderr)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["cache"])

    def test_what_others_may_write_is_not_used(self):
        self.predict()
        plain = self.predict().stdout
        for model in self.kept.iterdir():
            model.write_text(model.read_text().replace('"format"', ' "format"'))
        for what, mode in [(self.kept, 0o777), (self.kept, 0o770), (next(self.kept.iterdir()), 0o666)]:
            with self.subTest(what=what.name, mode=oct(mode)):
                before = what.stat().st_mode
                what.chmod(mode)
                written = {path: path.stat().st_mtime_ns for path in self.kept.iterdir()}
                done = self.predict()
                what.chmod(before)
                self.assertIn("not kept", done.stderr)
                self.assertEqual(done.stdout, plain)
                self.assertEqual({path: path.stat().st_mtime_ns for path in self.kept.iterdir()}, written)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a folder away")
    def test_what_belongs_to_others_is_not_used(self):
        self.predict()
        os.chown(self.kept, 65534, 65534)
        self.assertIn("not kept", self.predict().stderr)


FORMULAS = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3+cmd", "@SUM(1)", "\t=1+1", "\r=1+1", "'=1+1"]
NAMES = ["\x1b[31mred", "\x1b]0;title\x07", "a\x9b2Jb", "del\x7fete", "back\b\bspace", "right\u202eleft", "mark\u200f", "line\u2028end", "gemm\nkjoule: sum adds up", "over\rwritten", "nul\x00byte"]


class Output(Hostile):
    def table(self, names):
        return self.file("table.jsonl", "".join(json.dumps({"name": name, "count": 1, "total_us": 3}) + "\n" for name in names))

    def test_csv_cells_are_no_formulas(self):
        printed = self.run_here("kernels", self.table(FORMULAS), "--csv").stdout
        cells = [row["name"] for row in csv.DictReader(io.StringIO(printed, newline=""))]
        self.assertEqual(len(cells), len(FORMULAS))
        for cell in cells:
            with self.subTest(cell):
                self.assertEqual(cell[0], "'")
        names = [name for name in FORMULAS if "\r" not in name]
        printed = self.run_here("kernels", self.table(names), "--csv").stdout
        again = json.loads(self.run_here("kernels", self.file("printed.csv", printed), "--json").stdout)
        self.assertEqual({kernel["name"] for kernel in again["kernels"]}, set(names), "nothing is lost")

    def test_numbers_stay_numbers(self):
        printed = self.run_here("kernels", self.table(["-1.5", "+2", "-", "-1e-3"]), "--csv").stdout
        self.assertEqual({row["name"] for row in csv.DictReader(io.StringIO(printed))}, {"-1.5", "+2", "-", "-1e-3"})

    def test_names_do_not_control_the_terminal(self):
        for name in NAMES:
            for form in [[], ["--csv"], ["--json"], ["--jsonl"], ["--by", "name"]]:
                with self.subTest(name=name, form=form):
                    done = self.run_here("kernels", self.table([name]), *form)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(CONTROLS.findall(done.stdout + done.stderr), [])
                    if not form or form[0] == "--by":
                        self.assertFalse(any(line.startswith("kjoule:") for line in done.stdout.splitlines()))
                    if form == ["--json"]:
                        self.assertEqual(json.loads(done.stdout)["kernels"][0]["name"], name)

    def test_errors_do_not_control_the_terminal(self):
        for name in NAMES[:-1]:
            for arguments in [["kernels", name], ["compare", "--model", name], ["compare", "--device", name], [name], ["sample", name], ["layers", name], ["predict", "operator", name, "a", "fp16", "fwd", "1"]]:
                with self.subTest(arguments):
                    done = self.run_here(*arguments)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(CONTROLS.findall(done.stdout + done.stderr), [])
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_pictures_are_well_formed(self):
        for name in [*NAMES, "<script>alert(1)</script>", "\"/><image href='x'/>", "&lt;&#0;", "\ufffe\uffff", "]]>"]:
            trace = TraceBuilder(2).as_dict()
            for event in trace["traceEvents"]:
                if event["cat"] == "kernel":
                    event["name"] = name
            with self.subTest(name):
                path = self.file("trace.json", json.dumps(trace))
                done = self.run_here("import", path, "-o", "imported", "--timeline", "t.svg", "--timeline", "t.json")
                self.assertEqual(done.returncode, 0, done.stderr)
                root = xml.etree.ElementTree.fromstring((self.folder / "t.svg").read_bytes())
                self.assertEqual([one.tag for one in root.iter() if one.tag.endswith(("script", "image"))], [])
                json.loads((self.folder / "t.json").read_text(encoding="utf-8"))

    def test_names_do_not_choose_folders(self):
        layers = [{"name": "a", "kind": "relu", "shape": [4]}]
        for name in ["../../up", "..", "/abs", "a/b", "\x1b[2J", "line\nend", "-rf", ".hidden", "x" * 300, "nul\x00byte"]:
            with self.subTest(name):
                network = self.file("in/network.yaml", json.dumps({"name": name, "sizes": {"batch": 1}, "layers": layers}))
                before = set(self.folder.iterdir())
                done = self.run_here("layers", network, *QUICK, "-o", self.results)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual({path.name for path in set(self.folder.iterdir()) - before}, {"results"} | {path.name for path in self.folder.glob("results-*")})
                log, = [path.name for path in self.results.iterdir() if path.suffix == ".log"]
                self.assertRegex(log, r"^[^./\x00-\x1f\x7f-][^/\x00-\x1f\x7f]*\.log$")

    def test_columns_of_a_sweep_are_names(self):
        for column in ["=cmd()", "a,b", "a\nb", "\x1b[2J"]:
            with self.subTest(column):
                sweep = {"kernel_name": "k", "function_name": "k", "columns_name": [column, "F_dur(us)"], "first_n_column": 1, "operator": "aten::relu", "arguments": [{"tensor": [4]}],
                         "starts": [1], "steps": [1], "ends": [1], "operators": ["add"], "warmup_shapes": [1], "wait": 0, "warmup": 1, "active": 6, "shapes": [1], "run": "get_all"}
                self.refused("columns_name", "sample", self.file("s.yml", json.dumps(sweep)), "--precision", "fp32", *ON_CPU, "-o", self.results)


class OnePlace(unittest.TestCase):
    def test_output_passes_through_one_function(self):
        """All but the injected library, which belongs to the program, print by base/process/terminal."""
        raw = re.compile(r"fmt::print\(|\bf?printf\(|\bfputs\(|\bputs\(|std::c(out|err)\b")
        allowed = {"base/process/terminal.hpp", "base/process/terminal.cpp", "base/process/progress.cpp"}
        sources = [path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.[ch]pp") if not path.stem.endswith("_test")]
        found = {str(path) for path in sources if path.parts[0] != "cuda" and raw.search((ROOT / "src" / path).read_text())}
        self.assertEqual(found - allowed, set())


if __name__ == "__main__":
    unittest.main()
