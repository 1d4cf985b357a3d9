#pragma once
// The launches that replayed calls (recording/replay_call) made, which are found by profiler ranges around
// the calls.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// Returns the name of the profiler range around one call.
std::string call_range(size_t call);
/// The name of the profiler range around all calls.
inline constexpr const char* kCallsRange = "kjoule calls";
/// Returns the call's index from a range name that call_range() returned, or no value for another name.
std::optional<size_t> call_of_range(const std::string& range);

/// Returns the recorded launches of each of `calls`. The profiler ranges around the launches show their
/// calls. Without ranges, as on a device that runs operators one by one, launches are assigned in order.
/// Throws Error if there are no ranges and the numbers of launches and calls differ.
std::map<size_t, std::vector<LaunchIndex>> launches_of_calls(const Recording& recording,
                                                             const std::vector<size_t>& calls);

}  // namespace kjoule
