#include "torch/profile_pass.hpp"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

std::optional<int64_t> profile_pass(const std::function<void()>& pass, c10::Device device,
                                    const std::string& file) {
  using torch::profiler::impl::ActivityType;
  using torch::profiler::impl::ProfilerConfig;
  using torch::profiler::impl::ProfilerState;
  const ProfilerConfig config(ProfilerState::KINETO, /*report_input_shapes=*/true);
  std::set<ActivityType> activities{ActivityType::CPU};
  if (!device.is_cpu()) activities.insert(ActivityType::CUDA);
  torch::autograd::profiler::prepareProfiler(config, activities);
  torch::autograd::profiler::enableProfiler(config, activities);
  pass();
  synchronize(device);
  const auto result = torch::autograd::profiler::disableProfiler();
  // libtorch follows links, and does not report errors of writing.
  const TemporaryFolder temporary;
  result->save(temporary / "trace.json");
  write_atomic(file, read_text(temporary / "trace.json", SIZE_MAX));
  if (device.is_cpu()) return {};
  // The device's events also contain copies and memsets, which are not kernels.
  return std::count_if(result->events().begin(), result->events().end(), [](const auto& event) {
    return event.deviceType() == c10::DeviceType::CUDA && !event.name().starts_with("Mem");
  });
}

}  // namespace kjoule::runner
