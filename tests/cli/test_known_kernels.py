"""A table with names, grids and blocks of libtorch's kernels, and no operators, is replayed."""
import json

from .test_commands import InAFolder, run

ADD = ("void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul> >"
       "(int, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>)")
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 5, false, false>(c10::Half*, c10::Half const*, int, int, int)"
UNKNOWN = "nvjet_hsh_64x8_TNT"


class KnownKernels(InAFolder):
    def test_operators_and_sizes_are_inferred_and_times_of_a_cpu_are_not_a_gpus(self):
        table = self.folder / "table.jsonl"
        rows = [{"name": ADD, "count": 4, "grid": [2, 1, 1], "block": [128, 1, 1]}, {"name": SOFTMAX, "count": 2, "grid": [4, 1, 1], "block": [32, 4, 1]},
                {"name": UNKNOWN, "count": 1, "grid": [16, 1, 1], "block": [128, 1, 1]}]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = run("isolated", "--kernels", table, "--device", "cpu", "--threads", "1", "-o", self.results)
        self.assertEqual(done.returncode, 1, "one kernel cannot be replayed")
        self.assertIn("1 of 3 kernels has no operator with shapes", done.stderr)
        self.assertIn("by aten::add.Tensor (inferred)", done.stdout)
        report = json.loads((self.results / "isolated_kernels_timing.json").read_text())
        kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
        for name, call in [(ADD, "aten::add.Tensor"), (SOFTMAX, "aten::_softmax")]:
            self.assertEqual((kernels[name]["call"], kernels[name]["inferred"], kernels[name]["replayed"]), (call, True, "different"))
            self.assertGreater(kernels[name]["single_time_us"], 0)
        self.assertEqual(kernels[UNKNOWN]["replayed"], "not replayable")
        self.assertNotIn("inferred", kernels[UNKNOWN])
        self.assertIn("there is no sum", " ".join(done.stdout.split()))
