"""kjoule kernels of tables as other tools write them: each gives its right numbers, or an error that names cause and remedy."""
import json
import pathlib
import unittest

from .test_commands import InAFolder, ROOT, run

OWN = pathlib.Path(__file__).with_name("foreign") / "tables"
SHARED = ROOT.parent / "shared/cases/foreign_files"
SHARED_TABLES = ["averages_pasted.txt", "ncu_superbench.csv", "nsys_2020.csv", "nsys_two_reports.csv", "nsys_api_sum.csv", "nvprof_units.csv",
                 "rocprofv3_kernel_stats.csv"]
AMD_KERNELS = {
    "Cijk_Ailk_Bljk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT256x208x64_MI16x16x1_SN": (2, "tensile", "gemm", "float16"),
    "Cijk_Alik_Bljk_SB_MT64x64x16_SE_1LDSB0": (2, "tensile", "gemm", "float32"),
    "Cijk_Ailk_Bjlk_BBS_BH_MT128x128x32": (2, "tensile", "gemm", "bfloat16"),
    "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1": (2, "miopen", "convolution", "float32"),
    "void aiter::fmha_fwd_hd128_bf16(float*)": (3, "aiter", "attention", ""),
    "MIOpenBatchNormFwdTrainSpatial": (2, "miopen", "normalisation", ""),
    "void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm<float>, true>(ck::Argument)": (2, "composable_kernel", "gemm", ""),
    "void ck_tile::kentry<256, 1, ck_tile::FmhaFwdKernel<float>>(ck_tile::FmhaFwdKernel<float>::Kargs)": (2, "composable_kernel", "attention", ""),
    "_ZN7ck_tile6kentryILi1ENS_19FmhaBwdDQDKDVKernelINS_2...": (2, "composable_kernel", "attention", ""),
    "__amd_rocclr_copyBuffer": (1, "hip", "copy", ""),
    "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)": (2, "rccl", "collective", ""),
    "void rocprim::ROCPRIM_400_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400_NS::detail::launch_lookback_scan<int>>(int) [clone .kd]":
        ("unknown", "rocprim", "scan", ""),
    "void rocprim::detail::radix_sort_block_sort_kernel<int>(int)": ("unknown", "rocprim", "sort", ""),
    "my_kernel(float*)": ("unknown", "", "unknown", "")}


class Tables(InAFolder):
    def read(self, path, *options):
        """Returns launches and total time in us (None if it is not known) of a table, the kernels, and the warnings."""
        done = run("kernels", path, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)["kernels"]
        times = [kernel["total_us"] for kernel in kernels]
        return sum(kernel["launches"] for kernel in kernels), None if None in times else sum(times), kernels, done.stderr

    def refused(self, path, text):
        self.fail_with(text, "kernels", path)

    def test_own_files(self):
        cases = json.loads((OWN / "cases.json").read_text())
        self.assertEqual(set(cases) | {"cases.json"}, {path.name for path in OWN.iterdir()})
        for name, want in cases.items():
            with self.subTest(name):
                if "refused" in want:
                    self.refused(OWN / name, want["refused"])
                    continue
                launches, total_us, kernels, warnings = self.read(OWN / name)
                self.assertEqual(launches, want["launches"])
                if want["total_us"] is None:
                    self.assertIsNone(total_us)
                else:
                    self.assertAlmostEqual(total_us, want["total_us"], delta=0.0005 * want["total_us"])
                self.assertIn(want.get("warns", ""), warnings)
                if "grid" in want:
                    self.assertIn(want["grid"], [kernel.get("grid") for kernel in kernels])

    @unittest.skipUnless(SHARED.is_dir(), "the shared files are not here")
    def test_shared_files(self):
        cases = json.loads((SHARED / "expected.json").read_text())["cases"]
        for name in SHARED_TABLES:
            with self.subTest(name):
                want = cases[name]
                if want["launches"] is None:
                    self.refused(SHARED / name, "has no list of all kernels, but calls of the host")
                    continue
                launches, total_us, _, _ = self.read(SHARED / name)
                self.assertEqual(launches, want["launches"])
                self.assertAlmostEqual(total_us, want["total_us"], delta=0.0005 * want["total_us"])

    def test_statistics_without_names_are_refused(self):
        path = self.folder / "stats.csv"
        path.write_text('"Index","KernelName","gpu-id","BeginNs","EndNs","Calls","TotalDurationNs"\n0,"scale(float*) [clone .kd]",1,10,20,6,3000\n')
        self.refused(path, "stats.csv:1: this table of rocprof has no column of names; pass the file kernel_stats.csv")

    def test_kernels_of_amd_have_their_class(self):
        table = self.folder / "amd.jsonl"
        table.write_text("".join(json.dumps({"name": name, "count": 1}) + "\n" for name in AMD_KERNELS))
        _, _, kernels, warnings = self.read(table)
        found = {kernel["name"]: (kernel["tier"], kernel["family"], kernel["category"], kernel["dtype"]) for kernel in kernels}
        self.assertEqual(found, AMD_KERNELS)
        self.assertIn("kjoule infers operators for kernels of NVIDIA GPUs only", warnings)

    def test_operators_are_not_inferred_for_amd(self):
        add = {"name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>>(int, "
                       "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)", "count": 4, "grid": [2, 1, 1], "block": [128, 1, 1]}
        table = self.folder / "table.jsonl"
        for others, missing in [([], False), ([{"name": "Cijk_Ailk_Bljk_SB_MT64x64x16", "count": 1}], True)]:
            table.write_text("".join(json.dumps(row) + "\n" for row in [add, *others]))
            self.assertEqual("2 of 2 kernels have no operator" in self.read(table)[3], missing)

    def test_names_of_binary_files_lead_to_a_remedy(self):
        for name, remedy in [("run.nsys-rep", "nsys export --type sqlite"), ("run.ncu-rep", "ncu --import FILE --csv"),
                             ("run.pftrace", "rocprofv3 --kernel-trace"), ("host.xplane.pb", "import the .trace.json.gz that the profiler writes into the same folder")]:
            path = self.folder / name
            path.write_bytes(bytes(range(200)))
            self.refused(path, remedy)
        path = self.folder / "windows.csv"
        path.write_text("name,count\ngemm,2\n", encoding="utf-16")
        self.refused(path, "this file is UTF-16 text; convert it with iconv")
        path.write_text('{"rocprofiler-sdk-tool": []}\n')
        self.refused(path, "this file is JSON of ROCm's rocprofv3; write the kernels as CSV with rocprofv3")


if __name__ == "__main__":
    unittest.main()
