"""kjoule train and kjoule predict, through their command line."""
import json
import os

from tests.test_commands import InAFolder, run

GPU = "NVIDIAA100-SXM4-80GB"
EXAMPLE = "llemma_7b_4_2_2_P"


class OfSamples(InAFolder):
    def setUp(self):
        super().setUp()
        before = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.addCleanup(lambda: os.environ.pop("XDG_CACHE_HOME") if before is None else os.environ.update(XDG_CACHE_HOME=before))
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
        self.assertEqual((header["format"], header["version"], header["gpu"]), ("kjoule regressor", 2, "G"))
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

    def test_models_are_kept_beside_the_data(self):
        self.table()
        self.succeed("predict", "operator", "G", "mine", "fp16", "backward", 64, 128, "--data", self.data)
        self.assertTrue((self.data / "models/G_mine_fp16_backward.json").exists())

    def test_what_is_wrong_is_one_line(self):
        self.table()
        ask = ["predict", "operator"]
        own = ["--data", self.data]
        self.fail_with("no data of GPU H; there is G", *ask, "H", "mine", "fp16", "forward", 1, 2, *own)
        self.fail_with("no data of operator min; there is mine", *ask, "G", "min", "fp16", "forward", 1, 2, *own)
        self.fail_with("there is fp16", *ask, "G", "mine", "bf16", "forward", 1, 2, *own)
        self.fail_with("use forward, backward, or step", *ask, "G", "mine", "fp16", "up", 1, 2, *own)
        self.fail_with("has no step times", *ask, "G", "mine", "fp16", "step", 1, 2, *own)
        self.fail_with("mine takes 2 numbers, but was given 3; give rows columns", *ask, "G", "mine", "fp16", "forward", 1, 2, 3, *own)
        self.fail_with("linear3: dim 4098 cannot be divided by mp 4", *ask, GPU, "linear3", "fp16", "forward", 4, 4, 4096, 4098)

    def test_bad_tables_leave_nothing_behind(self):
        good = ["1,2,3,4"] * 30
        for rows, header, told in [([*good, "1,2,nan,4"], None, "G_mine_fp16.csv:32: the forward time is 'nan'"),
                                   ([*good, "1,2,3,-4"], None, "the backward time is '-4'"),
                                   ([*good, "1,2,0,4"], None, "the forward time is '0'"),
                                   (good[:5], None, "5 rows are too few"),
                                   (good, "rows,columns,forward,backward", "its header has no times"),
                                   ([*good, "1,2,3"], None, "3 cells, the header has 4")]:
            with self.subTest(told):
                self.table(rows, header or "rows,columns,F_dur(us),B_dur(us)")
                self.fail_with(told, "train", self.data, "-o", self.folder / "models")
                self.assertFalse((self.folder / "models").exists())
        self.fail_with("no such folder", "train", self.folder / "nowhere")

    def test_the_example_by_the_guides_own_models(self):
        step = json.loads(self.succeed("predict", "step", EXAMPLE, "--reference", "--json"))
        self.assertAlmostEqual(step["total_us"] / 9480819, 1, delta=0.015)
        self.assertEqual([stage["layers"] for stage in step["stages"]], [8, 9, 6])

    def test_examples_can_be_listed_shown_and_changed(self):
        self.assertIn(EXAMPLE, self.succeed("predict", "list-examples").split())
        text = self.succeed("predict", "show-example", EXAMPLE)
        config = self.folder / "mine.yml"
        config.write_text(text.replace("comm_bucket", "bucket"))
        self.fail_with("has no comm_bucket", "predict", "step", config)
        config.write_text(text.replace("[4, 2, 2,", "[40, 2, 2,"))
        self.fail_with("cannot be shared among 40 pipeline stages", "predict", "step", config)
        config.write_text(text.replace("./regressors/Perlmutter/operator", "./nowhere"))
        self.fail_with("./nowhere: no such folder beside the configuration", "predict", "step", config)
        self.fail_with(f"there is {EXAMPLE}", "predict", "show-example", "llema")
        self.fail_with("use gpipe or 1f1b", "predict", "step", EXAMPLE, "--schedule", "zigzag")
