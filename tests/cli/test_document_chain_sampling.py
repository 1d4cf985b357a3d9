"""The chain of the kernel sampling guide (document 5): its commands as it prints them, with kjoule in place of its program.

The sweeps are smaller, so that a CPU measures them in seconds. The document and its configurations are in the folder shared beside the
repository; where it is missing, the tests that need it are skipped.
"""
import csv
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

from .driver import KJOULE, ROOT, unwrapped
from .test_commands import InAFolder, run

SHARED = ROOT.parent / "shared"
A100 = "NVIDIAA100-SXM4-80GB"
TABLES = ROOT / "data/regressors/Perlmutter"
# The document's program; the options keep the work small and off a GPU.
PROGRAM, MINE = "python sampling_controller.py", f"{KJOULE} sample --device cpu --threads 1"
IN = "src/estimate_train_time"

SINGLE = r"""cd src/estimate_train_time/kernel_sampling
python sampling_controller.py \
    --config_path ../data/configs/kernel_sampling/test/flash_atten.yml \
    --precision fp16
"""
COLLECTION = r"""cd src/estimate_train_time/kernel_sampling
python sampling_controller.py \
    --config_path ../data/configs/kernel_sampling/collect/flash_atten.yml \
    --precision fp16
"""
PARTS = r"""# GPU 0: process part 1 of 4
CUDA_VISIBLE_DEVICES=0 python sampling_controller.py \
    --config_path ./configs/collect/flash_atten.yml \
    --precision fp16 \
    --parts 4 \
    --part 1 \
    --device_num 0

# GPU 1: process part 2 of 4
CUDA_VISIBLE_DEVICES=1 python sampling_controller.py \
    --config_path ./configs/collect/flash_atten.yml \
    --precision fp16 \
    --parts 4 \
    --part 2 \
    --device_num 0
"""
JOB = r"""#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --time=6:00:00
#SBATCH --job-name=kernel_sampling

cd src/estimate_train_time/kernel_sampling

# Run 4 parallel sampling jobs
for i in 1 2 3 4; do
    CUDA_VISIBLE_DEVICES=$((i-1)) python sampling_controller.py \
        --config_path ../data/configs/kernel_sampling/collect/flash_atten.yml \
        --precision fp16 \
        --parts 4 \
        --part $i \
        --device_num 0 &
done

wait
"""
# The document's configuration; the numbers of the sweep, the warm-up and the single shape are smaller.
CONFIGURATION = """{
  "module_name": "target_functions",
  "kernel_name": "flash_atten",
  "function_name": "flash_atten",
  "columns_name": ['mp', 'b', 'h', 'l', 'dim', 'F_dur(us)', 'B_dur(us)'],
  "targets": [
    ['built-in method apply of FunctionMeta object', 'FlashAttnFunc'],
    ['autograd::engine::evaluate_function: FlashAttnFuncBackward']
  ],
  "first_n_column": 5,
  "starts": [1, 1, 2, 16, 32],
  "steps": [2, 2, 2, 16, 32],
  "ends": [2, 2, 4, 32, 96],
  "operators": ['mul', 'mul', 'add', 'add', 'add'],
  "warmup_shapes": [1, 1, 2, 16, 32],
  "wait": 2,
  "warmup": 2,
  "active": 10,
  "shapes": [1, 2, 4, 64, 64],
  "run": "get_all"
}
"""
SHAPES = 2 * 2 * 2 * 2 * 3
MERGE = """import pandas as pd
import glob

# Merge parts
pattern = "sampling_data/NVIDIAA100*_flash_atten_fp16_*.csv"
files = glob.glob(pattern)

dfs = [pd.read_csv(f) for f in files]
merged = pd.concat(dfs, ignore_index=True)

# Remove duplicates and sort
merged = merged.drop_duplicates()
merged = merged.sort_values(list(merged.columns[:-2]))

# Save merged data
merged.to_csv("NVIDIAA100-SXM4-80GB_flash_atten_fp16.csv", index=False)
"""
# The document's operator of one's own: a function, two functions between sizes, a configuration, and the command.
OWN_FUNCTION = """def my_custom_op(shapes, precision, device_num):
    \"""Profile a custom operation.\"""
    mp, b, l, dim = shapes

    dtype = torch.float16 if precision == 'fp16' else torch.float32
    device = f'cuda:{device_num}'

    # Create input tensors
    x = torch.randn(b, l, dim, dtype=dtype, device=device, requires_grad=True)

    # Forward pass
    y = my_operation(x)

    # Backward pass (for gradient timing)
    y.sum().backward()

    # Sync GPU
    torch.cuda.synchronize()
"""
STEP_SHAPE = """def my_custom_op(input):
    \"""Map encoder config to operator input shape.\"""
    mp, b, h, l, dim = input
    return np.array([mp, b, l, dim])
"""
FEATURES = """def my_custom_op(input):
    \"""Map operator input to predictor features.\"""
    mp, b, l, dim = input
    return np.array([b * l, dim])
"""
OWN_CONFIGURATION = """{
  "module_name": "target_functions",
  "kernel_name": "my_custom_op",
  "function_name": "my_custom_op",
  "columns_name": ['mp', 'b', 'l', 'dim', 'F_dur(us)', 'B_dur(us)'],
  "targets": [['my_op_kernel_name'], ['my_op_backward']],
  "first_n_column": 4,
  "starts": [1, 4, 1024, 2048],
  "steps": [2, 2, 512, 512],
  "ends": [16, 8, 5120, 8192],
  "operators": ['mul', 'mul', 'add', 'add'],
  "warmup_shapes": [1, 4, 1024, 2048],
  "wait": 2,
  "warmup": 2,
  "active": 10,
  "shapes": [1, 4, 1024, 2048],
  "run": "get_all"
}
"""
OWN_COMMAND = r"""cd src/estimate_train_time/kernel_sampling
python sampling_controller.py \
    --config_path ../data/configs/kernel_sampling/collect/my_custom_op.yml \
    --precision fp16
"""
# The corrections that docs/guide/sampling.md lists.
CORRECTED_FUNCTION = [("def my_custom_op", "import torch\n\ndef my_operation(x):\n    return torch.nn.functional.gelu(x) * 2\n\ndef my_custom_op")]
CORRECTED_CONFIGURATION = [("[['my_op_kernel_name'], ['my_op_backward']]", "[['aten::gelu', 'aten::mul'], ['evaluate_function: GeluBackward', 'evaluate_function: MulBackward']]"),
                           ('"first_n_column": 4,', '"first_n_column": 4,\n  "features": [\'b*l\', \'dim\'],')]
CORRECTED_COMMAND = [("--precision fp16", "--precision fp16 --python target_functions.py")]
ON_A_CPU = [("f'cuda:{device_num}'", "'cpu'"), ("    torch.cuda.synchronize()\n", "")]
SMALLER = [('"starts": [1, 4, 1024, 2048]', '"starts": [1, 1, 16, 32]'), ('"steps": [2, 2, 512, 512]', '"steps": [2, 2, 16, 32]'),
           ('"ends": [16, 8, 5120, 8192]', '"ends": [2, 2, 48, 64]'), ('"warmup_shapes": [1, 4, 1024, 2048]', '"warmup_shapes": [1, 1, 16, 32]')]
# Lines of its troubleshooting, which replace those of a configuration.
OTHER_LINES = ['"ends": [8, 4, 2048, 4096],', '"warmup_shapes": [1, 2, 512, 2048],', '"run": "get_profiler"']


def rows_of(path):
    with open(path, encoding="utf-8") as lines:
        return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


class SamplingGuide(InAFolder):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.environment = {**os.environ, "XDG_CACHE_HOME": kept.name}  # models that are trained once for all tests

    def setUp(self):
        super().setUp()
        self.work = self.folder / IN / "kernel_sampling"
        self.write_configuration(self.folder / IN / "data/configs/kernel_sampling/collect/flash_atten.yml", CONFIGURATION)
        self.write_configuration(self.folder / IN / "data/configs/kernel_sampling/test/flash_atten.yml", CONFIGURATION.replace("get_all", "get_one"))
        self.write_configuration(self.work / "configs/collect/flash_atten.yml", CONFIGURATION)

    @staticmethod
    def write_configuration(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def follow(self, commands, folder=None):
        """Runs a block of the document's shell commands, each of which must succeed, and returns its output and messages."""
        script = "set -e\n" + commands.replace(PROGRAM, MINE)
        done = subprocess.run(["bash", "-c", script], cwd=folder or self.folder, env=self.environment, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def ask(self, *arguments):
        done = subprocess.run([str(word) for word in [KJOULE, *arguments]], env=self.environment, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    @unittest.skipUnless(SHARED.exists(), "the document is not here")
    def test_the_commands_are_those_of_the_document(self):
        document = next(SHARED.glob("seeds/004_*.txt")).read_text()
        for block in (SINGLE, COLLECTION, PARTS, JOB, MERGE, OWN_FUNCTION, STEP_SHAPE, FEATURES, OWN_CONFIGURATION, OWN_COMMAND, *OTHER_LINES):
            self.assertIn(block, document)
        for line in CONFIGURATION.splitlines():
            if not re.match(r'\s*"(starts|steps|ends|warmup_shapes|wait|warmup|active|shapes)"', line):
                self.assertIn(line, document)

    def test_a_single_shape(self):
        told, _ = self.follow(SINGLE)
        pattern = r"flash_atten_fp16 \[1, 2, 4, 64, 64\] on .*: forward (\d+\.\d+) us \(.*\), backward (\d+\.\d+) us"
        self.assertTrue(all(float(us) > 0 for us in re.match(pattern, told).groups()))
        self.assertRegex((self.work / "test_log.txt").read_text(), r"^\[.*\]flash_atten_fp16 \[1, 2, 4, 64, 64\] \| forward")

    def test_the_full_collection(self):
        self.follow(COLLECTION)
        path = next((self.work / "sampling_data").glob("*_flash_atten_fp16_1_1.csv"))
        self.assertEqual(path.read_text().splitlines()[0], "mp,b,h,l,dim,F_dur(us),B_dur(us)")
        rows = rows_of(path)
        self.assertEqual(len(rows), SHAPES)
        self.assertTrue(all(row["F_dur(us)"] > 0 and row["B_dur(us)"] > 0 for row in rows))
        log = (self.work / "sampling_log" / path.with_suffix(".txt").name).read_text().splitlines()
        self.assertRegex(log[-1], rf"^\[.*\]Kernel: flash_atten_fp16 \| Progress: {SHAPES}/{SHAPES}=100.00% \| Speed: \d+\.\d\ds/sample \| Remaining: 0d0h0m0s$")

    def test_two_parts(self):
        _, said = self.follow(PARTS, self.work)
        self.assertEqual(said.count("kjoule: --device_num 0 has no effect, because the operator is measured on the CPU\n"), 2)
        for part in (1, 2):
            self.assertEqual(len(rows_of(next((self.work / "sampling_data").glob(f"*_flash_atten_fp16_4_{part}.csv")))), SHAPES / 4)

    def test_parts_are_measured_merged_and_predicted(self):
        self.follow(JOB)
        parts = sorted((self.work / "sampling_data").glob("*_flash_atten_fp16_4_*.csv"))
        self.assertEqual(len(parts), 4)
        gpu = parts[0].name.partition("_")[0]
        data = self.folder / "merged"
        data.mkdir()
        merged = data / f"{gpu}_flash_atten_fp16.csv"
        self.ask("sample", "merge", *parts, "-o", merged)
        # What the document's script does with pandas: concatenate, drop duplicates, sort by shape.
        rows = [row for part in parts for row in rows_of(part)]
        self.assertEqual(rows_of(merged), sorted(rows, key=lambda row: list(row.values())[:-2]))
        self.assertEqual(len(rows), SHAPES)

        report = json.loads(self.ask("train", data, "--json")[0])
        self.assertEqual([row["rows"] for row in report], [SHAPES, SHAPES])
        predict = ["predict", "operator", gpu, "flash_atten", "fp16"]
        for direction, column in (("fwd", "F_dur(us)"), ("bwd", "B_dur(us)")):
            ratios = []
            for row in rows_of(merged)[::5]:
                shape = [int(row[name]) for name in ("mp", "b", "h", "l", "dim")]
                told = json.loads(self.ask(*predict, direction, *shape, "--data", data, "--json")[0])
                self.assertEqual(told["outside_sampled_range"], [])
                ratios.append(told["predicted_us"] / row[column])
            self.assertAlmostEqual(statistics.median(ratios), 1, delta=0.4)  # the machine may be busy

    def test_the_merge_with_pandas(self):
        """The document's script makes the table that kjoule sample merge makes."""
        data = self.work / "sampling_data"
        data.mkdir(parents=True)
        for part in (1, 2):
            self.write_configuration(data / f"{A100}_flash_atten_fp16_2_{part}.csv", "mp,b,h,l,dim,F_dur(us),B_dur(us)\n" + "".join(
                f"1,4,16,{1024 * (5 - at)},2048,{at}.5,{2 * at}.25\n" for at in range(part, 5, 2)))
        subprocess.run([sys.executable, "-c", MERGE], cwd=self.work, check=True)
        own = self.work / "own.csv"
        self.ask("sample", "merge", *data.glob("*.csv"), "-o", own)
        rows = rows_of(self.work / f"{A100}_flash_atten_fp16.csv")
        self.assertEqual([row["l"] for row in rows], [1024, 2048, 3072, 4096])
        self.assertEqual(rows, rows_of(own))

    @staticmethod
    def corrected(text, *corrections):
        for old, new in itertools.chain(*corrections):
            if old not in text:
                raise AssertionError(f"{old} is not in the text")
            text = text.replace(old, new)
        return text

    def test_an_operator_of_ones_own(self):
        """From the function to a prediction: the samples have the features of the document's function."""
        self.write_configuration(self.work / "target_functions.py", self.corrected(OWN_FUNCTION, CORRECTED_FUNCTION, ON_A_CPU))
        configuration = self.folder / IN / "data/configs/kernel_sampling/collect/my_custom_op.yml"
        self.write_configuration(configuration, self.corrected(OWN_CONFIGURATION, CORRECTED_CONFIGURATION, SMALLER))
        self.follow(self.corrected(OWN_COMMAND, CORRECTED_COMMAND))
        part = next((self.work / "sampling_data").glob("*_my_custom_op_fp16_1_1.csv"))
        rows = rows_of(part)
        self.assertEqual(len(rows), 2 * 2 * 3 * 2)
        self.assertTrue(all(row["F_dur(us)"] > 0 and row["B_dur(us)"] > 0 for row in rows))
        gpu, data = part.name.partition("_")[0], self.folder / "merged"
        data.mkdir()
        self.ask("sample", "merge", part, "-o", data / f"{gpu}_my_custom_op_fp16.csv")
        shutil.copy(configuration, data)
        self.ask("train", data)
        features = FEATURES.replace("np.array", "")
        given = {}
        exec(features, given)  # of the document itself, as written above
        for shape in ([1, 2, 32, 64], [2, 1, 48, 32]):
            told = json.loads(self.ask("predict", "operator", gpu, "my_custom_op", "fp16", "bwd", *shape, "--data", data, "--json")[0])
            self.assertEqual(told["features"], given["my_custom_op"](shape))
            self.assertEqual(told["outside_sampled_range"], [])
            least, most = min(row["B_dur(us)"] for row in rows), max(row["B_dur(us)"] for row in rows)
            self.assertTrue(least / 2 <= told["predicted_us"] <= 2 * most)

    def test_the_settings_of_its_troubleshooting(self):
        """Fewer shapes, a smaller warm-up shape, and a trace of one shape."""
        self.write_configuration(self.work / "target_functions.py", self.corrected(OWN_FUNCTION, CORRECTED_FUNCTION, ON_A_CPU))
        smaller = self.corrected(OWN_CONFIGURATION, CORRECTED_CONFIGURATION, [('"ends": [16, 8, 5120, 8192],', OTHER_LINES[0]), ('"warmup_shapes": [1, 4, 1024, 2048],', OTHER_LINES[1])])
        path = self.folder / "smaller.yml"
        self.write_configuration(path, smaller)
        told, _ = self.ask("sample", "--list", path, "--python", self.work / "target_functions.py")
        self.assertIn(f"{4 * 1 * 3 * 5} shapes of mp, b, l, dim", unwrapped(told))
        self.write_configuration(self.folder / IN / "data/configs/kernel_sampling/test/flash_atten.yml", self.corrected(CONFIGURATION, [('"run": "get_all"', OTHER_LINES[2])]))
        self.follow(SINGLE)
        trace, = (self.work / "temp_profilings").glob("*.json")
        self.assertIn("flash", trace.read_text())

    def test_the_prediction_of_the_document(self):
        row = next(row for row in rows_of(TABLES / f"operator/{A100}_flash_atten_fp16.csv") if list(row.values())[:5] == [1, 4, 32, 2048, 4096])
        for direction, column in (("fwd", "F_dur(us)"), ("bwd", "B_dur(us)")):
            told = json.loads(self.ask("predict", "operator", A100, "flash_atten", "fp16", direction, 1, 4, 32, 2048, 4096, "--json")[0])
            self.assertAlmostEqual(told["predicted_us"] / row[column], 1, delta=0.05)

    def test_the_training_step(self):
        config = SHARED / "data/sampling_configs/step_llemma_7b_4_2_2_P.yml"
        if not config.exists():
            config = "llemma_7b_4_2_2_P"
        told, said = self.ask("predict", "step", config, "--json")
        self.assertEqual(said.splitlines()[0], "training the models of operators and collectives")
        step = json.loads(told)
        terms = {term["name"]: term for term in step["terms"]}
        # sampled shapes, so the terms are close to the published tables
        measured = {"allreduce 1x2": ("nccl", "allreduce_fp16_1_2", [67108864, 1, 2]), "p2p 2x1": ("nccl", "p2p_fp16_2_1", [33554432, 2, 1]),
                    "RMSlayernorm forward": ("operator", "RMSlayernorm_fp16", [4, 4096, 4096]), "gelu backward": ("operator", "gelu_fp16", [2, 4, 4096, 4096])}
        for name, (folder, table, shape) in measured.items():
            row = next(row for row in rows_of(TABLES / folder / f"{A100}_{table}.csv") if list(row.values())[:len(shape)] == shape)
            time = row["F_dur(us)" if name.endswith("forward") else "B_dur(us)" if name.endswith("backward") else "dur(us)"]
            self.assertAlmostEqual(terms[name]["predicted_us"] / time, 1, delta=0.05, msg=name)
        self.assertEqual([stage["layers"] for stage in step["stages"]], [8, 9, 9, 6])
        self.assertAlmostEqual(step["total_us"] / 9053040, 1, delta=0.005)
        again, said = self.ask("predict", "step", config, "--json")
        self.assertEqual((said, json.loads(again)["total_us"]), ("", step["total_us"]), "the models are kept")

    def test_a_gpu_without_tables_names_the_options(self):
        done = run("predict", "operator", "NVIDIAH100", "flash_atten", "fp16", "fwd", 1, 4, 32, 2048, 4096)
        self.assertRegex(done.stderr, r"^kjoule: there are no sampled operator times of the GPU NVIDIAH100; .* with --data\n$")
        config = self.folder / "step.yml"
        config.write_text(self.ask("predict", "show-example", "llemma_7b_4_2_2_P")[0].replace(A100, "NVIDIAH100"))
        done = run("predict", "step", config)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f": no data of GPU NVIDIAH100; available: {A100}; a folder with tables of another GPU is named with --data, "
                      "or in a training configuration with operator_data_folder and nccl_data_folder", unwrapped(done.stderr))


if __name__ == "__main__":
    unittest.main()
