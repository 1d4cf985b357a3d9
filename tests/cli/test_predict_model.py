"""kjoule predict model, through its command line."""
import json
import re
import unittest

from .driver import ROOT, unwrapped
from .helpers import TINY
from .messages import errors_in
from .scripts import script
from .test_commands import ON_CPU, InAFolder, run
from .test_schemas import SchemaCase
from .test_tables import Printed
from .trained_models import share_trained_models

GPU = "NVIDIAH200"
COMPARE = ["--runs", "2", "--warmup", "1", "--time-limit", "0.2", "--no-energy"]


def tensor(shape, storage, dtype="Half"):
    return {"tensor": {"dtype": dtype, "shape": shape, "storage": storage}}


def launch(name, arguments, outputs=(), **detail):
    return {"name": name, "tier": 3, "signature": name + json.dumps(arguments), "detail": {"operator": name, "arguments": arguments, "outputs": list(outputs), **detail}}


def product(m, k, n, dtype="Half"):
    return launch("aten::mm", [tensor([m, k], 1, dtype), tensor([k, n], 2, dtype)], [tensor([m, n], 3, dtype)])


class Recorded(Printed, SchemaCase):
    """Recordings that were written by hand, so that the work of each launch is known."""

    def setUp(self):
        super().setUp()
        share_trained_models(self)

    def write(self, *launches, name="r.jsonl"):
        header = {"format": "kjoule-recording", "version": 1, "launches": len(launches)}
        (self.folder / name).write_text("".join(json.dumps(row) + "\n" for row in [header, *launches]))
        return self.folder / name

    def told(self, *launches, gpu=GPU, options=()):
        return json.loads(self.succeed("predict", "model", self.write(*launches), "--gpu", gpu, "--json", *options))

    def test_a_sampled_shape_takes_what_was_measured(self):
        """The table has 512 x 1024 times 1024 x 4096 with 7.927 us and 6.087 mJ."""
        told = self.told(*[product(512, 1024, 4096)] * 3, launch("aten::view", [tensor([8, 8], 1), [64]], [tensor([64], 1)]))
        one, = told["operators"]
        self.assertEqual((one["operator"], one["sizes"], one["kind"], one["calls"], one["basis"]), ("aten::mm", "512x1024, 1024x4096", "matrix product", 3, "samples"))
        self.assertAlmostEqual(one["predicted_us"] / 7.927, 1, delta=0.1)
        self.assertAlmostEqual(one["predicted_joules"] / 6.087e-3, 1, delta=0.15)
        self.assertAlmostEqual(told["predicted_us"], 3 * one["predicted_us"] + told["context_us"], 6)
        self.assertAlmostEqual(told["context_us"], 3 * 0.31 + 0.077 * 3 * one["predicted_us"], 6)
        self.assertEqual((told["calls"], told["calls_without_work"], told["calls_not_predicted"]), (3, 1, 0))
        self.check("predict_model", told)

    def test_what_cannot_be_predicted_is_named(self):
        launches = [product(512, 1024, 4096), launch("aten::sort", [tensor([4096], 1)], [tensor([4096], 2)]), launch("mine::fused", [tensor([8], 1)], [tensor([8], 2)])]
        told = self.told(*launches)
        self.assertEqual(told["calls_not_predicted"], 2)
        self.assertEqual([one["missing"] for one in told["operators"]], [None, *["kjoule does not know its work"] * 2])
        self.assertIsNone(told["operators"][1]["predicted_us"])
        self.check("predict_model", told)
        printed = self.printed("predict", "model", "r.jsonl", "--gpu", GPU)
        self.assert_explained(printed, ["operator"], "predict", "model")
        self.assertIn("missing from the sum: 2 of 3 calls, because they cannot be predicted:", unwrapped(printed))
        self.assertIn("1 x mine::fused (8): kjoule does not know its work", unwrapped(printed))

    def test_calls_with_tensors_of_other_types_are_missing(self):
        quantized = launch("quantized::linear", [tensor([512, 1024], 1, "QUInt8")], [tensor([512, 4096], 2, "QUInt8")])
        told = self.told(product(512, 1024, 4096), quantized)
        self.assertEqual((told["calls"], told["calls_not_predicted"]), (2, 1))
        self.assertEqual(told["operators"][1]["missing"], "a tensor has the type QUInt8, for which kjoule has no model; record the model with another type")
        self.check("predict_model", told)

    def test_names_that_are_too_long_end_with_two_points(self):
        heads = tensor([1, 16, 1024, 64], 1)
        self.write(launch("aten::scaled_dot_product_attention", [heads, heads, heads], [tensor([1, 16, 1024, 64], 2)]))
        self.assertRegex(self.succeed("predict", "model", self.folder / "r.jsonl", "--gpu", GPU), r"(?m)^aten::scaled_dot_product_\.\. +1 ")

    def test_without_a_table_the_roofline_is_used(self):
        """2 x 4096^3 FLOPs in fp32 at 67 TFLOP/s are 2051.3 us."""
        told = self.told(product(4096, 4096, 4096, "Float"))
        one, = told["operators"]
        self.assertEqual((one["basis"], one["tables"], told["predicted_joules"]), ("roofline", [], None))
        self.assertAlmostEqual(one["interval_90_us"][0], 2 * 4096**3 / 67e6, 6)
        self.assertGreater(one["interval_90_us"][1], 5 * one["interval_90_us"][0])
        self.assertAlmostEqual(told["share_percent"]["roofline"], 100)
        half = self.told(product(4096, 4096, 4096, "Float"), options=["--precision", "fp16"])
        self.assertEqual(half["operators"], self.told(product(4096, 4096, 4096))["operators"])

    def test_a_power_limit(self):
        launches = [product(8192, 8192, 8192)] * 4
        free = self.told(*launches)
        watts = free["predicted_joules"] / (1e-6 * free["predicted_us"])
        held = self.told(*launches, options=["--power-limit", watts / 1.2])
        self.assertAlmostEqual(held["predicted_us"] / free["predicted_us"], 1.2**0.6, 5)
        self.assertAlmostEqual(held["power_limited"]["unlimited_w"], watts, 3)
        self.check("predict_model", held)

    def test_a_table_of_ones_own_and_of_another_gpu(self):
        """Without a table of products, a GPU that kjoule has no data sheet of cannot predict them."""
        data = self.folder / "data"
        data.mkdir()
        rows = [f"{b},{n},{d},{1 + b * n * d * 6e-6},{1 + b * n * d * 6e-6}" for b in (1, 2, 4) for n in (512, 1024, 2048) for d in (1024, 2048, 4096)]
        (data / "G_res_add_fp16.csv").write_text("\n".join(["b,l,dim,F_dur(us),B_dur(us)", *rows]) + "\n")
        add = launch("aten::add.Tensor", [tensor([2, 1024, 3072], 1), tensor([2, 1024, 3072], 2), 1], [tensor([2, 1024, 3072], 3)])
        told = json.loads(self.succeed("predict", "model", self.write(add, product(64, 64, 64)), "--data", data, "--json"))
        self.assertEqual(told["gpu"], "G")
        self.assertAlmostEqual(told["operators"][0]["predicted_us"] / (1 + 2 * 1024 * 3072 * 6e-6), 1, delta=0.05)
        self.assertEqual(told["operators"][1]["missing"], "G has no table for it, and kjoule no data sheet")

    def test_errors_are_one_line(self):
        path = self.write(product(512, 1024, 4096))
        on = ["--gpu", GPU]
        damaged = self.write(launch("aten::mm", [tensor([-1, 4], 1), tensor([4, 4], 2)], [tensor([4, 4], 3)]), name="d.jsonl")
        kernels = self.write({"name": "gemm", "tier": 2, "signature": "s", "detail": {}}, name="k.jsonl")
        nothing = self.write(launch("aten::sort", [tensor([4096], 1)], [tensor([4096], 2)]), name="n.jsonl")
        for words, code, text in [([path, "--gpu", "GTX"], 1, "there are no sampled operator times of the GPU GTX; name one of NVIDIAH200"),
                                  ([path], 2, "the GPU is missing; name it with --gpu"),
                                  ([path, "--data", "Perlmutter/operator", *on], 1, "has no tables of the GPU NVIDIAH200; name one of NVIDIAA100-SXM4-80GB with --gpu"),
                                  ([damaged, *on], 1, "aten::mm: a tensor's size is not a whole number; record the model again"),
                                  ([kernels, *on], 1, "the launch gemm has no operator and no tensor sizes"),
                                  ([nothing, *on], 1, "none of the recorded operators can be predicted: aten::sort: kjoule does not know its work"),
                                  ([self.folder / "missing.jsonl", *on], 1, "missing.jsonl: no such file"),
                                  ([path, *on, "--precision", "int8"], 2, "--precision"), ([path, *on, "--power-limit", "0"], 2, "--power-limit")]:
            with self.subTest(words=list(map(str, words))):
                done = run("predict", "model", *words)
                self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                line, = errors_in(done.stderr)
                self.assertIn(text, line)

    def test_hostile_sizes_and_names(self):
        """Whatever a recording contains, the answer is a prediction or one line."""
        half = tensor([4, 4], 1)
        values = [None, True, 5, "x", [], {}, {"tensor": None}, {"tensor": {}}, tensor([], 1), tensor([0, 0], 1), tensor([0], 1), tensor([2**62, 2**62], 1),
                  tensor([10**15], 1), tensor(["4"], 1), tensor([4] * 65, 1), tensor({}, 1), tensor([4], "s"), tensor([4], 1, None), tensor([4], 1, "x" * 10000)]
        for value in values:
            for arguments in ([value, half], [half, value]):
                self.check_hostile(launch("aten::mm", arguments, [half]))
        names = ["aten::linear", "aten::layer_norm", "aten::native_layer_norm_backward", "aten::softmax", "aten::conv2d", "aten::convolution_backward", "aten::embedding",
                 "aten::embedding_dense_backward", "aten::scaled_dot_product_attention", "aten::batch_norm", "aten::_log_softmax", "\x1b[31maten::mm", ""]
        for name in names:
            for arguments in ([], [half], [half] * 3, [tensor([], 1)] * 3, [tensor([0, 0, 0], 1)] * 3, [half, [0, -1, 2**62], half], "text"):
                self.check_hostile(launch(name, arguments, [tensor([4, 4], 9)]))

    def check_hostile(self, row):
        with self.subTest(row["name"], arguments=str(row["detail"]["arguments"])[:100]):
            done = run("predict", "model", self.write(row), "--gpu", GPU)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotIn("this is a bug", done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, r"\x1b|\bnan\b|\binf\b")


class OfAModel(InAFolder):
    """A model that is exported, recorded and measured on the CPU."""

    def test_from_the_export_to_the_prediction(self):
        model, recording, results = (self.folder / name for name in ("b.pt", "b.jsonl", "results"))
        self.succeed("export", "bloom", "-o", model, *TINY, "--seq-len", "32")
        self.succeed("record", *ON_CPU, "--model", model, "-o", recording)
        share_trained_models(self)
        for gpu in (GPU, "NVIDIAA100-SXM4-80GB"):
            told = json.loads(self.succeed("predict", "model", recording, "--gpu", gpu, "--precision", "fp16", "--json"))
            products = {one["sizes"]: one["calls"] for one in told["operators"] if one["operator"] == "aten::linear"}
            self.assertEqual(products, {"1x32x64, 192x64": 2, "1x32x64, 64x64": 2, "1x32x64, 256x64": 2, "1x32x256, 64x256": 2, "1x32x64, 100x64": 1})
            self.assertEqual([one["operator"] for one in told["operators"] if one["missing"]], [])
            low, high = told["interval_90_us"]
            self.assertTrue(0 < low < told["predicted_us"] < high)
        self.succeed("compare", *ON_CPU, "--model", model, "-o", results, *COMPARE)
        of_results = json.loads(self.succeed("predict", "model", results, "--gpu", gpu, "--precision", "fp16", "--json"))
        self.assertEqual(of_results["operators"], told["operators"])


class Script(unittest.TestCase):
    """tests/gpu/predicted, without torch's fake tensors."""

    def setUp(self):
        self.script = script("predicted")

    def test_the_constants_of_the_context_are_those_of_the_source(self):
        *programs, last = self.script.context_lines(self.script.measured_rows("stamps_h200.jsonl"))
        self.assertEqual(len(programs), 10)
        each, share = re.fullmatch(r"10 programs: ([\d.]+) us per launch and ([\d.]+) %", last).groups()
        source = (ROOT / "src/model_prediction/model_prediction.cpp").read_text()
        self.assertIn(f"kEachUs = {each}, kShare = {float(share) / 100:g},", source)

    def test_a_row(self):
        told = {"predicted_us": 1100, "interval_90_us": [900, 1300], "share_percent": {"samples": 50, "beyond_samples": 30, "roofline": 20}, "calls_not_predicted": 0, "calls": 9,
                "predicted_joules": 0.5, "interval_90_joules": [0.4, 0.6]}
        row = self.script.comparison("p", told, [{"whole_us": 1000, "launches": 9}], [{"energy": {"whole_joules": 0.4}}])
        lines = list(self.script.table([row]))
        self.assertEqual(lines[2], "| p | 1.10 ms, 0.90 to 1.30 | 1.00 ms | +10.0 % (inside) | 0.5 of 0.4 J, +25.0 % | 50, 30, 20 % |")
        self.assertEqual(lines[-1], "median error 10.0 %, largest 10.0 % (goal: 5 %); 1 of 1 inside their interval")


if __name__ == "__main__":
    unittest.main()
