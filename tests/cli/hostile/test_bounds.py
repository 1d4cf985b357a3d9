"""Files that are endless, long or many times larger in memory are refused with one line, in little memory and time (docs/design/trust.md, Limits)."""
import functools
import gzip
import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import threading

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, ROOT
from .test_security import Hostile

MIB = 1 << 20
MEMORY = 1 << 30
SIMULATED = ["--device", "simulated:seed=5,launches=4", "--runs", "2", "--time-limit", "0.05", "--no-energy"]
EVENT = '{"ph":"X","cat":"kernel","name":%s,"ts":%d,"dur":1,"args":{"device":0,"stream":7}}'
LOG = "timestamp,gpu,power_w\n" + "".join(f"2026-01-01 00:{second // 60:02}:{second % 60:02}.000,0,{100 + second % 2}.5\n" for second in range(100))
TIMING = json.dumps({"full_model_inference_us": 1e5, "num_runs": 100, "start_timestamp": "2026-01-01 00:00:10.000", "end_timestamp": "2026-01-01 00:01:00.000"})
INPUTS = re.compile(r'input_file\(\s*app\.add_option\(\s*"([^"]+)"')


@functools.cache
def declared_inputs():
    """Returns the names of all options of input files, as the sources declare them."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src/cli").rglob("*.[ch]pp")))
    return {name.split(",")[-1] for name in INPUTS.findall(text)}


class Bounded(Hostile):
    def setUp(self):
        super().setUp()
        self.log, self.timing = self.file("log.csv", LOG), self.file("timing.json", TIMING)
        self.trace = self.file("trace.json", '{"traceEvents":[' + EVENT % ('"k"', 1) + "]}")

    @functools.cached_property
    def recording(self):
        path = self.folder / "recording.jsonl"
        self.succeed("record", "--device", "simulated:seed=5,launches=4", "-o", path)
        return path

    def bounded(self, *arguments, seconds=20):
        """Runs kjoule with at most 1 GiB of memory; the time is only there to find what never ends."""
        return subprocess.run([KJOULE, *map(str, arguments)], capture_output=True, cwd=self.folder, env=self.environment, timeout=seconds, text=True,
                              stdin=subprocess.DEVNULL, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))  # noqa: PLW1509

    def refused_for(self, text, *arguments, seconds=20):
        done = self.bounded(*arguments, seconds=seconds)
        self.assertIn(done.returncode, (1, 2, 105), done.stderr)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])
        self.assertNotIn("out of memory", done.stderr)
        self.assertLess(len(done.stderr), 2000)

    def accepted(self, *arguments):
        done = self.bounded(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def sparse(self, name, begin, size):
        """A file with zeros after its beginning, which take no room on the disk."""
        path = self.file(name, begin)
        os.truncate(path, size)
        return path


class Endless(Bounded):
    def commands(self, path):
        """Returns a command for each option that names an input file, by the option."""
        return {"path": ["kernels", path], "trace": ["import", path, "-o", "out"], "--kernels": ["isolated", "--kernels", path, *ON_CPU],
                "--like": ["import", self.trace, "--like", path, "-o", "out"], "--rules": ["kernels", self.recording, "--rules", path],
                "--recording": ["compare", "--recording", path, *SIMULATED], "before": ["diff", path, path], "after": ["diff", path, path], "folder": ["baseline", path, "-o", "b.json"],
                "--power-log": ["energy", "--power-log", path, "--timing", self.timing], "--benchmark-result": ["energy", "--power-log", self.log, "--timing", path],
                "network": ["layers", path, *ON_CPU], "--config_path": ["sample", path, *ON_CPU], "--shapes": ["sample", "RoPE", "--precision", "fp32", "--shapes", path, *ON_CPU], "--roof": ["sample", "RoPE", "--precision", "fp32", "--roof", path, *ON_CPU],
                "parts": ["sample", "merge", path, "-o", "m.csv"], "results": ["sample", "status", path], "config": ["predict", "step", path], "recording": ["predict", "model", path, "--gpu", "NVIDIAH200"], "data": ["train", path],
                "--data": ["predict", "operator", "RoPE", "1", "1", "1", "1", "--data", path], "--models": ["predict", "operator", "linear1", "1", "1", "4096", "4096", "--models", path],
                "--rows": ["predict", "operator", "NVIDIAH200", "linear1", "fp16", "forward", "1", "1", "4096", "4096", "--gpu-like", "NVIDIAA100-SXM4-80GB", "--rows", path],
                "--resume": ["compare", *SIMULATED, "--resume", path], "--model": ["compare", "--model", path, *ON_CPU], "--check": ["layers", "bert-large", "--check", path, *ON_CPU],
                "--other-ranks": ["compare", "--model", path, "--other-ranks", path, *ON_CPU], "--python": ["sample", "RoPE", "--python", path, *ON_CPU],
                "csv": ["power", "log", "--source", f"csv:{path}", "-o", "log-of.csv", "--duration", "1"],
                "log of a run": ["compare", "--device", "simulated:seed=5,launches=4", "--power-log", path]}

    def test_every_option_is_tried(self):
        self.assertEqual(declared_inputs() - set(self.commands("file")), set())

    def refuse_each(self, path):
        for option, command in self.commands(path).items():
            with self.subTest(option, path=str(path)):
                done = self.run_here(*command, POWER_LOG_PATH=None)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertEqual(len(errors_in(done.stderr)), 1, done.stderr)
                self.assertNotIn("this is a bug", done.stderr)

    def test_a_device_is_not_read(self):
        self.refuse_each("/dev/zero")

    def test_a_pipe_without_a_writer_is_not_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        self.refuse_each(self.folder / "pipe")

    def test_a_writer_that_is_silent_is_not_waited_for(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        models = self.folder / "models"
        models.mkdir()
        (models / "G_mine_fp16_forward.json").symlink_to(pipe)
        data = self.folder / "data"
        data.mkdir()
        (data / "G_mine_fp16.csv").write_text("rows,F_dur(us)\n" + "".join(f"{n},{n}\n" for n in range(1, 40)))
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        for command in [["layers", pipe, *ON_CPU], ["predict", "step", pipe], ["energy", "--power-log", pipe, "--timing", self.timing]]:
            with self.subTest(command[:2]):
                self.refused_for("is a pipe whose writer wrote nothing for 5 s", *command)
        done = self.run_here("predict", "operator", "G", "mine", "fp16", "fwd", "5", "--data", data, "--models", models)
        self.assertEqual(done.returncode, 0, "a damaged model is trained again")
        self.assertIn("this model is damaged", done.stderr)
        self.assertTrue(pipe.is_fifo())

    def test_files_within_folders(self):
        for name in ["recording.jsonl", "results.jsonl", "kernels.jsonl"]:
            for kind in ["device", "pipe"]:
                folder = self.folder / f"{kind} {name}"
                folder.mkdir()
                (folder / "recording.jsonl").write_text(self.recording.read_text())
                (folder / name).unlink(missing_ok=True)
                os.mkfifo(folder / name) if kind == "pipe" else (folder / name).symlink_to("/dev/zero")
                for command in [["kernels", folder], ["diff", folder, folder], ["baseline", folder, "-o", "b.json"], ["report", folder, "-o", "r.html"]]:
                    with self.subTest(command[0], file=name, kind=kind):
                        done = self.run_here(*command)
                        self.assertNotIn("this is a bug", done.stderr)
                        self.assertTrue(done.returncode != 0 or name != "recording.jsonl", done.stdout)

    def test_a_pipe_with_a_writer_is_read(self):
        rules = '{"function": "k", "tier": 1}\n'
        for command, text in [(["kernels", self.recording, "--rules"], rules), (["energy", "--timing", self.timing, "--power-log"], LOG)]:
            reader, writer = os.pipe()
            thread = threading.Thread(target=lambda end=writer, contents=text: (os.write(end, contents.encode()), os.close(end)))
            thread.start()
            done = subprocess.run([KJOULE, *map(str, command), f"/dev/fd/{reader}"], capture_output=True, text=True, cwd=self.folder, pass_fds=[reader], timeout=20, check=False)
            thread.join()
            os.close(reader)
            self.assertEqual(done.returncode, 0, done.stderr)


class Documents(Bounded):
    def test_whole_files_are_small(self):
        path = self.sparse("large", "{", 65 * MIB)
        for command in [["diff", path, path], ["kernels", self.recording, "--rules", path], ["energy", "--power-log", self.log, "--timing", path], ["layers", path, *ON_CPU],
                        ["sample", path, *ON_CPU], ["predict", "step", path], ["sample", "RoPE", "--precision", "fp32", "--roof", path, *ON_CPU]]:
            with self.subTest(command[0]):
                self.refused_for("(document limit)", *command)

    def test_yaml(self):
        for name, text in [("brackets", "[" * 3 * MIB), ("brackets within the limit", "[" * (2 * MIB)), ("maps", "{a: " * (MIB // 2)), ("commas", "[" + "," * MIB), ("line ends", "\n" * 2 * MIB),
                           ("list", "- 1\n" * (MIB // 2)), ("questions", "? " * MIB), ("one word", "a" * 2 * MIB)]:
            path = self.file("network.yml", text)
            for command in [["layers", path, *ON_CPU], ["sample", path, *ON_CPU], ["predict", "step", path]][:3 if name == "brackets" else 1]:
                with self.subTest(command[0], text=name):
                    self.refused_for("(YAML limit)" if name == "brackets" else "network.yml", *command)

    def test_values_of_json(self):
        path = self.file("report.json", "[" + "0," * 5_000_000)
        self.refused_for("(value limit: 4000000)", "diff", path, path)
        self.refused_for("(value limit: 4000000)", "kernels", self.recording, "--rules", path)
        blank = self.file("blank.json", "[" + "\t\n" * 8 * MIB)
        self.refused_for("unexpected end", "diff", blank, blank)

    def test_a_shape(self):
        shape = ", ".join(["1"] * 100_000)
        network = self.file("network.yml", f"name: n\nlayers:\n- {{name: a, kind: relu, shape: [{shape}]}}\n")
        self.refused_for("(dimension limit: 64)", "layers", network, *ON_CPU)
        table = self.file("table.jsonl", f'{{"name":"k","count":1,"operator":"aten::relu","input_dims":[[{shape}]],"input_types":["float"]}}\n')
        self.assertIn("(dimension limit: 64)", self.bounded("isolated", "--kernels", table, *ON_CPU).stderr)


class Lines(Bounded):
    def test_a_line_of_a_recording(self):
        header = self.recording.read_text().splitlines()[0]
        path = self.sparse("long.jsonl", header + "\n", 70 * MIB)
        self.refused_for("long.jsonl:2: the line has more than 64 MiB (line limit)", "compare", "--recording", path, *SIMULATED)
        self.refused_for("long.jsonl:2: the line has more than 64 MiB (line limit)", "kernels", path)

    def test_a_name(self):
        name = json.dumps("k" * (MIB + 1))
        header, first, *rest = self.recording.read_text().splitlines()
        changed = json.dumps({**json.loads(first), "name": "k" * (MIB + 1)})
        for path in [self.file("a.json", '{"traceEvents":[' + EVENT % (name, 1) + "]}"), self.file("a.jsonl", f'{{"name":{name},"count":1}}\n'),
                     self.file("a.csv", f"name,count\n{name},1\n"), self.file("recording-of-a-name.jsonl", "\n".join([header, changed, *rest]) + "\n")]:
            with self.subTest(path.name):
                self.refused_for("(name limit)", "kernels", path)

    def test_cells_of_a_row(self):
        self.refused_for("(column limit)", "import", self.file("commas.csv", "," * 2 * MIB), "-o", "out")
        self.refused_for("(column limit)", "import", self.file("cells.csv", "name,count\nk," + "," * 2 * MIB), "-o", "out")
        self.refused_for("(column limit)", "import", self.file("keys.jsonl", '{"name":"k",' + ",".join(f'"{key}":0' for key in range(5000)) + "}"), "-o", "out")

    def test_a_power_log_of_one_line(self):
        path = self.sparse("long.csv", "timestamp,gpu,power_w\n1", 200 * MIB)
        self.refused_for("contains no reading", "energy", "--power-log", path, "--timing", self.timing)


class Tables(Bounded):
    def test_many_kernels_of_one_operator(self):
        inputs = "[" + ",".join(["[1,1]"] * 20_000) + "]"
        operator = f'{{"ph":"X","cat":"cpu_op","name":"aten::op","ts":0,"dur":100000,"pid":1,"tid":1,"args":{{"External id":1,"Input Dims":{inputs}}}}}'
        kernels = [f'{{"ph":"X","cat":"kernel","name":"k{n}","ts":{n},"dur":1,"args":{{"device":0,"stream":7,"External id":1}}}}' for n in range(500)]
        self.refused_for("(table limit)", "import", self.file("large.json", '{"traceEvents":[' + ",".join([operator, *kernels]) + "]}"), "-o", "out")

    def test_rows_of_a_csv_table(self):
        """Rows of 4 bytes: at most twice the size of the file, and 40 MB for the program itself."""
        rows = 3_000_000
        path = self.file("rows.csv", "name,count\n" + "k,1\n" * rows)
        self.assertLess(self.memory_of("kernels", path, "--json", launches=rows), 2 * path.stat().st_size + 40_000_000)

    def test_rows_of_profilers(self):
        """Each launch has its own identity, and is read with two further passes over the file."""
        rows = 500_000
        metrics = self.file("ncu.csv", "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n" + "".join(f"{n},k,Duration,ns,1000\n" for n in range(rows)))
        dispatches = self.file("rocprof.csv", "Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp\n" + "".join(f"1,k,{n},{n + 1000}\n" for n in range(rows)))
        for path in [metrics, dispatches]:
            with self.subTest(path.name):
                self.assertLess(self.memory_of("kernels", path, "--json", launches=rows), 2 * path.stat().st_size + 40_000_000)

    def test_samples(self):
        folder = self.folder / "data"
        folder.mkdir()
        table = self.file("data/G_mine_fp16.csv", "rows,F_dur(us)\n" + "1,1\n" * 1_000_001)
        part = self.file("G_mine_fp16_1_1.csv", "rows,F_dur(us)\n" + "".join(f"{n},1\n" for n in range(1, 1_000_005)))
        self.refused_for("G_mine_fp16.csv:1000002: the table has more than 1000000 samples (sample limit)", "train", folder, seconds=60)
        self.refused_for("G_mine_fp16_1_1.csv:1000002: the tables have more than 1000000 samples (sample limit)", "sample", "merge", part, "-o", "m.csv", seconds=60)
        table.unlink()

    def memory_of(self, *arguments, launches):
        """Returns the largest memory of kjoule in bytes, and checks the number of launches that it prints."""
        # A process begins with the memory of the one that starts it, so a small Python starts kjoule.
        starts = "import os, sys; _, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0); print(usage.ru_maxrss, file=sys.stderr); sys.exit(status)"
        done = subprocess.run([sys.executable, "-S", "-c", starts, str(KJOULE), *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, [kernel["launches"] for kernel in json.loads(done.stdout)["kernels"]]), (0, [launches]))
        return int(done.stderr.split()[-1]) * 1024

    def test_a_packed_trace(self):
        members = [gzip.compress(b'{"traceEvents":[' + b" " * MIB), *[gzip.compress(b" " * MIB)] * 100]
        path = self.folder / "trace.json.gz"
        path.write_bytes(b"".join(members))
        self.refused_for("(gzip limit)", "import", path, "-o", "out")

    def database(self, names):
        """A database of Nsight Systems with 2,000 launches of kernels with long names."""
        path = self.folder / "report.sqlite"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")
            database.executemany("INSERT INTO StringIds VALUES(?,?)", [(n, f"{n} " + "k" * (MIB - 100)) for n in range(names)])
            database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT,end INT,globalPid INT,deviceId INT,streamId INT,correlationId INT,contextId INT,demangledName INT)")
            database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,1,0,7,?,1,?)", [(n * 1000, n * 1000 + 500, n, n % names) for n in range(2000)])
        return path

    def test_long_names_of_a_database(self):
        kernels = json.loads(self.accepted("kernels", self.database(2), "--json"))["kernels"]
        self.assertEqual(sorted((kernel["name"][:3], len(kernel["name"]), kernel["launches"]) for kernel in kernels), [("0 k", MIB - 98, 1000), ("1 k", MIB - 98, 1000)])
        self.refused_for("(table limit)", "kernels", self.database(70))
