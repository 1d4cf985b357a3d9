"""Depth, expansion and numbers of files and options are limited; an error names the limit (docs/design/trust.md)."""
import json
import pathlib
import re
import unittest

from .. import test_energy, test_predict, test_sample  # modules, so that their tests are not collected again
from ..test_commands import ON_CPU, ROOT, InAFolder, run
from .test_security import QUICK, Hostile

DEEP = 100_000
NESTING = "nesting limit: 64 levels"
SIMULATED = ["--device", "simulated:seed=5,launches=4", "--runs", "2", "--time-limit", "0.05", "--no-energy"]
LAYER = "{name: a, kind: relu, shape: [1]}"


class Limited(Hostile):
    def refused_by(self, text, *arguments):
        """One line with the text, in bounded time; it is neither a crash nor called a bug."""
        done = self.run_here(*arguments)
        self.assertIn(done.returncode, (1, 2, 105, 106), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertNotIn("this is a bug", done.stderr)
        self.assertNotIn("unexpected exception", done.stderr)
        self.assertLess(len(done.stderr), 2000)


class Depth(Limited):
    def deep(self, name, before="", after="", brackets="[]"):
        return self.file(name, before + brackets[0] * DEEP + brackets[1] * DEEP + after)

    def test_a_recording(self):
        path = self.folder / "recording.jsonl"
        self.succeed("record", "--device", "simulated:seed=5,launches=4", "-o", path)
        header, first, *rest = path.read_text().splitlines()
        deep = "[" * DEEP + "]" * DEEP
        for lines in [[header.replace('"device":', f'"deep":{deep},"device":', 1), first, *rest], [header, first[:-1] + f',"deep":{deep}}}', *rest]]:
            path.write_text("\n".join(lines) + "\n")
            for command in [["kernels", path], ["import", path, "-o", "imported"], ["isolated", "--kernels", path, *ON_CPU]]:
                with self.subTest(command[0], first=lines[0][:20]):
                    self.refused_by(NESTING, *command)

    def test_rows(self):
        self.succeed("isolated", "--device", "simulated:seed=5,launches=4", "-o", self.results)
        path = self.results / "results.jsonl"
        path.write_text('{"a":' + "[" * DEEP + "]" * DEEP + "," + path.read_text()[1:])
        self.refused_by(NESTING, "kernels", self.results)

    def test_other_files(self):
        recording = self.folder / "recording.jsonl"
        self.succeed("record", "--device", "simulated:seed=5,launches=4", "-o", recording)
        table = self.deep("table.jsonl", '{"name": "k", "arguments": ', "}")
        report = self.deep("report.json", '{"comparison": ', "}")
        roof = self.deep("roof.json", '{"a": ', "}")
        trace = self.deep("trace.json", '{"schemaVersion": 1, "traceEvents": [], "deep": ', "}")
        rules = self.deep("rules.jsonl", '{"kernel": ', "}\n")
        for command in [["diff", report, report], ["kernels", recording, "--rules", rules], ["isolated", "--kernels", table, *ON_CPU], ["import", table, "-o", "imported"],
                        ["import", trace, "-o", "imported"], ["kernels", trace], ["sample", ROOT / "data/sampling/RoPE.yml", "--precision", "fp32", "--roof", roof, *ON_CPU]]:
            with self.subTest(command[0], file=str(command[1])):
                self.refused_by(NESTING, *command)

    def test_yaml(self):
        for name, text in {"brackets": "name: n\nlayers: " + "[" * DEEP + "]" * DEEP, "open brackets": "name: n\nlayers: " + "[" * DEEP, "levels": "name: n\nlayers: " + "[" * 70 + "]" * 70,
                           "braces": "{a: " * DEEP, "lines": "".join(" " * n + "a:\n" for n in range(600)), "an alias of itself": "name: n\nlayers: &a [*a]",
                           "two aliases": "name: n\nlayers: &a [[1, *a], *a]", "a map of itself": f"name: n\nlayers: &a [{LAYER}, {{repeat: 2, layers: *a}}]"}.items():
            with self.subTest(name):
                self.refused_by(NESTING, "layers", self.file("n.yaml", text), *QUICK)
                self.refused_by(NESTING, "sample", self.file("s.yml", text), "--precision", "fp32", *ON_CPU)
                self.refused_by(NESTING, "predict", "step", self.file("t.yml", text))


class Expansion(Limited):
    def test_nine_levels_of_aliases(self):
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 9)]
        text = "name: n\n" + "\n".join(lines) + "\nlayers: *a8\n"
        for command in [["layers", self.file("n.yaml", text), *QUICK], ["sample", self.file("s.yml", text), "--precision", "fp32", *ON_CPU], ["predict", "step", self.file("t.yml", text)]]:
            with self.subTest(command[0]):
                self.refused_by("expansion limit: 1000000", *command)

    def test_aliases_are_read(self):
        text = f"name: n\nlayers:\n  - &one {LAYER}\n  - *one\n  - {{repeat: 2, layers: [*one]}}\n"
        self.succeed("layers", self.file("n.yaml", text), *QUICK, "-o", self.results)


class Readers(unittest.TestCase):
    def test_no_reader_has_its_own_parser(self):
        """base/json/parse_json and base/files parse; tests may do what they like."""
        direct = re.compile(r"json::(parse|accept|sax_parse)\b|json::parser\b|\bYAML::Load|from_(msgpack|bson|ubjson|bjdata)\(")
        allowed = {"base/json/parse_json.cpp", "base/files/files.cpp", "base/files/yaml_file.hpp", "report/documented_columns.hpp"}
        found = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.[ch]pp") if not path.name.endswith("_test.cpp") and direct.search(path.read_text())}
        self.assertEqual(found, allowed)


class Numbers(Limited):
    def test_options_are_finite(self):
        for value in ["inf", "-inf", "nan", "1e999", "infinity"]:
            for command in [["compare", *SIMULATED, "--items"], ["compare", "--device", "simulated:seed=5", "--time-limit"],
                            ["predict", "operator", "NVIDIAA100-SXM4-80GB", "gelu", "fp16", "fwd", "1", "1", "1"]]:
                with self.subTest(command[:3], value=value):
                    done = self.run_here(*command, value)
                    self.assertNotEqual(done.returncode, 0, done.stdout)
                    self.assertNotIn("this is a bug", done.stderr)
                    self.assertNotIn("nan", done.stdout.lower())

    def test_items(self):
        self.refused_by("inf is not a number from 1e-06 to 1e+15", "compare", *SIMULATED, "--items", "inf", "-o", self.results)
        self.assertFalse(self.results.exists())

    def test_overflowing_networks(self):
        huge = 2**52
        cases = {"parameters and repeat": f"  - repeat: 90000\n    layers: [{{name: a, kind: relu, shape: [1], parameters: {huge}}}]",
                 "matmul": f"  - {{name: a, kind: matmul, M: {huge}, K: {huge}, N: {huge}}}", "shape": f"  - {{name: a, kind: relu, shape: [{huge}, {huge}]}}",
                 "conv": "  - {name: a, kind: conv, N: 1, " + ", ".join(f"{size}: 1000000" for size in ["C", "M", "P", "Q", "R", "S", "HS", "WS"]) + "}",
                 "attention": f"  - {{name: a, kind: attention, batch: 1, heads: 1, queries: {2**40}, keys: {2**40}, width: 1}}", "embedding": f"  - {{name: a, kind: embedding, vocab: {huge}, width: {huge}, tokens: 1}}",
                 "operator": f"  - {{name: a, kind: operator, operator: aten::relu, arguments: [{{tensor: [{huge}, {huge}]}}]}}", "cat": f"  - {{name: a, kind: cat, axis: 0, shapes: [{', '.join([f'[{huge}]'] * 300)}]}}",
                 "sum": "\n".join(f"  - {{name: a{n}, kind: relu, shape: [1], parameters: {huge}}}" for n in range(300))}
        for name, layers in cases.items():
            with self.subTest(name):
                self.refused_by("above 2^60", "layers", self.file("n.yaml", f"name: n\nlayers:\n{layers}\n"), *QUICK)


    def test_nested_repeats(self):
        """Each level multiplied the layers in memory before they were counted."""
        layers = "{repeat: 90000, layers: [" * 4 + LAYER + "]}" * 4
        self.refused_by("the network has more than 100000 layers", "layers", self.file("n.yaml", f"name: n\nlayers: [{layers}]\n"), *QUICK)


class IdlePower(test_energy.EnergyCase):
    def test_above_all_readings_it_is_refused(self):
        """`energy --idle 1e5` printed -9,969,985 J."""
        for idle in ["1e5", "300.6", "1e300"]:
            with self.subTest(idle):
                self.fail_with("so no device was idle at this power", *self.energy("--idle", idle))
        for idle in ["inf", "nan", "-1"]:
            with self.subTest(idle):
                self.fail_with(f"--idle {idle}: ", *self.energy("--idle", idle))
        self.assertFalse((self.results / "energy_report.json").exists())


class Tables(InAFolder):
    """Parts of sampled tables, and what is made of them."""

    configuration, sample, rows = test_sample.OfSweeps.configuration, test_sample.OfSweeps.sample, test_sample.OfSweeps.rows

    def setUp(self):
        super().setUp()
        report = self.sample(self.configuration())
        self.csv, self.jsonl = pathlib.Path(report["csv"]), pathlib.Path(report["jsonl"])
        self.merge = ["sample", "merge", self.csv, "-o", self.folder / "merged.csv"]

    def refuse(self, lines, text):
        self.csv.write_text("".join(lines))
        self.fail_with(text, *self.merge)
        self.assertFalse((self.folder / "merged.csv").exists())

    def test_a_table_that_ends_within_a_number(self):
        lines = self.csv.read_text().splitlines(keepends=True)
        for cut in range(1, 6):
            with self.subTest(cut=cut):
                self.refuse([*lines[:-1], lines[-1][:-cut]], "25: the file ends within this line")
                shortened = lines[-1][:-1 - cut]
                if float(shortened.split(",")[-1]) != float(lines[-1].split(",")[-1]):
                    self.refuse([*lines[:-1], shortened + "\n"], "does not contain this row: it was changed or cut off; delete the line")

    def test_rows_that_were_changed_or_lost(self):
        lines = self.csv.read_text().splitlines(keepends=True)
        for row in [1, 12, 24]:
            with self.subTest(row):
                self.refuse(lines[:row] + lines[row + 1:], "which was measured, is missing; repeat the kjoule sample command of this part")
                cells = lines[row].split(",")
                self.refuse([*lines[:row], ",".join([*cells[:4], str(float(cells[4]) + 1), cells[5]]), *lines[row + 1:]], f"csv:{row + 1}: ")
                self.refuse([*lines[:row], ",".join(["7", *cells[1:]]), *lines[row + 1:]], ".csv")

    def test_the_remedy_helps(self):
        lines = self.csv.read_text().splitlines(keepends=True)
        self.refuse(lines[:5] + lines[6:], "is missing")
        self.sample(self.configuration())
        self.succeed(*self.merge)
        self.assertEqual(len(self.rows(self.folder / "merged.csv")), 24)


class Models(InAFolder):
    """Trained models that were changed are trained again; their numbers have ranges."""

    table = test_predict.OfSamples.table

    def setUp(self):
        super().setUp()
        self.data = self.folder / "sampled"
        self.data.mkdir()
        self.table()
        self.models = self.folder / "models"
        self.asked = ["predict", "operator", "G", "mine", "fp16", "fwd", 500, 400, "--data", self.data, "--models", self.models, "--json"]
        self.expected = json.loads(self.succeed(*self.asked))
        self.path = self.models / "G_mine_fp16_forward.json"

    def test_a_changed_model_is_trained_again(self):
        stored = self.path.read_text()
        changes = {"a digit": ('"least_measured": ', '"least_measured": 9'), "the number of rows": ('"rows": ', '"rows": 1'), "no checksum": ('"checksum"', '"checksun"'),
                   "the interval": ('"inside": ', '"inside": 1')}
        for name, (before, after) in changes.items():
            with self.subTest(name):
                self.assertIn(before, stored)
                self.path.write_text(stored.replace(before, after, 1))
                done = run(*self.asked)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout), self.expected)
                self.assertEqual(self.path.read_text(), stored, "it was trained again")

    def test_a_table_that_was_cut_off(self):
        path = self.data / "G_mine_fp16.csv"
        whole = path.read_text()
        for cut in [1, 2, 4]:
            with self.subTest(cut=cut):
                path.write_text(whole[:-cut])
                for command in [self.asked, ["train", self.data, "-o", self.models]]:
                    self.fail_with("the file ends within this line, so its last number may be incomplete", *command)


if __name__ == "__main__":
    unittest.main()
