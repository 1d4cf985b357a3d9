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
import pathlib, time, torch

class wait(torch.nn.Module):
    def __init__(self, rows, wide):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(wide))

    def example_inputs(self, rows, wide):
        return (torch.ones(rows, wide),)

    def forward(self, x):
        if not pathlib.Path(__file__).with_name("fast").exists():
            time.sleep(0.2)
        return x * self.weight
"""
SAMPLES = 16 * 20
TASKS = [1, 2, 3, 4]
WITHOUT_SLURM = reason_without_slurm()


class Scripts(InAFolder):
    lost, doubled = [], []  # numbers of samples, which bench/slurm_repeats prints

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
        wait_until(lambda: all(self.has_rows(part) for part in TASKS), "each part has a row")
        self.assertEqual(cluster.nodes(job), {1: "n0", 2: "n0", 3: "n0", 4: "n1"})
        # Slurm checks time limits 30 s after its start, and every 30 s from then on.
        cluster.run("scontrol", "update", f"job={job}_1", "EndTime=now")
        cluster.run("scancel", f"{job}_2")
        cluster.run("scontrol", "requeue", f"{job}_3")
        wait_until(lambda: cluster.states(job)[2] == "CANCELLED", "the cancelled task ends")
        cancelled = self.parts()[2]
        cluster.lose_node("n1")
        wait_until(lambda: self.restarts(3) == self.restarts(4) == 1, "the requeued task and that of the lost node continue on n0")
        # At least one CPU of n0 is in use by a task, whether or not the first task is between two starts.
        urgent = cluster.run("sbatch", "--parsable", "--partition=hi", "--nodelist=n0", "--ntasks=2", "--output=/dev/null", "--wrap=true").strip()
        wait_until(lambda: "COMPLETED" in cluster.run("squeue", "-h", "-t", "all", "-j", urgent, "-o", "%T"), "the urgent job ends")
        cluster.start_node("n1")
        wait_until(lambda: 2 in {self.restarts(3), self.restarts(4)}, "a preempted task continues")
        wait_until(lambda: "the job was requeued and will continue" in self.output(1) and self.restarts(1) >= 1, "the task at its time limit continues")
        (self.folder / "fast").touch()
        wait_until(lambda: set(cluster.states(job).values()) == {"COMPLETED", "CANCELLED"}, "the tasks end")
        self.assertEqual(cluster.states(job), {1: "COMPLETED", 2: "CANCELLED", 3: "COMPLETED", 4: "COMPLETED"}, self.output())
        self.assertEqual(self.parts()[2], cancelled, "a cancelled task does not come back")
        self.assertIn("the job was cancelled", self.output(2))
        self.assertIn("Slurm has requeued the job, which will continue", self.output(3))

        incomplete = self.status(1)
        self.assertEqual(incomplete["samples"], SAMPLES)
        self.assertEqual(incomplete["done"], SAMPLES - 80 + sum("sample" in line for line in cancelled))
        again = cluster.run("sbatch", "--parsable", "--array=1-2", self.script).strip()
        wait_until(lambda: set(cluster.states(again).values()) == {"COMPLETED"}, "the second job ends")
        numbers = collections.Counter(line["sample"] for lines in self.parts().values() for line in lines if "sample" in line)
        self.lost = sorted(set(range(1, SAMPLES + 1)) - set(numbers))
        self.doubled = sorted(number for number, count in numbers.items() if count > 1)
        self.assertEqual((self.lost, self.doubled), ([], []))
        complete = self.status(0)
        self.assertEqual((complete["done"], complete["left"], complete["failed"]), (SAMPLES, 0, 0))
        self.assertEqual(sum(node["measured"] for node in complete["nodes"]), SAMPLES)
        merged = self.folder / "all.csv"
        self.succeed("sample", "merge", *sorted(self.results.glob("sampling_data/*.csv")), "-o", merged)
        self.assertEqual(len(merged.read_text().splitlines()), SAMPLES + 1)

    def parts(self):
        """Returns the lines of each part's rows, by its number."""
        return {int(path.stem.rpartition("_")[2]): self.lines(path) for path in self.results.glob("sampling_data/*.jsonl")}

    def has_rows(self, part):
        return any("sample" in line for line in self.parts().get(part, []))

    def restarts(self, part):
        """Returns how often Slurm had started the task again when it last began to write rows."""
        return max(line["run"].get("slurm", {}).get("restarts", 0) for line in self.parts()[part] if "run" in line)

    def lines(self, path):
        whole, _, _ = path.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def output(self, part="*"):
        return "\n".join(path.read_text() for path in sorted(self.results.glob(f"sampling_log/slurm_*_{part}.txt")))

    def status(self, code):
        done = run("sample", "status", self.results, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)[0]
