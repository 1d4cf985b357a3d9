"""kjoule kernels and kjoule import of traces and databases as other tools and other versions of them write them."""
import gzip
import json
import pathlib
import sqlite3
import unittest

from .test_commands import InAFolder, run

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/cases/foreign_files"
SINGLE_PASS = "--iterations 1".split()


class Events:
    """Events of a Chrome trace. Times are in us; a launch is an operator, a call and a kernel that the device runs `late` us after the call."""

    def __init__(self, late=1000):
        self.events, self.late, self.number, self.now = [], late, 0, 5_000_000

    def add(self, category, name, ts, dur, args=None, pid=9, tid=9, ph="X", **more):
        event = {"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args or {}, **more}
        self.events.append({key: value for key, value in event.items() if value is not None})
        return self

    def operator(self, name, ts, dur, external=None, tid=9):
        return self.add("cpu_op", name, ts, dur, {} if external is None else {"External id": external}, tid=tid)

    def call(self, correlation, ts, external=None, name="cudaLaunchKernel", dur=3, tid=9):
        args = {"correlation": correlation} | ({} if external is None else {"External id": external})
        return self.add("cuda_runtime", name, ts, dur, args, tid=tid)

    def kernel(self, name, ts, dur, correlation=None, external=None, stream=7, category="kernel", device=0):
        args = {"device": device, "stream": stream, "grid": [4, 1, 1], "block": [128, 1, 1]}
        args |= {} if correlation is None else {"correlation": correlation}
        args |= {} if external is None else {"External id": external}
        return self.add(category, name, ts, dur, args, pid=device, tid=stream)

    def launch(self, name, dur=2, gap=10):
        """A call and its kernel, without an operator."""
        self.number += 1
        self.call(self.number, self.now).kernel(name, self.now + self.late, dur, self.number)
        self.now += gap
        return self

    def annotate(self, name, begin, end):
        return self.add("user_annotation", name, begin, end - begin)


class Foreign(InAFolder):
    def write(self, events, name="trace.json", **header):
        path = self.folder / name
        trace = {"schemaVersion": 1, **header, "traceEvents": events.events if isinstance(events, Events) else events}
        text = json.dumps(trace)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    def read(self, path, *options):
        """Returns the printed table, and the warnings, which are also on stderr."""
        done = run("kernels", path, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads(done.stdout)
        for warning in table["summary"]["warnings"]:
            self.assertIn(warning, done.stderr)
        return table, "\n".join(table["summary"]["warnings"])

    def totals(self, path, *options):
        table, _ = self.read(path, *options)
        return table["summary"]["launches"], round(sum(kernel["total_us"] for kernel in table["kernels"]), 3)

    def operators(self, path, *options):
        table, _ = self.read(path, *options)
        found = {}
        for kernel in table["kernels"]:
            name = kernel.get("operator")
            found[name] = found.get(name, 0) + kernel["launches"]
        return found


@unittest.skipUnless(SHARED.is_dir(), "the shared files of other tools are not here")
class SharedCases(Foreign):
    def expected(self, name):
        return json.loads((SHARED / "expected.json").read_text())["cases"][name]

    def assert_totals(self, name, *options):
        case = self.expected(name)
        launches, total_us = self.totals(SHARED / name, *options)
        self.assertEqual(launches, case["launches"])
        if case["total_us"] is not None:
            self.assertAlmostEqual(total_us, case["total_us"], places=2)
        return self.read(SHARED / name, *options)[1]

    def test_graphs_that_nsys_recorded_as_a_whole_are_named(self):
        warnings = self.assert_totals("nsys_graph_mode.sqlite")
        self.assertIn("40 launches of CUDA graphs (20000.000 us) are not in the table", warnings)
        self.assertIn("--cuda-graph-trace=node", warnings)

    def test_a_trace_of_jax_is_read(self):
        self.assert_totals("jax.trace.json.gz")
        table, _ = self.read(SHARED / "jax.trace.json.gz")
        self.assertEqual([kernel["grid"] for kernel in table["kernels"]], [[1024, 1, 1]])

    def test_operators_by_the_times_of_their_calls(self):
        name = "trace_ids_equal_correlation_add.json.gz"
        self.assert_totals(name, *SINGLE_PASS)
        groups = json.loads(self.succeed("kernels", SHARED / name, "--by", "operator", "--json", *SINGLE_PASS))["groups"]
        self.assertEqual({group["operator"]: [group["launches"], group["total_us"]] for group in groups}, self.expected(name)["operators"])

    def test_launches_before_the_profile_are_named_as_such(self):
        warnings = self.assert_totals("trace_launched_before_profile.json.gz")
        self.assertIn("20 of 40 launches were made before the profile began", warnings)
        self.assertNotIn("ProfilerActivity", warnings)

    def test_a_kernel_that_ends_too_late_is_named(self):
        name = "trace_overlapping_duration.json.gz"
        warnings = self.assert_totals(name)
        self.assertRegex(warnings, r"1 launch has an impossible time, .*Cijk_Alik_Bljk.*\(1600000\.000 us\) ends 1599935\.57[0-9] us after the next launch on stream 0")
        launches, total_us = self.totals(SHARED / name, "--omit-impossible-times")
        self.assertEqual(launches, 60)
        self.assertLess(total_us, 4007, "less than the step")


class Operators(Foreign):
    """An External id that is the correlation id names no operator."""

    def nested(self, external=lambda number: number, tid_of_calls=9):
        """Ten times two operators, one within the other, whose ids are as small as the correlation ids."""
        trace = Events()
        for i in range(10):
            at = 1000 + 100 * i
            trace.operator("aten::linear", at, 50, 2 * i).operator("aten::addmm", at + 5, 30, 2 * i + 1)
            number = i + 1
            trace.call(number, at + 10, external(number), tid=tid_of_calls).kernel("gemm", at + 5000, 9, number, external(number))
        return self.write(trace)

    def test_the_innermost_operator_made_the_call(self):
        self.assertEqual(self.operators(self.nested(), *SINGLE_PASS), {"aten::addmm": 10})

    def test_right_ids_are_used(self):
        self.assertEqual(self.operators(self.nested(lambda number: 2 * number - 1), *SINGLE_PASS), {"aten::addmm": 10})

    def test_calls_without_ids(self):
        self.assertEqual(self.operators(self.nested(lambda number: None), *SINGLE_PASS), {"aten::addmm": 10})

    def test_threads_that_calls_number_in_another_way(self):
        self.assertEqual(self.operators(self.nested(tid_of_calls=1193744192), *SINGLE_PASS), {"aten::addmm": 10})

    def test_an_operator_of_another_thread_is_not_meant(self):
        trace = Events()
        trace.operator("aten::mul", 1000, 50, 1, tid=9).operator("aten::other", 1000, 50, 77, tid=10).operator("aten::third", 3000, 5, 2, tid=10)
        trace.call(500, 1010, 77, tid=9).kernel("k", 6000, 2, 500)
        trace.call(501, 2000, 2, tid=10).kernel("l", 6010, 2, 501)
        table, _ = self.read(self.write(trace), *SINGLE_PASS)
        self.assertEqual({kernel["name"]: kernel.get("operator") for kernel in table["kernels"]}, {"k": "aten::mul", "l": None})

    def test_times_in_whole_us(self):
        trace = Events()
        for i in range(4):
            trace.operator("aten::first", 100 * i, 5, i).operator("aten::second", 100 * i + 20, 6, 50 + i)
            trace.call(i + 1, 100 * i + 21, i + 1, dur=6).kernel("k", 5000 + 100 * i, 1, i + 1)
        self.assertEqual(self.operators(self.write(trace), *SINGLE_PASS), {"aten::second": 4})

    def test_clocks_that_differ_a_little(self):
        trace = Events()
        for i in range(4):
            trace.operator("aten::outer", 100 * i, 60, 1000 + i).operator("aten::inner", 100 * i + 20, 5, 2000 + i)
            trace.call(i + 1, 100 * i + 27, 2000 + i).kernel("k", 5000 + 100 * i, 1, i + 1)
        self.assertEqual(self.operators(self.write(trace), *SINGLE_PASS), {"aten::inner": 4})


def xla_events(steps=3, metadata_last=False, gpu=0):
    names = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": f"/device:GPU:{gpu}"}},
             {"ph": "M", "pid": 1, "tid": 20, "name": "thread_name", "args": {"name": "Stream #20(Compute)"}},
             {"ph": "M", "pid": 1, "tid": 21, "name": "thread_name", "args": {"name": "Stream #21(MemcpyH2D,Memset)"}},
             {"ph": "M", "pid": 1, "tid": 22, "name": "thread_name", "args": {"name": "XLA Ops"}},
             {"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}}]
    events = []
    for step in range(steps):
        at = 1000.5 + 1000 * step
        host = {"ph": "X", "pid": 701, "tid": 1}
        events += [{**host, "ts": at, "dur": 500, "name": "train", "args": {"step_num": str(step)}},
                   {**host, "ts": at, "dur": 400, "name": "$train.py:12 loop"},
                   {**host, "ts": at + 5, "dur": 8, "name": "cuLaunchKernel", "args": {"correlation_id": str(10 + 3 * step)}},
                   {"ph": "X", "pid": 1, "tid": 20, "ts": at + 50, "dur": 20.25, "name": "loop_add_fusion", "args": {
                       "correlation_id": str(10 + 3 * step), "hlo_module": "jit_f",
                       "kernel_details": "regs:32 static_shared:16 dynamic_shared:1024 grid:1024,2,1 block:128,1,1 occ_pct:100"}},
                   {"ph": "X", "pid": 1, "tid": 22, "ts": at + 50, "dur": 20.25, "name": "loop_add_fusion", "args": {}},
                   {**host, "ts": at + 20, "dur": 8, "name": "cuMemcpyHtoDAsync", "args": {"correlation_id": str(11 + 3 * step)}},
                   {"ph": "X", "pid": 1, "tid": 21, "ts": at + 90, "dur": 3, "name": "MemcpyH2D", "args": {
                       "correlation_id": str(11 + 3 * step), "memcpy_details": "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"}},
                   {**host, "ts": at + 30, "dur": 8, "name": "cuMemsetD32Async", "args": {"correlation_id": str(12 + 3 * step)}},
                   {"ph": "X", "pid": 1, "tid": 21, "ts": at + 95, "dur": 1, "name": "Memset", "args": {
                       "correlation_id": str(12 + 3 * step), "memset_details": "kind:device size:64 value:0 async:1"}}]
    return events + names if metadata_last else names + events


class OtherTools(Foreign):
    def test_jax(self):
        for last in [False, True]:
            table, warnings = self.read(self.write(xla_events(metadata_last=last)))
            kernels = {kernel["name"]: kernel for kernel in table["kernels"]}
            self.assertEqual({name: kernel["count"] for name, kernel in kernels.items()}, {"loop_add_fusion": 1, "MemcpyH2D": 1, "Memset": 1})
            self.assertEqual((table["summary"]["iterations"], table["summary"]["annotation"], table["summary"]["source_format"]), (3, "train", "XLA profiler trace"))
            fusion = kernels["loop_add_fusion"]
            self.assertEqual((fusion["grid"], fusion["block"], fusion["shared_bytes"], fusion["mean_us"]), ([1024, 2, 1], [128, 1, 1], 1040, 20.25))
            self.assertEqual((kernels["MemcpyH2D"]["bytes"], kernels["MemcpyH2D"]["kind"], kernels["Memset"]["kind"]), (4096, "memcpy", "memset"))
            self.assertIn("XLA compiles its kernels itself", warnings)

    def test_several_gpus_of_jax(self):
        other = [{**event, "pid": 2 if event["pid"] == 1 else 701} for event in xla_events(gpu=1)]
        for event in other:
            if "correlation_id" in event.get("args", {}):
                event["args"] = {**event["args"], "correlation_id": str(1000 + int(event["args"]["correlation_id"]))}
        path = self.write(xla_events() + [event for event in other if event["name"] != "train"])
        table, _ = self.read(path)
        self.assertEqual((table["summary"]["gpus"], table["summary"]["iterations"]), ([0, 1], 3))
        self.assertEqual(self.totals(path, "--gpu", 1), (9, 72.75))

    def test_traces_without_kernels_name_their_tool(self):
        def process(name, *events):
            return [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": name}}, *events]
        work = {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 2.5, "name": "k", "args": {}}
        for events, told in [(process("/device:TPU:0", work), "trace of XLA's profiler, of a TPU contains no kernels that kjoule reads, but 1 event of the process /device:TPU:0 (2.500 us)"),
                             (process("CPU HIP API", {**work, "pid": 6}, {"ph": "M", "pid": 6, "name": "process_name", "args": {"name": "GPU0"}}), "trace of rocprof contains no kernels that kjoule reads, but 1 event of the process GPU0"),
                             ([{**work, "cat": "Session"}, {**work, "cat": "Node"}], "trace of ONNX Runtime contains no kernels that kjoule reads, but 1 event of the category Node (2.500 us); kjoule reads traces of torch.profiler"),
                             ([{**work, "cat": "mystery"}], "contains no kernels that kjoule reads, but 1 event of the category mystery (2.500 us); kjoule reads traces of torch.profiler")]:
            self.fail_with(told, "kernels", self.write(events))

    def test_reports_in_other_formats_name_the_command_that_converts_them(self):
        for name, text, told in [("run.nsys-rep", b"\0\1", "a report of Nsight Systems, which kjoule does not read; export it with nsys export --type sqlite"),
                                 ("run.ncu-rep", b"NVR\0", "a report of Nsight Compute, which kjoule does not read; print it with ncu --import FILE --csv"),
                                 ("host.xplane.pb", b"\n\1", "import the .trace.json.gz"),
                                 ("run.bin", b"PAR1\0", "nsys export --type sqlite"), ("run.h5", b"\x89HDF\r\n\x1a\n", "nsys export --type sqlite"),
                                 ("run.json", b'{"rocprofiler-sdk-tool": []}', "JSON of ROCm's rocprofv3"),
                                 ("run.jsonl", b'{"Type": 1, "CudaEvent": {}}', "JSON of Nsight Systems")]:
            (self.folder / name).write_bytes(text)
            self.fail_with(told, "kernels", self.folder / name)

    def test_the_database_of_nvprof(self):
        with sqlite3.connect(self.folder / "run.nvvp.sqlite") as database:
            database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INT, end INT)")
        self.fail_with("a database of nvprof, which kjoule does not read; profile the program with nsys", "kernels", self.folder / "run.nvvp.sqlite")


class Spellings(Foreign):
    def test_categories(self):
        for kernel, copy in [("Kernel", "Memcpy"), ("KERNEL", "MEMCPY"), ("cuda_kernel", "cuda_memcpy"), ("GPU Kernel", "GPU memory copy"), ("hip-kernel", "gpu_memcpy"), ("gpu,kernel", "gpu,memcpy")]:
            trace = Events().kernel("k", 100, 2, category=kernel).kernel("k", 200, 2, category=kernel).kernel("c", 300, 1, category=copy)
            self.assertEqual(self.totals(self.write(trace)), (3, 5), kernel)

    def test_work_of_an_unknown_category_is_named(self):
        trace = Events().kernel("k", 100, 2).kernel("whole graph", 200, 40.5, category="graph_replay").kernel("whole graph", 300, 40, category="graph_replay")
        table, warnings = self.read(self.write(trace))
        self.assertEqual(table["summary"]["launches"], 1)
        self.assertIn("2 events of the category graph_replay (80.500 us) are not read, and not part of the totals", warnings)
        self.fail_with("no kernels that kjoule reads, but 2 events of the category graph_replay (80.500 us)", "kernels", self.write(trace.events[1:]))

    def test_work_of_other_devices_and_metrics_has_its_remedy(self):
        for category in ("mtia_ccp_events", "cuda_profiler_range", "ipu_op"):
            trace = Events().operator("aten::mm", 90, 20).add(category, "work", 100, 4, tid=7)
            self.fail_with(f"no kernels that kjoule reads, but 1 event of the category {category} (4.000 us); record kernels of a GPU with profile(activities=[ProfilerActivity.CPU, "
                           "ProfilerActivity.CUDA]), and without profiler_metrics", "kernels", self.write(trace))

    def test_work_without_a_category_is_named(self):
        trace = Events().kernel("k", 100, 2).kernel("l", 200, 7, category=None)
        table, warnings = self.read(self.write(trace))
        self.assertEqual(table["summary"]["launches"], 1)
        self.assertIn("1 event without a category (7.000 us) is not read, and not part of the totals", warnings)

    def pairs(self, phases, shuffle=False, names=True, own_ids=False):
        trace = Events()
        for i in range(6):
            more = {"id": i % 2 if not own_ids else i} if phases == "be" else {}
            args = {"device": 0, "stream": 7, "correlation": i}
            trace.add("kernel", f"k{i % 2}", 100 + 10 * i, None, args, pid=0, tid=7, ph=phases[0], **more)
            trace.add("kernel" if names else None, f"k{i % 2}" if names else None, 110 + 10 * i, None, None, pid=0, tid=7, ph=phases[1], **more)
        if shuffle:
            trace.events.sort(key=lambda event: event["ph"])
        return self.write(trace)

    def test_begin_and_end_events(self):
        for path in [self.pairs("BE"), self.pairs("BE", shuffle=True), self.pairs("BE", names=False), self.pairs("be", own_ids=True), self.pairs("be")]:
            self.assertEqual(self.totals(path), (6, 60))

    def test_pairs_of_host_and_device(self):
        trace = Events()
        for ph, at in [("B", 100), ("E", 150)]:
            trace.add("cpu_op" if ph == "B" else None, "aten::mul" if ph == "B" else None, at, None, {"External id": 3} if ph == "B" else None, ph=ph)
        trace.call(70, 110, 3).kernel("k", 200, 5, 70)
        self.assertEqual(self.operators(self.write(trace), *SINGLE_PASS), {"aten::mul": 1})

    def test_a_begin_without_an_end_is_named(self):
        trace = Events().kernel("k", 100, 2).add("kernel", "open", 150, None, {"stream": 7}, pid=0, tid=7, ph="B")
        table, warnings = self.read(self.write(trace))
        self.assertEqual(table["summary"]["launches"], 1)
        self.assertIn("1 event without an end is not read, and not part of the totals", warnings)


class Iterations(Foreign):
    def layers(self, trace, number=12, pause=200):
        """Equal layers of three launches with a pause of the host before each."""
        for _ in range(number):
            trace.now += pause
            for name in ["norm", "gemm", "add"]:
                trace.launch(name)
        return trace

    def test_an_annotation_around_all_launches_is_the_iteration(self):
        trace = Events()
        begin = trace.now
        self.layers(trace)
        self.assertEqual(self.read(self.write(trace))[0]["summary"]["iterations"], 12, "without it, layers look like iterations")
        trace.annotate("generate", begin - 5, trace.now + 5)
        table, warnings = self.read(self.write(trace))
        summary = table["summary"]
        self.assertEqual((summary["iterations"], summary["iterations_from"], summary["annotation"]), (1, "annotation", "generate"))
        self.assertIn("all launches were called within 1 range of the annotation generate, so each range counts as an iteration, although 3 launches repeat 12 times; "
                      "if these are iterations, set their number with --iterations N", warnings)
        screen = " ".join(self.succeed("kernels", self.write(trace)).split())
        self.assertIn("total us is the sum over one iteration (source of this number: annotation generate)", screen)

    def test_what_was_imported_keeps_the_evidence(self):
        trace = Events()
        self.layers(trace).annotate("generate", 0, 9e9)
        self.succeed("import", self.write(trace), "-o", self.results)
        self.assertEqual(self.read(self.results)[0]["summary"]["annotation"], "generate")

    def test_annotations_with_numbers_are_one_annotation(self):
        trace = Events()
        for step in range(5):
            begin = trace.now
            self.layers(trace, 4)
            trace.annotate(f"execute_context_0(0)_generation_{step}({step + 8})", begin, trace.now)
        summary = self.read(self.write(trace))[0]["summary"]
        self.assertEqual((summary["iterations"], summary["annotation"]), (5, "execute_context_0(0)_generation_0(8)"))

    def test_numbered_parts_of_an_iteration_are_not_iterations(self):
        for name in ["layers.{}", "Torch-Compiled Region: {}/0"]:
            trace = Events()
            for number in range(12):
                begin = trace.now
                trace.launch("norm").launch("gemm").launch("add")
                trace.annotate(name.format(number), begin, trace.now)
            self.assertIsNone(self.read(self.write(trace))[0]["summary"]["iterations"], name)
        trace = Events()
        for number, launches in enumerate([3, 7]):
            begin = trace.now
            for i in range(launches):
                trace.launch(f"k{number}{i}")
            trace.annotate(f"part {number}", begin, trace.now)
        self.assertIsNone(self.read(self.write(trace))[0]["summary"]["iterations"])

    def test_annotations_that_contain_a_part_are_not_iterations(self):
        trace = self.layers(Events())
        trace.annotate("forward", 0, trace.now - 20)
        self.assertEqual(self.read(self.write(trace))[0]["summary"]["iterations_from"], "repeating launches")

    def test_nested_annotations_need_a_choice(self):
        trace = Events()
        begin = trace.now
        for step in range(3):
            inner = trace.now
            self.layers(trace, 4, pause=1)
            trace.annotate("step", inner, trace.now)
        trace.annotate("loop", begin, trace.now)
        path = self.write(trace)
        table, warnings = self.read(path)
        self.assertIsNone(table["summary"]["iterations"])
        self.assertIn("several annotations contain all launches: loop (1 range), step (3 ranges); choose the one that marks the iterations with --annotation NAME", warnings)
        self.assertEqual(self.read(path, "--annotation", "step")[0]["summary"]["iterations"], 3)

    def pieces(self, layers, steps=1, head=0):
        """Passes of a network whose layers are CUDA graphs of four kernels, with attention between them."""
        trace, number = Events(), 0
        for _ in range(steps):
            for _ in range(layers):
                number += 1
                trace.call(number, trace.now, name="cudaGraphLaunch", dur=9)
                for i, name in enumerate(["norm", "norm", "norm", "gemm"]):
                    trace.kernel(name, trace.now + 1000 + 3 * i, 2, number)
                trace.now += 100
                for name in ["cache", "attention"]:
                    number += 1
                    trace.call(number, trace.now).kernel(name, trace.now + 1000, 2, number)
                    trace.now += 5
                trace.now += 95
            for _ in range(head):
                number += 1
                trace.call(number, trace.now).kernel("head", trace.now + 1000, 2, number)
                trace.now += 5
            trace.now += 400
        return self.write(trace)

    def test_layers_in_graphs_are_no_iterations(self):
        for layers in [6, 28, 61]:
            table, warnings = self.read(self.pieces(layers))
            self.assertIsNone(table["summary"]["iterations"])
            self.assertIn(f"6 launches repeat {layers} times", warnings)
            self.assertIn("with CUDA graphs that are only parts of each repetition", warnings)

    def test_passes_of_layers_in_graphs_are_iterations(self):
        table, _ = self.read(self.pieces(12, steps=6, head=2))
        self.assertEqual((table["summary"]["iterations"], table["summary"]["repetition"]["launches"]), (6, 74))

    def test_graphs_of_whole_iterations(self):
        trace = Events()
        for step in range(10):
            trace.call(step + 1, trace.now, name="cudaGraphLaunch")
            for i in range(20):
                trace.kernel(f"k{i}", trace.now + 1000 + 3 * i, 2, step + 1)
            trace.now += 500
        self.assertEqual(self.read(self.write(trace))[0]["summary"]["iterations"], 10)


class ImpossibleTimes(Foreign):
    def run_of(self, number=20):
        trace = Events(late=30)
        for i in range(number):
            trace.launch(f"k{i % 4}")
        return trace

    def wrong(self, trace, which, dur):
        kernels = [event for event in trace.events if event["cat"] == "kernel"]
        kernels[which]["dur"] = dur
        return self.write(trace)

    def assert_left_out(self, path, launches, total_us):
        self.assertEqual(self.totals(path, "--omit-impossible-times", *SINGLE_PASS), (launches, total_us))
        self.assertIn("which is left out", self.read(path, "--omit-impossible-times", *SINGLE_PASS)[1])

    def test_times_that_are_possible(self):
        self.assertNotIn("impossible", self.read(self.write(self.run_of()))[1])

    def test_a_kernel_that_contains_the_next_one(self):
        path = self.wrong(self.run_of(), 5, 100)
        table, warnings = self.read(path, *SINGLE_PASS)
        self.assertEqual(table["summary"]["launches"], 20)
        self.assertIn("1 launch has an impossible time, which is part of the totals unless --omit-impossible-times is given: "
                      "k1 (100.000 us) ends 90.000 us after the next launch on stream 7 (k2) began", warnings)
        self.assert_left_out(path, 19, 38)

    def test_the_last_kernel_ends_after_the_host_has_waited(self):
        trace = self.run_of()
        trace.call(900, trace.now, name="cudaDeviceSynchronize", dur=60)
        path = self.wrong(trace.annotate("rest", trace.now, trace.now + 5000), 19, 700)
        self.assertIn("k3 (700.000 us) ends 660.000 us after the host had waited for the device", self.read(path, *SINGLE_PASS)[1])
        self.assert_left_out(path, 19, 38)

    def test_a_kernel_that_is_longer_than_the_run(self):
        path = self.wrong(self.run_of(), 19, 1e6)
        self.assertIn("k3 (1000000.000 us) takes longer than all other events together", self.read(path, *SINGLE_PASS)[1])
        self.assert_left_out(path, 19, 38)

    def test_several_are_listed(self):
        trace = self.run_of()
        for which in [2, 4, 6, 8, 10]:
            path = self.wrong(trace, which, 50)
        self.assertRegex(self.read(path, *SINGLE_PASS)[1], r"5 launches have an impossible time.*; and 2 more")

    def test_two_kernels_at_once_on_a_stream(self):
        path = self.wrong(self.run_of(), 5, 11.9)
        warnings = self.read(path, *SINGLE_PASS)[1]
        self.assertNotIn("impossible", warnings)
        self.assertIn("1 launch begins before the previous launch on the same stream has ended, which only programmatic dependent launches may do", warnings)
        self.assertIn("k1 (11.900 us) ends 1.900 us after the next launch on stream 7 (k2) began", warnings)

    def test_graphs_streams_and_gpus_may_overlap(self):
        graph = Events().call(1, 100, name="cudaGraphLaunch").kernel("a", 200, 50, 1).kernel("b", 210, 5, 1)
        streams = Events().kernel("a", 200, 50, stream=7).kernel("b", 210, 5, stream=8)
        gpus = Events().kernel("a", 200, 50).kernel("b", 210, 5, device=1)
        for trace in [graph, streams, gpus]:
            warnings = self.read(self.write(trace), *SINGLE_PASS)[1]
            self.assertNotIn("impossible", warnings)
            self.assertNotIn("previous launch", warnings)

    def test_tables_have_no_such_times(self):
        (self.folder / "t.csv").write_text("name,count\nk,2\n")
        self.fail_with("--omit-impossible-times needs a trace", "kernels", self.folder / "t.csv", "--omit-impossible-times")


class MissingFacts(Foreign):
    def test_launches_before_the_profile(self):
        for late in [0, 4000]:  # they run before the first call, or later, because the device lags
            trace = Events(late=5000).kernel("early", 4_990_000 + 3 * late, 3, 2).kernel("early", 4_990_010 + 3 * late, 3, 3)
            trace.number = 100
            for _ in range(4):
                trace.launch("k")
            warnings = self.read(self.write(trace), *SINGLE_PASS)[1]
            self.assertIn("2 of 6 launches were made before the profile began, so the trace has neither their call nor their operator; "
                          "let the program wait for the GPU (torch.cuda.synchronize()) before the profile begins", warnings)
            self.assertIn("4 of 6 launches have no launching operator", warnings)

    def test_a_lost_call_is_another_matter(self):
        trace = Events()
        for _ in range(4):
            trace.launch("k")
        trace.kernel("lost", trace.now + 3000, 2, 77)
        self.assertIn("1 of 5 launches has no launching call in the trace, although other launches have one", self.read(self.write(trace), *SINGLE_PASS)[1])

    def test_no_calls_at_all(self):
        trace = Events().kernel("k", 100, 2, 1).kernel("k", 110, 2, 2)
        self.assertIn("2 of 2 launches have no launching call in the trace; profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])",
                      self.read(self.write(trace), *SINGLE_PASS)[1])


class HostileTraces(Foreign):
    """Files that were made to harm the user: names print no control characters, and time and memory stay bounded."""

    def test_names_are_printed_without_control_characters(self):
        evil = "x\x1b]0;title\x07\n y"
        trace = Events()
        for i in range(4):
            trace.launch(evil)
        trace.kernel(evil, trace.now, 500).kernel(evil, trace.now + 5, 1).kernel("k", 1, 2, category=evil)
        trace.annotate(evil, 0, 9e6).annotate(evil + "z", 0, 8e6)
        for events in [trace.events, [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "GPU" + evil}}, {"ph": "X", "pid": 1, "ts": 1, "dur": 1, "name": "k"}]]:
            done = run("kernels", self.write(events))
            self.assertIn("title", done.stdout + done.stderr)
            for text in [done.stdout, done.stderr]:
                self.assertFalse({"\x1b", "\x07"} & set(text), text)

    def test_deep_and_wide_nesting_takes_little_time(self):
        trace = Events()
        for i in range(20_000):  # each operator ends after the one before it, and no call ends within any
            trace.operator(f"aten::o{i}", 1000 + i, 30_000, tid=9).call(i, 1000.5 + i, dur=60_000)
            trace.add("kernel", "k", 100_000 + 3 * i, None, {"device": 0, "stream": 7, "correlation": i}, pid=0, tid=i, ph="B")
        for i in range(20_000):
            trace.add(None, None, 100_002 + 3 * i, None, None, pid=0, tid=i, ph="E")
        table, _ = self.read(self.write(trace), *SINGLE_PASS)
        self.assertEqual(table["summary"]["launches"], 20_000)

    def test_tables_whose_names_are_statements(self):
        file = self.folder / "run.sqlite"
        with sqlite3.connect(file) as database:
            database.execute("""CREATE TABLE "CUPTI_ACTIVITY_KIND_X"" UNION SELECT 1,2 --" (start, end)""")
            database.execute("""CREATE TABLE "CUPTI_ACTIVITY_KIND_KERNEL_V2' OR '1" (start, end)""")
        self.fail_with("no table CUPTI_ACTIVITY_KIND_KERNEL", "kernels", file)


KERNEL_COLUMNS = ["start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName", "shortName", "gridX", "gridY", "gridZ",
                  "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory"]
PROCESS = 0x1000A2F << 24


class Databases(Foreign):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "run.sqlite"
        self.database = sqlite3.connect(self.file)
        self.addCleanup(self.database.close)
        self.number = 0

    def table(self, name, *columns):
        self.database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")

    def names(self, **names):
        self.table("StringIds", "id INTEGER PRIMARY KEY", "value TEXT")
        self.database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(int(key[1:]), value) for key, value in names.items()])
        self.database.commit()

    def kernels(self, number, table="CUPTI_ACTIVITY_KIND_KERNEL", name=1, us=20):
        if not self.database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            self.table(table, *KERNEL_COLUMNS)
        for _ in range(number):
            self.number += 1
            begin = self.number * 100_000
            self.database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(KERNEL_COLUMNS))})",
                                  (begin, begin + us * 1000, 0, 1, 7, self.number, PROCESS, name, name, 80, 1, 1, 256, 1, 1, 1024, 512))
        self.database.commit()

    def graphs(self, number, table="CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
        self.table(table, "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId")
        for i in range(number):
            self.database.execute(f"INSERT INTO {table} VALUES (?, ?, 0, 7, ?, ?, 1)", (10 ** 9 + i * 10 ** 6, 10 ** 9 + i * 10 ** 6 + 500_000, 900 + i, PROCESS))
        self.database.commit()

    def test_graphs_as_a_whole(self):
        self.names(n1="gemm")
        self.kernels(3)
        self.graphs(5)
        self.assertEqual(self.totals(self.file), (3, 60))
        warnings = self.read(self.file)[1]
        self.assertIn("5 launches of CUDA graphs (2500.000 us) are not in the table, because Nsight Systems recorded them as a whole; "
                      "profile with nsys profile --cuda-graph-trace=node", warnings)

    def test_only_graphs(self):
        self.graphs(5, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE_V2")
        self.fail_with("this database contains no kernels, but 5 launches of CUDA graphs (2500.000 us), which Nsight Systems recorded as a whole; "
                       "profile with nsys profile --cuda-graph-trace=node", "kernels", self.file)

    def test_tables_with_a_version(self):
        self.names(n1="gemm")
        self.kernels(3, "CUPTI_ACTIVITY_KIND_KERNEL_V2")
        self.assertEqual(self.totals(self.file), (3, 60))
        self.kernels(2)
        self.assertEqual(self.totals(self.file), (5, 100))
        self.database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL_V2")
        self.database.commit()
        self.assertEqual(self.totals(self.file), (5, 100), "rows that both tables have count once")

    def test_activities_of_other_kinds(self):
        self.names(n1="gemm")
        self.kernels(1)
        self.table("CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", "start", "end", "deviceId")
        self.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start", "end", "deviceId")
        for table in ["MEM_DECOMPRESS", "SYNCHRONIZATION"]:
            self.database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES (1000, 3500, 0)")
        self.database.commit()
        warnings = self.read(self.file)[1]
        self.assertIn("1 record of the table CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS (2.500 us) is not read, and not part of the totals", warnings)
        self.assertNotIn("SYNCHRONIZATION", warnings)

    def test_rows_in_a_write_ahead_log(self):
        self.names(n1="gemm")
        self.database.execute("PRAGMA journal_mode = WAL")
        self.kernels(12)
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.database.execute("PRAGMA wal_autocheckpoint = 0")
        self.kernels(12, name=1)
        log = self.file.with_name("run.sqlite-wal")
        self.assertGreater(log.stat().st_size, 0)
        before = {path.name: path.read_bytes() for path in self.folder.iterdir() if not path.name.endswith("-shm")}
        self.assertEqual(self.totals(self.file), (24, 480))
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir() if not path.name.endswith("-shm")}, before)

    def test_a_log_of_all_rows(self):
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA wal_autocheckpoint = 0")
        self.names(n1="gemm")
        self.kernels(7)
        self.assertEqual(self.totals(self.file), (7, 140))

    def test_a_log_that_is_empty_or_of_another_database(self):
        self.names(n1="gemm")
        self.kernels(2)
        for text in [b"", b"\0" * 5000, bytes(range(256)) * 20]:
            self.file.with_name("run.sqlite-wal").write_bytes(text)
            self.assertEqual(self.totals(self.file), (2, 40))

    def test_an_interrupted_transaction(self):
        self.names(n1="gemm")
        self.kernels(2)
        self.file.with_name("run.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
        self.fail_with("a program ended while it wrote this database", "kernels", self.file)

    def test_names_without_texts(self):
        for strings in [None, {}, {"n2": "gemm"}]:
            with self.subTest(strings=strings):
                for table in ["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"]:
                    self.database.execute(f"DROP TABLE IF EXISTS {table}")
                if strings is not None:
                    self.names(**strings)
                for name in [1, 2, 3]:
                    self.kernels(2, name=name)
                table, warnings = self.read(self.file)
                self.assertEqual([kernel["launches"] for kernel in table["kernels"]], [2, 2, 2])
                self.assertEqual("gemm" in {kernel["name"] for kernel in table["kernels"]}, bool(strings))
                self.assertIn(f"the names of {4 if strings else 6} launches are missing, because the table StringIds lacks them", warnings)

    def test_names_in_the_table_itself(self):
        for name in ["gemm", "add"]:
            self.kernels(2, name=name)
        table, warnings = self.read(self.file)
        self.assertEqual({kernel["name"]: kernel["launches"] for kernel in table["kernels"]}, {"gemm": 2, "add": 2})
        self.assertNotIn("names of", warnings)

    def test_processes_number_their_calls_separately(self):
        self.names(n1="gemm", n2="add", n3="cudaLaunchKernel", n4="step")
        self.kernels(0)
        self.table("CUPTI_ACTIVITY_KIND_RUNTIME", "start", "end", "globalTid", "correlationId", "nameId")
        self.table("NVTX_EVENTS", "start", "end", "text", "textId", "globalTid")
        for rank in range(2):
            process = PROCESS + (rank << 24)
            for step in range(4):
                begin = (step + 1) * 1_000_000 + rank * 10_000
                self.database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 3)", (begin, begin + 900, process + 5, step + 1))
                self.database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({', '.join('?' * len(KERNEL_COLUMNS))})",
                                      (begin + 5000, begin + 9000 + 1000 * rank, rank, 1, 7, step + 1, process, rank + 1, 1, 8, 1, 1, 256, 1, 1, 0, 0))
        for step in range(4):
            self.database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, NULL, 4, ?)", ((step + 1) * 1_000_000, (step + 1) * 1_000_000 + 500_000, PROCESS + 5))
        self.database.commit()
        table, warnings = self.read(self.file)
        self.assertEqual({(kernel["gpu"], kernel["name"]): (kernel["count"], kernel["total_us"]) for kernel in table["kernels"]},
                         {(0, "gemm"): (1, 16), (1, "add"): (1, 20)})
        self.assertEqual((table["summary"]["iterations"], table["summary"]["annotation"]), (4, "step"))

    def test_a_missing_annotation_is_added_with_nvtx(self):
        self.names(n1="gemm")
        self.kernels(2)
        self.fail_with("the trace contains no annotation step; add it with an NVTX range", "kernels", self.file, "--annotation", "step")

    def test_remedies_are_those_of_nsys(self):
        self.names(n1="gemm")
        self.kernels(2)
        warnings = self.read(self.file)[1]
        self.assertIn("2 of 2 launches have no launching call in the database; nsys profile --trace cuda", warnings)
        self.assertIn("2 of 2 launches have no launching operator, because Nsight Systems records none; --like TRACE or --model M", warnings)
        self.assertNotIn("ProfilerActivity", warnings)
        self.database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
        self.database.commit()
        self.fail_with("this database of Nsight Systems contains no kernels, copies or memsets; profile a part of the program", "kernels", self.file)


if __name__ == "__main__":
    unittest.main()
