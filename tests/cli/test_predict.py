"""kjoule train and kjoule predict, through their command line."""
import itertools
import json
import os
import pathlib
import shutil
import subprocess

from .driver import unwrapped
from .test_commands import KJOULE, InAFolder, run
from .trained_models import share_trained_models

GPU = "NVIDIAA100-SXM4-80GB"
EXAMPLE = "llemma_7b_4_2_2_P"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class OfSamples(InAFolder):
    def setUp(self):
        super().setUp()
        share_trained_models(self)  # those of tables in `data` are kept there
        self.data = self.folder / "sampled"
        self.data.mkdir()

    def table(self, rows=None, header="rows,columns,F_dur(us),B_dur(us)", name="G_mine_fp16.csv"):
        if rows is None:
            rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (self.data / name).write_text("\n".join([header, *rows]) + "\n")

    def test_an_operator_of_ones_own(self):
        self.table()
        models = self.folder / "models"
        told = json.loads(self.succeed("train", self.data, "-o", models, "--json"))
        self.assertEqual(len(told), 2)
        header = json.loads((models / "G_mine_fp16_forward.json").read_text())
        self.assertEqual((header["format"], header["version"], header["gpu"]), ("kjoule regressor", 7, "G"))
        self.assertEqual(header["model"]["ranges"][0], [64, 1024])
        asked = ["predict", "operator", "G", "mine", "fp16", "fwd", 500, 400, "--data", self.data, "--models", models, "--json"]
        done = run(*asked)
        self.assertEqual(done.stderr, "", "the models are there already")
        inside = json.loads(done.stdout)
        self.assertAlmostEqual(inside["predicted_us"], 202, delta=25)
        self.assertLess(inside["interval_90_us"][0], inside["predicted_us"])
        self.assertEqual(inside["outside_sampled_range"], [])
        asked[6:8] = [4096, 512]
        outside = json.loads(run(*asked).stdout)
        self.assertAlmostEqual(outside["predicted_us"], 2099, delta=200)
        self.assertEqual(outside["outside_sampled_range"][0], "rows 4096 (sampled: 64 to 1024)")

    def test_suspicious_rows_are_listed_and_stay_in_the_table(self):
        """One row of 48 takes three times as long as it should; the file is what kjoule sample --shapes reads."""
        rows = [f"{r},{c},{2 + r * c / 1000 * (3 if (r, c) == (512, 256) else 1)},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        self.table(rows)
        again = self.folder / "again"
        forward, backward = json.loads(self.succeed("train", self.data, "--repeat-list", again, "--json"))
        self.assertEqual((forward["rows"], forward["noise_percent"]), (48, None), "no two rows have the same work")
        self.assertEqual(backward["suspicious_rows"], [])
        worst = forward["suspicious_rows"][0]
        self.assertEqual((worst["shape"], worst["measured"]), ([512, 256], 2 + 512 * 256 / 1000 * 3))
        listed = (again / "G_mine_fp16.csv").read_text().splitlines()
        self.assertEqual(listed[0], "rows,columns,direction,unit,measured,expected,reason")
        self.assertTrue(listed[1].startswith("512,256,forward,us,395.2"), listed[1])
        text = unwrapped(self.succeed("train", self.data))
        self.assertIn("G_mine_fp16 forward: 1 of 48; the largest deviation: rows=512 columns=256 395.2 us instead of", text)
        self.assertIn("1 suspicious row (they stay in the tables; --repeat-list DIR lists them):", text)

    def test_lists_of_suspicious_rows_replace_only_lists(self):
        good = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        bad = [row if not row.startswith("512,256,") else "512,256,395.2,266.1" for row in good]
        self.table(bad)
        table = (self.data / "G_mine_fp16.csv").read_text()
        link = self.folder / "link"
        link.symlink_to(self.data)
        for folder in (self.data, link, f"{self.data}/../sampled/"):
            self.fail_with("is the folder of the tables, which have the names of the lists; name another folder for the lists", "train", self.data, "--repeat-list", folder)
        again = self.folder / "again"
        again.mkdir()
        (again / "G_mine_fp16.csv").write_text(table)
        self.fail_with("G_mine_fp16.csv: is not a list of suspicious rows, so it is not replaced; name another folder with --repeat-list, or move the file away",
                       "train", self.data, "--repeat-list", again)
        self.assertEqual([(folder / "G_mine_fp16.csv").read_text() for folder in (self.data, again)], [table, table])
        self.assertFalse((self.data / "models").exists(), "refused before the training")
        (again / "G_mine_fp16.csv").unlink()
        for _ in range(2):  # the second list replaces the first
            self.succeed("train", self.data, "--repeat-list", again)
            self.assertIn("512,256,forward,us,395.2", (again / "G_mine_fp16.csv").read_text())
        self.table(good)
        self.succeed("train", self.data, "--repeat-list", again)
        self.assertEqual(list(again.iterdir()), [], "the list of earlier suspicious rows is removed")

    def own(self, columns="mp, b, l, dim", **keys):
        """Writes the sampling configuration of the operator mine, with further keys, next to the tables."""
        more = "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())
        (self.data / "mine.yml").write_text(f"kernel_name: mine\ncolumns_name: [{columns}, F_dur(us), B_dur(us)]\nfirst_n_column: {columns.count(',') + 1}\n{more}")

    def mine(self, b, n, d, mp):
        return 3 + 1e-4 * b * n * d / mp

    def test_features_of_an_operator_of_ones_own(self):
        """The time depends on b*l and dim*4/mp only; the shape that is asked for was not sampled."""
        self.table([f"{mp},{b},{n},{d},{self.mine(b, n, d, mp)},{2 * self.mine(b, n, d, mp)}"
                    for mp, b, n, d in itertools.product((1, 2, 4), (1, 2, 4), (128, 256, 512), (256, 512, 1024))], "mp,b,l,dim,F_dur(us),B_dur(us)")
        ask = lambda: json.loads(self.succeed("predict", "operator", "G", "mine", "fp16", "fwd", 2, 3, 384, 768, "--data", self.data, "--json"))
        model = lambda: json.loads((self.data / "models/G_mine_fp16_forward.json").read_text())
        self.assertEqual(ask()["features"], [2, 3, 384, 768], "the sizes")
        self.own(features=["b*l", "dim*4/mp"])
        self.succeed("train", self.data)
        self.assertEqual(model()["model"]["features"], ["b*l", "dim*4/mp"])
        done = run("predict", "operator", "G", "mine", "fp16", "fwd", 2, 3, 384, 768, "--data", self.data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), "the model is there already")
        self.assertIn("  features b*l=1152 dim*4/mp=1536\n", done.stdout)
        told = ask()
        self.assertEqual(told["features"], [3 * 384, 4 * 768 / 2])
        self.assertAlmostEqual(told["predicted_us"] / self.mine(3, 384, 768, 2), 1, delta=0.03)
        self.own(features=["b*l*dim/mp/1000"])
        self.assertEqual(ask()["features"], [3 * 384 * 768 / 2 / 1000], "trained again")
        self.assertEqual(model()["model"]["features"], ["b*l*dim/mp/1000"])
        self.assertIn("b*l*dim/mp/1000=442.368", unwrapped(self.succeed("predict", "operator", "G", "mine", "fp16", "fwd", 2, 3, 384, 768, "--data", self.data)))
        for keys, text in [({"features": ["b*seq"]}, 'mine.yml:4: features: "b*seq" contains seq, which is not the name of a size; the sizes are b, dim, l, mp'),
                           ({"features": ["exec(b)"]}, 'mine.yml:4: features: "exec(b)" contains exec, which is not the name of a size'),
                           ({"features": ["("*200 + "b"]}, "is nested too deeply"),
                           ({"features": ["dim/(mp-1)"]}, "mine: the feature dim/(mp-1) is inf for mp b l dim 1 1 128 256; change the formula"),
                           ({"columns": "b, mp, l, dim", "features": ["b"]}, "G_mine_fp16.csv: the columns with sizes are mp,b,l,dim, but those of mine.yml are b,mp,l,dim")]:
            with self.subTest(text):
                self.own(**keys)
                self.fail_with(text, "predict", "operator", "G", "mine", "fp16", "fwd", 2, 3, 384, 768, "--data", self.data)
        (self.data / "mine.yml").write_text((self.data / "mine.yml").read_text().replace("kernel_name: mine", "kernel_name: other"))
        self.fail_with("mine.yml: kernel_name is other, but the name of the file is that of mine", "train", self.data)

    def test_an_operator_of_ones_own_in_a_step(self):
        """The layer has the operator instead of a linear layer: its shape follows from the sizes of the step."""
        self.energies()
        rows = [f"{r},{w},{5 + r * w / 1000},{10 + r * w / 500},{1e-6 * r * w},{2e-6 * r * w}" for r in range(256, 4097, 256) for w in (1024, 2048, 4096)]
        self.table(rows, "rows,wide,F_dur(us),B_dur(us),F_energy(J),B_energy(J)")
        config = self.folder / "one.yml"
        config.write_text(f"""{{"gpu_name": "G", "operator_data_folder": "{self.data}", "nccl_data_folder": "./regressors/Perlmutter/nccl",
            "training_config": [1, 1, 1, 2, 16, 512, 1024, 4, 1], "comm_bucket": 1000000, "encoders": 3, "recompute": false,
            "function_list": ["mine"], "encoder_function_list": ["layernorm", "mine"], "layernorm_name": "layernorm", "fwd_syncs": 2, "bwd_syncs": 2}}""")
        ask = ["predict", "step", config]
        self.fail_with("mine is not a known operator; did you mean ", *ask)
        self.fail_with("An operator of your own needs a table and the file mine.yml in operator_data_folder", *ask)
        self.own("rows, wide", features=["rows*wide"])
        self.fail_with("the training configuration does not state the size wide; write the operator as {name: {wide: number}}", *ask)
        self.own("rows, wide", features=["rows*wide"], step_shape={"rows": "b*l", "wide": "4*dim/mp"}, parameters="wide*1000")
        step = json.loads(self.succeed(*ask, "--json"))
        terms = {term["name"]: term for term in step["terms"]}
        self.assertEqual(terms["mine forward"]["input"], [1024, 4096])
        self.assertEqual(terms["mine forward"]["features"], [1024 * 4096])
        self.assertAlmostEqual(terms["mine forward"]["predicted_us"] / (5 + 1024 * 4096 / 1000), 1, delta=0.03)
        of = lambda name: terms[name]["predicted_us"]
        ends = sum(of(f"{name} forward") for name in ("embedding", "layernorm", "linear_final", "parallel_cross_entropy_128"))
        self.assertAlmostEqual(step["stages"][0]["forward_us"], 3 * (of("layernorm forward") + of("mine forward")) + ends, delta=0.1)
        norms, table = 4 * 2 * 1024, 50304 * 1024
        self.assertEqual(step["stages"][0]["parameters"], 3 * 4096 * 1000 + norms + 2 * table)
        self.assertIsNotNone(step["total_joules"])
        config.write_text(config.read_text().replace('"mine"]', '{"mine": {"wide": 2048}}]').replace('["mine"', '["layernorm"'))
        step = json.loads(self.succeed(*ask, "--json"))
        self.assertEqual({term["name"]: term for term in step["terms"]}["mine forward"]["input"], [1024, 2048])
        self.fail_with("has no G.csv, the list of models of the tool estimate-train-time; omit --reference", *ask, "--reference")

    def energies(self):
        """Operators of a training step on one GPU whose energies are known: 1 mJ and 1 nJ a FLOP or element, backward twice that."""
        vocabulary = 50304
        columns = {"embedding": "mp,b,l,dim", "layernorm": "b,l,dim", "linear1": "mp,b,l,dim", "linear_final": "mp,b,l,dim",
                   "parallel_cross_entropy_128": "mp,b,l"}
        work = {"embedding": lambda b, n, d: b * n * d, "layernorm": lambda b, n, d: b * n * d, "linear1": lambda b, n, d: 6 * b * n * d * d,
                "linear_final": lambda b, n, d: 2 * b * n * d * vocabulary, "parallel_cross_entropy_128": lambda b, n, d: b * n * vocabulary}
        self.truth = {name: lambda *shape, name=name: 1e-3 + 1e-9 * work[name](*shape) for name in work}
        for name in work:
            rows = {}
            for b, n, d in itertools.product((1, 2, 4, 8, 16), (256, 512, 1024, 2048, 4096), (512, 1024, 2048)):
                shape = [{"mp": 1, "b": b, "l": n, "dim": d}[column] for column in columns[name].split(",")]
                us, joules = 2 + 1e-6 * work[name](b, n, d), self.truth[name](b, n, d)
                rows[",".join(map(str, shape))] = f"{us},{2 * us},{joules},{2 * joules}"
            self.table([f"{shape},{costs}" for shape, costs in rows.items()], f"{columns[name]},F_dur(us),B_dur(us),F_energy(J),B_energy(J)", f"G_{name}_fp16.csv")
        self.truth["firstStage_optimizer"] = lambda dim, layers: 1e-2 + 1e-9 * 12 * layers * dim * dim
        self.table([f"1,{dim},{layers},{100 + layers * dim * dim * 1e-5},{self.truth['firstStage_optimizer'](dim, layers)}" for dim in (512, 1024, 2048) for layers in range(1, 13)],
                   "mp,dim,encoders,dur(us),energy(J)", "G_firstStage_optimizer_fp16.csv")

    def test_energy_of_an_operator(self):
        self.table([f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500},{(1e-3 + 4e-6 * r * c) * (1 + 0.02 * (-1) ** (r // 64))}"
                    for r in range(64, 1025, 64) for c in (128, 256, 512)], "rows,columns,F_dur(us),B_dur(us),F_energy(J)")
        told = json.loads(self.succeed("train", self.data, "--json"))
        self.assertEqual([row["quantity"] for row in told], ["time", "energy", "time"])
        ask = ["predict", "operator", "G", "mine", "fp16", "fwd", 500, 400, "--data", self.data]
        inside = json.loads(self.succeed(*ask, "--json"))
        self.assertAlmostEqual(inside["predicted_joules"] / 0.801, 1, delta=0.1)
        low, high = inside["interval_90_joules"]
        self.assertTrue(low < inside["predicted_joules"] < high)
        self.assertIn("  energy   0.", self.succeed(*ask))
        ask[5] = "bwd"
        self.assertIn("energy   not available", self.succeed(*ask))
        self.assertIsNone(json.loads(self.succeed(*ask, "--json"))["predicted_joules"])
        ask[5:8] = ["fwd", 4096, 512]
        self.assertAlmostEqual(json.loads(self.succeed(*ask, "--json"))["predicted_joules"] / (1e-3 + 4e-6 * 4096 * 512), 1, delta=0.1)

    def test_energy_of_a_step(self):
        self.energies()
        config = self.folder / "one.yml"
        config.write_text(f"""{{"gpu_name": "G", "operator_data_folder": "{self.data}", "nccl_data_folder": "./regressors/Perlmutter/nccl",
            "training_config": [1, 1, 1, 2, 16, 512, 1024, 4, 1], "comm_bucket": 1000000, "encoders": 3,
            "function_list": ["embedding", "layernorm", "linear1", "linear_final", "parallel_cross_entropy_128", "firstStage_optimizer"],
            "encoder_function_list": ["layernorm", "linear1"], "layernorm_name": "layernorm", "fwd_syncs": 2, "bwd_syncs": 2}}""")
        step = json.loads(self.succeed("predict", "step", config, "--json"))
        of = {name: truth(2, 512, 1024) for name, truth in self.truth.items() if name != "firstStage_optimizer"}
        layer = of["layernorm"] + of["linear1"]
        forward = of["embedding"] + 3 * layer + of["layernorm"] + of["linear_final"] + of["parallel_cross_entropy_128"]
        backward = 2 * forward + 3 * layer  # activations of the layers are computed again
        # the optimizer's samples are of the embedding and whole layers; here layers have one linear, and there is a final one
        layer, table = 1024 * 1024, 50304 * 1024
        update = self.truth["firstStage_optimizer"](1024, 3) * (3 * 3 * layer + 2 * table) / (3 * 12 * layer + table)
        self.assertAlmostEqual(step["total_joules"] / (4 * (forward + backward) + update), 1, delta=0.02)
        self.assertEqual(step["without_energy"], [])
        self.assertIn(f"energy: {step['total_joules'] / 1000:.4g} kJ", self.succeed("predict", "step", config))
        watts = step["total_joules"] / step["total_us"] * 1e6
        free = config.read_text()
        config.write_text(free.replace('"encoders"', f'"power_limit": {int(watts / 1.2)}, "encoders"'))
        held = json.loads(self.succeed("predict", "step", config, "--json"))
        self.assertAlmostEqual(held["total_us"] / step["total_us"], 1.2 ** 0.6, delta=0.01)
        self.assertAlmostEqual(held["total_joules"] / step["total_joules"], 1.2 ** -0.4, delta=0.01)
        self.assertAlmostEqual(held["stages"][0]["power_limited"]["unlimited_w"] / watts, 1, delta=1e-6)
        self.assertIn(f"stage 0 would need {watts:.0f} W from each GPU; at the power limit of {int(watts / 1.2)} W, it takes 11.", unwrapped(self.succeed("predict", "step", config)))
        table = self.data / "G_linear1_fp16.csv"
        table.write_text("\n".join(",".join(line.split(",")[:-2]) for line in table.read_text().split()) + "\n")
        self.fail_with("power_limit is set, but the tables contain no energies of the operator linear1 forward", "predict", "step", config)
        config.write_text(free)
        self.assertIn("energy: not available: the samples have no energies of linear1 forward, linear1 backward", unwrapped(self.succeed("predict", "step", config)))
        self.assertIsNone(json.loads(self.succeed("predict", "step", config, "--json"))["total_joules"])

    def test_steps_of_an_h200_are_predicted_within_8_percent(self):
        measured = [json.loads(line) for line in (ROOT / "measurements/steps.jsonl").read_text().splitlines()]
        self.assertEqual({row["step"] for row in measured}, {"gpt2_medium_H200", "llama_7b_8_layers_H200", "gpt2_medium_dp2_H200", "llama_7b_8_layers_tp2_H200"})
        for row in measured:
            told = json.loads(self.succeed("predict", "step", row["step"], "--json"))
            self.assertAlmostEqual(told["total_us"] / row["step_us"][1], 1, delta=0.08)
            self.assertAlmostEqual(told["total_joules"] / row["joules"], 1, delta=0.08)

    def test_collectives_are_predicted_from_the_rows_of_their_nodes_and_gpus(self):
        published = ROOT / "data/regressors/Perlmutter/nccl"
        merged = f"{GPU}_allreduce_fp16.csv"
        (self.data / merged).write_text((published / merged).read_text())
        rows = [tuple(map(float, line.split(","))) for line in (published / merged).read_text().splitlines()[1:]]
        ask = lambda *shape: json.loads(self.succeed("predict", "operator", GPU, "allreduce", "fp16", "step", *shape, "--data", self.data, "--json"))
        for nodes, gpus in ((1, 2), (2, 1)):
            times = {int(elements): us for elements, *topology, us in rows if topology == [nodes, gpus]}
            sizes = sorted(times)
            at = sizes.index(67108864)
            near = [times[size] for size in sizes[at - 5:at + 6]]
            sampled, between = ask(67108864, nodes, gpus), ask((sizes[at] + sizes[at + 1]) // 2, nodes, gpus)
            self.assertAlmostEqual(sampled["predicted_us"] / times[67108864], 1, delta=0.02)
            for told in (sampled, between):
                self.assertTrue(min(near) <= told["predicted_us"] <= max(near), (told, near))
                self.assertEqual((told["outside_sampled_range"], told["rows"]), ([], 1729))
        self.assertEqual(ask(67108864, 3, 1)["outside_sampled_range"], ["nodes 3 (sampled: 1 to 2)", "3x1 GPUs (not sampled)"])
        self.fail_with("allreduce takes 3 numbers, but was given 1; give the numbers shape nodes GPUsPerNode",
                       "predict", "operator", GPU, "allreduce", "fp16", "step", 8, "--data", self.data)
        told = self.succeed("train", self.data)
        for topology in ("1_2", "1_4", "2_1", "2_2", "2_4"):
            self.assertIn(f"{GPU}_allreduce_fp16_{topology} step", told)

    def test_collectives_without_a_merged_table(self):
        ask = ["predict", "operator", GPU, "p2p", "fp16", "step", 2097152]
        told = json.loads(self.succeed(*ask, 1, 2, "--data", "Perlmutter/nccl", "--json"))
        self.assertAlmostEqual(told["predicted_us"], 63.4, delta=7)  # the rows beside it have 59.2 and 59.0
        self.fail_with("no data of p2p in fp16 on 4 nodes with 1 GPUs each; choose sampled numbers (nodes x GPUs per node): 1x2, 2x1", *ask, 4, 1, "--data", "Perlmutter/nccl")

    def test_collectives_of_two_h200(self):
        """In the built-in table, 8,388,608 elements take 72.370 us and 18.5689 mJ on each GPU, and 12,582,912 take 101.648 us and 27.9341 mJ."""
        ask = ["predict", "operator", "NVIDIAH200", "allreduce", "fp16", "step"]
        told = json.loads(self.succeed(*ask, 10485760, 1, 2, "--json"))
        self.assertAlmostEqual(told["predicted_us"], (72.370 + 101.648) / 2, places=2)
        self.assertAlmostEqual(told["predicted_joules"], (0.0185689 + 0.0279341) / 2, places=6)
        low, high = told["interval_90_us"]
        self.assertTrue(80 < low < told["predicted_us"] < high < 94, told)
        self.assertEqual((told["rows"], told["outside_sampled_range"], told["noise_percent"]), (33, [], None))
        self.assertIn("latency and bandwidth between measured sizes on 33 rows; mean error 3.61 % in cross-validation",
                      unwrapped(self.succeed(*ask, 10485760, 1, 2)))
        beyond = json.loads(self.succeed(*ask, 2 * 134217728, 1, 2, "--json"))
        self.assertAlmostEqual(beyond["predicted_us"], 883.458 + 2 * (883.458 - 461.818), delta=0.01 * 1714)
        self.assertEqual(beyond["outside_sampled_range"], ["shape 2.68435e+08 (sampled: 2048 to 1.34218e+08)"])
        self.fail_with("no data of allreduce in fp16 on 1 nodes with 4 GPUs each; choose sampled numbers (nodes x GPUs per node): 1x2", *ask, 8388608, 1, 4)
        ask[3:5] = ["allgather", "bf16"]
        self.fail_with("no data of allgather in bf16; available: fp16", *ask, 8388608, 1, 2)

    def test_collectives_of_ones_own_with_energy(self):
        """Sixteen sizes on 2 and 4 GPUs; joules of one GPU are 300 W times the time."""
        for gpus in (2, 4):
            times = {1024 << i: gpus * (10 + (1024 << i) / 1000) for i in range(16)}
            self.table([f"{size},1,{gpus},{us},{us * 3e-4}" for size, us in times.items()], "shape,nodes,GPUsPerNode,dur(us),energy(J)", f"G_allreduce_bf16_1_{gpus}.csv")
        ask = lambda gpus: json.loads(self.succeed("predict", "operator", "G", "allreduce", "bf16", "step", 3 * 65536, 1, gpus, "--data", self.data, "--json"))
        us = 10 + 3 * 65536 / 1000
        for gpus in (2, 4):
            told = ask(gpus)
            self.assertAlmostEqual(told["predicted_us"], gpus * us, places=6)
            self.assertAlmostEqual(told["predicted_joules"], gpus * us * 3e-4, places=9)
            self.assertEqual((told["energy_model"]["rows"], told["outside_sampled_range"]), (16, []))
        other = ask(8)
        self.assertAlmostEqual(other["predicted_us"], 8 * us, places=6)
        self.assertEqual(other["outside_sampled_range"], ["1x8 GPUs (not sampled)"])
        self.assertLess(other["interval_90_us"][0], 2 * us, "not sampled: the interval contains what was measured on 2 and 4 GPUs")
        trained = json.loads(self.succeed("train", self.data, "--json"))
        self.assertEqual([(row["quantity"], row["rows"], "file" in row) for row in trained], 2 * [("time", 16, False), ("energy", 16, False)])
        self.assertFalse((self.data / "models").exists())

    def test_a_collective_with_too_few_sizes(self):
        self.table([f"{1024 << i},1,2,{10 + i}" for i in range(10)], "shape,nodes,GPUsPerNode,dur(us)", "G_p2p_fp16_1_2.csv")
        self.fail_with("G_p2p_fp16_1_2.csv: the table has 10 different sizes, which are too few for a prediction; measure at least 11 sizes with kjoule collectives",
                       "predict", "operator", "G", "p2p", "fp16", "step", 4096, 1, 2, "--data", self.data)
        self.fail_with("G_p2p_fp16_1_2.csv: contains 10 different sizes, which are too few for training; sample at least 11 shapes", "train", self.data)

    def test_a_table_with_too_few_sizes_is_no_neighbour(self):
        for gpus, rows in ((2, 16), (4, 16), (8, 3)):
            self.table([f"{1024 << i},1,{gpus},{gpus * (10 + 2 ** i)}" for i in range(rows)], "shape,nodes,GPUsPerNode,dur(us)", f"G_allreduce_fp16_1_{gpus}.csv")
        told = json.loads(self.succeed("predict", "operator", "G", "allreduce", "fp16", "step", 65536, 1, 6, "--data", self.data, "--json"))
        self.assertAlmostEqual(told["predicted_us"], 6 * (10 + 64), delta=1e-6)

    def test_energies_of_too_few_sizes_are_not_predicted(self):
        lines = [f"{1024 << i},1,2,{10 + 2 ** i},{1 if i < 6 else ''}" for i in range(17)]
        self.table(lines + lines[:5], "shape,nodes,GPUsPerNode,dur(us),energy(J)", "G_allreduce_fp16_1_2.csv")
        told = json.loads(self.succeed("predict", "operator", "G", "allreduce", "fp16", "step", 65536, 1, 2, "--data", self.data, "--json"))
        self.assertAlmostEqual(told["predicted_us"], 74)
        self.assertIsNone(told.get("predicted_joules"))

    def test_a_step_of_two_h200_uses_one_table_for_all_sizes(self):
        config = self.folder / "two.yml"
        text = (ROOT / "data/regressors/H200/gpt2_medium_H200.yml").read_text()
        text = text.replace("[1, 1, 1, 8, 16, 1024, 1024, 1, 1]", "[1, 1, 2, 8, 16, 1024, 1024, 1, 2]").replace("power_limit: 700\n", "")
        config.write_text(text)
        step = json.loads(self.succeed("predict", "step", config, "--json"))
        lines = {line["name"]: line for line in step["terms"] if "1x2" in line["name"]}
        self.assertEqual(set(lines), {"allreduce_large 1x2", "allgather_large 1x2"})
        for name, operation in (("allreduce_large 1x2", "allreduce"), ("allgather_large 1x2", "allgather")):
            elements, = lines[name]["input"]
            told = json.loads(self.succeed("predict", "operator", "NVIDIAH200", operation, "fp16", "step", int(elements), 1, 2, "--json"))
            self.assertEqual(lines[name]["predicted_us"], told["predicted_us"])
        text = text.replace("[1, 1, 2,", "[1, 2, 1,").replace("fwd_syncs: 0", "fwd_syncs: 2")
        config.write_text(text)
        self.assertIn("allreduce 1x2                                      72.4      0.01857", self.succeed("predict", "step", config))

    def test_a_gpu_without_tables(self):
        """Half the time of the other GPU: by its data sheet, and as ten rows show although the data sheet says otherwise."""
        rows = [f"1,{b},{n},{d},{2 + b * n * d * d * 8e-9},{4 + b * n * d * d * 16e-9}" for b in (1, 2, 4) for n in (512, 1024) for d in (1024, 2048, 3072, 4096)]
        self.table(rows, "mp,b,l,dim,F_dur(us),B_dur(us)", "NVIDIAH200_linear4_fp16.csv")
        sheet = self.folder / "g.json"
        sheet.write_text(json.dumps({"flops_per_s": {"fp16": 494.75e12}, "bytes_per_s": 2.4e12, "cache_bytes": 5e7}))
        ask = ["predict", "operator", "G", "linear4", "fp16", "forward", 1, 2, 1024, 4096, "--data", self.data, "--gpu-like", "NVIDIAH200", "--json", "--roof", sheet]
        told = json.loads(self.succeed(*ask))
        like = 2 + 2 * 1024 * 4096 * 4096 * 8e-9
        self.assertAlmostEqual(told["predicted_us"], 2 * like, delta=0.02 * like)
        self.assertEqual((told["transfer"]["arithmetic_scale"], told["transfer"]["memory_scale"], told["transfer"]["left_out_error_percent"]), (2, 2, None))
        self.assertEqual((told["gpu"], told["transfer"]["gpu_like"], told["energy_model"]), ("G", "NVIDIAH200", None))
        few = self.folder / "few"
        few.mkdir()
        halves = [row.split(",") for row in rows[::2][:10]]
        (few / "G_linear4_fp16.csv").write_text("\n".join(["mp,b,l,dim,F_dur(us),B_dur(us)", *(",".join([*row[:4], str(float(row[4]) / 2), str(float(row[5]) / 2)]) for row in halves)]) + "\n")
        fitted = json.loads(self.succeed(*ask, "--rows", few))
        self.assertAlmostEqual(fitted["predicted_us"], like / 2, delta=0.03 * like)
        self.assertEqual(fitted["transfer"]["rows"], 10)
        width = [high / low for low, high in (told["interval_90_us"], fitted["interval_90_us"])]
        self.assertLess(width[1], width[0], "rows narrow the interval")
        text = unwrapped(self.succeed(*[word for word in ask if word != "--json"], "--rows", few))
        self.assertIn("transfer model of NVIDIAH200; launch x 0.", text)
        self.assertIn("fitted to 10 rows; mean error", text)
        self.fail_with("the peak rates of G in fp16 are not known; give its peak rates in a file with --roof", *ask[:-2])
        self.fail_with("the table has 1 rows, which are too few to adapt a model; sample at least 3 shapes, or omit --rows", *ask, "--rows", self.few_rows(1))

    def test_rows_of_a_gpu_have_the_columns_of_the_other(self):
        self.table(name="NVIDIAH200_mine_fp16.csv")
        sheet = self.folder / "g.json"
        sheet.write_text(json.dumps({"flops_per_s": {"fp16": 494.75e12}, "bytes_per_s": 2.4e12, "cache_bytes": 5e7}))
        own = self.folder / "own"
        own.mkdir()
        for header, row in (("columns,rows,F_dur(us),B_dur(us)", "128,64,3,4"), ("rows,F_dur(us),B_dur(us)", "64,3,4")):
            (own / "G_mine_fp16.csv").write_text("\n".join([header, *[row] * 4]) + "\n")
            self.fail_with(f"own: the columns with sizes of G_mine_fp16.csv are {header.split(',F_')[0]}, but those of the table of NVIDIAH200 are rows,columns; sample both GPUs with the same configuration",
                           "predict", "operator", "G", "mine", "fp16", "forward", 512, 256, "--data", self.data, "--gpu-like", "NVIDIAH200", "--roof", sheet, "--rows", own)

    def test_a_built_in_folder_may_be_given_with_a_slash(self):
        ask = ["predict", "operator", "NVIDIAH200", "gelu", "bf16", "forward", 1, 2, 1024, 4096, "--json", "--models", self.folder / "models", "--data"]
        self.assertEqual(self.succeed(*ask, "H200/operator/"), self.succeed(*ask, "H200/operator"))

    def test_models_of_collectives_that_are_not_kept_are_reported(self):
        shutil.copytree(ROOT / "data/regressors/Perlmutter/operator", self.folder / "operator")
        config = self.folder / "mine.yml"
        config.write_text(self.succeed("predict", "show-example", EXAMPLE).replace("./regressors/Perlmutter/operator", "./operator"))
        os.environ["XDG_CACHE_HOME"] = "/dev/null/cache"  # the folder for models of built-in tables cannot be made
        done = run("predict", "step", config, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "operator/models").exists())
        self.assertEqual(done.stderr.count("trained models are not kept for the next prediction"), 1, done.stderr)

    def test_a_folder_is_no_configuration(self):
        config = self.folder / EXAMPLE
        config.mkdir()
        done = subprocess.run([KJOULE, "predict", "step", EXAMPLE, "--reference", "--json"], capture_output=True, text=True, timeout=600, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def few_rows(self, count):
        folder = self.folder / f"only{count}"
        folder.mkdir()
        (folder / "G_linear4_fp16.csv").write_text("mp,b,l,dim,F_dur(us),B_dur(us)\n" + "1,1,512,1024,3,4\n" * count)
        return folder

    def test_models_are_kept_beside_the_data(self):
        self.table()
        self.succeed("predict", "operator", "G", "mine", "fp16", "backward", 64, 128, "--data", self.data)
        self.assertTrue((self.data / "models/G_mine_fp16_backward.json").exists())

    def test_what_is_wrong_is_one_line(self):
        self.table()
        ask = ["predict", "operator"]
        own = ["--data", self.data]
        self.fail_with("no data of GPU H; available: G; a folder with tables of another GPU is named with --data", *ask, "H", "mine", "fp16", "forward", 1, 2, *own)
        self.fail_with("there are no sampled operator times of the GPU NVIDIAH100; name one of NVIDIAH200", "predict", "operator", "NVIDIAH100", "gelu", "fp16", "fwd", 1, 1, 1, 1)
        self.fail_with("no data of operator min; available: mine", *ask, "G", "min", "fp16", "forward", 1, 2, *own)
        self.fail_with("available: fp16", *ask, "G", "mine", "bf16", "forward", 1, 2, *own)
        self.fail_with("use forward, backward, or step", *ask, "G", "mine", "fp16", "up", 1, 2, *own)
        self.fail_with("has no step times", *ask, "G", "mine", "fp16", "step", 1, 2, *own)
        self.fail_with("mine takes 2 numbers, but was given 3; give the numbers rows columns", *ask, "G", "mine", "fp16", "forward", 1, 2, 3, *own)
        self.fail_with("linear3: dim 4098 cannot be divided by mp 4", *ask, GPU, "linear3", "fp16", "forward", 4, 4, 4096, 4098)

    def test_bad_tables_leave_nothing_behind(self):
        good = ["1,2,3,4"] * 30
        for rows, header, told in [([*good, "1,2,nan,4"], None, "G_mine_fp16.csv:32: the forward time is 'nan'"),
                                   ([*good, "1,2,3,-4"], None, "the backward time is '-4'"),
                                   ([*good, "1,2,0,4"], None, "the forward time is '0'"),
                                   (good[:5], None, "contains 5 rows, which are too few"),
                                   (good, "rows,columns,forward,backward", "the header has no column with times"),
                                   ([*good, "0,2,3,4"], None, "G_mine_fp16.csv:32: rows is '0', which is not a size"),
                                   ([*good, "1,2,3"], None, "3 cells, but the header has 4")]:
            with self.subTest(told):
                self.table(rows, header or "rows,columns,F_dur(us),B_dur(us)")
                self.fail_with(told, "train", self.data, "-o", self.folder / "models")
                self.assertFalse((self.folder / "models").exists())
        self.fail_with("no such folder", "train", self.folder / "nowhere")
        self.fail_with(f"nowhere: no such folder in {os.getcwd()}, and no built-in folder of this name", "train", "nowhere")
        self.table(["1,2,3,4,5,6"] * 30, "b,mp,l,dim,F_dur(us),B_dur(us)", "G_gelu_fp16.csv")
        self.fail_with("G_gelu_fp16.csv:1: the columns with sizes are b,mp,l,dim, but those of gelu are mp,b,l,dim", "train", self.data)

    def test_the_example_by_the_guides_own_models(self):
        step = json.loads(self.succeed("predict", "step", EXAMPLE, "--reference", "--json"))
        self.assertAlmostEqual(step["total_us"] / 9480819, 1, delta=0.015)
        self.assertEqual([stage["layers"] for stage in step["stages"]], [8, 9, 6])
        self.assertTrue(all(term["interval_90_us"] is None for term in step["terms"]), "trees tell none")
        self.fail_with("--schedule", "predict", "step", EXAMPLE, "--reference", "--schedule", "gpipe")
        self.fail_with("--seed", "predict", "step", EXAMPLE, "--seed", 7)

    def test_examples_can_be_listed_shown_and_changed(self):
        self.assertIn(EXAMPLE, self.succeed("predict", "list-examples").split())
        text = self.succeed("predict", "show-example", EXAMPLE)
        config = self.folder / "mine.yml"
        config.write_text(text.replace("comm_bucket", "comm_buckets"))
        self.fail_with("mine.yml:8: comm_buckets: this field is not known; did you mean comm_bucket", "predict", "step", config)
        config.write_text(text.replace("[4, 2, 2,", "[40, 2, 2,"))
        self.fail_with("are too few for 40 pipeline stages", "predict", "step", config)
        self.fail_with("are too few for 40 pipeline stages", "predict", "step", config, "--reference")
        config.write_text(text.replace("./regressors/Perlmutter/operator", "./nowhere"))
        self.fail_with(f"./nowhere: no such folder in {self.folder}, and no built-in folder of this name", "predict", "step", config)
        self.fail_with("cannot be combined with --models", "predict", "step", config, "--reference", "--models", self.folder)
        self.fail_with(f"available: {EXAMPLE}", "predict", "show-example", "llema")
        self.fail_with("use gpipe or 1f1b", "predict", "step", EXAMPLE, "--schedule", "zigzag")
