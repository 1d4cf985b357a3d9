"""The spread between starts that reports quote: it comes from the rows that are kept."""
import json
import subprocess
import sys

from .helpers import FolderCase
from .test_commands import ROOT

SCRIPT = ROOT / "tests/gpu/start_spread"


def row(workload, start, whole_us, launches=10):
    return {"workload": workload, "machine": {"start": start}, "undisturbed_whole_us": whole_us, "whole_us": whole_us, "launches": launches, "device": {"name": "GPU"}}


class StartSpread(FolderCase):
    def printed(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=600)

    def test_the_bundled_figures_come_from_the_rows(self):
        self.assertEqual(json.loads(self.printed().stdout), json.loads((ROOT / "data/start_spread.json").read_text()))

    def test_a_program_needs_two_starts_with_the_same_launches(self):
        rows = self.folder / "rows.jsonl"
        rows.write_text("".join(json.dumps(one) + "\n" for one in [
            row("a", "s1", 99), row("a", "s1", 101), row("a", "s2", 102), row("b", "s1", 50), row("c", "s1", 10), row("c", "s2", 20, launches=20), {"check": "known"}]))
        done = self.printed("--rows", rows)
        self.assertEqual(json.loads(done.stdout), {"devices": ["GPU"], "programs": 1, "median_percent": 1.98, "worst_percent": 1.98,
                                                   "same_board_sd_percent": 1.414, "other_board_sd_percent": 1.4})
        rows.write_text(json.dumps(row("b", "s1", 50)) + "\n")
        self.assertNotEqual(self.printed("--rows", rows).returncode, 0)
