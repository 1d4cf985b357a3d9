"""docs/guide/quickstart.md does what it says: its commands, in order, in an empty folder."""
import json
import os
import re
import subprocess
import unittest

from .test_commands import KJOULE, ROOT
from .test_power import PowerCase

BLOCK = re.compile(r"^```sh(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Quickstart(PowerCase):
    def blocks(self):
        """Returns the commands that need neither a GPU nor a build; the meter is one that stands in."""
        found = BLOCK.findall((ROOT / "docs/guide/quickstart.md").read_text())
        self.assertEqual({kind for kind, _ in found}, {"", "build", "gpu", "meter"})
        return [text for kind, text in found if kind in ("", "meter")]

    def report(self, name):
        return json.loads((self.folder / name).read_text())

    def test_its_commands_make_the_four_reports(self):
        self.with_smi("100.24 W", "100.27 W")
        script = "set -euo pipefail\n" + "".join(self.blocks())
        # a GPU of the machine would do the model, but is not what the meter stands in for
        environment = {**self.environment, "PATH": f"{KJOULE.parent}:{self.environment['PATH']}", "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=1200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertGreater(self.report("results/full_model_timing.json")["full_model_inference_us"], 0)
        self.assertGreater(self.report("results/isolated_kernels_timing.json")["isolated_sum_us"], 0)
        comparison = self.report("results/comparison_report.json")
        self.assertGreater(comparison["sum_us"], 0)
        self.assertEqual(set(comparison["tier_breakdown"]), {"tier1_cuda_runtime", "tier2_cublas", "tier3_libtorch", "unknown"})
        energy = self.report("energy/energy_report.json")
        full = self.report("energy/full_model_timing.json")
        self.assertAlmostEqual(energy["energy_joules"]["per_run"], 100.25 * energy["duration_seconds"] / 100, delta=0.01)
        self.assertGreater(energy["duration_seconds"], 0.9 * 100 * full["full_model_inference_us"] * 1e-6)
        self.assertEqual(self.report("alone/isolated_kernels_timing.json")["shares"]["same_percent"], 100)
        self.assertEqual(self.report("both/comparison_report.json")["replayed_from_signatures"]["shares"]["same_percent"], 100)

    def test_the_scripts_that_it_speaks_of_have_a_command(self):
        text = (ROOT / "docs/guide/quickstart.md").read_text()
        commands = set(re.findall(r"kjoule ([a-z]+)", text))
        known = set(re.findall(r"^  ([a-z]+) ", subprocess.run([KJOULE, "--help"], capture_output=True, text=True, check=True).stdout, re.MULTILINE))
        self.assertLessEqual(commands - {"then", "has", "counts"}, known)


if __name__ == "__main__":
    unittest.main()
