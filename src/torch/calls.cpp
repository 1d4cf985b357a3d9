#include "torch/calls.hpp"

#include "recording/call_ranges.hpp"
#include "torch/nvtx_range.hpp"
#include "torch/prepared_call.hpp"

namespace kjoule::runner {

namespace {

class CallsModel final : public Model {
 public:
  CallsModel(const std::vector<ReplayCall>& calls, const CallableOperators& callable, c10::Device device) {
    CallArguments arguments(device, 0);
    for (const ReplayCall& call : calls) calls_.push_back(prepare_call(call, arguments, callable, device));
    description_ = {{"kind", "calls"}, {"calls", calls.size()}};
  }
  void run() override {
    const NvtxRange all(kCallsRange);
    at::Tensor made;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const NvtxRange one(call_range(i));
      calls_[i]->make(made);
    }
  }
  bool operators_visible() const override { return true; }

 private:
  std::vector<std::unique_ptr<PreparedCall>> calls_;
};

}  // namespace

std::unique_ptr<Model> open_calls(const std::vector<ReplayCall>& calls, const CallableOperators& callable,
                                  c10::Device device) {
  return std::make_unique<CallsModel>(calls, callable, device);
}

}  // namespace kjoule::runner
