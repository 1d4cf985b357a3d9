#include "importers/profiler_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "base/text/parse_number.hpp"
#include "importers/decimal_time.hpp"
#include "importers/profiler_event.hpp"

namespace kjoule {

namespace {

constexpr const char* kWriteAgain = "write the trace again with profiler.export_chrome_trace(FILE)";

/// Times must keep this distance from the limits of 64 bits, so that their differences also fit into 64 bits.
constexpr int64_t kMargin_ns = 10'000'000'000'000'000;

enum class Sort { operation, call, cpu_operator, range, other };

struct Category {
  std::string_view name;
  Sort sort;
  ActivityKind kind = ActivityKind::kernel;
};
/// The categories of events. The second half are those of profilers before 2022.
constexpr Category kCategories[] = {{"cpu_op", Sort::cpu_operator},
                                    {"cuda_runtime", Sort::call},
                                    {"cuda_driver", Sort::call},
                                    {"kernel", Sort::operation, ActivityKind::kernel},
                                    {"gpu_memcpy", Sort::operation, ActivityKind::memcpy},
                                    {"gpu_memset", Sort::operation, ActivityKind::memset},
                                    {"user_annotation", Sort::range},
                                    {"Operator", Sort::cpu_operator},
                                    {"Runtime", Sort::call},
                                    {"Kernel", Sort::operation, ActivityKind::kernel},
                                    {"Memcpy", Sort::operation, ActivityKind::memcpy},
                                    {"Memset", Sort::operation, ActivityKind::memset}};

class TraceReader {
 public:
  TraceReader(PaddedText text, const std::string& name)
      : trace_{std::move(text), {}, {}, {}, {}, {}, {}, {}},
        cursor_(trace_.text, name, kWriteAgain),
        name_(name) {}

  ProfilerTrace read() {
    bool events = false;
    if (cursor_.next() == '[') {
      take_events();
      events = true;
    } else {
      cursor_.members([&](std::string_view key) {
        if (key == "traceEvents") {
          if (events) cursor_.fail("\"traceEvents\" is given twice");
          events = true;
          take_events();
        } else {
          take_header(key);
        }
      });
    }
    if (!cursor_.at_end()) cursor_.fail("the file contains text after the end of the trace");
    if (!events) cursor_.fail("the trace has no \"traceEvents\"");
    return std::move(trace_);
  }

 private:
  void take_events() {
    if (cursor_.next() != '[') cursor_.fail("\"traceEvents\" is not an array");
    cursor_.elements([this] { take_event(read_profiler_event(cursor_)); });
  }

  void take_header(std::string_view key) {
    if (key == "distributedInfo" && cursor_.next() == '{')
      return cursor_.members([this](std::string_view inner) {
        const std::string_view value = cursor_.raw();
        if (inner == "rank") trace_.rank = whole(value, "rank");
      });
    const std::string_view value = cursor_.raw();
    if (key == "deviceProperties") trace_.device_properties = value;
    if (key == "record_shapes" || key == "profile_memory" || key == "with_stack" || key == "with_flops" ||
        key == "with_modules")
      trace_.options[std::string(key)] = value == "1" || value == "true";
  }

  void take_event(const ProfilerEvent& event) {
    if (!event.phase.empty()) text(event.phase, event, "ph");
    const bool complete = event.phase.size() == 3 && event.phase[1] == 'X';
    if (!complete || event.category.empty()) return;
    text(event.category, event, "cat");
    const std::string_view category = event.category.substr(1, event.category.size() - 2);
    const auto* const known =
        std::find_if(std::begin(kCategories), std::end(kCategories), [&](const Category& c) {
          return c.name.size() == category.size() && c.name.front() == category.front() && c.name == category;
        });
    if (known == std::end(kCategories)) return;
    if (!event.not_arguments.empty()) cursor_.fail(event.not_arguments, "\"args\" is not an object");
    switch (known->sort) {
      case Sort::operation:
        return take_operation(event, known->kind);
      case Sort::call:
        return take_call(event);
      case Sort::cpu_operator:
        return take_operator(event);
      default:
        return take_range(event);
    }
  }

  void take_operation(const ProfilerEvent& event, ActivityKind kind) {
    if (event.tier.starts_with("\"tier") || event.tier == "\"unknown\"")
      throw Error(
          name_ + ": this file is a timeline that kjoule wrote, which contains one iteration without shapes",
          "import the recording.jsonl of the same run");
    ProfilerOperation operation;
    operation.kind = kind;
    operation.name = text(event.name, event, "name");
    if (operation.name == "\"\"") cursor_.fail(operation.name, "\"name\" is empty");
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
    operation.begin_ns = time(event.begin, event, "ts");
    operation.duration_ns = duration(event, operation.begin_ns);
    trace_.operations.push_back(operation);
  }

  void take_call(const ProfilerEvent& event) {
    if (event.correlation.empty()) return;
    const int64_t begin_ns = time(event.begin, event, "ts");
    // Some profilers write negative durations for calls that still run at the trace's end.
    const int64_t ns = event.duration.empty() ? 0 : std::max<int64_t>(0, time(event.duration, event, "dur"));
    ProfilerCall call{text(event.name, event, "name"),
                      whole(event.correlation, "correlation"),
                      maybe_whole(event.external_id, "External id"),
                      json_whole(event.process),
                      begin_ns,
                      0};
    if (__builtin_add_overflow(begin_ns, ns, &call.end_ns)) call.end_ns = INT64_MAX;
    trace_.calls.push_back(call);
  }

  void take_operator(const ProfilerEvent& event) {
    const std::string_view name = text(event.name, event, "name");
    if (name.starts_with("\"ProfilerStep#")) return take_range(event);
    if (event.external_id.empty()) return;
    trace_.operators.push_back(
        {whole(event.external_id, "External id"), name, array(event.input_dims, "Input Dims"),
         array(event.input_strides, "Input Strides"), array(event.input_types, "Input type"),
         array(event.concrete_inputs, "Concrete Inputs"), time(event.begin, event, "ts")});
  }

  void take_range(const ProfilerEvent& event) {
    const int64_t begin_ns = time(event.begin, event, "ts");
    const int64_t duration_ns = duration(event, begin_ns);
    trace_.ranges.push_back({text(event.name, event, "name"), begin_ns, begin_ns + duration_ns});
  }

  /// Returns the position in the text that errors about a missing field of the event report.
  static const char* place(const ProfilerEvent& event) { return event.phase.data(); }

  std::string_view text(std::string_view raw, const ProfilerEvent& event, const char* key) const {
    if (raw.empty()) cursor_.fail(place(event), fmt::format("this event has no \"{}\"", key));
    if (raw.front() != '"') cursor_.fail(raw, fmt::format("\"{}\" is not a text", key));
    return raw;
  }
  std::string_view array(std::string_view raw, const char* key) const {
    if (!raw.empty() && raw.front() != '[') cursor_.fail(raw, fmt::format("\"{}\" is not an array", key));
    return raw;
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

  ProfilerTrace trace_;
  JsonCursor cursor_;
  const std::string& name_;
};

}  // namespace

ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name) {
  return TraceReader(std::move(text), name).read();
}

}  // namespace kjoule
