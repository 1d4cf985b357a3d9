"""The published files of the documents about the replay of BLOOM-560M and the profile of Vicuna-7B on two GPUs: their tables are read, classified,
compared and replayed.

The published files are in the folder shared beside the repository. Where it is missing, the same tests run with the table of
tests/gpu/bloom_kernels.csv, which has the same kernels, and with small files in the published forms.
"""
import collections
import csv
import io
import json
import re
import unittest

from .driver import ROOT, unwrapped
from .test_commands import ON_CPU, InAFolder, run
from .test_energy import stamp

DOCUMENTS = ROOT.parent / "shared/data/documents"
BLOOM = ROOT / "tests/gpu/bloom_kernels.csv"
TIERS = {"tier1_cuda_runtime": (68, 1303, "7.6%"), "tier2_cublas": (23, 3721, "21.7%"), "tier3_libtorch": (53, 12162, "70.8%")}
# Kernels of the table whose sizes are in no field, and those that compute matrix products.
CONCATENATION, LOOKUP, PRODUCT = (f"{what} in neither its name nor its grid" for what in
                                  ["the sizes of the concatenated tensors are", "how many rows it reads is", "K of this matrix product is"])


def published(name):
    """Returns the path of a published file; None where it is missing."""
    path = DOCUMENTS / name
    return path if path.exists() else None


class Chain(InAFolder):
    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def table(self, *arguments):
        """Returns what kjoule kernels --json prints."""
        return json.loads(self.succeed("kernels", *arguments, "--json"))


def timed(number, name, tier, count, each_us):
    """A row of the published isolated_kernels_timing.json."""
    return {"benchmark_runs": 50000, "end_timestamp": stamp(number + 1), "invocation_count": count, "name": name, "single_time_us": each_us,
            "start_timestamp": stamp(number), "tier": tier, "total_time_us": count * each_us}


class BloomTable(Chain):
    def test_the_numbers_of_the_document(self):
        forms = [published(name) for name in ["kernel_signatures.json", "bloom_unique_kernels_compute.jsonl", "bloom_unique_kernels_compute.csv"]]
        for form in [BLOOM, *filter(None, forms)]:
            with self.subTest(form.name):
                table = self.table(form)
                summary = table["summary"]
                self.assertEqual((len(table["kernels"]), summary["total_kernels"], summary["invocation_count"], summary["launches"]), (144, 144, 17186, 17186))
                self.assertEqual({tier: (summary[tier]["unique"], summary[tier]["invocations"], f"{summary[tier]['percentage']:.1f}%") for tier in TIERS}, TIERS)
                self.assertEqual(sum(kernel["invocation_count"] for kernel in table["kernels"]), 17186)
                self.assertIsNone(summary["iterations"], "the table does not state how many iterations it has")
                self.assertEqual({kernel["count"] for kernel in table["kernels"]}, {None})

    def test_a_table_is_classified_under_the_documents_names(self):
        table = self.table(BLOOM)
        document = json.loads(path.read_text())["summary"] if (path := published("kernel_signatures.json")) else {
            "total_kernels": 144, **{tier: dict(zip(["unique", "invocations", "percentage"], numbers)) for tier, numbers in TIERS.items()}}
        for key, value in document.items():
            ours = table["summary"][key]
            self.assertEqual({**ours, "percentage": f"{ours['percentage']:.1f}%"} if isinstance(ours, dict) else ours, value, key)
        again = self.table(self.write("kernel_signatures.json", table))
        self.assertEqual((again["kernels"], again["summary"]["tiers"]), (table["kernels"], table["summary"]["tiers"]))
        for tier, key, wrong in [("tier2_cublas", "unique", 24), ("tier3_libtorch", "invocations", 12161)]:
            changed = {**table, "summary": {**table["summary"], tier: {**table["summary"][tier], key: wrong}}}
            self.fail_with(f'"{key}" of tier {tier[4]} in the summary is {wrong}', "kernels", self.write("wrong.json", changed))
        self.fail_with('"total_kernels" in the summary is 143', "kernels", self.write("wrong.json", {"summary": {"total_kernels": 143}, "kernels": table["kernels"]}))

    def test_counts_are_per_iteration_where_iterations_are_known(self):
        summary = self.table(BLOOM, "--iterations", 26)["summary"]
        self.assertEqual((summary["total_kernels"], summary["invocation_count"], summary["tier1_cuda_runtime"]["invocations"]), (144, 661, 1303 / 26))
        self.assertAlmostEqual(summary["tier1_cuda_runtime"]["percentage"], 100 * 1303 / 17186)

    def test_a_comparison_has_the_documents_fields(self):
        report = json.loads(self.succeed("compare", "--device", "simulated:seed=5", "--runs", "20", "--no-energy", "-o", self.results, "--json"))
        full = self.report("full_model_timing.json")
        self.assertEqual(report["full_model_inference_us"], full["full_model_inference_us"])
        self.assertEqual((report["full_model_inference_us"], report["predicted_from_kernels_us"]), (report["program_iteration_us"], report["sum_us"]))
        predicted, actual = report["predicted_from_kernels_us"], report["full_model_inference_us"]
        self.assertAlmostEqual(report["error_percent"], 100 * abs(predicted - actual) / actual)
        for tier in report["tier_breakdown"].values():
            self.assertLessEqual({"method", "unique_kernels", "total_us", "percentage_of_predicted"}, set(tier))
        self.assertAlmostEqual(sum(tier["total_us"] for tier in report["tier_breakdown"].values()), predicted)
        largest = report["top_kernels"]
        for kernel in largest:
            self.assertLessEqual({"name", "tier", "count", "total_us"}, set(kernel))
        self.assertEqual([kernel["total_us"] for kernel in largest], sorted((kernel["total_us"] for kernel in largest), reverse=True))
        self.assertEqual(len(largest), min(20, sum(tier["unique_kernels"] for tier in report["tier_breakdown"].values())))

    def test_the_20_largest_kernels_of_the_published_times(self):
        path = published("isolated_kernels_timing.json") or self.write("isolated_kernels_timing.json", {"start_timestamp": stamp(0), "kernels": [
            timed(number, f"kernel {number % 9}", 1 + number % 3, 1 + number, 3.5 + 0.37 * number) for number in range(30)]})
        rows = json.loads(path.read_text())["kernels"]
        table = self.table(path)
        self.assertEqual(len(table["kernels"]), len(rows), "kernels of one name are different ones")
        expected = sorted(rows, key=lambda row: -row["total_time_us"])[:20]
        for ours, row in zip(table["kernels"], expected):
            self.assertEqual((ours["name"], ours["tier"], ours["invocation_count"]), (row["name"], row["tier"], row["invocation_count"]))
            self.assertAlmostEqual(ours["total_us"], row["total_time_us"], delta=0.002)
            self.assertAlmostEqual(ours["mean_us"] / row["single_time_us"], 1, delta=0.001)
        self.succeed("import", path, "-o", self.folder / "imported")
        self.assertEqual(self.table(self.folder / "imported")["kernels"], table["kernels"])

    def test_the_joules_of_the_published_log(self):
        """The published total, 2424.75 J; without the published files, a constant power over the time of the runs."""
        log, timing = published("gpu_power_20260206_183216.csv"), published("full_model_timing.json")
        joules = 2424.75173659
        if log is None or timing is None:
            joules = 100 * 300.0
            log = self.write("gpu_power.csv", "timestamp,gpu,power_w\n" + "".join(f"{stamp(s / 25)},0,{300 + (0.5 if s % 2 else -0.5)}\n" for s in range(6000)))
            timing = self.write("full_model_timing.json", {"full_model_inference_us": 1e5, "num_runs": 1000, "start_timestamp": stamp(60), "end_timestamp": stamp(160)})
        report = json.loads(run("energy", "--power-log", log, "--timing", timing, "-o", self.folder / "energy_report.json", "--json").stdout)
        self.assertAlmostEqual(report["energy_joules"]["total"] / joules, 1, delta=1e-4)
        self.assertAlmostEqual(report["energy_joules"]["per_run"], report["energy_joules"]["total"] / 1000)


class NotReplayable(Chain):
    """The kernels of the table without a call that launches them again."""

    def without_sizes(self):
        rows = list(csv.DictReader(BLOOM.open(newline="")))
        text = io.StringIO()
        writer = csv.DictWriter(text, [key for key in rows[0] if key not in ("M", "N", "K", "dtype")], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        return self.write("names.csv", text.getvalue())

    def test_the_kernels_of_bloom(self):
        names = self.without_sizes()
        forms = [(path, 3) for path in [BLOOM, published("kernel_signatures.json")] if path]
        forms += [(path, 26) for path in [names, published("bloom_unique_kernels_compute.jsonl")] if path]
        for path, number in forms:
            with self.subTest(path.name):
                screen = unwrapped(self.succeed("kernels", path))
                self.assertIn(f"no call is known that replays {number} of 144 kernels: ", screen)
                reasons = {reason["error"].partition(";")[0]: reason["kernels"] for reason in self.table(path)["summary"]["not_replayable"]}
                self.assertEqual(reasons, {CONCATENATION: 2, LOOKUP: 1, **({PRODUCT: 23} if number > 3 else {})})
                for reason in reasons:
                    self.assertEqual(screen.count(reason), 1)
                self.assertLess(screen.index("no call is known"), screen.index("mean us"))

    def test_the_line_precedes_the_work_and_the_list_follows_it(self):
        rows = [row for row in csv.DictReader(BLOOM.open(newline="")) if re.search("DeviceScan|::reduce_kernel|reduction_prod|CatArray|indexSelect|maxwell_fp16", row["name"])]
        table = self.write("few.jsonl", "".join(json.dumps({key: value for key, value in row.items() if value}) + "\n" for row in rows))
        done = run("isolated", "--kernels", table, *ON_CPU, "--threads", "1", "-o", self.results)
        told = done.stderr.splitlines()
        notice = f"{table}: 6 of 10 kernels ran on a GPU and are replayed on the CPU, so their times are not compared with those of the table; 1 matrix product is " \
                 "computed by cuBLAS, which needs a GPU, and is not replayed"
        self.assertEqual(done.returncode, 1)
        self.assertIn(notice, told)
        self.assertTrue(all(line.startswith(f"{table}: ") for line in told[:told.index(notice)]), "only warnings about the table precede it")
        report = json.loads((self.results / "isolated_kernels_timing.json").read_text())
        calls = collections.Counter(kernel["call"] for kernel in report["kernels"] if kernel["single_time_us"] is not None)
        self.assertEqual(calls, {"aten::cumsum": 2, "aten::sum.dim_IntList": 1, "aten::prod.dim_int": 1, "aten::amax": 1, "aten::argmax": 1})
        screen = unwrapped(done.stdout)
        self.assertIn("not replayed: 4 of 10 kernels: ", screen)
        for reason in [CONCATENATION, LOOKUP, "its matrices are multiplied by cuBLAS, which needs a GPU; omit --device cpu"]:
            self.assertIn(reason, screen[screen.index("not replayed: "):])

    def test_a_table_that_can_be_replayed_lists_nothing(self):
        table = self.write("table.jsonl", '{"name": "Memset (Device)", "count": 2, "bytes": 64}\n')
        self.assertNotIn("no call is known", self.succeed("kernels", table))
        self.assertEqual(self.table(table)["summary"]["not_replayable"], [])


NAMES = {"gemm_ampere": ["ampere_fp16_s16816gemm_fp16_128x64_tn"], "memory_memcpy": ["Memcpy DtoD (Device -> Device)"],
         "native_reduce": ["void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(int)"]}


def two_gpus():
    """Returns the contents of a file of categories of two GPUs, in the published form."""
    def row(name, device, count):
        sizes = {"bytes": 4096} if name.startswith("Mem") else {"grid": [8, 1, 1], "block": [128, 1, 1], "shared memory": 0}
        return {"name": name, "count": count, "device": str(device), "signature": {"device": device, "stream": 7, **sizes}}
    return {category: [row(name, device, 10 + device) for device in (0, 1) for name in names] for category, names in NAMES.items()}


def label_of(line):
    """Returns what the lines of both GPUs have in common: a category, or the signature of a kernel."""
    return (line["name"], str(line.get("grid")), str(line.get("block")), line.get("bytes")) if "name" in line else line["category"]


class TwoGpus(Chain):
    def breakdown(self):
        return published("vicuna_kernel_categories_breakdown.json") or self.write("kernel_categories_breakdown.json", two_gpus())

    def other_forms(self):
        """The same table as JSON lines and as CSV."""
        forms = [published(f"vicuna_unique_kernels_compute.{form}") for form in ("jsonl", "csv")]
        if all(forms):
            return forms
        rows = [row for rows in two_gpus().values() for row in rows]
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["name", "device", "count", "signature_json"])
        writer.writerows([row["name"], row["device"], row["count"], json.dumps(row["signature"])] for row in rows)
        return [self.write("table.jsonl", "".join(json.dumps(row) + "\n" for row in rows)), self.write("table.csv", text.getvalue())]

    def test_the_published_files_agree(self):
        path = self.breakdown()
        rows = [row for rows in json.loads(path.read_text()).values() for row in rows]
        table = self.table(path)
        self.assertEqual((table["summary"]["gpus"], table["summary"]["launches"], len(table["kernels"])), ([0, 1], sum(row["count"] for row in rows), len(rows)))
        if path.parent == DOCUMENTS:
            self.assertEqual((len(rows), table["summary"]["launches"]), (178, 65232))
        for other in self.other_forms():
            again = self.table(other)
            self.assertEqual(sorted(map(json.dumps, again["kernels"])), sorted(map(json.dumps, table["kernels"])), other.name)
        self.succeed("import", path, "-o", self.folder / "imported")
        self.assertEqual(self.table(self.folder / "imported")["kernels"], table["kernels"])
        one = self.table(path, "--gpu", 1)
        self.assertEqual(one["summary"]["launches"], sum(row["count"] for row in rows if row["device"] == "1"))
        self.assertNotIn("all_gpus", one)

    def test_gpus_share_a_table(self):
        path = self.breakdown()
        for by in ["signature", "category"]:
            table = self.table(path, "--by", by)
            lines = table["kernels" if by == "signature" else "groups"]
            sums = collections.Counter()
            for line in lines:
                sums[label_of(line)] += line["launches"]
            self.assertEqual({label_of(line): line["launches"] for line in table["all_gpus"]}, dict(sums))
            self.assertTrue(all("gpu" not in line for line in table["all_gpus"]))
        copies = next(line for line in table["all_gpus"] if line["category"] == "copy")
        each = [line["unique_kernels"] for line in lines if line["category"] == "copy"]
        self.assertEqual((copies["unique_kernels"], len(each)), (each[0], 2), "both GPUs run the same kernels")
        shown = [tuple(line.split()[:2]) for line in self.succeed("kernels", path, "--by", "category").splitlines() if line.endswith(" copy")]
        of_gpus = sorted((str(line["gpu"]), str(line["launches"])) for line in lines if line["category"] == "copy")
        self.assertEqual(shown, [("all", str(copies["launches"])), *of_gpus])

    def test_categories_that_are_none(self):
        whole = json.dumps(two_gpus())
        for text, told in [(whole[:-30], "ends"), (whole + "]", "text after the end of the table"), ('{"gemm": [], "gemm": []}', 'the category "gemm" is given twice'),
                           ('{"gemm": [{"count": 2}]}', 'has no "name"'), ('{"gemm": []}', "contains no kernels"), ('{"gemm": [{"name": "k"}], "sum": 3}', "neither a trace nor a kernel table"),
                           ('{"gemm": [{"name": "k"}, 3]}', "this kernel is not a JSON object")]:
            with self.subTest(told):
                self.fail_with(told, "kernels", self.write("bad.json", text))


if __name__ == "__main__":
    unittest.main()
