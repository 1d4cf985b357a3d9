#include "importers/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "importers/xla_event.hpp"

namespace kjoule {

namespace {

/// The least bytes that a launch usually has in a trace: its operation, call and operator.
constexpr size_t kBytesOfLaunch = 1000;

/// A tool that writes Chrome traces which kjoule does not read, and what shows that it wrote a trace.
struct ForeignTool {
  std::string_view process, category;  ///< part of the name of a process, or a category; empty: any
  const char* name;
};
constexpr ForeignTool kForeignTools[] = {{"/device:TPU", "", "XLA's profiler, of a TPU"},
                                         {"/host:CPU", "", "XLA's profiler (JAX, TensorFlow), of the host"},
                                         {"Ascend", "", "the profiler of Ascend NPUs (torch_npu)"},
                                         {"CPU HIP API", "", "rocprof"},
                                         {"CUDA HW", "", "Nsight Systems, converted by another program"},
                                         {"", "Session", "ONNX Runtime"},
                                         {"", "hpu_op", "the profiler of Habana devices"},
                                         {"", "devtools.timeline", "the browser Chrome"}};

/// Adds the events of `from` to those of the same key.
template <class Events>
void add_all(Events& to, const Events& from) {
  for (const auto& [key, events] : from) to[key].add(events);
}

}  // namespace

void UnreadEvents::add(std::string_view duration) {
  ++number;
  total_ns += static_cast<double>(ns_from_us(duration).value_or(0));
}

void UnreadEvents::add(const UnreadEvents& others) {
  number += others.number;
  total_ns += others.total_ns;
}

TraceEvents::TraceEvents(JsonCursor cursor, const std::string& file, size_t bytes)
    : cursor_(std::move(cursor)), fields_(cursor_), file_(file) {
  // Vectors that grow are copied, and each copy touches new memory. Reserved memory that stays unused costs
  // nothing.
  operations_.reserve(bytes / kBytesOfLaunch);
  calls_.reserve(bytes / kBytesOfLaunch);
  operators_.reserve(bytes / kBytesOfLaunch);
}

void TraceEvents::read() {
  const char* const at = cursor_.position();
  take_event(read_profiler_event(cursor_), at);
}

void TraceEvents::append(const TraceEvents& next) {
  const std::vector<uint32_t> threads = threads_.take(next.threads_),
                              contexts = contexts_.take(next.contexts_), ids = ids_.take(next.ids_);
  for (ProfilerOperation operation : next.operations_) {
    operation.context = contexts[operation.context];
    operations_.push_back(operation);
  }
  for (ProfilerCall call : next.calls_) {
    call.thread = threads[call.thread];
    calls_.push_back(call);
  }
  for (ProfilerOperator call : next.operators_) {
    call.thread = threads[call.thread];
    operators_.push_back(call);
  }
  ranges_.insert(ranges_.end(), next.ranges_.begin(), next.ranges_.end());
  for (EventEdge edge : next.edges_) {
    edge.lane = edge.lane < kFirstAsync ? threads[edge.lane] : kFirstAsync + ids[edge.lane - kFirstAsync];
    edges_.push_back(edge);
  }
  tracks_.append(next.tracks_);
  categories_.insert(next.categories_.begin(), next.categories_.end());
  add_all(uncategorised_, next.uncategorised_);
  add_all(unknown_on_device_, next.unknown_on_device_);
  add_all(unknown_, next.unknown_);
  without_category_.add(next.without_category_);
}

void TraceEvents::move_to(ProfilerTrace& trace) {
  trace.operations = std::move(operations_);
  trace.calls = std::move(calls_);
  trace.operators = std::move(operators_);
  trace.ranges = std::move(ranges_);
  trace.tool = tool_;
  list_unread(trace);
}

void TraceEvents::list_unread(ProfilerTrace& trace) const {
  const auto list = [&trace](const std::string& what, const UnreadEvents& events) {
    if (events.number > 0) trace.unread.push_back({what, events.number, events.total_ns / 1e3});
  };
  for (const auto& [process, events] : uncategorised_)
    if (tracks_.is_device(process) && !tracks_.has_streams())
      list("of the process " + tracks_.process_name(process), events);
  ByCategory on_device = unknown_on_device_, of_host;
  for (const auto& [key, events] : unknown_)
    (tracks_.is_device(key.second) ? on_device : of_host)[key.first].add(events);
  for (const auto& [category, events] : on_device) list("of the category " + json_text(category), events);
  if (trace.operations.empty())  // shows the user what the file contains instead
    for (const auto& [category, events] : of_host) list("of the category " + json_text(category), events);
  list("without a category", without_category_);
  if (without_end_ > 0) trace.unread.push_back({"without an end", without_end_, {}});
  if (!trace.operations.empty()) return;
  for (const ForeignTool& tool : kForeignTools)
    if (tool.process.empty() ? categories_.contains(tool.category)
                             : tracks_.names_process_with(tool.process)) {
      trace.foreign_tool = tool.name;
      return;
    }
}

void TraceEvents::take_event(const ProfilerEvent& event, const char* at) {
  if (!event.phase.empty()) fields_.text(event.phase, event, "ph");
  if (event.phase.size() != 3) return;
  switch (event.phase[1]) {
    case 'X':
      return take_complete(event);
    case 'B':
    case 'E':
      return keep_edge(event, at, threads_.of(event.process, event.thread), event.phase[1] == 'E');
    case 'b':
    case 'e':
      return keep_edge(event, at, kFirstAsync + ids_.of(event.process, event.id), event.phase[1] == 'e');
    case 'M':
      return take_metadata(event);
    default:
      return;
  }
}

void TraceEvents::keep_edge(const ProfilerEvent& event, const char* at, uint32_t lane, bool is_end) {
  if (const auto ns = ns_from_us(event.begin); ns && *ns <= INT64_MAX - kMargin_ns && *ns >= -kMargin_ns)
    edges_.push_back({lane, is_end, *ns, at, event.name});
}

void TraceEvents::take_metadata(const ProfilerEvent& event) {
  if (!event.argument_name.starts_with('"')) return;
  if (event.name == "\"process_name\"") tracks_.name_process(event.process, event.argument_name);
  if (event.name == "\"thread_name\"") tracks_.name_thread(event.process, event.thread, event.argument_name);
}

void TraceEvents::take_pairs() {
  const EventPairs found = pair_events(edges_);
  for (const auto& [begin, end] : found.pairs) {
    ProfilerEvent event = event_at(edges_[begin].text);
    fill_missing_fields(event, event_at(edges_[end].text));
    int64_t ns = 0;
    if (__builtin_sub_overflow(edges_[end].at_ns, edges_[begin].at_ns, &ns) || ns > kMargin_ns)
      cursor_.fail(edges_[end].text, "this event ends its work more than 100 days after its begin");
    const std::string duration = fmt::format("{}.{:03}", ns / 1000, ns % 1000);
    event.duration = duration;
    take_complete(event);
  }
  for (const size_t begin : found.without_end)
    if (const ProfilerEvent event = event_at(edges_[begin].text); is_operation(event)) ++without_end_;
  edges_ = {};
}

ProfilerEvent TraceEvents::event_at(const char* position) {
  cursor_.seek(position);
  return read_profiler_event(cursor_);
}

bool TraceEvents::is_operation(const ProfilerEvent& event) {
  return between_quotes(event.category) && category_of(event).sort == EventSort::operation;
}

EventCategory TraceEvents::category_of(const ProfilerEvent& event) {
  const std::string_view category = event.category.substr(1, event.category.size() - 2);
  if (category == latest_category_) return latest_;
  latest_category_ = category;
  latest_ = categories_.try_emplace(category, category_named(category)).first->second;
  return latest_;
}

void TraceEvents::take_complete(const ProfilerEvent& event) {
  if (event.category.empty())
    return has_device_fields(event) ? without_category_.add(event.duration)
                                    : uncategorised_[event.process].add(event.duration);
  fields_.text(event.category, event, "cat");
  const EventCategory category = category_of(event);
  if (category.sort == EventSort::unknown)
    return (has_device_fields(event) ? unknown_on_device_[event.category]
                                     : unknown_[{event.category, event.process}])
        .add(event.duration);
  if (category.sort == EventSort::other) return;
  if (!event.not_arguments.empty()) cursor_.fail(event.not_arguments, "\"args\" is not an object");
  switch (category.sort) {
    case EventSort::operation:
      return take_operation(event, category.kind);
    case EventSort::call:
      return take_call(event);
    case EventSort::cpu_operator:
      return take_operator(event);
    default:
      return take_range(event, category.sort == EventSort::range);
  }
}

bool TraceEvents::has_device_fields(const ProfilerEvent& event) {
  return !event.stream.empty() || !event.device.empty() || !event.grid.empty();
}

void TraceEvents::read_xla_event() {
  const ProfilerEvent event = read_profiler_event(cursor_);
  if (event.phase != "\"X\"" || !event.category.empty()) return;
  const auto stream = tracks_.stream_of(event.process, event.thread);
  if (!stream) {
    if (tracks_.is_device(event.process)) return;
    if (!event.correlation.empty()) return take_call(event);
    // Names that begin with $ are functions of Python.
    if (!event.name.starts_with("\"$") && !event.duration.empty())
      take_range(event, !event.step_number.empty());
    return;
  }
  ProfilerOperation operation;
  read_xla_details(event, operation);
  operation.name = fields_.operation_name(event);
  operation.device = stream->device;
  operation.stream = stream->stream;
  operation.correlation = json_whole(event.correlation);
  operation.begin_ns = fields_.time_ns(event.begin, event, "ts");
  operation.duration_ns = fields_.duration_ns(event, operation.begin_ns);
  operations_.push_back(operation);
  tool_ = TraceTool::xla;
}

void TraceEvents::take_operation(const ProfilerEvent& event, ActivityKind kind) {
  if (event.tier.starts_with("\"tier") || event.tier == "\"unknown\"")
    throw Error(
        file_ + ": this file is a timeline that kjoule wrote, which contains one iteration without shapes",
        "import the recording.jsonl of the same run");
  ProfilerOperation operation;
  operation.kind = kind;
  operation.name = texts_.find(fields_.operation_name(event));
  operation.device = fields_.maybe_whole(event.device, "device");
  operation.stream = fields_.maybe_whole(event.stream, "stream");
  if (kind == ActivityKind::kernel) {
    operation.grid = fields_.extent(event.grid, "grid");
    operation.block = fields_.extent(event.block, "block");
  }
  operation.shared_bytes = fields_.size(event.shared_bytes, "shared memory");
  operation.bytes = fields_.size(event.bytes, "bytes");
  operation.correlation = fields_.maybe_whole(event.correlation, "correlation");
  operation.external_id = fields_.maybe_whole(event.external_id, "External id");
  operation.context = contexts_.of(event.process, event.context);
  operation.begin_ns = fields_.time_ns(event.begin, event, "ts");
  operation.duration_ns = fields_.duration_ns(event, operation.begin_ns);
  operations_.push_back(operation);
}

void TraceEvents::take_call(const ProfilerEvent& event) {
  if (event.correlation.empty()) return;
  const int64_t begin_ns = fields_.time_ns(event.begin, event, "ts");
  // Some profilers write negative durations for calls that still run at the trace's end.
  const int64_t ns =
      event.duration.empty() ? 0 : std::max<int64_t>(0, fields_.time_ns(event.duration, event, "dur"));
  ProfilerCall call{texts_.find(fields_.text(event.name, event, "name")),
                    fields_.whole(event.correlation, "correlation"),
                    fields_.maybe_whole(event.external_id, "External id"),
                    json_whole(event.process),
                    threads_.of(event.process, event.thread),
                    begin_ns,
                    0};
  if (__builtin_add_overflow(begin_ns, ns, &call.end_ns)) call.end_ns = INT64_MAX;
  calls_.push_back(call);
}

void TraceEvents::take_operator(const ProfilerEvent& event) {
  const std::string_view name = fields_.text(event.name, event, "name");
  if (name.starts_with("\"ProfilerStep#")) return take_range(event);
  const int64_t begin_ns = fields_.time_ns(event.begin, event, "ts");
  operators_.push_back({fields_.maybe_whole(event.external_id, "External id"), texts_.find(name),
                        texts_.find(fields_.array(event.input_dims, "Input Dims")),
                        texts_.find(fields_.array(event.input_strides, "Input Strides")),
                        texts_.find(fields_.array(event.input_types, "Input type")),
                        texts_.find(fields_.array(event.concrete_inputs, "Concrete Inputs")),
                        threads_.of(event.process, event.thread), begin_ns, end_of(event, begin_ns)});
}

std::optional<int64_t> TraceEvents::end_of(const ProfilerEvent& event, int64_t begin_ns) {
  const auto ns = ns_from_us(event.duration);
  int64_t end_ns = 0;
  if (!ns || *ns < 0 || __builtin_add_overflow(begin_ns, *ns, &end_ns)) return {};
  return end_ns;
}

void TraceEvents::take_range(const ProfilerEvent& event, bool is_of_program) {
  const int64_t begin_ns = fields_.time_ns(event.begin, event, "ts");
  const int64_t duration_ns = fields_.duration_ns(event, begin_ns);
  ranges_.push_back(
      {fields_.text(event.name, event, "name"), begin_ns, begin_ns + duration_ns, is_of_program});
}

}  // namespace kjoule
