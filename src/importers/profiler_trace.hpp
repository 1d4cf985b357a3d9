#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/padded_text.hpp"
#include "recording/activity.hpp"
#include "recording/extent.hpp"

namespace kjoule {

/// A kernel, copy or memset of the device. The views refer to JSON in the trace's text; they are empty if the
/// trace lacks the field.
struct ProfilerOperation {
  ActivityKind kind = ActivityKind::kernel;
  std::string_view name;
  std::optional<int64_t> device, stream;
  std::optional<Extent> grid, block;
  std::optional<int64_t> shared_bytes;  ///< static and dynamic together
  std::optional<int64_t> bytes;         ///< size of a copy or memset
  std::optional<int64_t> correlation, external_id;
  int64_t begin_ns = 0, duration_ns = 0;
};

/// A call of the CUDA runtime or driver on the host.
struct ProfilerCall {
  std::string_view name;
  int64_t correlation = 0;
  std::optional<int64_t> external_id, process;
  int64_t begin_ns = 0, end_ns = 0;
};

/// An operator call, such as aten::addmm. Its inputs are empty if they were not recorded.
struct ProfilerOperator {
  int64_t external_id = 0;
  std::string_view name, input_dims, input_strides, input_types, concrete_inputs;
  int64_t begin_ns = 0;
};

/// A named range on the host: ProfilerStep#3, or a range of torch.profiler.record_function.
struct ProfilerRange {
  std::string_view name;
  int64_t begin_ns = 0, end_ns = 0;
};

/// The part of a trace by kineto (torch.profiler) that concerns kernels. All vectors are in the file's order.
struct ProfilerTrace {
  PaddedText text;  ///< the text that all views refer to
  std::vector<ProfilerOperation> operations;
  std::vector<ProfilerCall> calls;
  std::vector<ProfilerOperator> operators;
  std::vector<ProfilerRange> ranges;
  /// Record_shapes, with_stack, ...: the options that the trace contains.
  std::map<std::string, bool> options;
  std::string_view device_properties;  ///< JSON; empty when the trace has none
  std::optional<int64_t> rank;
};

/// Reads a Chrome trace: an object with traceEvents, or only the array of events. Throws Error naming file
/// and line for text that is not JSON or is truncated, for fields of a wrong type or repeated with different
/// values, for times that are not numbers, and for negative durations.
ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name);

/// For each operation, the indices of the call that launched it and of the operator that made the call. An
/// index is absent if the trace lacks the call or operator.
struct LaunchLinks {
  std::vector<std::optional<uint32_t>> call, operator_index;
  /// The number of launches that have the same call as an earlier launch although the call launches one
  /// kernel only.
  size_t sharing = 0;
};
/// Links operations to calls by correlation id, and calls to operators by External id. All launches of a CUDA
/// graph have the id of the one call that launched the graph. Throws Error if two processes use the same
/// correlation ids, or if two calls have the id of a launch and neither is inside the other, because it is
/// then unknown which one launched it.
LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name);

}  // namespace kjoule
