#include "importers/profiler_trace.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "importers/event_fields.hpp"
#include "importers/trace_events.hpp"
#include "importers/trace_parts.hpp"
#include "recording/rank_limit.hpp"

namespace kjoule {

namespace {

class TraceReader {
 public:
  TraceReader(PaddedText text, const std::string& name, const std::string& remedy)
      : trace_{std::move(text), {}, {}, {}, {}, {}, {}, {}, {}, TraceTool::torch, {}, {}},
        name_(name),
        begin_(trace_.text, name, remedy),
        events_(begin_, name, trace_.text.view().size()),
        cursor_(events_.cursor()) {}

  ProfilerTrace read(const ReadingThreads& threads) {
    std::optional<TraceParts> parts;
    scan([&] {
      if (!parts) parts.emplace(cursor_, trace_.text.view(), name_, threads);
      if (!parts->append_to(events_)) events_.read();
    });
    events_.take_pairs();
    if (events_.has_xla_streams()) {  // the names of threads may follow their events
      cursor_ = begin_;
      rereads_ = true;
      scan([this] { events_.read_xla_event(); });
    }
    events_.move_to(trace_);
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
    if (!ranks.empty()) trace_.ranks = number_from(1, kMostNamedRanks, ranks, "world_size");
    if (!rank.empty()) trace_.rank = number_from(0, trace_.ranks.value_or(kMostNamedRanks) - 1, rank, "rank");
  }

  int64_t number_from(int64_t least, int64_t most, std::string_view raw, const char* key) const {
    const int64_t number = EventFields(cursor_).whole(raw, key);
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

  ProfilerTrace trace_;
  const std::string& name_;
  const JsonCursor begin_;
  TraceEvents events_;
  JsonCursor& cursor_;
  bool rereads_ = false;
};

}  // namespace

ProfilerTrace read_profiler_trace(PaddedText text, const std::string& name, const std::string& remedy,
                                  const ReadingThreads& threads) {
  return TraceReader(std::move(text), name, remedy).read(threads);
}

}  // namespace kjoule
