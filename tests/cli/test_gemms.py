"""Matrix products that a table states by their sizes, replayed through the command line: the driver and cuBLAS are stand-ins
(tests/fakes/driver, tests/fakes/blas), everything above them is real."""
import csv
import json
import shutil

from .driver import CUBLAS, KJOULE, ROOT, STAND_INS, Driver, unwrapped
from .messages import errors_in

DEFAULT, SPLIT, FLOAT = "ampere_fp16_s16816gemm_fp16_128x64", "maxwell_sgemm_fp16_128x32", "ampere_sgemm_128x64"


class Gemms(Driver):
    def setUp(self):
        super().setUp()
        self.environment["LD_LIBRARY_PATH"] = f"{STAND_INS}:{CUBLAS}"

    def table(self, *rows, name="table.jsonl"):
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    def isolated(self, table, *options, code=0, **environment):
        """Returns isolated_kernels_timing.json and stderr."""
        done = self.run_words([KJOULE, "isolated", "--kernels", table, "-o", self.results, "--json", *options], environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr

    def replayed(self, *rows, code=0, **environment):
        """Returns the kernels of the report, in the order of the rows."""
        return self.isolated(self.table(*rows), code=code, **environment)[0]["kernels"]

    def refused(self, *rows, **environment):
        """Returns kjoule's error for a table of which nothing can be replayed."""
        done = self.run_words([KJOULE, "isolated", "--kernels", self.table(*rows), "-o", self.results], environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        lines = errors_in(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]


def row(name, m, n, k, **more):
    return {"name": name, "count": 1, "M": m, "N": n, "K": k, **more}


class Replay(Gemms):
    def test_the_recorded_kernel_is_found_among_the_algorithms(self):
        rows = [row(f"{DEFAULT}_tn", 128, 3072, 1024, count=24), row(f"{SPLIT}_nn", 5, 3072, 1024, count=12, grid=[24, 1, 5], block=[256, 1, 1]),
                row("splitKreduce_kernel", 5, 3072, 1024, count=12, dtype="fp16", grid=[96, 1, 1]), row(f"{FLOAT}_nt", 64, 256, 512, count=2)]
        report, _ = self.isolated(self.table(*rows))
        for stated, kernel in zip(rows, report["kernels"]):
            self.assertEqual((kernel["replayed"], kernel["ran"], kernel["invocation_count"]), ("same", stated["name"], stated["count"]))
            self.assertGreater(kernel["single_time_us"], 0)
            self.assertAlmostEqual(kernel["total_time_us"], stated["count"] * kernel["single_time_us"])
        self.assertEqual(report["kernels"][0]["call"], "cuBLAS 128x3072x1024 float16")
        self.assertAlmostEqual(report["isolated_sum_us"], sum(kernel["total_time_us"] for kernel in report["kernels"]))
        self.assertEqual((report["replayed_on"], report["shares"]["same_percent"]), ("cuda", 100))
        self.assertEqual(report["tier_breakdown"]["tier2_cublas"]["method"], "cuBLAS, with matrices of the stated sizes and types")
        with open(self.results / "summary.csv", newline="") as file:
            self.assertEqual([(line["replayed"], line["replayed_on"], line["invocation_count"]) for line in csv.DictReader(file)],
                             [("same", "cuda", str(stated["count"])) for stated in rows])

    def test_time_grows_with_the_matrices(self):
        small, large, batched = self.replayed(row(f"{DEFAULT}_tn", 64, 512, 1024), row(f"{DEFAULT}_tn", 64, 2048, 4096), row(f"{DEFAULT}_tn", 64, 512, 1024, batch=16))
        self.assertGreater(large["single_time_us"], 4 * small["single_time_us"])
        self.assertGreater(batched["single_time_us"], 4 * small["single_time_us"])
        self.assertEqual(batched["call"], "cuBLAS 16 x 64x512x1024 float16")

    def test_other_kernels_are_told_apart(self):
        grid, family, other = self.replayed(row(f"{SPLIT}_tn", 5, 3072, 1024, grid=[32, 1, 5]), row("turing_fp16_s1688gemm_fp16_256x64_tn", 8, 64, 64),
                                            row("my_own_gemm", 8, 64, 64, dtype="half", grid=[1, 1, 1]))
        self.assertEqual((grid["replayed"], grid["ran"]), ("same family", f"{SPLIT}_tn"))
        self.assertIn("it ran with grid 24x1x5 instead of 32x1x5", grid["error"])
        self.assertEqual((family["replayed"], family["ran"]), ("same family", f"{DEFAULT}_tn"))
        self.assertEqual(other["replayed"], "different")

    def test_one_row_of_a_product_is_a_gemv(self):
        self.assertEqual(self.replayed(row("gemv2T_kernel_val", 1, 3072, 1024, dtype="fp16", grid=[384, 1, 1]))[0]["replayed"], "same")

    def test_calls_of_linear_layers_need_no_kernel(self):
        rows = [{"name": f"transformer.h.{layer}.mlp", "M": 5, "N": 4096, "K": 1024, "dtype": "torch.bfloat16"} for layer in range(3)]
        report, _ = self.isolated(self.table(*rows, {"name": "lm_head", "M": 5, "N": 25088, "K": 1024, "dtype": "torch.bfloat16"}))
        self.assertEqual({(kernel["replayed"], kernel["ran"]) for kernel in report["kernels"]}, {("kernel not stated", "ampere_bf16_s16816gemm_bf16_128x64_tn")})
        self.assertEqual(report["shares"]["kernel_not_stated_percent"], 100)
        self.assertAlmostEqual(report["isolated_sum_us"], sum(kernel["single_time_us"] for kernel in report["kernels"]))

    def test_a_published_form_of_signatures(self):
        table = self.folder / "kernel_signatures.json"
        table.write_text(json.dumps({"summary": {"total_kernels": 2, "tier2_cublas": {"unique": 1, "percentage": "21.7%"}}, "kernels": [
            {"name": f"{SPLIT}_tn", "tier": 2, "count": 24, "signature": {"device": 0, "stream": 7, "grid": [24, 1, 5], "block": [256, 1, 1], "shared memory": 16384},
             "params": {"grid": [24, 1, 5], "block": [256, 1, 1], "shared_memory": 16384, "dtype": "fp16", "tile_m": 128, "M": 5, "K": 1024, "N": 3072}},
            {"name": "Memcpy DtoH (Device -> Pageable)", "tier": 1, "count": 26, "signature": {"device": 0, "bytes": 1}, "params": {"bytes": 1, "kind": "DtoH"}}]}))
        report, _ = self.isolated(table)
        # the copy is replayed by kjoule-torch, here on the CPU
        self.assertEqual([kernel["replayed"] for kernel in report["kernels"]], ["same", "different"])
        self.assertEqual(report["replayed_on"], "cpu and cuda")
        self.assertTrue((self.results / "products/results.jsonl").exists())
        rows = (self.results / "products/results.jsonl").read_text()
        done = self.run_words([KJOULE, "isolated", "--kernels", table, "--resume", self.results, "--json"])
        self.assertEqual((done.returncode, json.loads(done.stdout)["isolated_sum_us"]), (0, report["isolated_sum_us"]), done.stderr)
        self.assertEqual((self.results / "products/results.jsonl").read_text(), rows)

    def test_the_example_of_the_guide(self):
        report, _ = self.isolated(ROOT / "examples/gemms.csv", FAKE_CUDA_MEMORY=str(16 << 30))
        self.assertEqual({kernel["replayed"] for kernel in report["kernels"]}, {"same"})

    def test_the_published_products_of_bloom(self):
        done = self.run_words([ROOT / "tests/gpu/gemms", "-o", self.results])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("23 kernels: ", done.stdout)
        self.assertRegex(done.stdout, r"maxwell_sgemm_fp16_128x32_tn|cuBLAS GEMM 128x32")
        kernels = json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]
        self.assertEqual(sum(kernel["invocation_count"] for kernel in kernels), 3721)
        self.assertEqual(kernels[0]["replayed"], "same")
        self.assertIn("it ran with grid 24x1x5 instead of 8x1x14", kernels[4]["error"])
        self.assertTrue(all(kernel["single_time_us"] > 0 for kernel in kernels))
        # adding up the parts of a split product is replayed by that, not by a multiplication
        self.assertEqual({kernel["ran"] for kernel in kernels if "splitKreduce" in kernel["name"]}, {"splitKreduce_kernel"})

    def test_stands_next_to_the_comparison_of_a_program(self):
        done = self.run_kjoule("compare", options=["--no-energy", "--kernels", self.table(row(f"{FLOAT}_nn", 64, 256, 512, count=3))])
        self.assertEqual(done.returncode, 0, done.stderr)
        replayed = self.report()["replayed_from_signatures"]
        self.assertEqual(replayed["shares"]["same_percent"], 100)
        self.assertGreater(replayed["isolated_sum_us"], 0)
        self.assertTrue((self.results / "replay/isolated_kernels_timing.json").exists())

    def test_an_import_keeps_the_sizes(self):
        imported = self.folder / "imported"
        done = self.run_words([KJOULE, "import", self.table(row(f"{FLOAT}_nn", 64, 256, 512, count=3, batch=2)), "-o", imported])
        self.assertEqual(done.returncode, 0, done.stderr)
        report, _ = self.isolated(imported)
        self.assertEqual([(kernel["replayed"], kernel["call"]) for kernel in report["kernels"]], [("same", "cuBLAS 2 x 64x256x512 float32")])


class Refused(Gemms):
    GOOD = row(f"{FLOAT}_nn", 64, 256, 512)

    def reason(self, *bad, **environment):
        """Returns why the last of these rows was not replayed, although another one was."""
        *_, refused, good = self.replayed(*bad, self.GOOD, code=1, **environment)
        self.assertEqual((refused["replayed"], good["replayed"]), ("not replayable", "same"))
        self.assertIsNone(refused["single_time_us"])
        return refused["error"]

    def test_matrices_beyond_the_memory(self):
        self.assertIn("its matrices need 5.6 GB, but only", self.reason(row(f"{FLOAT}_tn", 25600, 51200, 1024)))
        self.assertIn("replay it on a GPU with more memory", self.reason(row(f"{FLOAT}_tn", 2147483647, 2147483647, 2147483647, batch=2147483647)))

    def test_products_that_do_not_fit_together(self):
        large = [row(f"{FLOAT}_tn", 2048, 2048, size) for size in (2048, 2049)]
        self.assertIn("replay it from a table without other products", self.reason(*large, FAKE_CUDA_MEMORY=str(128 << 20)))

    def test_types_that_the_gpu_does_not_multiply(self):
        self.assertIn("cuBLAS cannot compute 16x16x16 float8_e4m3 (CUBLAS_STATUS_NOT_SUPPORTED)", self.reason(row("gemm_tn", 16, 16, 16, dtype="e4m3")))

    def test_unknown_types_and_missing_sizes(self):
        self.assertIn('"fp3" is not a type of matrices', self.reason(row("gemm_tn", 16, 16, 16, dtype="fp3")))
        self.assertIn("neither the table nor the kernel's name states the type", self.reason(row("gemm_tn", 16, 16, 16)))
        self.assertIn("but not K", self.reason({"name": f"{FLOAT}_tn", "count": 1, "M": 16, "N": 16}))

    def test_a_product_that_ends_its_process(self):
        self.assertIn("the process of kjoule-blas ended while it ran this (exit code 9", self.reason(row(f"{FLOAT}_tn", 77, 256, 512), FAKE_CUBLAS_CRASHES="77"))

    def test_impossible_sizes(self):
        for bad in (0, -1, 2.5, 2147483648, "many"):
            self.assertIn('table.jsonl:2: "M" is not a whole number from 1 to 2147483647', self.refused(self.GOOD, row("g", bad, 2, 3)))

    def test_no_cublas(self):
        error = self.refused(self.GOOD, KJOULE_CUBLAS=str(self.folder / "libcublas.so.13"))
        self.assertIn("cuBLAS (libcublas.so.13, .12 or .11), which multiplies matrices, was not found", error)
        self.assertIn("KJOULE_CUBLAS=FILE", error)
        shutil.copy(CUBLAS / "libcublas.so.13", self.folder)
        self.assertIn("libcublas.so.13 was found, but not the libcublasLt that belongs to it", self.refused(self.GOOD, KJOULE_CUBLAS=str(self.folder / "libcublas.so.13")))

    def test_no_driver(self):
        self.assertIn("the CUDA driver (libcuda.so.1), which multiplies matrices on a GPU, cannot be loaded", self.refused(self.GOOD, LD_LIBRARY_PATH=str(CUBLAS)))

    def test_the_doctor_tells_the_version_or_a_remedy(self):
        library, absent = CUBLAS / "libcublas.so.13", self.folder / "libcublas.so.13"
        self.assertEqual(self.cublas_of_the_doctor(library), {"status": "ok", "detail": f"version 13.1.2, {library}", "remedy": ""})
        told = self.cublas_of_the_doctor(absent)
        self.assertEqual((told["status"], told["detail"]), ("missing", f"{absent} cannot be loaded"))
        self.assertIn("KJOULE_CUBLAS=FILE", told["remedy"])

    def cublas_of_the_doctor(self, library):
        findings = map(json.loads, self.run_words([KJOULE, "doctor", "--json"], {"KJOULE_CUBLAS": str(library)}).stdout.splitlines())
        finding, = [finding for finding in findings if finding.pop("item") == "cuBLAS (matrix products)"]
        return finding

    def test_a_cpu(self):
        done = self.run_words([KJOULE, "isolated", "--kernels", self.table(self.GOOD), "--device", "cpu", "-o", self.results])
        self.assertEqual(done.returncode, 1)
        self.assertIn("cuBLAS, which needs a GPU; omit --device cpu", unwrapped(done.stderr))
