#include "torch/run_iterations.hpp"

#include "device/report_failure.hpp"
#include "recording/iteration_position.hpp"
#include "torch/failure.hpp"
#include "torch/nvtx_range.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

void run_iterations(Model& model, c10::Device device, int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    const NvtxRange iteration(kIterationRange);
    model.run();
    synchronize(device);
  }
}

void report_failure(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  const Error report = ours == nullptr ? explain(error) : *ours;
  kjoule::report_failure(report, "kjoule-torch");
}

}  // namespace kjoule::runner
