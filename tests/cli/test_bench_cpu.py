"""bench/cpu: its smallest model is measured for real, its table is made from rows that are written here."""
import contextlib
import io
import json
import subprocess
import sys

from .helpers import FolderCase
from .scripts import script
from .test_commands import ROOT

BENCH = ROOT / "bench/cpu"


class BenchCpu(FolderCase):
    def test_the_small_bloom_is_measured_and_has_a_row(self):
        rows = self.folder / "cpu.jsonl"
        done = subprocess.run([sys.executable, BENCH, "--models", "bloom-2x128-seq32", "--runs", "1", "--threads", "1", "--rows", rows],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        row, = map(json.loads, rows.read_text().splitlines())
        self.assertEqual((row["model"], row["different"], row["device"]["kind"]), ("bloom-2x128-seq32", [], "cpu"))
        self.assertGreater(row["sum_us"], 0)

    def test_the_table_counts_covered_sums_of_all_four_models(self):
        bench = script(BENCH.name, BENCH.parent)
        self.assertEqual(len(bench.MODELS), 4)
        rows = [{"model": name, "seconds": 10, "whole_us": 1000.0, "isolated_sum_us": 900.0, "sum_error_percent": error,
                 "sum_half_width_percent": 0.5} for name in bench.MODELS for error in (0.4, -0.6)]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            bench.table(rows)
        lines = [line.split() for line in printed.getvalue().splitlines()[1:]]
        self.assertEqual([line[0] for line in lines], [*bench.MODELS, "all"])
        self.assertEqual((lines[-1][1], lines[-1][6]), ("8", "4"))
