#include "blas/blas_runner.hpp"

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"

namespace kjoule::blas {

namespace {

[[noreturn]] void refuse() {
  throw Error("kjoule-blas only multiplies matrices", kBugRemedy);
}

}  // namespace

std::unique_ptr<Device> BlasRunner::start(const RunnerWork&) {
  cublas_.emplace();
  return nullptr;
}

double BlasRunner::try_call(const ReplayCall& call) {
  const auto* product = std::get_if<MatrixProduct>(&call);
  if (product == nullptr || !cublas_) refuse();
  PreparedProduct prepared(*cublas_, *product, rules_);
  const SteadyClock clock;
  const int64_t begin_ns = clock.now_ns();
  prepared.multiply();
  const CUresult done = cublas_->driver().cuStreamSynchronize(cublas_->stream());
  const int64_t end_ns = clock.now_ns();
  if (done != CUDA_SUCCESS) is_usable_ = false;
  cublas_->driver().check(done, "the product failed on the GPU");
  kept_.push_back(std::move(prepared));
  return static_cast<double>(end_ns - begin_ns) * 1e-9;
}

SamplingDevice BlasRunner::sampling_device() {
  refuse();
}

SampleAnswer BlasRunner::sample(const SampleRequest&) {
  refuse();
}

Roof BlasRunner::roof(const std::string&) {
  refuse();
}

nlohmann::json BlasRunner::describe(const ModelWork&) {
  refuse();
}

}  // namespace kjoule::blas
