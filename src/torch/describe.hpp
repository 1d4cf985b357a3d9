#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "recording/kernel_rules.hpp"
#include "recording/recording.hpp"

namespace kjoule::runner {

/// Assigns small numbers to addresses that identify objects, in order of first use.
class Ids {
 public:
  int of(const void* identity) {
    return ids_.try_emplace(identity, static_cast<int>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<const void*, int> ids_;
};

/// Returns the operator's name with its overload: "aten::add.Tensor".
std::string operator_name(const c10::OperatorHandle& op);

/// Returns the signature of a call: the operator, and for each argument its dtype, shape and strides, or its
/// scalar value. Calls with the same signature belong to one kernel.
std::string signature_of(const c10::OperatorHandle& op, const torch::jit::Stack& arguments);

/// Returns the launch's detail in a recording: arguments and outputs with their value ids and storage ids
/// (docs/reference/formats.md).
nlohmann::json describe_call(const c10::OperatorHandle& op, const torch::jit::Stack& arguments,
                             const torch::jit::Stack& results, Ids& ids);

/// Returns the operator's tier by the kernel rules; matrix products and convolutions, for example, run in
/// vendor libraries (oneDNN, MKL). An operator that no rule matches has the tier of the framework, which
/// dispatches it.
Tier tier_of(const c10::OperatorHandle& op, KernelRules& rules);

}  // namespace kjoule::runner
