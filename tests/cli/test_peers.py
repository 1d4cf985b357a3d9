"""bench/peers: what it reads from other tools' output, made up here in their format, and what its command line does without a GPU."""
import json
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from .helpers import FolderCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "bench/peers"
with mock.patch.object(sys, "path", [str(PEERS), str(ROOT / "tests/gpu"), *sys.path]), mock.patch.object(sys, "dont_write_bytecode", True):
    import kineto_trace
    import ncu_output
    import peer_process
    import peer_rows
    import peer_table
    import peer_tools
    import program

IDENTITY = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
KERNELS = ["void at::native::vectorized_layer_norm_kernel<c10::Half, float>(int, T2, const T1 *)", "nvjet_hsh_64x8_64x16_4x1_v_bz_TNT",
           "void gemv2T_kernel_val<int, int, __half>(T13, T6, T6)"]
BEFORE = "==PROF== Connected to process 4711 (/usr/bin/python3.12)\n"
AFTER = "logits (1, 5, 250880) mean 0.001\n==PROF== Disconnected from process 4711\n"
DENIED = ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. "
          "For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n")


def csv_line(words):
    return ",".join(f'"{word}"' for word in words) + "\n"


def identity(number, name):
    return [number, 4711, "python3.12", "127.0.0.1", name, 1, 7, "(128, 1, 1)", "(5, 1, 1)", 0, "9.0"]


def raw_page(values, unit="ns", metric=ncu_output.METRIC):
    """Returns ncu's raw page with one kernel for each value, and the messages around it."""
    progress = "".join(f'==PROF== Profiling "{name}" - {i}: 0%....50%....100% - 1 pass\n' for i, name in enumerate(KERNELS))
    rows = [csv_line([*identity(i, KERNELS[i % len(KERNELS)]), value]) for i, value in enumerate(values)]
    return BEFORE + progress + AFTER + csv_line([*IDENTITY, metric]) + csv_line([""] * len(IDENTITY) + [unit]) + "".join(rows)


def details_page(metrics):
    """Returns ncu's page with one row per metric, given as (workload, name, unit, value)."""
    header = csv_line([*IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"])
    return BEFORE + header + "".join(csv_line([*identity(i, "gemm"), "Command line profiler metrics", *metric]) for i, *metric in metrics)


class NcuOutput(unittest.TestCase):
    def assert_durations(self, text, expected):
        for found, value in zip(ncu_output.durations_us(text), expected, strict=True):
            self.assertAlmostEqual(found, value)

    def test_a_raw_page_gives_the_duration_of_each_kernel(self):
        self.assert_durations(raw_page([2048, 3392, "22,112"]), [2.048, 3.392, 22.112])

    def test_all_units_become_microseconds(self):
        for unit, factor in [("ns", 1e-3), ("nsecond", 1e-3), ("us", 1), ("usecond", 1), ("ms", 1e3), ("msecond", 1e3), ("s", 1e6), ("second", 1e6)]:
            self.assert_durations(raw_page(["1,234.5"], unit), [1234.5 * factor])
        with self.assertRaisesRegex(ValueError, "unknown unit: cycle"):
            ncu_output.durations_us(raw_page([1], "cycle"))

    def test_a_details_page_may_mix_units(self):
        metrics = [(0, ncu_output.METRIC, "us", "2.05"), (0, "dram__bytes.sum", "Mbyte", "2,000"), (1, ncu_output.METRIC, "ms", "1.5")]
        self.assert_durations(details_page(metrics), [2.05, 1500])

    def test_a_missing_metric_is_an_error(self):
        for text, reason in [(raw_page([1], metric="dram__bytes.sum"), "no column gpu__time_duration.sum"), (raw_page([1, "n/a"]), "workload 1: n/a"),
                             (raw_page([1, ""]), "workload 1: an empty cell"), (raw_page(["nan"]), "workload 0: nan"), (raw_page([]), "no rows"),
                             (details_page([(0, ncu_output.METRIC, "ns", "1"), (1, "dram__bytes.sum", "byte", "2")]), "of workload 1"),
                             (raw_page([1]).replace(csv_line([""] * len(IDENTITY) + ["ns"]), ""), "no row of units")]:
            with self.assertRaisesRegex(ValueError, reason):
                ncu_output.durations_us(text)

    def test_a_missing_permission_is_reported_by_itself(self):
        text = BEFORE + DENIED + "==PROF== Disconnected from process 4711\n==ERROR== The application returned an error code (9).\n"
        self.assertRegex(ncu_output.error_of(text), r"^ERR_NVGPUCTRPERM - The user does not have permission .*ERR_NVGPUCTRPERM$")
        with self.assertRaisesRegex(ValueError, "ERR_NVGPUCTRPERM"):
            ncu_output.durations_us(text)

    def test_an_error_after_some_kernels_gives_no_durations(self):
        text = raw_page([2048, 3392]) + '==ERROR== Failed to profile "gemm" in process 4711\n==ERROR== An error occurred while trying to profile.\n'
        with self.assertRaisesRegex(ValueError, '^Failed to profile "gemm" in process 4711; An error occurred while trying to profile.$'):
            ncu_output.durations_us(text)

    def test_without_kernels_the_warning_is_the_reason(self):
        with self.assertRaisesRegex(ValueError, "^No kernels were profiled.$"):
            ncu_output.durations_us(BEFORE + AFTER + "==WARNING== No kernels were profiled.\n")
        with self.assertRaisesRegex(ValueError, "ncu printed no table"):
            ncu_output.durations_us("")


def work(begin, duration, stream=7, category="kernel"):
    return {"ph": "X", "cat": category, "name": "gemm", "ts": begin, "dur": duration, "args": {"stream": stream}}


OTHERS = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 0, "dur": 50}, {"ph": "M", "name": "process_name"},
          {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#2", "ts": 0, "dur": 99}]


class KinetoTrace(FolderCase):
    def test_gaps_lie_between_launches(self):
        found = kineto_trace.timeline_of([work(110.5, 4), work(100, 8.5), *OTHERS, work(115, 1, category="gpu_memcpy")])
        self.assertEqual(found, kineto_trace.DeviceTimeline(3, 13.5, 13.5, 2.5))
        self.assertEqual(found.span_us, 16)

    def test_launches_that_overlap_are_busy_once(self):
        found = kineto_trace.timeline_of([work(0, 10), work(2, 3, stream=13), work(8, 6, stream=13), work(20, 5), work(20, 1, stream=13, category="gpu_memset")])
        self.assertEqual(found, kineto_trace.DeviceTimeline(5, 25, 19, 6))
        self.assertEqual(found.span_us, 25)

    def test_a_trace_without_launches_or_times_is_an_error(self):
        for events, reason in [(OTHERS, "no launches"), ([{**work(0, 1), "dur": None}], "without times: gemm"), ([{**work(0, 1), "ts": "nan"}], "without times")]:
            with self.assertRaisesRegex(ValueError, reason):
                kineto_trace.timeline_of(events)

    def test_files_hold_the_events_or_an_object(self):
        path = self.folder / "trace.json"
        for trace in ([work(0, 2)], {"traceEvents": [work(0, 2)]}):
            path.write_text(json.dumps(trace))
            self.assertEqual(kineto_trace.read_timeline(path).durations_us, 2)
        with self.assertRaisesRegex(ValueError, "the profiler wrote no trace"):
            kineto_trace.read_timeline(self.folder / "missing.json")


class Program(unittest.TestCase):
    def test_constants_of_the_gpu_are_made_there(self):
        with mock.patch.object(program.torch, "full") as full:
            made = program.constants_without_host_copies(program.torch.tensor)
            made(0.0, device="cuda", dtype=program.torch.float16)
            full.assert_called_once_with((), 0.0, device="cuda", dtype=program.torch.float16)
            self.assertEqual(made([1, 2], device="cpu").tolist(), [1, 2])
            self.assertEqual(made(3.5).item(), 3.5)

    def test_self_cuda_time_is_that_of_the_devices_own_events(self):
        kinds = program.torch.autograd.DeviceType
        averages = [mock.Mock(self_device_time_total=us, device_type=kind, is_user_annotation=annotation)
                    for us, kind, annotation in [(5, kinds.CPU, False), (7, kinds.CUDA, False), (2.5, kinds.CUDA, False), (99, kinds.CUDA, True)]]
        self.assertEqual(program.self_cuda_us(averages), 9.5)


class Processes(unittest.TestCase):
    def test_clocks_become_a_summary(self):
        self.assertEqual(peer_process.clock_summary(["345, 2619", "1980, 2619", "[N/A], [N/A]", "1755, 2619", ""]),
                         {"sm_mhz_median": 1755, "sm_mhz_highest": 1980, "memory_mhz_highest": 2619})
        self.assertEqual(peer_process.clock_summary([]), {})

    def test_a_command_is_ended_at_its_limit_with_what_it_started(self):
        finished = peer_process.run_limited(["sh", "-c", "echo begun; sleep 60 & wait"], 0.5)
        self.assertEqual((finished.code, finished.output), (None, "begun\n"))
        self.assertLess(finished.seconds, 10)


class Rows(FolderCase):
    def rows(self, name, files, code=0, output="", reference_us=100.0):
        """Returns the rows of a tool that writes `files` to its folder."""
        def run_limited(command, _limit_s):
            for path, content in files.items():
                path = folder / path
                path.parent.mkdir(exist_ok=True)
                path.write_text(content)
            return peer_process.Finished(code, output, 12.34)

        programs = peer_tools.Programs(kjoule=pathlib.Path("/bin/sh"), ncu=pathlib.Path("/bin/sh"))
        folder = self.folder / f"{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        with mock.patch.object(peer_rows, "run_limited", run_limited), mock.patch.object(peer_rows.tempfile, "TemporaryDirectory") as made:
            made.return_value.__enter__.return_value = folder
            return peer_rows.rows_of(name, programs, 60, reference_us)

    def test_a_sum_of_kernels_is_compared_with_the_reference(self):
        row, = self.rows("ncu-as-found", {"ncu.log": raw_page([50_000, 60_000])})
        self.assertAlmostEqual(row["sum_us"], 110)
        self.assertAlmostEqual(row["sum_error_percent"], 10)
        self.assertEqual((row["launches"], row["whole_us"], row["whole_error_percent"], row["seconds"]), (2, None, None, 12.3))
        self.assertIn("--clock-control none --cache-control none", row["options"])

    def test_a_whole_graph_is_one_workload(self):
        row, = self.rows("ncu-graph", {"ncu.log": raw_page([90_000])})
        self.assertEqual((row["sum_us"], row["launches"]), (None, None))
        self.assertAlmostEqual(row["whole_error_percent"], -10)
        row, = self.rows("ncu-graph", {"ncu.log": raw_page([90_000, 1])})
        self.assertEqual(row["error"], "ncu profiled 2 workloads instead of one")

    def test_one_profile_gives_two_rows(self):
        files = {"trace.json": json.dumps([work(0, 40), work(90, 30)]), "profiler.json": '{"self_cuda_us": 69.5}'}
        durations, profiler = self.rows("profiler", files)
        self.assertEqual([[row[key] for key in ("sum_us", "whole_us", "launches")] for row in (durations, profiler)], [[70, 120, 2], [69.5, None, 2]])

    def test_the_first_reference_is_its_own_reference(self):
        pace = {"whole_us": 250.0, "iterations": 9, "events_us": [250.0], "host_us": [251.0], "spread_percent": 0.0}
        row, = self.rows("reference", {"pace.json": json.dumps(pace)}, reference_us=None)
        self.assertEqual((row["whole_us"], row["reference_us"], row["whole_error_percent"], row["host_us"]), (250.0, 250.0, 0.0, [251.0]))

    def test_kjoules_verdict_is_kept(self):
        report = {"sum_us": 101, "whole_us": 100.5, "verdict": "adds up", "verification": {"launches": 631}}
        row, = self.rows("kjoule", {"results/comparison_report.json": json.dumps(report)})
        self.assertEqual((row["sum_us"], row["whole_us"], row["launches"], row["kjoule"]["verdict"]), (101, 100.5, 631, "adds up"))

    def test_what_failed_has_a_reason_and_no_figures(self):
        app_failed = "==ERROR== The application returned an error code (1).\n"
        for name, files, code, output, reason in [
                ("ncu-as-found", {"ncu.log": BEFORE + DENIED}, 1, "", "ERR_NVGPUCTRPERM - The user"),
                ("ncu-as-found", {"ncu.log": app_failed}, 1, "program.py: PyTorch finds no GPU\n", r"error code \(1\).; program.py: PyTorch finds no GPU$"),
                ("ncu-graph", {}, 1, "==ERROR== unrecognised option '--graph-profiling'. Use --help for further details.\n", "^unrecognised option"),
                ("kjoule", {}, 1, "kjoule: the program ended\nlogits\n", "^kjoule: the program ended$"),
                ("kjoule", {"results/comparison_report.json": "{}"}, 0, "", "lacks 'sum_us'"),
                ("reference", {}, None, "", "^not done in 60 s$"), ("reference", {}, -9, "", "^exit code -9$"),
                ("profiler", {}, 0, "", "the profiler wrote no trace")]:
            for row in self.rows(name, files, code, output):
                self.assertRegex(row["error"], reason)
                self.assertEqual([row[key] for key in ("sum_us", "whole_us", "launches", "sum_error_percent", "whole_error_percent")], [None] * 5)


def row(tool, title, **figures):
    return {"run": "2", "machine": {"name": "NVIDIA H200", "driver": "580.1", "torch": "2.11.0"}, "tool": tool, "title": title, "version": "1.0", "options": "--all",
            "seconds": 12.3, **figures}


class Table(unittest.TestCase):
    ROWS = [{"run": "1", "tool": "reference", "title": "older"}, row("reference", "the program", whole_us=1500.0, whole_error_percent=0.0, clocks={"sm_mhz_highest": 1980}),
            row("kjoule", "kjoule compare", sum_us=1501.26, whole_us=1499.5, launches=631, sum_error_percent=0.084, whole_error_percent=-0.033,
                kjoule={"verdict": "adds up"}),
            row("ncu-range", "ncu, range replay", sum_us=None, error="ERR_NVGPUCTRPERM | no permission")]

    def test_rows_become_lines_with_options_and_reasons_below(self):
        lines = peer_table.document(self.ROWS).splitlines()
        self.assertEqual(lines[0], "One iteration of BLOOM-560M, 5 tokens (NVIDIA H200, driver 580.1, torch 2.11.0, 1980 MHz in the reference).")
        self.assertEqual(lines[4:7], ["| the program | 1.0 | - | - | - | 1500.0 | +0.00 % | 12 s |",
                                      "| kjoule compare (adds up) | 1.0 | 631 | 1501.3 | +0.08 % | 1499.5 | -0.03 % | 12 s |",
                                      "| ncu, range replay | 1.0 | - | not measured | - | not measured | - | 12 s |"])
        self.assertNotIn("older", "\n".join(lines))
        self.assertEqual(lines[-3:], ["Not measured:", "", "- ncu, range replay: ERR_NVGPUCTRPERM | no permission"])
        self.assertIn("- kjoule compare: `--all`", lines)
        self.assertEqual(peer_table.document([]), "No rows.\n")


class Command(FolderCase):
    def run_peers(self, *words):
        environment = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"}
        return subprocess.run([PEERS / "run", "--rows", self.folder / "rows.jsonl", *words], capture_output=True, text=True, check=False, env=environment)

    def written(self):
        return [json.loads(line) for line in (self.folder / "rows.jsonl").read_text().splitlines()]

    def fake(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)
        return path

    def test_help_names_the_tools(self):
        done = self.run_peers("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?s)--budget.*ncu-app-range.*reference-again")

    def test_a_missing_tool_is_a_row_with_a_reason(self):
        done = self.run_peers("--tools", "ncu-as-found,kjoule", "--ncu", "/nowhere/ncu", "--kjoule", "/nowhere/kjoule")
        self.assertEqual(done.returncode, 1)
        self.assertIn("- ncu, clocks and caches as found: ncu is not installed", done.stdout)
        self.assertEqual([(row["tool"], row["sum_us"]) for row in self.written()], [("kjoule", None), ("ncu-as-found", None)])
        self.assertIn("/nowhere/kjoule is missing: make build", self.written()[0]["error"])

    def test_a_tool_is_started_and_read(self):
        page = self.folder / "page.csv"
        page.write_text(raw_page([2048, 3392]))
        ncu = self.fake("ncu", 'case "$1" in --version) echo "NVIDIA (R) Nsight Compute"; echo "Version 2025.3.1.0 (build 1) (public-release)"; exit;; esac\n'
                               f'while [ "$1" != --log-file ]; do shift; done\ncp {page} "$2"\n')
        done = self.run_peers("--tools", "ncu-as-found", "--ncu", ncu)
        self.assertEqual((done.returncode, done.stderr), (0, "ncu-as-found: ncu, clocks and caches as found: sum 5.4 us\n"))
        found, = self.written()
        self.assertEqual((found["version"], found["launches"], found["sum_error_percent"]), ("2025.3.1.0", 2, None))
        self.assertEqual(self.run_peers("--print").stdout, done.stdout)

    def test_nothing_but_the_last_reference_is_started_when_the_budget_is_used_up(self):
        self.run_peers("--tools", "profiler,ncu-graph", "--budget", "0")
        self.assertEqual([row["error"] for row in self.written()], ["not started: the budget of 0 s is used up"] * 3)

    def test_a_command_line_that_cannot_be_followed_is_one_line(self):
        for words, reason in [(["--tools", "nvprof"], "bench/peers/run: nvprof: no such tool; there are reference, "),
                              (["--print"], f"bench/peers/run: {self.folder}/rows.jsonl: No such file or directory")]:
            done = self.run_peers(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertTrue(done.stderr.startswith(reason), done.stderr)

    def test_ncu_is_found_in_the_path_and_in_nvidias_folders(self):
        ncu = self.fake("ncu", "exit 0\n")
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            self.assertEqual(peer_tools.find_ncu(None), ncu)
        for version in ("2024.1.0", "2025.3.1"):
            (self.folder / version).mkdir()
            (self.folder / version / "ncu").touch()
        with mock.patch.dict(os.environ, {"PATH": ""}), mock.patch.object(peer_tools, "NCU_PLACES", ["/nowhere/ncu", f"{self.folder}/*/ncu"]):
            self.assertEqual(peer_tools.find_ncu(None), self.folder / "2025.3.1/ncu")
        self.assertIsNone(peer_tools.find_ncu(self.folder / "missing"))
