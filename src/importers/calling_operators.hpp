#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "importers/id_index.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// The operators of a trace that made its calls of the runtime.
///
/// An operator made a call if it ran on the call's thread when the call began and ended; of several, the
/// innermost one. If the External id of the call names an operator that ran there at that time, it is this
/// operator. An id alone proves nothing: profilers of 2022 and 2023 wrote the correlation id into this field.
/// If most calls of a trace have equal ids in both fields, the External ids are ignored.
class CallingOperators {
 public:
  /// `trace` must outlive this object.
  explicit CallingOperators(const ProfilerTrace& trace);

  /// Returns the operator that made a call, given by its index; no value if it is not known.
  /// `operations_id` is the External id of the operation that the call launched.
  std::optional<uint32_t> of_call(uint32_t call, const std::optional<int64_t>& operations_id) const;
  /// Returns the operator of an operation without a call: the one that its External id names, if it began
  /// earlier.
  std::optional<uint32_t> of_operation(const ProfilerOperation& operation) const;

 private:
  void find_by_time();
  /// Returns the thread whose operators may have made the calls of a thread. Some profilers number the
  /// threads of calls in another way; then the only thread with operators is meant.
  uint32_t operators_thread(uint32_t calls_thread) const;
  bool agrees(const ProfilerOperator& op, const ProfilerCall& call) const;

  const ProfilerTrace& trace_;
  IdIndex ids_;
  bool trusts_ids_ = true;
  std::vector<bool> has_operators_;      ///< for each thread
  std::optional<uint32_t> only_thread_;  ///< the thread with operators, if there is exactly one
  std::vector<uint32_t> by_time_;        ///< for each call, the index of its operator, or kNone
};

}  // namespace kjoule
