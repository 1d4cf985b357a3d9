#include "torch/calls.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include "base/error.hpp"
#include "recording/replay_call.hpp"
#include "torch/call_arguments.hpp"
#include "torch/describe.hpp"
#include "torch/failure.hpp"
#include "torch/nvtx_range.hpp"
#include "torch/operator_choice.hpp"
#include "torch/placement.hpp"
#include "torch/runtime_memory.hpp"
#include "torch/say.hpp"

namespace kjoule::child {

namespace {

/// One call with its data.
class Call {
 public:
  virtual ~Call() = default;
  /// `made`: by the call before, then by this one; nothing where that is no tensor.
  virtual void make(at::Tensor& made) = 0;
  virtual std::string name() const = 0;
};

class OfOperator final : public Call {
 public:
  /// `follows`: its first argument is what the call before has made, where that is such a tensor.
  OfOperator(c10::OperatorHandle op, torch::jit::Stack arguments, bool follows)
      : op_(std::move(op)), arguments_(std::move(arguments)), follows_(follows) {}
  void make(at::Tensor& made) override {
    torch::jit::Stack stack = arguments_;
    if (follows_ && alike(made, stack.at(0).toTensor())) stack.front() = std::move(made);
    op_.callBoxed(stack);
    made = !stack.empty() && stack.front().isTensor() ? stack.front().toTensor() : at::Tensor();
  }
  std::string name() const override { return operator_name(op_); }

 private:
  static bool alike(const at::Tensor& made, const at::Tensor& wanted) {
    return made.defined() && made.scalar_type() == wanted.scalar_type() && made.sizes() == wanted.sizes() &&
           made.strides() == wanted.strides();
  }

  c10::OperatorHandle op_;
  torch::jit::Stack arguments_;
  bool follows_;
};

/// A network's layer takes what the one before has made; a kernel's call has all its inputs itself.
bool follows(const OperatorCall& call) {
  if (call.arguments.empty() || !call.arguments.front().is_object()) return false;
  const nlohmann::json& first = call.arguments.front();
  return first.contains("tensor") && first.at("tensor").value("previous", false);
}

class OfMemory final : public Call {
 public:
  OfMemory(const ReplayCall& call, c10::Device device) : name_(call_name(call)), work_(call, device) {}
  void make(at::Tensor& made) override {
    made = at::Tensor();
    work_.run();
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  RuntimeMemory work_;
};

std::unique_ptr<Call> call_of(const ReplayCall& call, CallArguments& arguments, c10::Device device) {
  if (const auto* op = std::get_if<OperatorCall>(&call)) {
    if (!op->arguments.is_array()) throw Error(op->name + ": its arguments are no list");
    try {
      ChosenOperator chosen = choose_operator(*op, arguments);
      return std::make_unique<OfOperator>(chosen.handle, std::move(chosen.arguments), follows(*op));
    } catch (const nlohmann::json::exception&) {
      throw Error(op->name + ": an argument is not as docs/reference/formats.md says");
    }
  }
  return std::make_unique<OfMemory>(call, device);
}

class Calls final : public Model {
 public:
  Calls(const std::string& file, c10::Device device) {
    CallArguments arguments(device, 0);
    for (const ReplayCall& call : read_calls(file)) calls_.push_back(call_of(call, arguments, device));
    description_ = {{"kind", "calls"}, {"file", file}, {"calls", calls_.size()}};
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
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace

std::unique_ptr<Model> open_calls(const std::string& file, c10::Device device) {
  return std::make_unique<Calls>(file, device);
}

void try_calls(const std::string& file, c10::Device device, size_t first) {
  CallArguments arguments(device, 0);
  const std::vector<ReplayCall> calls = read_calls(file);
  std::vector<std::unique_ptr<Call>> kept;  // as all will have to be in memory together
  for (size_t i = first; i < calls.size(); ++i) {
    say({{"tries", i}});
    try {
      auto call = call_of(calls[i], arguments, device);
      at::Tensor made;
      call->make(made);
      synchronize(device);
      say({{"call", i}, {"operator", call->name()}});
      kept.push_back(std::move(call));
    } catch (const Error& error) {
      say({{"call", i}, {"why", error.line()}});
    } catch (const std::exception& error) {
      say({{"call", i}, {"why", explained(error).line()}});
      if (!is_well(device)) std::_Exit(1);  // all that follows would fail with the same error
    }
  }
}

}  // namespace kjoule::child
