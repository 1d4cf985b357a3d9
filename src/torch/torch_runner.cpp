#include "torch/torch_runner.hpp"

#include "base/clock.hpp"
#include "torch/open_work.hpp"
#include "torch/placement.hpp"
#include "torch/roof.hpp"
#include "torch/sampling.hpp"
#include "torch/torch_device.hpp"

namespace kjoule::runner {

std::unique_ptr<Device> TorchRunner::start(const RunnerWork& work) {
  device_ = choose_device(work);
  if (work.rank) group_.emplace(*work.rank);
  callable_ = CallableOperators(work.allowed_operators);
  auto model = open_work(work, device_);
  return model ? std::make_unique<TorchDevice>(std::move(model)) : nullptr;
}

double TorchRunner::try_call(const ReplayCall& call) {
  try {
    if (!arguments_) arguments_.emplace(device_, 0);
    auto replayed = prepare_call(call, *arguments_, callable_, device_);
    at::Tensor made;
    const SteadyClock clock;
    const int64_t begin_ns = clock.now_ns();
    replayed->make(made);
    synchronize(device_);
    const int64_t end_ns = clock.now_ns();
    kept_.push_back(std::move(replayed));
    return static_cast<double>(end_ns - begin_ns) * 1e-9;
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    is_usable_ = is_device_usable(device_);
    throw;
  }
}

SamplingDevice TorchRunner::sampling_device() {
  return runner::sampling_device(device_);
}

SampleAnswer TorchRunner::sample(const SampleRequest& request) {
  SampleAnswer answer = sample_operator(request, callable_, device_);
  if (answer.status == SampleStatus::measured) return answer;
  is_usable_ = is_device_usable(device_);
  if (is_usable_) release_cached_memory(device_);
  return answer;
}

Roof TorchRunner::roof(const std::string& type) {
  return measure_roof(type, device_);
}

nlohmann::json TorchRunner::describe(const ModelWork& model) {
  return open_model(model, device_)->description();
}

}  // namespace kjoule::runner
