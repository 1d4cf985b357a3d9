#include "torch/open_work.hpp"

#include <ATen/Parallel.h>

#include "torch/calls.hpp"
#include "torch/placement.hpp"
#include "torch/sampled_model.hpp"

namespace kjoule::runner {

c10::Device choose_device(const RunnerWork& work) {
  const c10::Device device = open_device(work.device);
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
