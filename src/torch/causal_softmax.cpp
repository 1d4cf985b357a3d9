#include <fmt/format.h>

#include <memory>

#include "base/bug_remedy.hpp"
#include "torch/builders.hpp"
#include "torch/causal_softmax_reference.hpp"
#include "torch/cuda_driver.hpp"

#if __has_include("causal_softmax_ptx.hpp")
#include "causal_softmax_ptx.hpp"
#define KJOULE_HAS_CAUSAL_SOFTMAX
#endif

namespace kjoule::runner {

namespace {

struct Passes {
  std::function<void()> forward, backward;
};

/// The scores and the gradient of their softmax.
struct Scores {
  Scores(const SampleShape& shape, const Placement& place)
      : x(place.uniform({shape[1] * shape[2] / shape[0], shape[3], shape[3]})), gradient(at::rand_like(x)) {}
  at::Tensor x, gradient;
};

}  // namespace

#ifdef KJOULE_HAS_CAUSAL_SOFTMAX

namespace {

constexpr unsigned kThreads = 128;  // equal to kThreads in causal_softmax.cu
/// Largest number of columns: two floats per column must fit into the shared memory that every block can
/// have.
constexpr int64_t kMostColumns = 6000;

using Result = int;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;

void check_result(Result result, const char* what) {
  if (result != 0) throw Error(fmt::format("{}: CUDA error {}", what, result));
}

/// The kernels, loaded into this thread's CUDA context, which is that of libtorch.
class CausalSoftmaxKernels {
 public:
  explicit CausalSoftmaxKernels(const std::string& precision) : driver_(open_cuda_driver()) {
    using Load = Result(Module*, const void*);
    using Get = Result(Function*, Module, const char*);
    Module module = nullptr;
    check_result(driver_.symbol<Load>("cuModuleLoadData")(&module, kCausalSoftmaxPtx), "cuModuleLoadData");
    auto* const get = driver_.symbol<Get>("cuModuleGetFunction");
    check_result(get(&forward_, module, ("forward_" + precision).c_str()), "cuModuleGetFunction");
    check_result(get(&backward_, module, ("backward_" + precision).c_str()), "cuModuleGetFunction");
  }

  void forward(const at::Tensor& to, const at::Tensor& from) const {
    void *to_data = to.mutable_data_ptr(), *from_data = from.mutable_data_ptr();
    int columns = static_cast<int>(to.size(-1));
    void* arguments[] = {&to_data, &from_data, &columns};
    launch(forward_, to, sizeof(float), arguments);
  }
  void backward(const at::Tensor& to, const at::Tensor& gradient, const at::Tensor& made) const {
    void *to_data = to.mutable_data_ptr(), *gradient_data = gradient.mutable_data_ptr(),
         *made_data = made.mutable_data_ptr();
    int columns = static_cast<int>(to.size(-1));
    void* arguments[] = {&to_data, &gradient_data, &made_data, &columns};
    launch(backward_, to, 2 * sizeof(float), arguments);
  }

 private:
  /// Launches a kernel on the default stream, which libtorch's kernels also use.
  void launch(Function kernel, const at::Tensor& to, size_t bytes_a_column, void** arguments) const {
    using Launch = Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          void*, void**, void**);
    const auto rows = static_cast<unsigned>(to.numel() / to.size(-1));
    const auto bytes = static_cast<unsigned>(bytes_a_column * static_cast<size_t>(to.size(-1)));
    check_result(driver_.symbol<Launch>("cuLaunchKernel")(kernel, rows, 1, 1, kThreads, 1, 1, bytes, nullptr,
                                                          arguments, nullptr),
                 "cuLaunchKernel");
  }

  Library driver_;
  Function forward_ = nullptr, backward_ = nullptr;
};

std::string suffix_of(const at::TensorOptions& options) {
  if (options.dtype() == at::kHalf) return "fp16";
  return options.dtype() == at::kBFloat16 ? "bf16" : "fp32";
}

/// Compares the results of the kernels with those of libtorch in a small case, so that no wrong kernel is
/// timed. Throws Error if they differ.
void check(const CausalSoftmaxKernels& kernels, const Placement& place) {
  constexpr int64_t kColumns = 300;
  const at::Tensor x = place.normal({2, kColumns, kColumns}), gradient = at::randn_like(x);
  const at::Tensor made = at::empty_like(x), back = at::empty_like(x);
  kernels.forward(made, x);
  kernels.backward(back, gradient, made);
  const at::Tensor expected = causal_softmax(x.to(at::kFloat), above_diagonal(x)),
                   rounded = made.to(at::kFloat);
  const at::Tensor expected_back = causal_softmax_backward(gradient.to(at::kFloat), rounded);
  if (!at::allclose(rounded, expected, 1e-2, 1e-3) ||
      !at::allclose(back.to(at::kFloat), expected_back, 1e-2, 1e-3))
    throw Error("kjoule's own kernel of the fused causal softmax gives wrong results on this GPU",
                kBugRemedy);
}

/// Returns the kernels of a precision. They are loaded and checked once per process.
std::shared_ptr<const CausalSoftmaxKernels> kernels_for(const Placement& place) {
  static std::map<std::string, std::shared_ptr<const CausalSoftmaxKernels>> loaded;
  std::shared_ptr<const CausalSoftmaxKernels>& kernels = loaded[suffix_of(place.options)];
  if (!kernels) {
    at::zeros({1}, place.options);  // makes libtorch's context the context of this thread
    auto fresh = std::make_shared<const CausalSoftmaxKernels>(suffix_of(place.options));
    check(*fresh, place);
    kernels = std::move(fresh);
  }
  return kernels;
}

Passes passes_on_gpu(const SampleShape& shape, const Placement& place) {
  if (shape[3] > kMostColumns)
    throw InvalidShape(
        fmt::format("the fused causal softmax has rows of 1 to {} columns, not {}", kMostColumns, shape[3]));
  const auto kernels = kernels_for(place);
  const Scores of(shape, place);
  const at::Tensor made = at::empty_like(of.x), back = at::empty_like(of.x);
  return {[=] { kernels->forward(made, of.x); }, [=] { kernels->backward(back, of.gradient, made); }};
}

}  // namespace

#else

namespace {

Passes passes_on_gpu(const SampleShape&, const Placement&) {
  throw UnsupportedOperator(
      "this kjoule-torch was built without NVRTC, and so without the fused causal softmax");
}

}  // namespace

#endif

namespace {

Passes passes_on_cpu(const SampleShape& shape, const Placement& place) {
  const Scores of(shape, place);
  const at::Tensor above = above_diagonal(of.x), made = causal_softmax(of.x, above);
  return {[=] { causal_softmax(of.x, above); }, [=] { causal_softmax_backward(of.gradient, made); }};
}

Direction timed(const std::function<void()>& pass, double least_bytes) {
  return {{},
          [pass](Stopwatch& watch) {
            watch.start();
            pass();
            watch.stop();
          },
          {},
          least_bytes};
}

}  // namespace

Directions fused_causal_softmax(const SampleShape& shape, const Placement& place) {
  const int64_t mp = shape[0], b = shape[1], h = shape[2], l = shape[3];
  check_divisible("h", h, "mp", mp);
  if (l < 1) throw InvalidShape(fmt::format("l is {}, but must be at least 1", l));
  const Passes passes = place.on_cpu() ? passes_on_cpu(shape, place) : passes_on_gpu(shape, place);
  // Only the elements up to the diagonal are read, but all elements of a row are written.
  const double all = static_cast<double>(b * h / mp * l * l) *
                     static_cast<double>(place.options.dtype().itemsize()),
               used = all * static_cast<double>(l + 1) / static_cast<double>(2 * l);
  return {{"forward", timed(passes.forward, used + all)},
          {"backward", timed(passes.backward, 2 * used + all)}};
}

}  // namespace kjoule::runner
