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

/// Returns the name of the profiler range (NVTX) around the call with index `call`.
std::string call_range(size_t call);
/// The name of the profiler range around all calls.
inline constexpr const char* kCallsRange = "kjoule calls";
/// Inverse of call_range(): returns the index of the call in a range's name, or no value if call_range()
/// returns no such name.
std::optional<size_t> call_of_range(const std::string& range);

/// Returns the recorded launches of each of `calls`, by call. A launch belongs to the call whose profiler
/// range contains the launch. A recording on a device that runs operators one by one has no ranges; its
/// launches are assigned to `calls` in order. Throws Error if a recording without ranges has not exactly one
/// launch for each call.
std::map<size_t, std::vector<LaunchIndex>> launches_of_calls(const Recording& recording,
                                                             const std::vector<size_t>& calls);

}  // namespace kjoule
