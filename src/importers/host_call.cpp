#include "importers/host_call.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace kjoule {

namespace {

template <size_t count>
bool begins_with_any(std::string_view name, const std::array<std::string_view, count>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

bool is_host_call(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::ranges::all_of(name, is_word)) return false;
  for (const char* begin : {"cuLaunch", "cuMem", "cuStream", "cuEvent", "cuCtx", "cuModule", "cuGraph",
                            "cuOccupancy", "hsa_", "__hipPush", "__hipPop", "__hipRegister"})
    if (name.starts_with(begin)) return true;
  for (const std::string_view runtime : {"cuda", "hip"})
    if (name.starts_with(runtime) && name.size() > runtime.size() &&
        std::isupper(static_cast<unsigned char>(name[runtime.size()])) != 0)
      return true;
  return false;
}

bool is_profiler_range(std::string_view name) {
  constexpr std::array<std::string_view, 8> kRanges = {
      "ProfilerStep",          "nccl:",      "gloo:",  "## ",
      "Torch-Compiled Region", "Optimizer.", "FSDP::", "record_param_comms"};
  return begins_with_any(name, kRanges);
}

bool is_operator_or_range(std::string_view name) {
  constexpr std::array<std::string_view, 3> kOperators = {"aten::", "autograd::", "torch::autograd::"};
  return begins_with_any(name, kOperators) || is_profiler_range(name);
}

}  // namespace kjoule
