"""tests/gpu/host_memory without a GPU: its list of programs, and what it makes of rows."""
import unittest

from .scripts import GPU, script

host_memory = script("host_memory")
FOLDER = GPU / "workloads/host_memory"
DIVISION = {"iteration_us": 1000.0, "kernels_us": 400.0, "device_copies_us": 0.0, "transfers_us": 100.0, "pageable_host_part_us": 200.0, "launch_gaps_us": 290.0,
            "overlap_us": 0.0, "unexplained_percent": 1.0}


def window(error=0.1, different=0, **division):
    return {"error_percent": error, "half_width_percent": 0.2, "different": different, "whole_us": 500.0, "program_iteration_us": 990.0,
            "division": {**DIVISION, **division}}


def row(program="registered", **more):
    return {"program": program, "half": "judging", "exit_code": 0, "windows": [window()], "verdict": "adds up", "same_output": None, **more}


class Programs(unittest.TestCase):
    def test_every_source_is_run_and_has_a_row_in_the_table(self):
        names = {program.name for program in host_memory.PROGRAMS.values()}
        self.assertEqual(names, {path.stem for path in FOLDER.glob("*.cu")})
        table = (FOLDER / "README.md").read_text(encoding="utf-8")
        for program in host_memory.PROGRAMS.values():
            self.assertRegex(table, rf"\| `{program.name}\.cu` \| {program.half} \|")


class Rows(unittest.TestCase):
    def test_a_line_has_the_division_of_the_iteration(self):
        self.assertIn("1000 = 400 + 0 + 100 + 200 + 290 - 0, +1.0 %", host_memory.line_of(row()))

    def test_what_was_not_measured_is_no_zero(self):
        line = host_memory.line_of(row(windows=[], verdict=None, said="it calls cuMemcpyBatchAsync"))
        self.assertRegex(line, r" - +0 of 0 +it calls cuMemcpyBatchAsync$")

    def test_the_half_is_that_of_today(self):
        rows = host_memory.newest([row("mapped_reads"), row("gone"), row(exit_code=1), row()])
        self.assertEqual([(one["program"], one["half"], one["exit_code"]) for one in rows], [("mapped_reads", "tuning", 0), ("registered", "judging", 0)])

    def test_the_summary_divides_windows_by_their_transfers(self):
        rows = [row(), row(windows=[window(0.3, transfers_us=400.0)]), row(windows=[window(different=2)]), row(windows=[], exit_code=1)]
        text = host_memory.summary(rows, "judging")
        self.assertIn("3 of 4 measured, 1 ended with an error, 1 windows with other bits", text)
        self.assertIn("transfers below half of the whole: 2 windows, mean error 0.100 %, worst 0.10 %, 2 inside", text)
        self.assertIn("transfers above it: 1 windows, mean error 0.300 %, worst 0.30 %, 0 inside", text)

    def test_the_control_compares_what_two_runs_differ_in(self):
        control = {"host_delay_us": 0.0, "kernel_us": 405.0, "pageable_call_us": 150.0, "iteration_us": 1001.0}
        rows = [row(control=control), row(control={**control, "host_delay_us": 1000.0}, windows=[window(launch_gaps_us=1280.0)])]
        self.assertEqual(host_memory.controls_text(rows)[0], "control: 1000.0 us of delays of the host added, 990.0 us of launch gaps more (-1.0 %)")
        self.assertEqual(host_memory.controls_text(rows[:1]), [])
