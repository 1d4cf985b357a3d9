#include "torch/sampled_model.hpp"

#include <deque>

#include "recording/call_ranges.hpp"
#include "torch/nvtx_stopwatch.hpp"
#include "torch/requested_operator.hpp"
#include "torch/spin.hpp"

namespace kjoule::runner {

namespace {

struct DirectionInRange {
  DirectionInRange(Direction what, const std::string& range) : direction(std::move(what)), span(range) {}

  void run() {
    if (direction.prepare) direction.prepare();
    (direction.run_and_keep ? direction.run_and_keep : direction.run)(span);
    span.end_pass();
  }

  Direction direction;
  NvtxStopwatch span;
};

class SampledModel final : public Model {
 public:
  SampledModel(const std::vector<SampleRequest>& requests, const CallableOperators& callable,
               c10::Device device) {
    const c10::InferenceMode off(false);  // backward needs autograd, which inference mode turns off
    for (size_t i = 0; i < requests.size(); ++i)
      for (const auto& [name, direction] : make_requested_operator(requests[i], callable, device))
        (name == "backward" ? backward_ : forward_)
            .emplace_back(direction, call_range(sampled_call(i, name)));
    if (!device.is_cpu()) spin_ = find_spin();
    filler_range_ = call_range(sampled_call(requests.size(), "forward"));
    description_ = {{"kind", "operators"}, {"operators", requests.size()}};
  }

  void run() override {
    const c10::InferenceMode off(false);
    const NvtxRange all(kCallsRange);
    for (DirectionInRange& one : forward_) one.run();
    for (DirectionInRange& one : backward_) one.run();
    if (spin_ == nullptr) return;
    const NvtxRange filler(filler_range_);
    spin_(kSpinCycles);
  }

  bool operators_visible() const override { return true; }

 private:
  std::deque<DirectionInRange> forward_, backward_;  ///< an optimizer's step is in `forward_`
  Spin spin_ = nullptr;
  std::string filler_range_;
};

}  // namespace

std::unique_ptr<Model> open_sampled_operators(const std::vector<SampleRequest>& requests,
                                              const CallableOperators& callable, c10::Device device) {
  return std::make_unique<SampledModel>(requests, callable, device);
}

}  // namespace kjoule::runner
