#include "torch/run_iterations.hpp"

#include <unistd.h>

#include "base/local_socket.hpp"
#include "base/terminal.hpp"
#include "device/injection_options.hpp"
#include "device/serve.hpp"
#include "recording/iteration_position.hpp"
#include "torch/failure.hpp"
#include "torch/nvtx_range.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

namespace {

/// Sends the Error to kjoule, which takes it as the answer to its greeting. If the injected library has
/// already answered, kjoule refuses the Error and treats this process like any other program. Returns false
/// if there is no kjoule or if it refused.
bool report_to_kjoule(const Error& error) {
  const auto options = InjectionOptions::from_environment();
  const int socket = options ? connect_to(options->socket) : -1;
  if (socket < 0) return false;
  const ServiceEnd end = serve(socket, [&]() -> std::unique_ptr<Device> { throw error; });
  close(socket);
  return end != ServiceEnd::refused;
}

}  // namespace

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
  if (!report_to_kjoule(report)) print_error("kjoule-torch: {}\n", report.line());
}

}  // namespace kjoule::runner
