#include "importers/trace_parts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

constexpr ReadingThreads kOneThread{1, 1};

/// Returns the events of a trace whose threads, contexts and kinds of events vary along the file.
std::vector<std::string> varied_events() {
  std::vector<std::string> events;
  for (int i = 0; i < 60; ++i) {
    const int at = 1000 * i, process = 100 + i / 20, thread = 7 - i % 3;
    const auto add = [&](const std::string& fields) {
      events.push_back(fmt::format(R"({{"pid": {}, "tid": {}, "ts": {}, {}}})", process, thread, at, fields));
    };
    add(R"("ph": "X", "cat": "cpu_op", "name": "aten::mm", "dur": 9.5, "args": {"Input Dims": [[2, 3]]})");
    add(fmt::format(R"("ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 5, )"
                    R"("args": {{"correlation": {}}})",
                    i));
    add(fmt::format(R"("ph": "X", "cat": "kernel", "name": "k{}}}, {{", "dur": 2.25, "args": {{"device": 0, )"
                    R"("context": {}, "stream": 7, "correlation": {}, "list": [{{"a": 1}}, {{"b": 2}}]}})",
                    i % 4, 2 - i / 30, i));
    add(fmt::format(R"("ph": "B", "cat": "kernel", "name": "pair{}", "args": {{"device": 0}})", i));
    events.push_back(
        fmt::format(R"({{"ph": "E", "pid": {}, "tid": {}, "ts": {}}})", process, thread, at + 3));
    add(fmt::format(R"("ph": "b", "id": {0}, "cat": "user_annotation", "name": "step{0}")", 60 - i));
    add(fmt::format(R"("ph": "e", "id": {0}, "cat": "user_annotation", "name": "step{0}")", 60 - i));
    add(R"("ph": "X", "cat": "new", "name": "n", "dur": 0.1)");
    add(R"("ph": "X", "name": "n", "dur": 0.3)");
  }
  for (int process = 100; process < 103; ++process)
    events.push_back(
        fmt::format(R"({{"ph": "M", "pid": {0}, "name": "process_name", "args": {{"name": "{1} {0}"}}}})",
                    process, process == 101 ? "GPU" : "python"));
  return events;
}

std::string trace_of(const std::vector<std::string>& events, const char* separator) {
  return fmt::format(R"({{"record_shapes": 1, "traceEvents": [{}], "distributedInfo": {{"rank": 1}}}})",
                     fmt::join(events, separator));
}

/// Returns all that was read of a trace, or the error.
std::string all_of(const std::string& text, const ReadingThreads& threads) {
  try {
    const ProfilerTrace trace =
        read_profiler_trace(PaddedText::copy_of(text), "t", kWriteTraceAgain, threads);
    std::string all = fmt::format("rank {}\n", trace.rank.value_or(-1));
    for (const auto& one : trace.operations)
      all += fmt::format("{} {} {} {} {}\n", one.name, one.correlation.value_or(-1), one.context,
                         one.begin_ns, one.duration_ns);
    for (const auto& one : trace.calls)
      all += fmt::format("{} {} {} {} {}\n", one.name, one.correlation, one.thread, one.begin_ns, one.end_ns);
    for (const auto& one : trace.operators)
      all += fmt::format("{} {} {} {}\n", one.name, one.input_dims, one.thread, one.begin_ns);
    for (const auto& one : trace.ranges) all += fmt::format("{} {} {}\n", one.name, one.begin_ns, one.end_ns);
    for (const auto& one : trace.unread)
      all += fmt::format("{} {} {}\n", one.what, one.number, one.total_us.value_or(-1));
    return all;
  } catch (const Error& error) {
    return error.line();
  }
}

/// Checks that parts of any length give what one thread reads, and returns this.
std::string check_parts(const std::string& text) {
  std::string alone = all_of(text, kOneThread);
  for (const size_t bytes : {text.size() / 2, text.size() / 3, text.size() / 5, size_t{300}})
    EXPECT_EQ(all_of(text, {8, bytes}), alone) << bytes;
  return alone;
}

TEST(TraceParts, ReadWhatOneThreadReads) {
  for (const char* separator : {",", ",\n  ", " , "}) {
    const std::string all = check_parts(trace_of(varied_events(), separator));
    EXPECT_NE(all.find("of the process GPU 101 20 6\n"), std::string::npos) << all;
    EXPECT_NE(all.find("of the category new 20 2\n"), std::string::npos) << all;
  }
}

TEST(TraceParts, GuessesWithinEventsDoNotCount) {
  for (const char* inner :
       {R"({"ph": "X"}, {"ph": "X"})", R"([{"ph": "X"}, {"ph": "X"}, 1])", R"("}, {\"a\": 1}, {")"}) {
    std::vector<std::string> events = varied_events();
    std::string filler = inner;
    for (int i = 0; i < 2000; ++i) filler += fmt::format(", {}", inner);
    events.insert(
        events.begin() + 5,
        fmt::format(
            R"({{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {{"list": [{}]}}}})",
            filler));
    EXPECT_NE(check_parts(trace_of(events, ",")).find("\"k\" -1 "), std::string::npos);
  }
}

TEST(TraceParts, ErrorsAreThoseOfOneThread) {
  const std::vector<std::string> events = varied_events();
  const std::string trace = trace_of(events, ",\n");
  EXPECT_NE(check_parts(trace.substr(0, trace.size() * 3 / 4)).find("the file ends"), std::string::npos);
  for (const size_t place : {size_t{3}, events.size() / 2, events.size() - 1}) {
    std::vector<std::string> damaged = events;
    damaged[place] = R"({"ph": "X", "cat": "kernel", "name": "bad", "ts": 1, "dur": -2})";
    EXPECT_EQ(check_parts(trace_of(damaged, ",\n")).substr(0, fmt::format("t:{}: \"dur\"", place + 1).size()),
              fmt::format("t:{}: \"dur\"", place + 1));
    damaged[place] = "[1]";
    EXPECT_NE(check_parts(trace_of(damaged, ",\n")).find("not a JSON object"), std::string::npos);
  }
  EXPECT_NE(check_parts(trace_of(events, ",\n") + "x").find("text after the end"), std::string::npos);
}

TEST(TraceParts, CallerReadsOnlyTheFirstPart) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core: the caller reads everything";
  const std::vector<std::string> events = varied_events();
  const std::string list = fmt::format("[{}]", fmt::join(events, ","));
  const PaddedText text = PaddedText::copy_of(list);
  const std::string file = "t";
  TraceEvents read(JsonCursor(text, file, kWriteTraceAgain), file, list.size());
  TraceParts parts(JsonCursor(text, file, kWriteTraceAgain), text.view(), file, {2, 1000});
  size_t by_caller = 0;
  bool at_end = false;
  read.cursor().elements([&] {
    read.cursor().next();
    at_end = parts.append_to(read);
    if (at_end) return;
    read.read();
    ++by_caller;
  });
  EXPECT_TRUE(at_end);
  EXPECT_GT(by_caller, events.size() / 3);
  EXPECT_LT(by_caller, events.size() * 2 / 3);
}

}  // namespace
}  // namespace kjoule
