"""A table with names, grids and blocks of libtorch's kernels, and no operators, is replayed."""
import json

from .test_commands import InAFolder, run

ADD = ("void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul> >"
       "(int, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>)")
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 5, false, false>(c10::Half*, c10::Half const*, int, int, int)"
ARGMAX = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, at::native::ArgMaxOps<float>, unsigned int, long, 4> >(int)"
SUM = ("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>"
       "::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4, 4> >(int)")
MEAN, NORM = (f"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::{op}, unsigned int, float, 4> >(int)"
              for op in ("MeanOps<float, float, float, float>", "NormTwoOps<float, float, float>"))
MAXIMUM = SUM.replace("sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}", "MaxNanFunctor<float>")
CONCATENATION = ("void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1, "
                 "16, 8>(char*)")
GATHER = "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)"
INDEX = ("void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::native::index_kernel_impl<at::native::OpaqueType<1> >"
         "(at::TensorIteratorBase&)::{lambda(char*, char const*, long)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(long)")
ARANGE = ("void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar const&, at::Tensor&)::{lambda()#1}"
          "::operator()() const::{lambda(long)#1}>(int)")
LAYER_NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int, float)"
RESIDUAL = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"  # tells the length of the norm's rows
NORM_BACKWARD = "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float, false>(float const*)"
DROPOUT_BACKWARD = ("void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::masked_scale_kernel<bool, float, float>(at::Tensor&)"
                    "::{lambda(float, bool)#1}, std::array<char*, 3ul> >(int)")
TANH_BACKWARD = ("void at::native::vectorized_elementwise_kernel<4, at::native::tanh_backward_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
                 "const::{lambda(float, float)#1}, std::array<char*, 3ul> >(int)")
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
        self.assertIn("K of this matrix product is in neither its name nor its grid; add M, N and K to its row", kernels[UNKNOWN]["error"])
        self.assertIn("there is no sum", " ".join(done.stdout.split()))

    def test_libtorch_runs_every_inferred_operator(self):
        table = self.folder / "table.jsonl"
        calls = {(ARGMAX, (1, 16, 1), (512, 1, 1)): "aten::argmax", (MEAN, (1, 16, 1), (512, 1, 1)): "aten::mean.dim", (SUM, (1, 16, 1), (32, 4, 1)): "aten::sum.dim_IntList",
                 (MAXIMUM, (1, 16, 1), (32, 4, 1)): "aten::amax", (NORM, (1, 16, 1), (512, 1, 1)): "aten::linalg_vector_norm", (CONCATENATION, (4, 2, 1), (128, 1, 1)): "aten::cat",
                 (GATHER, (5, 1, 1), (128, 1, 1)): "aten::index_select", (INDEX, (2, 1, 1), (128, 1, 1)): "aten::index.Tensor", (ARANGE, (2, 1, 1), (64, 1, 1)): "aten::arange.start_out",
                 (NORM_BACKWARD, (4, 1, 1), (128, 1, 1)): "aten::native_layer_norm_backward", (DROPOUT_BACKWARD, (2, 1, 1), (128, 1, 1)): "aten::native_dropout_backward",
                 (TANH_BACKWARD, (2, 1, 1), (128, 1, 1)): "aten::tanh_backward", (LAYER_NORM, (4, 1, 1), (32, 4, 1)): "aten::native_layer_norm",
                 (RESIDUAL, (4, 1, 1), (128, 1, 1)): "aten::add.Tensor"}
        rows = [{"name": name, "count": 1, "grid": grid, "block": block} for name, grid, block in calls]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = run("isolated", "--kernels", table, "--device", "cpu", "--threads", "1", "-o", self.results)
        kernels = json.loads((self.results / "isolated_kernels_timing.json").read_text())["kernels"]
        self.assertEqual([(kernel["name"], kernel["call"], kernel["replayed"]) for kernel in kernels],
                         [(name, call, "different") for (name, _, _), call in calls.items()], done.stderr)
        self.assertTrue(all(kernel["inferred"] and kernel["single_time_us"] > 0 for kernel in kernels))
