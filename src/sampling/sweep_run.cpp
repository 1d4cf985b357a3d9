#include "sampling/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule {

SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  DeviceSampler sampler(configuration, options);
  const SamplingDevice& device = sampler.device();
  sampler.warm_up();
  SweepPart part(configuration, options, {device},
                 fmt::format("sampling {} in {}", configuration.kernel_name, options.precision));
  do {
    const std::vector<SampleTask>& tasks = part.tasks();
    const size_t at_once = options.replay ? kTimedBeforeReplay : tasks.size();
    for (size_t first = 0; first < tasks.size(); first += at_once) {
      const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(first);
      sampler.measure({begin, begin + static_cast<std::ptrdiff_t>(std::min(at_once, tasks.size() - first))},
                      part);
    }
  } while (part.choose_more());
  return part.finish();
}

}  // namespace kjoule
