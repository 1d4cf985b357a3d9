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

/// The tool that wrote a trace. Remedies depend on it.
enum class TraceTool { torch, nsys, xla };

/// A kernel, copy or memset on the device. In this and the following structs, a string_view refers to JSON in
/// the trace's text, and is empty if the event lacks the field.
struct ProfilerOperation {
  ActivityKind kind = ActivityKind::kernel;
  std::string_view name;
  std::optional<int64_t> device, stream;
  std::optional<Extent> grid, block;
  std::optional<int64_t> shared_bytes;  ///< static and dynamic together
  std::optional<int64_t> bytes;         ///< size of a copy or memset
  std::optional<int64_t> correlation, external_id;
  /// Number of the process and CUDA context that the stream belongs to.
  uint32_t context = 0;
  int64_t begin_ns = 0, duration_ns = 0;

  /// Returns the end; the reader ensures that it fits into 64 bits.
  int64_t end_ns() const { return begin_ns + duration_ns; }
};

/// A call of the CUDA runtime or driver on the host.
struct ProfilerCall {
  std::string_view name;
  int64_t correlation = 0;
  std::optional<int64_t> external_id, process;
  uint32_t thread = 0;  ///< number of the thread (process and thread together)
  int64_t begin_ns = 0, end_ns = 0;
};

/// An operator call, such as aten::addmm. Its inputs are empty if they were not recorded.
struct ProfilerOperator {
  std::optional<int64_t> external_id;
  std::string_view name, input_dims, input_strides, input_types, concrete_inputs;
  uint32_t thread = 0;  ///< number of the thread (process and thread together)
  int64_t begin_ns = 0;
  std::optional<int64_t> end_ns;  ///< nothing if the trace does not state it
};

/// A named range on the host: ProfilerStep#3, or a range of torch.profiler.record_function.
struct ProfilerRange {
  std::string_view name;
  int64_t begin_ns = 0, end_ns = 0;
  bool is_of_program = true;  ///< false if a library or the framework set the range
};

/// Work on devices that a file contains and kjoule does not read.
struct UnreadWork {
  std::string what;  ///< such as "of the category graph", after the number of events
  uint64_t number = 0;
  std::optional<double> total_us;
};

/// Returns the number and the time of the work, such as "2 events of the category graph (80.500 us)". `noun`
/// is the name of one of them.
std::string unread_work_text(const UnreadWork& work, const char* noun);

/// The part of a trace by kineto (torch.profiler) or XLA that concerns kernels. All vectors are in the file's
/// order.
struct ProfilerTrace {
  PaddedText text;  ///< the text that all views refer to
  std::vector<ProfilerOperation> operations;
  std::vector<ProfilerCall> calls;
  std::vector<ProfilerOperator> operators;
  std::vector<ProfilerRange> ranges;
  /// The profiler's options that the trace contains: record_shapes, with_stack, ...
  std::map<std::string, bool> options;
  std::string_view device_properties;  ///< JSON; empty when the trace has none
  std::optional<int64_t> rank;         ///< from 0; below `ranks` if that is known
  std::optional<int64_t> ranks;        ///< number of ranks of the program (world_size)
  TraceTool tool = TraceTool::torch;
  std::vector<UnreadWork> unread;
  /// The tool that wrote a trace without kernels, if the trace shows it; for error messages.
  std::string foreign_tool;
};

/// The remedy for damaged traces of torch.profiler.
inline constexpr const char* kWriteTraceAgain =
    "write the trace again with profiler.export_chrome_trace(FILE)";

/// Number of threads that read parts of a long trace at the same time.
struct ReadingThreads {
  size_t most = 4;                        ///< the machine's number of cores is a further limit
  size_t least_bytes = size_t{16} << 20;  ///< the least bytes of a part
};

/// Reads a Chrome trace: an object with traceEvents, or only the array of events. An operation may be one
/// event (phase X), or two events for its begin and end. `name` is the file's name,
/// and `remedy` that of all errors. Throws Error with file and line if the text is not JSON or is truncated,
/// a field has a wrong type or is repeated with a different value, a time is not a number, or a duration is
/// negative. The number of threads does not change the result.
ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name,
                                  const std::string& remedy = kWriteTraceAgain,
                                  const ReadingThreads& threads = {});

/// Returns whether a call launches a CUDA graph.
bool launches_graph(const ProfilerCall& call);

/// The calls and operators that launched the operations of a trace.
struct LaunchLinks {
  /// For each operation, the indices of the call that launched it and of the operator that made the call;
  /// nothing if the trace lacks them.
  std::vector<std::optional<uint32_t>> call, operator_index;
  /// Number of launches that have the same call as an earlier launch, although this call launches only one
  /// kernel.
  size_t sharing = 0;
};
/// Links operations to calls by correlation id, and calls to operators by their times and External ids
/// (CallingOperators). All launches of a CUDA graph have the id of the call that launched the graph. Throws
/// Error if the launching call is ambiguous: two processes use the same correlation ids, or two calls have
/// the id of a launch and neither contains the other.
LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name);

}  // namespace kjoule
