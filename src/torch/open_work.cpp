#include "torch/open_work.hpp"

#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

#include "base/files/machine_load.hpp"
#include "torch/calls.hpp"
#include "torch/placement.hpp"
#include "torch/sampled_model.hpp"

namespace kjoule::runner {

namespace {

/// Limits the memory of this process to what is available now. An allocation beyond it fails with an error;
/// otherwise the system would end this or another process as soon as the pages are written.
void limit_memory() {
  const std::optional<double> available = available_memory_bytes();
  rlimit limit{};
  if (!available || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(*available));
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

c10::Device choose_device(const RunnerWork& work) {
  const c10::Device device = open_device(work.device);
  if (device.is_cpu()) limit_memory();
  if (work.threads > 0) at::set_num_threads(work.threads);
  return device;
}

std::unique_ptr<Model> open_work(const RunnerWork& work, c10::Device device) {
  if (const auto* model = std::get_if<ModelWork>(&work.what)) return open_model(*model, device);
  const CallableOperators callable(work.allowed_operators);
  if (const auto* calls = std::get_if<std::vector<ReplayCall>>(&work.what))
    return open_calls(*calls, callable, device);
  if (const auto* all = std::get_if<std::vector<SampleRequest>>(&work.what))
    return open_sampled_operators(*all, callable, device);
  return nullptr;
}

}  // namespace kjoule::runner
