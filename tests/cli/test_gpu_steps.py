"""The training steps on two GPUs that tests/gpu/steps compares with their prediction: two ranks on the CPU, and their configurations."""
import collections
import datetime
import json
import math
import unittest
from unittest import mock

import torch
import torch.distributed as dist
import yaml

from .gloo_ranks import free_port, said_by_first
from .scripts import GPU, modules_of_scripts, script
from .test_commands import InAFolder
from .trained_models import share_trained_models

with modules_of_scripts():
    import parallel_step
    import training_step
steps = script("steps")

CONFIGURATIONS = GPU.parent.parent / "data/regressors/H200"
OF_SEVERAL = {name: step for name, step in steps.STEPS.items() if step.gpus() > 1}
B, TOKENS, LAYERS, DIM = 2, 16, 2, 32
LLAMA, GPT = (f"{kind} {LAYERS} {B} 4 {TOKENS} {DIM} fp32" for kind in ("llama", "gpt"))
# One process runs a rank of several steps, because most of the time is that of importing torch. Then it times a graph that takes
# 100 us and 3 J on rank 0, 110 us and 6 J on rank 1.
RANK = """import os, runpy, sys
from types import SimpleNamespace
from unittest import mock
program, port, *steps = sys.argv[1:]
for step in steps:
    os.environ["MASTER_PORT"], *words = step.split()
    sys.argv = [program, *words, "--cpu"]
    runpy.run_path(program, run_name="__main__")
import json, torch, parallel_step, seed_way
os.environ["MASTER_PORT"] = port
parallel_step.dist.init_process_group("gloo")
rank = parallel_step.dist.get_rank()
graph, joules = mock.Mock(), iter([7, 7 + 30 * (1 + rank)])
gpu = SimpleNamespace(name="NVIDIA H200", uuid=f"0{rank}")
with mock.patch.multiple(torch.cuda, synchronize=mock.Mock(), current_device=mock.Mock(), get_device_properties=lambda device: gpu), \\
     mock.patch.object(torch.cuda.nccl, "version", lambda: (2, 28, 9)), \\
     mock.patch.object(seed_way, "EnergyCounter", lambda: SimpleNamespace(joules=lambda: next(joules))), \\
     mock.patch.multiple(parallel_step, SECONDS=0, times_of_round=lambda graph: [100.0 + 10 * rank] * 10):
    found = parallel_step.timed_on_all(graph)
if rank == 0:
    print(json.dumps(found))
"""


def losses_of_one(words, vocabulary, replicas):
    """Returns the mean losses of a token in three steps of the whole model, with the sequences of all replicas."""
    shape = training_step.Shape.of_words(words.split())
    torch.manual_seed(0)
    model = shape.model("cpu", vocabulary)
    step = training_step.step_of(model, *shape.batch("cpu", replicas), "cpu")
    return [step().item() / (replicas * shape.b * shape.tokens) for _ in range(3)]


class TwoRanks(unittest.TestCase):
    STEPS = [("tp", LLAMA + " 88"), ("tp", GPT), ("dp", LLAMA + " 88")]

    @classmethod
    def setUpClass(cls):
        steps_and_ports = [f"{free_port()} {way} {step}" for way, step in cls.STEPS]
        said = said_by_first(["-c", RANK, GPU / "parallel_step.py", free_port(), *steps_and_ports], PYTHONPATH=str(GPU))
        *cls.losses, cls.timed = map(json.loads, said.splitlines())

    def test_they_have_the_losses_of_one_process(self):
        self.assertEqual(len(self.losses), len(self.STEPS))
        for (way, step), losses in zip(self.STEPS, self.losses):
            with self.subTest(step=step, way=way):
                expected = losses_of_one(step, 50432 if way == "tp" else 50304, 1 if way == "tp" else 2)
                self.assertGreater(expected[0] - expected[2], 0.5, "the gradients matter")
                for one, other in zip(losses, expected):
                    self.assertAlmostEqual(one, other, delta=1e-4)

    def test_times_are_means_and_energies_are_sums(self):
        self.assertEqual(self.timed, {"step_us": [105.0] * 3, "steps": 10, "joules": 9.0, "gpus": ["NVIDIA H200, GPU-00", "NVIDIA H200, GPU-01"],
                                      "gpu": "NVIDIAH200", "torch": torch.__version__, "nccl": "2.28.9"})


class Collectives(unittest.TestCase):
    """What one rank launches; the sizes do not depend on the number of ranks."""

    def setUp(self):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, timeout=datetime.timedelta(seconds=60))
        self.addCleanup(dist.destroy_process_group)
        self.launched = collections.Counter()

    def count(self, name):
        done = getattr(dist, name)

        def counted(tensor, *others):
            self.launched[name, tensor.numel()] += 1
            return done(tensor, *others)
        return mock.patch.object(dist, name, counted)

    def test_of_tensor_parallelism(self):
        _, step = parallel_step.tensor_parallel(training_step.Shape.of_words(GPT.split()), torch.device("cpu"))
        with self.count("all_reduce"):
            step()
        tokens = B * TOKENS
        predicted = 4 * LAYERS + 1  # fwd_syncs and bwd_syncs are 2; the embedding has one
        self.assertEqual(self.launched, {("all_reduce", tokens * DIM): predicted + 1, ("all_reduce", tokens): 3})

    def test_of_data_parallelism(self):
        with mock.patch.object(parallel_step, "BUCKET", 1_000_000):
            model, step = parallel_step.data_parallel(training_step.Shape.of_words(GPT.split()), torch.device("cpu"))
            with self.count("all_reduce"), self.count("all_gather_into_tensor"):
                step()
        elements = sum(128 * math.ceil(one.numel() / 128) for one in model.parameters())
        buckets, rest = divmod(elements, 1_000_000)
        self.assertEqual(self.launched, {("all_reduce", 1_000_000): buckets, ("all_reduce", rest): 1, ("all_gather_into_tensor", elements): 1})


class Configurations(InAFolder):
    def setUp(self):
        super().setUp()
        share_trained_models(self)

    def test_they_describe_what_is_measured(self):
        self.assertEqual({path.stem for path in CONFIGURATIONS.glob("*.yml")}, set(steps.STEPS))
        for name, step in steps.STEPS.items():
            told = yaml.safe_load((CONFIGURATIONS / f"{name}.yml").read_text())
            self.assertEqual(told["training_config"], [1, step.mp, step.dp, step.b, step.h, step.l, step.dim, 1, step.gpus()])
            self.assertEqual((told["encoders"], told["precision"]), (step.layers, step.precision))
            self.assertEqual((told["fwd_syncs"], told["bwd_syncs"]), (2, 2) if step.mp > 1 else (0, 0))
            self.assertEqual(told["comm_bucket"] == parallel_step.BUCKET, step.gpus() > 1)

    def test_all_operators_are_within_the_samples(self):
        parameters = {"llama_7b_8_layers_tp2_H200": 1016188928, "gpt2_medium_dp2_H200": 405186560}
        self.assertEqual(set(parameters), set(OF_SEVERAL))
        for name, expected in parameters.items():
            step = json.loads(self.succeed("predict", "step", name, "--json"))
            self.assertEqual([term["name"] for term in step["terms"] if term["outside_sampled_range"]], [])
            self.assertEqual(step["stages"][0]["parameters"], expected)
            self.assertEqual(self.parameters_of_rank(name), expected)

    def parameters_of_rank(self, name):
        """Returns the number of parameters of a rank of the measured program."""
        step = OF_SEVERAL[name]
        shape = training_step.Shape.of_words(list(map(str, step.command()[4:])))
        with mock.patch.object(dist, "get_world_size", lambda: step.gpus()), mock.patch.object(dist, "get_rank", lambda: 0):
            model = shape.model("meta", parallel_step.padded_words(step.mp))
            if step.mp > 1:
                parallel_step.divide(model)
        return sum(one.numel() for one in model.parameters())

    def test_steps_for_more_gpus_are_skipped(self):
        with mock.patch.object(steps, "gpus", lambda: 1), mock.patch("builtins.print") as told:
            self.assertEqual(steps.measurable(list(steps.STEPS)), ["gpt2_medium_H200", "llama_7b_8_layers_H200"])
        self.assertEqual([call.args[0] for call in told.call_args_list], [f"{name}: skipped, because this machine has 1 of 2 GPUs" for name in OF_SEVERAL])
        with mock.patch.object(steps, "gpus", lambda: 2):
            self.assertEqual(steps.measurable(list(steps.STEPS)), list(steps.STEPS))


if __name__ == "__main__":
    unittest.main()
