#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "recording/kernel_rules.hpp"
#include "recording/recording.hpp"

namespace kjoule::child {

/// Small numbers for identities, in order of first use.
class Ids {
 public:
  int of(const void* identity) {
    return ids_.try_emplace(identity, static_cast<int>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<const void*, int> ids_;
};

/// "aten::add.Tensor"
std::string operator_name(const c10::OperatorHandle& op);

/// Operator, and for each argument its dtype, shape and strides or its scalar value: what makes calls the
/// same kernel.
std::string signature_of(const c10::OperatorHandle& op, const torch::jit::Stack& arguments);

/// The launch's detail in a recording: arguments and outputs with value and storage ids
/// (docs/reference/formats.md).
nlohmann::json describe_call(const c10::OperatorHandle& op, const torch::jit::Stack& arguments,
                             const torch::jit::Stack& results, Ids& ids);

/// As the rules say: matrix products and convolutions run in oneDNN or MKL. An operator that they do not know
/// is the framework's, which dispatches it.
Tier tier_of(const c10::OperatorHandle& op, KernelRules& rules);

}  // namespace kjoule::child
