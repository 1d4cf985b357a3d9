#include "importers/profiler_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "base/text/parse_number.hpp"
#include "importers/decimal_time.hpp"
#include "importers/event_category.hpp"
#include "importers/event_pairs.hpp"
#include "importers/profiler_event.hpp"
#include "importers/recent_texts.hpp"
#include "importers/trace_tracks.hpp"
#include "importers/xla_event.hpp"

namespace kjoule {

namespace {

/// Times must keep this distance from the limits of 64 bits, so that their differences also fit into 64 bits.
constexpr int64_t kMargin_ns = 10'000'000'000'000'000;

/// Numbers the pairs of two texts, such as process and thread, from 0.
class PairNumbers {
 public:
  uint32_t of(std::string_view first, std::string_view second) {
    if (first != first_ || second != second_ || numbers_.empty()) {
      first_ = first;
      second_ = second;
      latest_ =
          numbers_
              .try_emplace({between_quotes(first).value_or(first), between_quotes(second).value_or(second)},
                           static_cast<uint32_t>(numbers_.size()))
              .first->second;
    }
    return latest_;
  }

 private:
  std::string_view first_, second_;  // consecutive events usually have the same pair
  uint32_t latest_ = 0;
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers_;
};

/// Number and total time of events that are not read.
struct UnreadEvents {
  uint64_t number = 0;
  double total_us = 0;

  void add(std::string_view duration) {
    ++number;
    total_us += static_cast<double>(ns_from_us(duration).value_or(0)) / 1e3;
  }
};

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

class TraceReader {
 public:
  TraceReader(PaddedText text, const std::string& name, const std::string& remedy)
      : trace_{std::move(text), {}, {}, {}, {}, {}, {}, {}, {}, TraceTool::torch, {}, {}},
        cursor_(trace_.text, name, remedy),
        name_(name),
        remedy_(remedy) {
    // Vectors that grow are copied, and each copy touches new memory. Reserved memory that stays unused costs
    // nothing.
    const size_t most = trace_.text.view().size() / kBytesOfLaunch;
    trace_.operations.reserve(most);
    trace_.calls.reserve(most);
    trace_.operators.reserve(most);
  }

  ProfilerTrace read() {
    scan([this] {
      const char* const at = cursor_.position();
      take_event(read_profiler_event(cursor_), at);
    });
    take_pairs();
    if (tracks_.has_streams()) {  // the names of threads may follow their events
      cursor_ = JsonCursor(trace_.text, name_, remedy_);
      rereads_ = true;
      scan([this] { take_xla_event(read_profiler_event(cursor_)); });
    }
    list_unread();
    return std::move(trace_);
  }

 private:
  /// Calls take() at each event of the trace, which must consume the event.
  template <class Take>
  void scan(Take take) {
    bool events = false;
    const auto take_events = [&] {
      if (cursor_.next() != '[') cursor_.fail("\"traceEvents\" is not an array");
      cursor_.elements([&] {
        cursor_.next();
        take();
      });
    };
    if (cursor_.next() == '[') {
      take_events();
      events = true;
    } else {
      cursor_.members([&](std::string_view key) {
        if (key == "traceEvents") {
          if (events) cursor_.fail("\"traceEvents\" is given twice");
          events = true;
          take_events();
        } else if (rereads_) {
          cursor_.skip();
        } else {
          take_header(key);
        }
      });
    }
    if (!cursor_.at_end()) cursor_.fail("the file contains text after the end of the trace");
    if (!events) cursor_.fail("the trace has no \"traceEvents\"");
  }

  void take_distributed_info() {
    std::string_view rank, ranks;
    cursor_.members([&](std::string_view key) {
      const std::string_view value = cursor_.raw();
      if (key == "rank") rank = value;
      if (key == "world_size") ranks = value;
    });
    if (!ranks.empty()) trace_.ranks = number_from(1, kMostRanks, ranks, "world_size");
    if (!rank.empty()) trace_.rank = number_from(0, trace_.ranks.value_or(kMostRanks) - 1, rank, "rank");
  }

  int64_t number_from(int64_t least, int64_t most, std::string_view raw, const char* key) const {
    const int64_t number = whole(raw, key);
    if (number < least || number > most)
      cursor_.fail(raw, fmt::format("\"{}\" is {}, which is not from {} to {}", key, number, least, most));
    return number;
  }

  void take_header(std::string_view key) {
    if (key == "distributedInfo" && cursor_.next() == '{') return take_distributed_info();
    const std::string_view value = cursor_.raw();
    if (key == "deviceProperties") trace_.device_properties = value;
    if (key == "record_shapes" || key == "profile_memory" || key == "with_stack" || key == "with_flops" ||
        key == "with_modules")
      trace_.options[std::string(key)] = value == "1" || value == "true";
  }

  void take_event(const ProfilerEvent& event, const char* at) {
    if (!event.phase.empty()) text(event.phase, event, "ph");
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

  /// Keeps the begin or end of work. An event without a time is ignored.
  void keep_edge(const ProfilerEvent& event, const char* at, uint32_t lane, bool is_end) {
    if (const auto ns = ns_from_us(event.begin); ns && *ns <= INT64_MAX - kMargin_ns && *ns >= -kMargin_ns)
      edges_.push_back({lane, is_end, *ns, at, event.name});
  }

  void take_metadata(const ProfilerEvent& event) {
    if (!event.argument_name.starts_with('"')) return;
    if (event.name == "\"process_name\"") tracks_.name_process(event.process, event.argument_name);
    if (event.name == "\"thread_name\"")
      tracks_.name_thread(event.process, event.thread, event.argument_name);
  }

  /// Takes the work whose begin and end are separate events, which form pairs within a thread or id.
  void take_pairs() {
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

  ProfilerEvent event_at(const char* position) {
    cursor_.seek(position);
    return read_profiler_event(cursor_);
  }

  bool is_operation(const ProfilerEvent& event) {
    return between_quotes(event.category) && category_of(event).sort == EventSort::operation;
  }

  EventCategory category_of(const ProfilerEvent& event) {
    const std::string_view category = event.category.substr(1, event.category.size() - 2);
    if (category == latest_category_) return latest_;
    latest_category_ = category;
    latest_ = categories_.try_emplace(category, category_named(category)).first->second;
    return latest_;
  }

  void take_complete(const ProfilerEvent& event) {
    if (event.category.empty())
      return has_device_fields(event) ? without_category_.add(event.duration)
                                      : uncategorised_[event.process].add(event.duration);
    text(event.category, event, "cat");
    const EventCategory category = category_of(event);
    if (category.sort == EventSort::unknown) return note_unknown(event);
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

  static bool has_device_fields(const ProfilerEvent& event) {
    return !event.stream.empty() || !event.device.empty() || !event.grid.empty();
  }

  /// Counts an event of an unknown category: as work of a device if it has a stream, a device or a grid.
  void note_unknown(const ProfilerEvent& event) {
    const bool on_device = has_device_fields(event) || tracks_.is_device(event.process);
    (on_device ? unknown_ : unknown_of_host_)[event.category].add(event.duration);
  }

  /// Takes an event of XLA's profiler, which has no categories: threads of a GPU contain operations.
  void take_xla_event(const ProfilerEvent& event) {
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
    operation.name = operation_name(event);
    operation.device = stream->device;
    operation.stream = stream->stream;
    operation.correlation = json_whole(event.correlation);
    operation.begin_ns = time(event.begin, event, "ts");
    operation.duration_ns = duration(event, operation.begin_ns);
    trace_.operations.push_back(operation);
    trace_.tool = TraceTool::xla;
  }

  /// Lists the work that was not read. Uncategorised events are work of a device by the name of their
  /// process; those of XLA's streams were read, and its other threads repeat them.
  void list_unread() {
    const auto list = [this](const std::string& what, const UnreadEvents& events) {
      if (events.number > 0) trace_.unread.push_back({what, events.number, events.total_us});
    };
    for (const auto& [process, events] : uncategorised_)
      if (tracks_.is_device(process) && !tracks_.has_streams())
        list("of the process " + tracks_.process_name(process), events);
    for (const auto& [category, events] : unknown_) list("of the category " + json_text(category), events);
    if (trace_.operations.empty())  // shows the user what the file contains instead
      for (const auto& [category, events] : unknown_of_host_)
        list("of the category " + json_text(category), events);
    list("without a category", without_category_);
    if (without_end_ > 0) trace_.unread.push_back({"without an end", without_end_, {}});
    if (!trace_.operations.empty()) return;
    for (const ForeignTool& tool : kForeignTools)
      if (tool.process.empty() ? categories_.contains(tool.category)
                               : tracks_.names_process_with(tool.process)) {
        trace_.foreign_tool = tool.name;
        return;
      }
  }

  void take_operation(const ProfilerEvent& event, ActivityKind kind) {
    if (event.tier.starts_with("\"tier") || event.tier == "\"unknown\"")
      throw Error(
          name_ + ": this file is a timeline that kjoule wrote, which contains one iteration without shapes",
          "import the recording.jsonl of the same run");
    ProfilerOperation operation;
    operation.kind = kind;
    operation.name = texts_.find(operation_name(event));
    operation.device = maybe_whole(event.device, "device");
    operation.stream = maybe_whole(event.stream, "stream");
    if (kind == ActivityKind::kernel) {
      operation.grid = extent(event.grid, "grid");
      operation.block = extent(event.block, "block");
    }
    operation.shared_bytes = size(event.shared_bytes, "shared memory");
    operation.bytes = size(event.bytes, "bytes");
    operation.correlation = maybe_whole(event.correlation, "correlation");
    operation.external_id = maybe_whole(event.external_id, "External id");
    operation.context = contexts_.of(event.process, event.context);
    operation.begin_ns = time(event.begin, event, "ts");
    operation.duration_ns = duration(event, operation.begin_ns);
    trace_.operations.push_back(operation);
  }

  void take_call(const ProfilerEvent& event) {
    if (event.correlation.empty()) return;
    const int64_t begin_ns = time(event.begin, event, "ts");
    // Some profilers write negative durations for calls that still run at the trace's end.
    const int64_t ns = event.duration.empty() ? 0 : std::max<int64_t>(0, time(event.duration, event, "dur"));
    ProfilerCall call{texts_.find(text(event.name, event, "name")),
                      whole(event.correlation, "correlation"),
                      maybe_whole(event.external_id, "External id"),
                      json_whole(event.process),
                      threads_.of(event.process, event.thread),
                      begin_ns,
                      0};
    if (__builtin_add_overflow(begin_ns, ns, &call.end_ns)) call.end_ns = INT64_MAX;
    trace_.calls.push_back(call);
  }

  void take_operator(const ProfilerEvent& event) {
    const std::string_view name = text(event.name, event, "name");
    if (name.starts_with("\"ProfilerStep#")) return take_range(event);
    const int64_t begin_ns = time(event.begin, event, "ts");
    trace_.operators.push_back(
        {maybe_whole(event.external_id, "External id"), texts_.find(name),
         array(event.input_dims, "Input Dims"), array(event.input_strides, "Input Strides"),
         array(event.input_types, "Input type"), array(event.concrete_inputs, "Concrete Inputs"),
         threads_.of(event.process, event.thread), begin_ns, end_of(event, begin_ns)});
  }

  /// Returns the end of an operator; no value if the trace does not state it.
  static std::optional<int64_t> end_of(const ProfilerEvent& event, int64_t begin_ns) {
    const auto ns = ns_from_us(event.duration);
    int64_t end_ns = 0;
    if (!ns || *ns < 0 || __builtin_add_overflow(begin_ns, *ns, &end_ns)) return {};
    return end_ns;
  }

  void take_range(const ProfilerEvent& event, bool is_of_program = true) {
    const int64_t begin_ns = time(event.begin, event, "ts");
    const int64_t duration_ns = duration(event, begin_ns);
    trace_.ranges.push_back(
        {text(event.name, event, "name"), begin_ns, begin_ns + duration_ns, is_of_program});
  }

  std::string_view operation_name(const ProfilerEvent& event) const {
    const std::string_view name = text(event.name, event, "name");
    if (name == "\"\"") cursor_.fail(name, "\"name\" is empty");
    return name;
  }

  /// Returns the position in the text that errors about a missing field of the event report.
  static const char* place(const ProfilerEvent& event) { return event.phase.data(); }

  std::string_view text(std::string_view raw, const ProfilerEvent& event, const char* key) const {
    if (raw.empty()) cursor_.fail(place(event), fmt::format("this event has no \"{}\"", key));
    if (raw.front() != '"') cursor_.fail(raw, fmt::format("\"{}\" is not a text", key));
    if (raw.size() > kNameLimit) cursor_.fail(raw, fmt::format("\"{}\"{}", key, longer_than_a_name()));
    return raw;
  }
  std::string_view array(std::string_view raw, const char* key) {
    if (!raw.empty() && raw.front() != '[') cursor_.fail(raw, fmt::format("\"{}\" is not an array", key));
    return texts_.find(raw);
  }
  int64_t whole(std::string_view raw, const char* key) const {
    const auto number = json_whole(raw);
    if (!number) cursor_.fail(raw, fmt::format("\"{}\" is not a whole number", key));
    return *number;
  }
  std::optional<int64_t> maybe_whole(std::string_view raw, const char* key) const {
    if (raw.empty()) return {};
    return whole(raw, key);
  }
  std::optional<int64_t> size(std::string_view raw, const char* key) const {
    const auto number = maybe_whole(raw, key);
    if (number && *number < 0) cursor_.fail(raw, fmt::format("\"{}\" is negative", key));
    return number;
  }
  std::optional<Extent> extent(std::string_view raw, const char* key) const {
    if (raw.empty()) return {};
    const auto extent = extent_from(raw);
    if (!extent) cursor_.fail(raw, fmt::format("\"{}\" is not three {}", key, kExtentIs));
    return extent;
  }
  int64_t time(std::string_view raw, const ProfilerEvent& event, const char* key) const {
    if (raw.empty()) cursor_.fail(place(event), fmt::format("this event has no \"{}\"", key));
    const auto ns = ns_from_us(raw);
    const auto number = ns ? std::nullopt : parse_number(between_quotes(raw).value_or(raw));
    if (number || (ns && (*ns > INT64_MAX - kMargin_ns || *ns < -kMargin_ns)))
      cursor_.fail(
          raw, fmt::format("\"{}\" is {} us, which is too large for 64 bits in ns", key, raw.substr(0, 40)));
    if (!ns) cursor_.fail(raw, fmt::format("\"{}\" is not a time in microseconds", key));
    return *ns;
  }
  int64_t duration(const ProfilerEvent& event, int64_t begin_ns) const {
    const int64_t ns = time(event.duration, event, "dur");
    if (ns < 0) cursor_.fail(event.duration, "\"dur\" is negative");
    int64_t end_ns = 0;
    if (__builtin_add_overflow(begin_ns, ns, &end_ns))
      cursor_.fail(event.duration, "\"ts\" + \"dur\" exceeds 64 bits in ns");
    return ns;
  }

  /// The least bytes that a launch usually has in a trace: its operation, call and operator.
  static constexpr size_t kBytesOfLaunch = 1000;
  /// The most ranks of a program.
  static constexpr int64_t kMostRanks = 1'000'000;
  /// Number of the first lane of asynchronous events (phases b and e), above all numbers of threads.
  static constexpr uint32_t kFirstAsync = 1u << 31;

  ProfilerTrace trace_;
  JsonCursor cursor_;
  const std::string &name_, &remedy_;
  PairNumbers threads_, contexts_, ids_;
  RecentTexts texts_;
  TraceTracks tracks_;
  std::vector<EventEdge> edges_;
  std::unordered_map<std::string_view, EventCategory> categories_;
  std::string_view latest_category_;
  EventCategory latest_;
  std::map<std::string_view, UnreadEvents> uncategorised_;              ///< by process
  std::map<std::string_view, UnreadEvents> unknown_, unknown_of_host_;  ///< by category
  UnreadEvents without_category_;                                       ///< with a stream or grid
  uint64_t without_end_ = 0;                                            ///< number of such operations
  bool rereads_ = false;
};

}  // namespace

ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name, const std::string& remedy) {
  return TraceReader(std::move(text), name, remedy).read();
}

}  // namespace kjoule
