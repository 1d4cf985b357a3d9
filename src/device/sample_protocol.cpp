#include "device/sample_protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr std::array<std::pair<SampleStatus, const char*>, 6> kStatuses = {
    {{SampleStatus::measured, "measured"},
     {SampleStatus::invalid, "invalid"},
     {SampleStatus::too_large, "too large"},
     {SampleStatus::refused, "refused"},
     {SampleStatus::too_fast, "too fast"},
     {SampleStatus::error, "error"}}};

}  // namespace

std::string status_name(SampleStatus status) {
  for (const auto& [one, name] : kStatuses)
    if (one == status) return name;
  return "error";
}

SampleStatus status_named(const std::string& name) {
  for (const auto& [status, one] : kStatuses)
    if (name == one) return status;
  throw Error(name + " is not a known status of a sample");
}

size_t sampled_call(size_t request, const std::string& direction) {
  constexpr std::array<const char*, kSampledCalls> kNames{"forward", "backward", "step"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), direction);
  if (found == kNames.end()) throw Error(direction + " is not a known direction of an operator");
  return request * kSampledCalls + static_cast<size_t>(found - kNames.begin());
}

}  // namespace kjoule
