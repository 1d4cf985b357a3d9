"""kjoule import and kjoule kernels on traces and kernel tables of others, through their command line."""
import csv
import gzip
import io
import json
import pathlib
import tempfile
import unittest

from .test_commands import InAFolder, run


class TraceBuilder:
    """A profiler trace in kineto's layout: `steps` steps of two GEMMs and one copy, which the device runs later."""

    def __init__(self, steps=3, shapes=True, rank=0, device=0):
        self.events, self.shapes, self.rank, self.device = [], shapes, rank, device
        self.now, self.number = 1_700_000_000_000_000.125, 0
        for step in range(1, steps + 1):
            begin = self.now
            for _ in range(2):
                self.launch("nvjet_hsh_64x8_TNT", "kernel", "aten::addmm", {"grid": [16, 1, 1], "block": [128, 1, 1], "shared memory": 49152})
            self.launch("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", "aten::copy_", {"bytes": 4096, "memory bandwidth (GB/s)": 1.5})
            self.event("user_annotation", f"ProfilerStep#{step}", begin, self.now - begin, {"External id": 0})

    def event(self, category, name, ts, dur, args, **more):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 9, "tid": 9, "ts": ts, "dur": dur, "args": args, **more})

    def launch(self, name, category, operator, args):
        self.number += 1
        inputs = {"Input Dims": [[5, 8], [8, 4]], "Input Strides": [[8, 1], [4, 1]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""]}
        self.event("cpu_op", operator, self.now, 9, {"External id": self.number, **(inputs if self.shapes else {})})
        self.event("cuda_runtime", "cudaLaunchKernel", self.now + 1, 3, {"External id": self.number, "cbid": 211, "correlation": 1000 + self.number})
        self.event(category, name, self.now + 5000, 2.125,
                   {"External id": self.number, "device": self.device, "context": 1, "stream": 7, "correlation": 1000 + self.number, **args}, pid=0)
        self.now += 10

    def as_dict(self):
        return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "distributedInfo": {"backend": "nccl", "rank": self.rank},
                "record_shapes": int(self.shapes), "traceEvents": self.events}


def two_gpus(steps=3):
    """A trace in which GPU 1 runs the same kernels as GPU 0, each 1 us longer."""
    trace = TraceBuilder(steps).as_dict()
    other = TraceBuilder(steps, device=1).as_dict()
    for event in other["traceEvents"]:
        for id in {"correlation", "External id"} & event["args"].keys():
            event["args"][id] += 500
        event["dur"] += event["pid"] == 0
    trace["traceEvents"] += [event for event in other["traceEvents"] if event["cat"] != "user_annotation"]
    return trace


class Importing(InAFolder):
    def write(self, trace, name="trace.json"):
        path = self.folder / name
        text = json.dumps(trace.as_dict() if isinstance(trace, TraceBuilder) else trace)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    def write_text(self, text, name="table.jsonl"):
        path = self.folder / name
        path.write_text(text)
        return path

    def counts(self, *arguments):
        kernels = json.loads(self.succeed("kernels", *arguments, "--json"))["kernels"]
        return {kernel["name"].split()[0]: kernel["count"] for kernel in kernels}


class Traces(Importing):
    def test_counts_are_those_of_one_iteration(self):
        for steps in [1, 3, 26]:
            trace = self.write(TraceBuilder(steps))
            self.succeed("import", trace, "-o", self.folder / "imported")
            self.assertEqual(self.counts(self.folder / "imported"), {"nvjet_hsh_64x8_TNT": 2, "Memcpy": 1})
            self.assertEqual(self.counts(trace), {"nvjet_hsh_64x8_TNT": 2, "Memcpy": 1})

    def test_every_form_says_the_same(self):
        trace = self.write(TraceBuilder(26), "trace.json.gz")
        as_json, rows = self.printed_in_each_form("kernels", trace)
        table = json.loads(as_json)
        self.assertEqual(table["summary"]["tiers"]["tier1_cuda_runtime"], {"unique_kernels": 1, "invocation_count": 1, "launches": 26})
        lines = [json.loads(line) for line in self.succeed("kernels", trace, "--jsonl").splitlines()]
        self.assertEqual(lines, table["kernels"])
        self.assertEqual([row["name"] for row in rows], [line["name"] for line in lines])
        self.assertEqual([int(row["count"]) for row in rows], [line["count"] for line in lines])
        gemm = lines[0]
        self.assertEqual((gemm["grid"], gemm["block"], gemm["shared_bytes"]), ([16, 1, 1], [128, 1, 1], 49152))
        self.assertEqual((gemm["operator"], gemm["input_dims"]), ("aten::addmm", [[5, 8], [8, 4]]))
        self.assertEqual((gemm["mean_us"], gemm["min_us"], gemm["max_us"], gemm["total_us"]), (2.125, 2.125, 2.125, 110.5))

    def test_what_it_prints_can_be_imported(self):
        trace = self.write(TraceBuilder(26))
        for form in ["csv", "jsonl", "json"]:
            table = self.write_text(self.succeed("kernels", trace, f"--{form}"), f"table.{form}")
            self.assertEqual(self.counts(table), {"nvjet_hsh_64x8_TNT": 2, "Memcpy": 1}, form)

    def test_groups(self):
        trace = self.write(TraceBuilder(4))
        for by, labels in [("name", {"nvjet_hsh_64x8_TNT", "Memcpy HtoD (Pageable -> Device)"}), ("operator", {"aten::addmm", "aten::copy_"}),
                           ("tier", {"tier1_cuda_runtime", "tier2_cublas"}), ("category", {"gemm", "copy"})]:
            groups = json.loads(self.succeed("kernels", trace, "--by", by, "--json"))["groups"]
            self.assertEqual({group[by] for group in groups}, labels)
        self.fail_with("--by colour: not known", "kernels", trace, "--by", "colour")

    def test_rules_of_ones_own(self):
        trace = self.write(TraceBuilder(4))
        rules = self.write_text('{"function": "nvjet_hsh*", "tier": 3, "family": "mine", "category": "attention"}\n', "rules.jsonl")
        for command in [("kernels", trace, "--jsonl"), ("import", trace, "-o", self.folder / "imported")]:
            said = self.succeed(*command, "--rules", rules)
        kernels = map(json.loads, (self.folder / "imported/kernels.jsonl").read_text().splitlines()[1:])
        self.assertIn(("mine", "attention", 3), {(kernel["family"], kernel["category"], kernel["tier"]) for kernel in kernels}, said)

    def test_ranks_and_devices(self):
        one, other = self.write(TraceBuilder(2, rank=0), "a.json"), self.write(TraceBuilder(3, rank=1), "b.json")
        self.fail_with("--rank N", "import", one, other, "-o", self.folder / "imported")
        self.succeed("import", one, other, "--rank", "1", "-o", self.folder / "imported")
        self.assertEqual(json.loads((self.folder / "imported/kernels.jsonl").read_text().splitlines()[0])["iterations"], 3)

    def test_kernels_of_several_gpus(self):
        trace = self.write(two_gpus())
        as_json, rows = self.printed_in_each_form("kernels", trace)
        table = json.loads(as_json)
        self.assertEqual((table["summary"]["gpus"], table["summary"]["iterations"], table["summary"]["invocation_count"]), ([0, 1], 3, 6))
        times = {(kernel["gpu"], kernel["name"].split()[0]): (kernel["count"], kernel["mean_us"]) for kernel in table["kernels"]}
        self.assertEqual(times, {(0, "nvjet_hsh_64x8_TNT"): (2, 2.125), (0, "Memcpy"): (1, 2.125), (1, "nvjet_hsh_64x8_TNT"): (2, 3.125), (1, "Memcpy"): (1, 3.125)})
        self.assertEqual([(row["gpu"], row["mean_us"]) for row in rows], [("1", "3.125"), ("0", "2.125"), ("1", "3.125"), ("0", "2.125")])
        lines = self.succeed("kernels", trace).splitlines()
        self.assertIn("6 launches in an iteration, 4 kernels on GPUs 0, 1", lines)
        self.assertIn("GPU count    tier   mean us    min us    max us   total us", lines)
        self.assertIn("  1     2       2     3.125     3.125     3.125     18.750", lines)
        self.assertTrue(all(len(line) <= 80 for line in lines if "trace.json" not in line))
        groups = json.loads(self.succeed("kernels", trace, "--by", "category", "--json"))["groups"]
        self.assertEqual(sorted((group["gpu"], group["category"], group["count"]) for group in groups), [(0, "copy", 1), (0, "gemm", 2), (1, "copy", 1), (1, "gemm", 2)])

    def test_what_was_imported_of_several_gpus(self):
        imported, picture = self.folder / "imported", self.folder / "both.svg"
        self.succeed("import", self.write(two_gpus()), "-o", imported, "--timeline", picture)
        self.assertRegex(picture.read_text(), "(?s)>stream 7<.*>GPU 1, stream 7<")
        every = json.loads(self.succeed("kernels", imported, "--json"))["kernels"]
        self.assertEqual([kernel["gpu"] for kernel in every], [1, 0, 1, 0])
        again = self.write_text(self.succeed("kernels", imported, "--csv"), "again.csv")
        self.assertEqual(json.loads(self.succeed("kernels", again, "--json"))["kernels"], every)
        one = json.loads(self.succeed("kernels", imported, "--gpu", 1, "--json"))
        self.assertEqual((one["summary"]["gpu"], [kernel["gpu"] for kernel in one["kernels"]]), (1, [1, 1]))
        self.fail_with("contains no kernels of device 3; choose a device of the file with --gpu: 0, 1", "kernels", imported, "--gpu", 3)
        self.fail_with("contains kernels of GPUs 0, 1, but one GPU is measured; choose one with --gpu N", "isolated", "--kernels", imported, "-o", self.results)

    def test_gpus_whose_iterations_differ_need_a_choice(self):
        trace = two_gpus()
        trace["traceEvents"] = [event for event in trace["traceEvents"] if event["args"].get("device") != 1 or event["ts"] < 1_700_000_000_005_030]
        said = "the launches of GPU 0 form 3 iterations, but those of GPU 1 form 1 iteration; choose one with --gpu N, or give the number of iterations with --iterations N"
        self.fail_with(said, "kernels", self.write(trace))
        self.succeed("kernels", self.write(trace), "--gpu", 0)

    def test_a_table_with_a_column_of_gpus(self):
        for column in ["gpu", "GPU", "device", "Device"]:
            table = self.write_text(f"name,{column},count\nk,0,2\nk,1,3\nk,1,4\n", "table.csv")
            done = run("kernels", table, "--csv")
            self.assertEqual([(row["gpu"], row["launches"]) for row in csv.DictReader(io.StringIO(done.stdout))], [("1", "7"), ("0", "2")], column)
            self.assertIn("the table has 3 rows for 2 kernels: rows with equal GPU, name", done.stderr)

    def test_kernels_of_libraries_have_their_class(self):
        scan = "void at_cuda_detail::cub::DeviceScanKernel<at_cuda_detail::cub::Policy600>(int const*)"
        names = {"reduction_prod_kernel": "reduction", scan: "scan", "DeviceScanInitKernel": "scan", "void cub::DeviceScanKernel<int>(int)": "scan",
                 "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)": "collective", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)": "collective"}
        table = self.write_text("".join(json.dumps({"name": name}) + "\n" for name in names))
        kernels = json.loads(self.succeed("kernels", table, "--json"))["kernels"]
        self.assertEqual({kernel["name"]: kernel["category"] for kernel in kernels}, names)
        self.assertEqual({kernel["tier"] for kernel in kernels if kernel["category"] == "collective"}, {2})

    def test_files_without_ranks_are_imported_one_by_one(self):
        trace, table = self.write(TraceBuilder(2), "a.json"), self.write_text(JSONL)
        unranked = {key: value for key, value in TraceBuilder(2).as_dict().items() if key != "distributedInfo"}
        other = self.write(unranked, "b.json")
        into = ["-o", self.folder / "imported"]
        self.fail_with("the rank of these traces is not known; import each of them separately", "import", other, table, *into)
        self.fail_with("the rank of these traces is not known; omit --rank", "import", table, "--rank", "0", *into)
        self.fail_with("import each of them separately", "import", trace, trace, *into)
        self.fail_with("only traces of different ranks can be imported together, but 2 were given, of ranks 0, none; import each of them separately", "import", trace, table, *into)
        self.succeed("import", trace, table, "--rank", "0", *into)
        self.fail_with("both are traces of rank 0", "import", trace, self.write(TraceBuilder(5), "c.json"), "--rank", "0", *into)

    def of_rank(self, rank, steps=3):
        return self.write({**TraceBuilder(steps).as_dict(), "distributedInfo": {"rank": rank, "world_size": 2}}, f"rank{rank}_{steps}.json")

    def test_impossible_ranks_are_refused(self):
        def trace(**info):
            return self.write({**TraceBuilder(3).as_dict(), "distributedInfo": info}, f"{info.get('rank')}_of_{info.get('world_size')}.json")

        for info, cause in [({"rank": -1}, "\"rank\" is -1, which is not from 0 to 999999"),
                            ({"rank": 2, "world_size": 2}, "\"rank\" is 2, which is not from 0 to 1"),
                            ({"rank": 9 * 10**18}, "\"rank\" is 9000000000000000000, which is not from 0 to 999999"),
                            ({"world_size": 0, "rank": 0}, "\"world_size\" is 0, which is not from 1 to 1000000"),
                            ({"rank": 0, "world_size": "many"}, "\"world_size\" is not a whole number")]:
            with self.subTest(**info):
                self.fail_with(cause, "import", trace(**info), "-o", self.folder / "none")
        self.fail_with("1_of_4.json of one of 4 ranks; import the traces of one run together", "import", trace(rank=0, world_size=2), trace(rank=1, world_size=4), "-o", self.folder / "none")
        self.succeed("import", trace(rank=0), trace(rank=1, world_size=4), "-o", self.folder / "some")

    def test_ranks_are_imported_together(self):
        chrome = self.folder / "t.json"
        self.succeed("import", self.of_rank(0), "-o", self.folder / "one")
        self.succeed("import", self.of_rank(1), self.of_rank(0), "-o", self.folder / "both", "--timeline", chrome)
        one, both = (json.loads(self.succeed("kernels", self.folder / name, "--json")) for name in ("one", "both"))
        self.assertEqual([kernel["gpu"] for kernel in both["kernels"]], [0, 1] * len(one["kernels"]))
        self.assertEqual([line["launches"] for line in both["all_gpus"]], [2 * kernel["launches"] for kernel in one["kernels"]])
        for gpu in (0, 1):
            own = [{**kernel, "gpu": 0} for kernel in both["kernels"] if kernel["gpu"] == gpu]
            self.assertEqual(own, [{**kernel, "gpu": 0} for kernel in one["kernels"]])
        lanes = [event["args"]["name"] for event in json.loads(chrome.read_text())["traceEvents"] if event["name"] == "thread_name"]
        self.assertEqual([lane.startswith("GPU 1, ") for lane in lanes], [False] * (len(lanes) // 2) + [True] * (len(lanes) // 2))
        self.fail_with("the ranks have different numbers of iterations: 3, 4; name the ranges", "import", self.of_rank(0), self.of_rank(1, 4), "-o", self.folder / "none")

    def test_its_timeline_is_one_iteration(self):
        picture, chrome = self.folder / "t.svg", self.folder / "t.json"
        self.succeed("import", self.write(TraceBuilder(3)), "-o", self.folder / "imported", "--timeline", picture, "--timeline", chrome)
        self.assertIn("<svg", picture.read_text())
        shown = [event for event in json.loads(chrome.read_text())["traceEvents"] if event["ph"] == "X"]
        self.assertEqual([event["name"].split()[0] for event in shown], ["nvjet_hsh_64x8_TNT"] * 2 + ["Memcpy"])
        self.assertEqual([event["dur"] for event in shown], [2.125] * 3)
        self.assertEqual(len({event["args"]["kernel"] for event in shown}), 2)
        table = self.write_text(JSONL)
        self.fail_with("no timeline", "import", table, "-o", self.folder / "other", "--timeline", picture, "--iterations", "26")
        self.assertFalse((self.folder / "other").exists())
        (self.folder / "taken.svg").mkdir()
        self.assertNotEqual(run("import", self.folder / "trace.json", "-o", self.folder / "other", "--timeline", self.folder / "taken.svg").returncode, 0)
        self.assertFalse((self.folder / "other/kernels.jsonl").exists())
        self.fail_with("this file is a timeline that kjoule wrote, which contains one iteration without shapes; import the recording.jsonl", "kernels", chrome)

    def test_groups_are_no_kernels(self):
        trace = self.write(TraceBuilder(3))
        for by in ["name", "operator", "tier", "category"]:
            for form in ["json", "jsonl", "csv"]:
                printed = self.write_text(self.succeed("kernels", trace, "--by", by, f"--{form}"), f"groups.{form}")
                self.fail_with("(output of --by), not", "kernels", printed)

    def test_says_what_is_missing(self):
        done = run("kernels", self.write(TraceBuilder(2, shapes=False)))
        self.assertEqual(done.returncode, 0)
        self.assertIn("record_shapes=True", done.stderr)

    def test_bad_traces_are_one_line(self):
        whole = json.dumps(TraceBuilder(3).as_dict())
        for text, told in [(whole[:-300], "ends"), (whole[:40], "ends"), ("", "empty"), ("[" * 50, "is not a JSON object"), ("{}", "neither a trace"),
                           ('{"traceEvents": ' + "[" * 50, "is not a JSON object"), (whole + "]", "text after the end of the trace"), ('{"traceEvents": []}', "no kernels"),
                           (whole.replace('"dur": 2.125', '"dur": -2.125', 1), "negative"), (whole.replace('"dur": 2.125', '"dur": NaN', 1), "is not a time"),
                           (whole.replace('"pid": 0, "tid": 9, "ts": ', '"pid": 0, "tid": 9, "ts": [], "was": ', 1), "is not a time"),
                           (whole.replace('"grid": [16, 1, 1]', '"grid": [16, 1, "x"]', 1), "three whole numbers"),
                           (whole.replace('"stream": 7', '"stream": 7, "stream": 8', 1), "is given twice")]:
            self.fail_with(told, "kernels", self.write_text(text, "bad.json"))
            self.fail_with(told, "import", self.folder / "bad.json", "-o", self.folder / "imported")
        for begin in ["", '{"traceEvents": ']:
            deep = self.write_text(begin + "[" * 5000, "bad.json")
            self.fail_with("nesting limit: 64 levels", "kernels", deep)
            self.fail_with("is not a JSON object", "import", deep, "-o", self.folder / "imported")
        self.assertFalse((self.folder / "imported").exists())

    def test_bad_gzip(self):
        packed = self.write(TraceBuilder(30), "trace.json.gz").read_bytes()
        (self.folder / "cut.json.gz").write_bytes(packed[:-100])
        self.fail_with("the gzip file is incomplete", "kernels", self.folder / "cut.json.gz")
        (self.folder / "damaged.json.gz").write_bytes(packed[:200] + b"\xff" * 50 + packed[250:])
        self.fail_with("damaged gzip", "kernels", self.folder / "damaged.json.gz")
        (self.folder / "behind.json.gz").write_bytes(packed + b"more")
        self.fail_with("data follow the end of the gzip file", "kernels", self.folder / "behind.json.gz")
        (self.folder / "padded.json.gz").write_bytes(packed + bytes(512))
        self.succeed("kernels", self.folder / "padded.json.gz")
        (self.folder / "bomb.json.gz").write_bytes(gzip.compress(b" " * 50_000_000))
        self.fail_with("--max-bytes", "kernels", self.folder / "bomb.json.gz", "--max-bytes", "1000000")

    def test_times_beyond_doubles(self):
        trace = TraceBuilder(2).as_dict()
        for event in trace["traceEvents"]:
            event["ts"] = f"{int(event['ts']) + 7_000_000_000_000_000}.001"
            event["dur"] = str(event["dur"])
        self.assertEqual(self.counts(self.write(trace)), {"nvjet_hsh_64x8_TNT": 2, "Memcpy": 1})


class Unmarked(TraceBuilder):
    """A trace without ProfilerSteps: passes through 24 layers of 5 launches, an embedding and a head, with a pause of the host before each."""

    LAYERS, PASS = 24, 24 * 5 + 2

    def __init__(self):
        super().__init__(steps=0)

    def kernel(self, name, grid):
        self.launch(name, "kernel", f"aten::{name}", {"grid": [grid, 1, 1], "block": [128, 1, 1]})

    def forward(self, rows, keys=0):
        """A pass over `rows` tokens or samples, whose attention reads `keys` tokens before them."""
        self.kernel("embedding", rows)
        for _ in range(self.LAYERS):
            for name, grid in [("norm", rows), ("gemm", 16 * rows), ("attention", rows + keys), ("gemm", 4 * rows), ("add", rows)]:
                self.kernel(name, grid)
        self.kernel("gemm", 50 * rows)
        self.now += 500
        return self


class TracesWithoutMarks(Importing):
    def imported(self, trace):
        self.succeed("import", self.write(trace), "-o", self.folder / "imported")
        screen = " ".join(self.succeed("kernels", self.folder / "imported").split())
        return json.loads(self.succeed("kernels", self.folder / "imported", "--json")), screen

    def test_steps_of_one_generate_call(self):
        trace = Unmarked().forward(64)
        for token in range(20):
            trace.forward(1, keys=64 + token)
        table, screen = self.imported(trace)
        summary = table["summary"]
        self.assertEqual((summary["iterations"], summary["iterations_from"], summary["launches_left_out"]), (20, "repeating launches", Unmarked.PASS))
        evidence = summary["repetition"]
        self.assertAlmostEqual(evidence.pop("covered_percent"), 100 * 20 / 21)
        self.assertEqual((evidence.pop("next_best")["launches"], evidence), (5, {
            "launches": Unmarked.PASS, "times": 20, "launches_covered": 20 * Unmarked.PASS, "launches_in_all": 21 * Unmarked.PASS, "compared_by": "name"}))
        self.assertIn("122 launches repeat 20 times, which is 95.2 % of 2562 launches, compared by name because grids or inputs differ; "
                      "the next-best period: 5 launches, 24 times in a row, 4.7 %", screen)
        counts = {(kernel["name"], *kernel["grid"]): kernel["count"] for kernel in table["kernels"]}
        self.assertEqual((counts[("norm", 1, 1, 1)], counts[("attention", 70, 1, 1)]), (24, 24 / 20))
        self.assertNotIn(("norm", 64, 1, 1), counts, "the prompt is no iteration")

    def test_one_pass_is_not_divided_into_its_layers(self):
        trace = Unmarked().forward(8)
        table, screen = self.imported(trace)
        self.assertIsNone(table["summary"]["iterations"])
        self.assertNotIn("repetition", table["summary"])
        warning, = [line for line in table["summary"]["warnings"] if "layers of a single iteration" in line]
        self.assertEqual(warning, "5 launches repeat 24 times, which is 98.4 % of the trace, without a pause of the host before each repetition: "
                         "each repetition may be an iteration (then set --iterations 24), or they may be layers of a single iteration (then set --iterations 1)")
        self.assertEqual(self.counts(self.write(trace), "--iterations", 1)["norm"], 24)

    def test_training_whose_last_batch_is_smaller(self):
        trace = Unmarked()
        for rows in [32] * 9 + [7]:
            trace.forward(rows)
        table, screen = self.imported(trace)
        self.assertEqual((table["summary"]["iterations"], table["summary"]["launches_left_out"]), (9, Unmarked.PASS))
        self.assertEqual(table["summary"]["repetition"]["compared_by"], "signature")
        self.assertTrue(all(kernel["steady"] and kernel["grid"][0] % 32 == 0 for kernel in table["kernels"]))
        self.assertIn("122 launches repeat 9 times, which is 90.0 % of 1220 launches; the next-best period: 5 launches", screen)


class ProfilersOwn(Importing):
    """What torch.profiler writes on this machine; it has no GPU, so the kernels are added."""

    @classmethod
    def setUpClass(cls):
        import torch
        from torch.profiler import ProfilerActivity, profile, schedule
        model, batch = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)), torch.randn(3, 16)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            with profile(activities=[ProfilerActivity.CPU], record_shapes=True, schedule=schedule(wait=1, warmup=1, active=4)) as profiler:
                for _ in range(6):
                    model(batch)
                    profiler.step()
            profiler.export_chrome_trace(file.name)
            cls.text = pathlib.Path(file.name).read_text()

    def test_a_trace_of_the_host_has_no_kernels(self):
        self.fail_with("ProfilerActivity.CUDA", "kernels", self.write_text(self.text, "trace.json"))

    def test_kernels_of_its_operators(self):
        trace = json.loads(self.text)
        operators = [event for event in trace["traceEvents"] if event.get("cat") == "cpu_op" and event["name"] == "aten::addmm"]
        for number, event in enumerate(operators, start=1):
            link = {"External id": event["args"]["External id"], "correlation": number}
            trace["traceEvents"].append({**event, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": link})
            trace["traceEvents"].append({**event, "cat": "kernel", "name": "gemm", "ts": event["ts"] + 1e6, "dur": 1,
                                         "args": {**link, "device": 0, "stream": 7, "grid": [1, 1, 1], "block": [32, 1, 1]}})
        kernels = json.loads(self.succeed("kernels", self.write(trace), "--json"))
        self.assertEqual(kernels["summary"]["iterations"], 4)
        self.assertEqual([(kernel["operator"], kernel["count"]) for kernel in kernels["kernels"]], [("aten::addmm", 1)] * 2)
        self.assertEqual({str(kernel["input_dims"][1]) for kernel in kernels["kernels"]}, {"[3, 16]", "[3, 32]"})


JSONL = "\n".join(json.dumps(row) for row in [
    {"name": "nvjet_hsh_64x8_TNT", "device": 0, "signature": {"grid": [16, 1, 1], "block": [128, 1, 1], "shared memory": 49152, "stream": 7},
     "args": {"registers per thread": 32}, "count": 52},
    {"name": "Memcpy HtoD (Pageable -> Device)", "device": 0, "signature": {"bytes": 4096, "stream": 7}, "count": 26}]) + "\n"


class Tables(Importing):
    def test_every_output_says_that_iterations_are_unknown(self):
        table = self.write_text(JSONL)
        self.assertIn("--iterations N", self.succeed("kernels", table))
        self.assertIn("--iterations N", run("import", table, "-o", self.folder / "imported").stderr)
        for source in [table, self.folder / "imported"]:
            summary = json.loads(self.succeed("kernels", source, "--json"))["summary"]
            self.assertIsNone(summary["iterations"])
            self.assertIn("--iterations N", summary["iterations_missing"])
            rows = list(csv.DictReader(io.StringIO(self.succeed("kernels", source, "--csv"))))
            self.assertEqual([(row["count"], row["iterations"], row["launches"]) for row in rows], [("", "unknown", "52"), ("", "unknown", "26")])
            self.assertEqual(self.counts(source, "--iterations", "26"), {"nvjet_hsh_64x8_TNT": 2, "Memcpy": 1})

    def test_a_single_kernel_is_in_the_singular(self):
        table = self.write_text('{"name": "k", "count": 1}\n')
        done = run("import", table, "-o", self.folder / "imported")
        self.assertIn("\n1 launch in all, number of iterations unknown, 1 kernel\n", done.stdout)
        self.assertIn("1 of 1 kernel has no operator with shapes", done.stderr)
        self.assertIn("\n1 launch in an iteration, 1 kernel\n", self.succeed("kernels", table, "--iterations", 1))
        self.assertIn("\n2 launches in all, number of iterations unknown, 1 kernel\n", self.succeed("kernels", self.write_text('{"name": "k", "count": 2}\n')))

    def test_json_and_csv_have_the_same_names(self):
        table = self.write_text('{"name": "k", "count": 2, "M": 8, "N": 4, "K": 16, "grid": [2, 1, 1], "mean_us": 123456789012}\n{"name": "l"}\n')
        for by in ["signature", "name", "operator", "tier", "category"]:
            objects = [json.loads(line) for line in self.succeed("kernels", table, "--by", by, "--jsonl").splitlines()]
            [names, *rows] = csv.reader(io.StringIO(self.succeed("kernels", table, "--by", by, "--csv")))
            for keys, row in zip(objects, rows, strict=True):
                self.assertLessEqual(set(keys), set(names), by)
                self.assertEqual({name for name, cell in zip(names, row) if cell} - set(keys), set(), by)
        unknown = json.loads(self.succeed("kernels", table, "--json"))["kernels"][1]
        self.assertEqual((unknown["mean_us"], unknown["count"]), (None, None))

    def test_large_numbers_stay_below_their_heads(self):
        table = self.write_text('{"name": "k", "count": 2000000000, "mean_us": 1234567.125}\n{"name": "l"}\n')
        heads, _, known, _, unknown = self.succeed("kernels", table).split("\nkernel\n")[1].splitlines()
        self.assertEqual({len(heads), len(known), len(unknown)}, {len(heads)})
        self.assertRegex(unknown, r"^ +1 unknown +- +- +- +-$")

    def test_counts_that_are_not_whole_are_flagged(self):
        text = self.succeed("kernels", self.write_text(JSONL), "--iterations", "20")
        self.assertIn("2.6*", text)
        self.assertIn("the count differs between iterations", text)

    def test_shapes_are_lent(self):
        trace, table = self.write(TraceBuilder(3)), self.write_text(JSONL)
        for remedy in ["--like TRACE", "--model M"]:
            self.assertIn(remedy, run("kernels", table).stderr)
        kernels = json.loads(self.succeed("kernels", table, "--like", trace, "--json"))["kernels"]
        self.assertEqual([kernel["operator"] for kernel in kernels], ["aten::addmm", "aten::copy_"])

    def test_a_trace_lends_before_a_model(self):
        trace, table = self.write(TraceBuilder(3)), self.write_text(JSONL)
        # nothing is left to lend, so the model is not even opened
        kernels = json.loads(self.succeed("kernels", table, "--like", trace, "--model", self.folder / "nothing.pt", "--json"))["kernels"]
        self.assertEqual([kernel["operator"] for kernel in kernels], ["aten::addmm", "aten::copy_"])

    def test_recordings(self):
        self.succeed("compare", "--device", "simulated:seed=5", "--runs", "20", "-o", self.results)
        recording = self.results / "recording.jsonl"
        before = json.loads(self.succeed("kernels", recording, "--json"))
        self.succeed("import", recording, "-o", self.folder / "imported")
        after = json.loads(self.succeed("kernels", self.folder / "imported", "--json"))
        self.assertEqual({kernel["signature"]: kernel["count"] for kernel in before},
                         {kernel["signature"]: kernel["count"] for kernel in after["kernels"]})
        self.assertEqual(after["summary"]["iterations"], 1)

    def test_a_recording_is_one_iteration_of_one_device(self):
        self.succeed("record", "--device", "simulated:seed=5", "-o", self.folder / "recording.jsonl")
        for option, told in [(["--iterations", "5"], "omit --iterations"), (["--annotation", "forward"], "omit --annotation"),
                             (["--gpu", "0"], "omit --gpu")]:
            for command in [["kernels"], ["import", "-o", self.folder / "imported"], ["isolated", "-o", self.results, "--kernels"]]:
                self.fail_with(told, *command, self.folder / "recording.jsonl", *option)
        self.fail_with("omit --gpu", "kernels", self.write_text('{"name": "k"}\n'), "--gpu", "1")
        self.fail_with("choose a device of the file with --gpu: 0", "kernels", self.write_text(JSONL), "--gpu", "1")

    def test_what_is_printed_of_a_recording_can_be_imported(self):
        self.succeed("compare", "--device", "simulated:seed=5", "--runs", "20", "-o", self.results)
        before = {kernel["signature"]: (kernel["count"], kernel["tier"]) for kernel in json.loads(self.succeed("kernels", self.results, "--json"))}
        tables = [self.write_text(self.succeed("kernels", self.results, f"--{form}"), f"table.{form}") for form in ["json", "jsonl", "csv"]]
        for table in [*tables, self.results / "summary.csv"]:
            after = json.loads(self.succeed("kernels", table, "--json"))
            self.assertEqual(after["summary"]["iterations"], 1)
            self.assertEqual({kernel["signature"]: (kernel["count"], kernel["tier"]) for kernel in after["kernels"]}, before)

    def test_an_unknown_tier_is_a_word(self):
        table = self.write_text('{"name": "mystery", "count": 2, "iterations": 1}\n')
        for form in ["json", "jsonl", "csv"]:
            printed = self.write_text(self.succeed("kernels", table, f"--{form}"), f"printed.{form}")
            self.assertRegex(printed.read_text(), r'"tier": ?"unknown"|mystery,kernel,,unknown,')
            self.assertEqual(json.loads(self.succeed("kernels", printed, "--json"))["kernels"][0]["tier"], "unknown")
        self.assertRegex(self.succeed("kernels", table), r"mystery\n +2 unknown +- +- +- +-\n")

    def test_tables_that_contradict_themselves(self):
        for text, name, told in [('{"name": "k", "count": 1}\n{"name": "l", "count": 52, "invocation_count": 60}\n', "t.jsonl",
                                  't.jsonl:2: two fields contradict each other: "count" is 52, but "invocation_count" is 60'),
                                 ('{"name": "k", "block": [64, 1, 1], "signature": {"block": [32, 1, 1]}}\n', "t.jsonl",
                                  't.jsonl:1: two fields contradict each other: "block" is [64, 1, 1], but "signature.block" is [32, 1, 1]'),
                                 ('{"name": "k", "tier": 9}\n', "t.jsonl", 't.jsonl:1: "tier" must be'),
                                 ('{"summary": {"tiers": {"tier2_cublas": {"launches": 5}}},\n"kernels": [{"name": "k", "tier": 2, "count": 6}]}', "s.json",
                                  's.json:1: "launches" of tier 2 in the summary is 5, but the kernels\' launches are 6')]:
            self.fail_with(told, "kernels", self.write_text(text, name))

    def test_a_csv_without_an_end_warns(self):
        text = "name,operator,count\nk,aten::mm,52"
        self.assertIn("no line end", run("kernels", self.write_text(text, "t.csv")).stderr)
        self.assertNotIn("no line end", run("kernels", self.write_text(text + "\n", "t.csv")).stderr)

    def test_folders_and_files_that_are_none(self):
        self.results.mkdir()
        for command in [["kernels"], ["import", "-o", self.folder / "imported"], ["isolated", "-o", self.folder / "new", "--kernels"]]:
            self.fail_with("the folder contains neither kernels.jsonl nor recording.jsonl", *command, self.results)
        (self.folder / "t.bin").write_bytes(bytes(range(200)))
        self.fail_with("is a binary file", "kernels", "--by", "name", self.folder / "t.bin")
        self.fail_with("separated by semicolons", "kernels", self.write_text("name;count\nk;1\n", "t.csv"))

    def test_rules_of_ones_own_win_over_the_tables_tier(self):
        table = self.write_text('{"name": "my_gemm", "tier": 2, "count": 2}\n{"name": "other", "tier": 2, "count": 1}\n')
        rules = self.write_text('{"function": "my_*", "tier": 3, "family": "mine"}\n', "rules.jsonl")
        kernels = json.loads(self.succeed("kernels", table, "--rules", rules, "--json"))["kernels"]
        self.assertEqual({kernel["name"]: kernel["tier"] for kernel in kernels}, {"my_gemm": 3, "other": 2})

    def test_truncated_import_is_refused(self):
        self.succeed("import", self.write(TraceBuilder(3)), "-o", self.folder / "imported")
        file = self.folder / "imported/kernels.jsonl"
        file.write_text("".join(file.read_text().splitlines(True)[:-1]))
        self.fail_with("contains 1 of 2 kernels", "kernels", self.folder / "imported")


class TraceOfAnH200(unittest.TestCase):
    """A training step of GPT-2 (8 x 512, autocast, fused AdamW) as PyTorch 2.11's profiler wrote it there."""

    TRACE = pathlib.Path(__file__).parent / "data/gpt2_train_step_h200.json.gz"

    def test_every_operation_is_counted_and_linked(self):
        with gzip.open(self.TRACE) as file:
            events = [event for event in json.load(file)["traceEvents"] if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        done = run("kernels", self.TRACE, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads(done.stdout)
        self.assertEqual(table["summary"]["launches"], len(events))
        self.assertEqual({kernel["name"] for kernel in table["kernels"]}, {event["name"] for event in events})
        self.assertAlmostEqual(sum(kernel["total_us"] for kernel in table["kernels"]), sum(event["dur"] for event in events), places=2)
        self.assertEqual([kernel["name"] for kernel in table["kernels"] if kernel["kind"] == "kernel" and not kernel.get("operator")], [])

    def test_the_optimizer_gets_the_parameters_that_the_profiler_left_out(self):
        table = json.loads(run("kernels", self.TRACE, "--json").stdout)
        steps = [kernel for kernel in table["kernels"] if kernel.get("operator") == "aten::_fused_adamw_"]
        self.assertEqual(sum(kernel["count"] for kernel in steps), 7)
        for kernel in steps:
            self.assertEqual([len(sizes) for sizes in kernel["input_dims"][:6]], [148, 148, 148, 148, 0, 148])
            self.assertEqual(kernel["input_dims"][0][0], [50257, 768])

if __name__ == "__main__":
    unittest.main()
