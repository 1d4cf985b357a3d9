#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/padded_text.hpp"
#include "recording/activity.hpp"
#include "recording/extent.hpp"

namespace kjoule {

/// Views are stretches of the trace's text, as JSON; empty where the trace does not say.
struct ProfilerOperation {
  ActivityKind kind = ActivityKind::kernel;
  std::string_view name;
  std::optional<int64_t> device, stream;
  std::optional<Extent> grid, block;
  std::optional<int64_t> shared_bytes;  ///< static and dynamic together
  std::optional<int64_t> bytes;         ///< of a copy or memset
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

/// An operator call, such as aten::addmm, with its inputs where they were recorded.
struct ProfilerOperator {
  int64_t external_id = 0;
  std::string_view name, input_dims, input_strides, input_types, concrete_inputs;
  int64_t begin_ns = 0;
};

/// A named range on the host: ProfilerStep#3, or what record_function gives.
struct ProfilerRange {
  std::string_view name;
  int64_t begin_ns = 0, end_ns = 0;
};

/// What kineto (torch.profiler) wrote, as far as kernels are concerned. All vectors are in the file's order.
struct ProfilerTrace {
  PaddedText text;  ///< what the views lie in
  std::vector<ProfilerOperation> operations;
  std::vector<ProfilerCall> calls;
  std::vector<ProfilerOperator> operators;
  std::vector<ProfilerRange> ranges;
  std::map<std::string, bool> options;  ///< record_shapes, with_stack, ...: those that the trace names
  std::string_view device_properties;   ///< JSON; empty when the trace has none
  std::optional<int64_t> rank;
};

/// Reads a Chrome trace: an object with traceEvents, or the array of events alone. Throws Error naming file
/// and line for what is no JSON, truncated, of a wrong type, written twice with different values, or a time
/// that is no number or negative duration.
ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name);

/// For each operation the call that launched it and the operator that made the call: indices, nothing where
/// the trace has none.
struct LaunchLinks {
  std::vector<std::optional<uint32_t>> call, made_by;
  /// Launches whose call launched another one before, though it is one that launches one.
  size_t sharing = 0;
};
/// By correlation to the call, by External id to the operator. Throws Error when two processes use the same
/// correlation ids, and when two calls that are not one within the other have that of a launch, for then they
/// cannot be told apart. All work of a graph has the id of the one call that launched the graph.
LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name);

}  // namespace kjoule
