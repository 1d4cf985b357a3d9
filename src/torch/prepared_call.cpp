#include "torch/prepared_call.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "torch/operator_choice.hpp"
#include "torch/runtime_memory.hpp"

namespace kjoule::runner {

namespace {

class PreparedOperatorCall final : public PreparedCall {
 public:
  /// If `follows`, the first argument is the result of the previous call, if this result is a tensor of the
  /// same kind.
  PreparedOperatorCall(c10::OperatorHandle op, torch::jit::Stack arguments, bool follows)
      : op_(std::move(op)), arguments_(std::move(arguments)), follows_(follows) {}
  void make(at::Tensor& made) override {
    torch::jit::Stack stack = arguments_;
    if (follows_ && alike(made, stack.at(0).toTensor())) stack.front() = std::move(made);
    op_.callBoxed(stack);
    made = !stack.empty() && stack.front().isTensor() ? stack.front().toTensor() : at::Tensor();
  }

 private:
  static bool alike(const at::Tensor& made, const at::Tensor& wanted) {
    return made.defined() && made.scalar_type() == wanted.scalar_type() && made.sizes() == wanted.sizes() &&
           made.strides() == wanted.strides();
  }

  c10::OperatorHandle op_;
  torch::jit::Stack arguments_;
  bool follows_;
};

/// Returns whether the call uses the previous call's result as its first argument. A layer of a network does;
/// a kernel's call has inputs of its own.
bool follows(const OperatorCall& call) {
  if (call.arguments.empty() || !call.arguments.front().is_object()) return false;
  const nlohmann::json& first = call.arguments.front();
  return first.contains("tensor") && first.at("tensor").value("previous", false);
}

class PreparedMemoryCall final : public PreparedCall {
 public:
  PreparedMemoryCall(const ReplayCall& call, c10::Device device) : work_(call, device) {}
  void make(at::Tensor& made) override {
    made = at::Tensor();
    work_.run();
  }

 private:
  RuntimeMemory work_;
};

}  // namespace

std::unique_ptr<PreparedCall> prepare_call(const ReplayCall& call, CallArguments& arguments,
                                           const CallableOperators& callable, c10::Device device) {
  if (const auto* op = std::get_if<OperatorCall>(&call)) {
    if (!op->arguments.is_array()) throw Error(op->name + ": the arguments of this operator are not a list");
    try {
      ChosenOperator chosen = choose_operator(*op, arguments, callable);
      return std::make_unique<PreparedOperatorCall>(chosen.handle, std::move(chosen.arguments), follows(*op));
    } catch (const nlohmann::json::exception&) {
      throw Error(op->name + ": an argument of this operator is written in a form that kjoule does not read",
                  "write the arguments as docs/reference/formats.md describes them for recording.jsonl");
    }
  }
  if (std::holds_alternative<MatrixProduct>(call))
    throw Error(call_name(call) + " is not a call of libtorch", kBugRemedy);
  return std::make_unique<PreparedMemoryCall>(call, device);
}

}  // namespace kjoule::runner
