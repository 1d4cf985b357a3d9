"""What tests/gpu/filled makes of rows and reports made up here; it itself needs a GPU."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from .scripts import GPU, script

filled = script("filled")

ROW = {"check": "filled", "name": "leaves-2.5-gib", "program_gib": 77.0, "kjoule_gib": 1.2, "first_timing_s": 2.5, "launches": 22, "different": 0,
       "varying": 0, "whole_us": 100.0, "sum_error_percent": 0.1, "sum_half_width_percent": 0.2, "verdict": "adds up"}


class Rows(unittest.TestCase):
    def test_a_row_that_meets_its_aims(self):
        self.assertEqual(filled.missed(ROW), [])
        self.assertTrue(filled.line(ROW).endswith("adds up; aims met"))

    def test_what_is_missed_is_named(self):
        self.assertEqual(filled.missed(ROW | {"kjoule_gib": 2.5}), ["2.5 GiB, aim 2"])
        self.assertEqual(filled.missed(ROW | {"first_timing_s": 7}), ["7 s, aim 5"])
        self.assertEqual(filled.missed(ROW | {"first_timing_s": None}), ["no timing"])
        self.assertEqual(filled.missed(ROW | {"different": 3}), ["3 launches differ"])
        self.assertEqual(filled.missed(ROW | {"error": "no room"}), ["not measured"])

    def test_an_error_is_a_line_of_the_table(self):
        self.assertIn("no room", filled.table([ROW, ROW | {"error": "no room"}]).splitlines()[2])

    def test_the_first_timing_counts_from_the_pause(self):
        rows = [{"kind": "recording", "paused_ns": 10**9}, {"kind": "verification"}, {"kind": "program_iterations", "end_ns": 10**9 - 1},
                {"kind": "round", "end_ns": 35 * 10**8}, {"kind": "round", "end_ns": 45 * 10**8}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.jsonl"
            self.assertIsNone(filled.first_timing_s(path))
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            self.assertEqual(filled.first_timing_s(path), 2.5)
            path.write_text(json.dumps(rows[0]) + "\n")
            self.assertIsNone(filled.first_timing_s(path))


class Programs(unittest.TestCase):
    def test_all_are_there(self):
        for case in filled.CASES.values():
            self.assertTrue((filled.PROGRAMS / case.program).exists())

    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_one_says_how_to_call_it(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "one_allocation"
            subprocess.run(["nvcc", "-std=c++20", "-o", program, filled.PROGRAMS / "one_allocation.cu"], check=True, capture_output=True)
            self.assertEqual(subprocess.run([program], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
