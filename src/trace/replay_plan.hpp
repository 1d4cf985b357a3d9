#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "trace/imported_table.hpp"
#include "trace/operator_call.hpp"

namespace kjoule {

/// A copy of so many bytes by the CUDA runtime, between what the trace says.
struct MemoryCopy {
  int64_t bytes = 0;
  bool from_host = false, to_host = false;
  bool pinned = false;  ///< the host's memory
  bool operator==(const MemoryCopy&) const = default;
};

struct MemorySet {
  int64_t bytes = 0;
  bool operator==(const MemorySet&) const = default;
};

/// What launches a kernel again.
using ReplayCall = std::variant<OperatorCall, MemoryCopy, MemorySet>;

/// "aten::addmm", "memcpy HtoD", "memset"
std::string call_name(const ReplayCall& call);

/// How the kernels of a table are launched again from what it says of them alone.
struct ReplayPlan {
  struct Kernel {
    std::optional<size_t> call;  ///< place in `calls`: several kernels may come from one call
    std::string why_not;         ///< there is none, and the remedy
  };
  std::vector<ReplayCall> calls;  ///< each once, in order of first use
  std::vector<Kernel> kernels;    ///< one for each kernel of the table
};

/// Tensors whose type the profiler does not write (those in lists) get that of their kernel's name, else the
/// one that most tensors of the table have.
ReplayPlan replay_plan(const ImportedTable& table);

/// How much memory a call's inputs take, about.
int64_t bytes_of(const ReplayCall& call);

/// The calls to leave out, the largest, so that the inputs of all others take no more than that.
std::set<size_t> too_much_together(const std::vector<ReplayCall>& calls, double room_bytes);

/// A line of JSON for each call: what kjoule-torch reads.
std::string calls_text(const std::vector<ReplayCall>& calls);
/// The other way round. Throws Error "FILE:LINE: ..".
std::vector<ReplayCall> read_calls(const std::string& path);

/// The name of the range around a call, and of that around all of them; the call's place in such a name.
std::string call_range(size_t call);
inline constexpr const char* kCallsRange = "kjoule calls";
std::optional<size_t> call_of_range(const std::string& range);

}  // namespace kjoule
