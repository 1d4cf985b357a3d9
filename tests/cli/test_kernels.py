"""kjoule kernels of recordings and results, and the rules that say what kernels are."""
import csv
import io
import json
import unittest

from .test_commands import SIMULATED, InAFolder


class Kernels(InAFolder):
    def test_kernels_of_a_recording_and_of_results(self):
        self.succeed("compare", *SIMULATED, "-o", self.results)
        recording = self.results / "recording.jsonl"
        listed = [json.loads(line) for line in self.succeed("kernels", recording, "--jsonl").splitlines()]
        timed = list(csv.DictReader(io.StringIO(self.succeed("kernels", self.results, "--csv"))))
        self.assertEqual(sorted(k["signature"] for k in listed), sorted(k["signature"] for k in timed))
        recording.write_text(recording.read_text()[:-40])
        self.fail_with("recording.jsonl:", "kernels", recording)
        self.fail_with("no such file", "kernels", self.folder / "none.jsonl")
        self.fail_with("writes a timeline only for the run of a program", "kernels", self.results, "--timeline", self.folder / "run.json")

    def recording_of(self, *names):
        """A recording of launches with these names, all recorded with an unknown tier."""
        path = self.folder / "recording.jsonl"
        header = {"format": "kjoule-recording", "version": 1, "program": {}, "device": {}, "launches": len(names)}
        launches = [{"name": name, "tier": 0, "signature": name, "detail": {}} for name in names]
        path.write_text("".join(json.dumps(line) + "\n" for line in [header, *launches]))
        return path

    def test_kernels_say_what_they_are(self):
        names = ["nvjet_sm90_tst_192x208_64x4_2x1_v_bz_TNT", "aten::layer_norm", "void my_gemm<float>(float*)"]
        path = self.recording_of(*names)
        as_json, rows = self.printed_in_each_form("kernels", path)
        listed = json.loads(as_json)
        self.assertEqual([k["tier"] for k in listed], [2, 3, "unknown"])
        self.assertEqual([k["category"] for k in listed], ["gemm", "normalisation", "unknown"])
        self.assertEqual([k.get("family") for k in listed], ["cublaslt", "libtorch", None])
        self.assertEqual([k.get("dtype") for k in listed], ["bfloat16", None, None])
        for key in ["tier", "category", "family", "dtype"]:
            self.assertEqual([row[key] for row in rows], [str(k.get(key, "")) for k in listed])
        self.assertIn("normalisation", self.succeed("kernels", path))

    def test_rules_of_ones_own(self):
        path = self.recording_of("void my_gemm<float>(float*)", "nvjet_sm90_tst_192x208_64x4_2x1_v_bz_TNT")
        rules = self.folder / "rules.jsonl"
        rules.write_text('{"function": "my_*", "tier": 3, "family": "mine", "category": "gemm"}\n'
                         '{"family": "mine", "types": {"float": "float32"}}\n')
        listed = [json.loads(line) for line in self.succeed("kernels", path, "--rules", rules, "--jsonl").splitlines()]
        self.assertEqual([(k["tier"], k["family"], k["category"], k["dtype"]) for k in listed],
                         [(3, "mine", "gemm", "float32"), (2, "cublaslt", "gemm", "bfloat16")])

    def test_rules_that_are_none(self):
        path = self.recording_of("f")
        rules = self.folder / "rules.jsonl"
        for text, told in [('{"function": "f", "tier": 2}\n{"function": "g"', "rules.jsonl:2: not a complete JSON object; "),
                           ('{"function": "f", "tier": 9}\n', 'rules.jsonl:1: "tier" is 9; '),
                           ('{"function": "f", "tier": 2, "category": "gem"}\n', 'rules.jsonl:1: unknown category "gem"; '),
                           ("\n", "rules.jsonl: contains no rule; ")]:
            rules.write_text(text)
            self.fail_with(told, "kernels", path, "--rules", rules)
        self.fail_with("none.jsonl: no such file; ", "kernels", path, "--rules", self.folder / "none.jsonl")
        self.fail_with("no such file", "kernels", "--rules", self.folder / "none.jsonl", "--", "no-such-program")

    def test_the_largest_kernels(self):
        """Without times, they are those of most launches; with times, those that take most time."""
        path = self.recording_of("a", "b", "b", "c", "c", "c", "d")
        lines = self.succeed("kernels", path, "--top", 2).splitlines()
        self.assertEqual([(line.split()[0], line.split()[-1]) for line in lines[2:-1]], [("3", "c"), ("2", "b")])
        self.assertEqual(lines[-1].strip(), "2 more kernels (--json or --csv lists all)")
        self.assertNotIn("more kernels", self.succeed("kernels", path, "--top", 4))
        self.assertEqual(self.succeed("kernels", path, "--top", 0).splitlines()[2:], ["        4 more kernels (--json or --csv lists all)"])
        self.fail_with("--top: -1 is not a whole number", "kernels", path, "--top", "-1")
        self.fail_with("cannot be combined with", "kernels", path, "--top", 2, "--json")
        table = self.folder / "table.csv"
        table.write_text("name,count,mean_us\nsmall,9,1\nlarge,2,50\nmiddle,1,30\n")
        text = self.succeed("kernels", table, "--iterations", 1, "--top", 1)
        text = text.partition("\nkernel\n")[2]
        self.assertIn("large", text)
        self.assertNotIn("middle", text)
        self.assertTrue(text.endswith("        2 more kernels (--json or --csv lists all)\n"), text)
        self.succeed("compare", *SIMULATED, "-o", self.results)
        kernels = json.loads(self.succeed("kernels", self.results, "--json"))
        largest = max(kernels, key=lambda kernel: kernel["total_us"])
        shown = self.succeed("kernels", self.results, "--top", 1).splitlines()
        self.assertEqual(len(shown), 4, shown)
        self.assertIn(largest["name"].split()[0], shown[2])

    def test_a_file_of_all_kernels(self):
        path = self.recording_of("a", "b", "b")
        for ending in ("json", "jsonl", "csv"):
            output = self.folder / f"list.{ending}"
            text = self.succeed("kernels", path, "--top", 1, "-o", output)
            self.assertIn("        1 more kernel (", text)
            self.assertEqual(output.read_text(), self.succeed("kernels", path, f"--{ending}"))
            self.fail_with("exists already", "kernels", path, "--output", output)
        self.fail_with("ends neither with .json, .jsonl nor .csv", "kernels", path, "-o", self.folder / "list.txt")
        self.assertEqual(len(json.loads(self.succeed("kernels", path, "-o", "/dev/stdout"))), 2)
        trace = self.folder / "table.jsonl"
        trace.write_text('{"name": "k", "count": 3}\n')
        self.succeed("kernels", trace, "-o", self.folder / "imported.json")
        self.assertEqual(json.loads((self.folder / "imported.json").read_text())["summary"]["launches"], 3)
        self.fail_with("this file is an input of the command", "kernels", trace, "-o", trace)


if __name__ == "__main__":
    unittest.main()
