"""kjoule sample --slurm-script, on a private cluster of Slurm: no sample is lost or doubled, whatever ends its job."""
import collections
import json
import tempfile
import unittest

from .slurm_cluster import SlurmCluster, reason_without_slurm, wait_until
from .test_commands import ON_CPU, InAFolder, run

SWEEP = """
kernel_name: wait
function_name: wait
columns_name: [rows, wide, F_dur(us), B_dur(us)]
first_n_column: 2
starts: [1, 1]
steps: [1, 1]
ends: [16, 20]
operators: [add, add]
warmup_shapes: [1, 1]
wait: 0
warmup: 1
active: 6
shapes: [1, 1]
run: get_all
"""
OPERATOR = """
import time, torch

class wait(torch.nn.Module):
    def __init__(self, rows, wide):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(wide))

    def example_inputs(self, rows, wide):
        return (torch.ones(rows, wide),)

    def forward(self, x):
        time.sleep(0.08)
        return x * self.weight
"""
SAMPLES = 16 * 20
WITHOUT_SLURM = reason_without_slurm()


class Scripts(InAFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "sweep.yml").write_text(SWEEP)
        (self.folder / "operator.py").write_text(OPERATOR)
        self.script = self.folder / "job.sh"

    def write_script(self, *options):
        return self.succeed("sample", self.folder / "sweep.yml", "--python", self.folder / "operator.py", "--precision", "fp32", "--threads", 1, *ON_CPU,
                            "-o", self.results, "--slurm-script", self.script, *options)

    def test_a_script_is_an_array_that_continues_its_parts(self):
        self.assertIn("320 samples in 4 parts; submit it: sbatch ", self.write_script("--array", 4, "--time", "01:00:00", "--sbatch=--qos=low", "--sbatch=--nice"))
        text = self.script.read_text()
        for line in ["#SBATCH --array=1-4", "#SBATCH --requeue", "#SBATCH --time=01:00:00", "#SBATCH --qos=low", "#SBATCH --nice"]:
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r'\nexec \S+/kjoule sample .*--python \S+ .*--parts 4 --part "\$SLURM_ARRAY_TASK_ID" --requeue\n$')
        self.assertNotIn("--slurm-script", text)
        self.fail_with("--array 321: the sweep has only 320 samples", *self.last_words("--array", 321))
        self.fail_with("is not an option of sbatch", *self.last_words("--account", "a b"))
        self.fail_with("--requeue has no effect, because this process runs in no job of Slurm",
                       "sample", self.folder / "sweep.yml", "--python", self.folder / "operator.py", "--precision", "fp32", *ON_CPU, "-o", self.results, "--requeue")

    def last_words(self, *options):
        return ("sample", self.folder / "sweep.yml", "--python", self.folder / "operator.py", "--precision", "fp32", *ON_CPU, "-o", self.results, "--slurm-script", self.script, *options)

    @unittest.skipIf(WITHOUT_SLURM, WITHOUT_SLURM)
    def test_no_sample_is_lost_or_doubled(self):
        # The paths of Slurm's sockets are short.
        folder = tempfile.TemporaryDirectory(prefix="slurm")
        self.addCleanup(folder.cleanup)
        cluster = SlurmCluster(folder.name)
        self.addCleanup(cluster.stop)
        self.write_script("--array", 4)
        job = cluster.run("sbatch", "--parsable", self.script).strip()
        parts = lambda: {int(path.stem.rpartition("_")[2]): self.lines(path) for path in self.results.glob("sampling_data/*.jsonl")}
        has_rows = lambda part, least=1: sum("sample" in line for line in parts().get(part, [])) >= least
        wait_until(lambda: all(has_rows(part) for part in [1, 2, 3, 4]), "each part has a row")
        cluster.run("scontrol", "update", f"job={job}_1", "EndTime=now")
        cluster.run("scancel", f"{job}_2")
        cluster.run("scontrol", "requeue", f"{job}_3")
        wait_until(lambda: cluster.states(job).get(2) == "CANCELLED", "the cancelled task ends")
        cancelled = parts()[2]
        restarts = lambda part: max(line["run"].get("slurm", {}).get("restarts", 0) for line in parts()[part] if "run" in line)
        wait_until(lambda: restarts(1) >= 1 and restarts(3) >= 1, "the task at its time limit and the requeued one continue")
        wait_until(lambda: all(state in {"COMPLETED", "CANCELLED"} for state in cluster.states(job).values()), "the tasks end")
        self.assertEqual(cluster.states(job), {1: "COMPLETED", 2: "CANCELLED", 3: "COMPLETED", 4: "COMPLETED"}, self.outputs())
        self.assertEqual(parts()[2], cancelled, "a cancelled task does not come back")
        self.assertIn("requeued and will continue", self.outputs())

        incomplete = self.status(1)
        self.assertEqual(incomplete["samples"], SAMPLES)
        self.assertEqual(incomplete["done"], SAMPLES - 80 + sum("sample" in line for line in cancelled))
        again = cluster.run("sbatch", "--parsable", self.script).strip()
        wait_until(lambda: set(cluster.states(again).values()) == {"COMPLETED"}, "the second job ends")
        numbers = collections.Counter(line["sample"] for lines in parts().values() for line in lines if "sample" in line)
        self.assertEqual(sorted(numbers), list(range(1, SAMPLES + 1)), "none is lost")
        self.assertEqual(set(numbers.values()), {1}, "none is doubled")
        complete = self.status(0)
        self.assertEqual((complete["done"], complete["left"], complete["failed"]), (SAMPLES, 0, 0))
        self.assertEqual({node["node"]: node["measured"] for node in complete["nodes"]}, {"n0": SAMPLES})
        merged = self.folder / "all.csv"
        self.succeed("sample", "merge", *sorted(self.results.glob("sampling_data/*.csv")), "-o", merged)
        self.assertEqual(len(merged.read_text().splitlines()), SAMPLES + 1)

    def lines(self, path):
        whole, _, _ = path.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def outputs(self):
        return "\n".join(path.read_text() for path in sorted(self.results.glob("sampling_log/slurm_*.txt")))

    def status(self, code):
        done = run("sample", "status", self.results, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)[0]
