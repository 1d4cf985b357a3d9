#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/json_fields.hpp"
#include "recording/operator_call.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// A copy of `bytes` bytes by the CUDA runtime.
struct MemoryCopy {
  int64_t bytes = 0;
  bool from_host = false, to_host = false;
  bool pinned = false;  ///< whether the host's memory is pinned
  bool operator==(const MemoryCopy&) const = default;
};

/// A memset of `bytes` bytes by the CUDA runtime.
struct MemorySet {
  int64_t bytes = 0;
  bool operator==(const MemorySet&) const = default;
};

/// A call that launches a kernel again.
using ReplayCall = std::variant<OperatorCall, MemoryCopy, MemorySet>;

template <class Fields>
void describe(Fields& fields, MemoryCopy& copy) {
  fields("bytes", copy.bytes);
  fields("from_host", copy.from_host);
  fields("to_host", copy.to_host);
  fields("pinned", copy.pinned);
}
template <class Fields>
void describe(Fields& fields, MemorySet& set) {
  fields("bytes", set.bytes);
}
/// {"operator": "aten::addmm", "arguments": [..]}, {"copy": {..}} or {"set": {..}}.
void describe(FieldWriter& fields, ReplayCall& call);
void describe(FieldReader& fields, ReplayCall& call);

/// Returns "aten::addmm", "memcpy HtoD" or "memset".
std::string call_name(const ReplayCall& call);

/// Returns the approximate memory of a call's inputs, in bytes.
int64_t bytes_of(const ReplayCall& call);

/// Returns the places of the largest calls, which must be left out so that the inputs of all others together
/// take at most `room_bytes`.
std::set<size_t> too_much_together(const std::vector<ReplayCall>& calls, double room_bytes);

/// Returns a call as one line of JSON. Equal calls have equal lines.
std::string call_line(const ReplayCall& call);

/// Returns the name of the profiler range around one call.
std::string call_range(size_t call);
/// Name of the profiler range around all calls.
inline constexpr const char* kCallsRange = "kjoule calls";
/// Returns the call's place in a name made by call_range(), or nothing for another name.
std::optional<size_t> call_of_range(const std::string& range);

/// Returns the recorded launches of each of `calls`: by the ranges around them, or in order where the device
/// has no ranges and runs operators one by one. Throws Error when there are neither ranges nor as many
/// launches as calls.
std::map<size_t, std::vector<LaunchIndex>> launches_of_calls(const Recording& recording,
                                                             const std::vector<size_t>& calls);

}  // namespace kjoule
