#include "importers/profiler_trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/decimal_time.hpp"
#include "importers/expect_contains.hpp"
#include "importers/import.hpp"
#include "importers/trace_builder.hpp"

namespace kjoule {
namespace {

ImportedTable imported_trace(const std::string& text, const ImportChoice& choice = {}) {
  return import_text(PaddedText::copy_of(text), choice, "t.json");
}

/// Returns the error message of reading the trace.
std::string trace_refusal(const std::string& text, const ImportChoice& choice = {}) {
  try {
    imported_trace(text, choice);
  } catch (const Error& error) {
    return error.line();
  }
  return "nothing was refused";
}

TEST(DecimalTime, IsExactBeyondDoubles) {
  EXPECT_EQ(ns_from_us("1700000000000000.125"), 1700000000000000125);
  EXPECT_EQ(ns_from_us("\"9007199254740993.001\""), 9007199254740993001);
  EXPECT_EQ(ns_from_us("9223372036854775.807"), INT64_MAX);
  EXPECT_EQ(ns_from_us("-1.5"), -1500);
  EXPECT_EQ(ns_from_us("1.25e2"), 125000);
  EXPECT_EQ(ns_from_us("0.0004999999999999999999999"), 0);
  EXPECT_EQ(ns_from_us("0.0005"), 1);
  for (const char* bad :
       {"9223372036854775.808", "NaN", "Infinity", "", "-", "1e400", "1e", "1x", "true", "."})
    EXPECT_FALSE(ns_from_us(bad)) << bad;
}

TEST(ProfilerTrace, LinksLaunchesToTheirOperators) {
  const ImportedTable table = imported_trace(TraceBuilder().steps(3).text());
  ASSERT_EQ(table.kernels.size(), 2u);
  const ImportedKernel& gemm = table.kernels[0];
  EXPECT_EQ(gemm.name, "gemm");
  EXPECT_EQ(gemm.grid, (Extent{16, 1, 1}));
  EXPECT_EQ(gemm.block, (Extent{128, 1, 1}));
  EXPECT_EQ(gemm.shared_bytes, 49152);
  EXPECT_EQ(gemm.launched_by.name, "aten::addmm");
  EXPECT_EQ(gemm.launched_by.input_dims.dump(), "[[5,8],[8,4]]");
  EXPECT_EQ(table.kernels[1].kind, ActivityKind::memcpy);
  EXPECT_EQ(table.kernels[1].bytes, 4096);
  EXPECT_TRUE(table.warnings.empty()) << table.warnings.front();
}

TEST(ProfilerTrace, CountsAreThoseOfOneIteration) {
  for (const int steps : {1, 3, 26}) {
    const ImportedTable table = imported_trace(TraceBuilder().steps(steps).text());
    EXPECT_EQ(table.iterations.number, static_cast<uint64_t>(steps));
    EXPECT_EQ(table.count(table.kernels[0]), 2.0) << steps;
    EXPECT_EQ(table.count(table.kernels[1]), 1.0) << steps;
    EXPECT_TRUE(table.steady(table.kernels[0]));
  }
}

TEST(ProfilerTrace, WorkBelongsToTheStepThatLaunchedIt) {
  // the device runs everything long after the last step
  const ImportedTable table = imported_trace(TraceBuilder().late_us(1e6).steps(4).text());
  EXPECT_EQ(table.count(table.kernels[0]), 2.0);
  EXPECT_EQ(table.iterations.left_out, 0u);
}

TEST(ProfilerTrace, DistinguishesWarmUp) {
  const ImportedTable table = imported_trace(TraceBuilder().warm_up(2).steps(5).text());
  EXPECT_EQ(table.iterations.warm_up, 2u);
  EXPECT_EQ(table.iterations.number, 5u);
  EXPECT_EQ(table.count(table.kernels[0]), 2.0);
  EXPECT_GT(table.iterations.left_out, 0u);
}

TEST(ProfilerTrace, StepsThatLaunchNothingAreNoIterations) {
  const ImportedTable table = imported_trace(TraceBuilder().steps(3).empty_step().text());
  EXPECT_EQ(table.iterations.number, 3u);
  EXPECT_EQ(table.count(table.kernels[0]), 2.0);
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_CONTAINS(table.warnings[0], "1 of 4 ProfilerSteps launched nothing");
}

TEST(ProfilerTrace, FlagsCountsThatAreNotWhole) {
  TraceBuilder trace;
  trace.steps(1).launch("odd", "[1,1,1]").steps(1);
  const ImportedTable table = imported_trace(trace.text());
  for (const ImportedKernel& kernel : table.kernels) {
    EXPECT_EQ(table.steady(kernel), kernel.name != "odd");
    if (kernel.name == "odd") {
      EXPECT_EQ(table.count(kernel), 0.5);
    }
  }
}

TEST(ProfilerTrace, CountsOverAllWhereIterationsAreUnknown) {
  const ImportedTable table = imported_trace(TraceBuilder().unmarked(6).text());
  EXPECT_FALSE(table.iterations.known());
  EXPECT_FALSE(table.count(table.kernels[0]));
  EXPECT_EQ(table.kernels[0].launches, 12u);
  EXPECT_CONTAINS(table.iterations_missing(), "--iterations N");
  ImportChoice choice;
  choice.iterations = 6;
  EXPECT_EQ(imported_trace(TraceBuilder().unmarked(6).text(), choice).count(table.kernels[0]), 2.0);
}

TEST(ProfilerTrace, OtherIterationsThanItsStepsAreReported) {
  ImportChoice choice;
  choice.iterations = 5;
  const ImportedTable table = imported_trace(TraceBuilder().steps(3).empty_step().text(), choice);
  EXPECT_EQ(table.iterations.number, 5u);
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_CONTAINS(
      table.warnings[0],
      "the number of iterations is 5, as given with --iterations, although the trace has 3 ProfilerSteps");
  choice.iterations = 3;
  EXPECT_TRUE(imported_trace(TraceBuilder().steps(3).empty_step().text(), choice).warnings.empty());
  EXPECT_TRUE(imported_trace(TraceBuilder().overlapping().steps(3).text(), choice).warnings.empty());
}

TEST(ProfilerTrace, FindsWhatRepeatsWithoutMarks) {
  std::string text;
  TraceBuilder trace;
  for (int i = 0; i < 900; ++i) trace.unmarked_iteration(40);
  const ImportedTable table = imported_trace(trace.text());
  ASSERT_EQ(table.iterations.source, IterationSource::period);
  EXPECT_NEAR(static_cast<double>(table.iterations.number), 900, 2);
  for (const ImportedKernel& kernel : table.kernels) EXPECT_EQ(table.count(kernel), 1.0) << kernel.name;
}

TEST(ProfilerTrace, FindsWhatAShortTraceRepeatsAfterPauses) {
  for (const auto& [number, length] : {std::pair{26, 65}, {300, 20}, {3, 70}}) {
    TraceBuilder trace;
    trace.launch("first", "[1,1,1]");
    for (int i = 0; i < number; ++i) trace.unmarked_iteration(length);
    const ImportedTable table = imported_trace(trace.text());
    ASSERT_EQ(table.iterations.source, IterationSource::period) << number;
    EXPECT_EQ(table.iterations.number, static_cast<uint64_t>(number));
    for (const ImportedKernel& kernel : table.kernels) EXPECT_EQ(table.count(kernel), 1.0) << kernel.name;
  }
}

TEST(ProfilerTrace, ReportsWhatCountsAsAnIterationOrThatNothingDoes) {
  TraceBuilder steady, grouped;
  for (int i = 0; i < 12; ++i) steady.unmarked_iteration(5);
  for (int i = 0; i < 36; ++i) grouped.unmarked_iteration(5).pause_us(i % 12 == 11 ? 2000 : 0);
  const ImportedTable sure = imported_trace(steady.text()), doubtful = imported_trace(grouped.text());
  EXPECT_EQ(sure.count(sure.kernels[0]), 1.0);
  EXPECT_CONTAINS(sure.warnings.at(0),
                  "5 launches repeat 12 times, and each repetition counts as an iteration; "
                  "if the repetitions are layers, set the number of iterations with --iterations N");
  EXPECT_FALSE(doubtful.count(doubtful.kernels[0]));
  EXPECT_CONTAINS(doubtful.warnings.at(0),
                  "5 launches repeat 36 times, with a longer pause of the host before every 12 of them");
  EXPECT_CONTAINS(doubtful.warnings.at(0),
                  "iteration (then set --iterations 36), or a layer, with 12 layers per iteration (then set "
                  "--iterations 3)");
}

TEST(ProfilerTrace, LayersWithoutPausesAreNoIterations) {
  TraceBuilder trace;
  for (int layer = 0; layer < 24; ++layer)
    for (const char* kernel : {"norm", "product", "attention", "product", "add"})
      trace.launch(kernel, "[1,1,1]");
  EXPECT_FALSE(imported_trace(trace.text()).iterations.known());
}

TEST(ProfilerTrace, TakesNamedRanges) {
  ImportChoice choice;
  choice.annotation = "forward";
  EXPECT_EQ(imported_trace(TraceBuilder().named("forward").steps(3).text(), choice).iterations.number, 3u);
  EXPECT_CONTAINS(trace_refusal(TraceBuilder().steps(3).text(), choice), "no annotation forward");
}

TEST(ProfilerTrace, ReportsWhichOptionWasOff) {
  const ImportedTable table = imported_trace(TraceBuilder().without_shapes().steps(2).text());
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_CONTAINS(table.warnings[0], "record_shapes=True");
  EXPECT_FALSE(table.kernels[0].launched_by.has_shapes());
  std::string with_option_on = TraceBuilder().without_shapes().steps(2).text();
  with_option_on.replace(with_option_on.find("\"record_shapes\": 0"), 18, "\"record_shapes\": 1");
  EXPECT_CONTAINS(imported_trace(with_option_on).warnings.at(0),
                  "record_shapes was on according to the trace");
  EXPECT_CONTAINS(imported_trace(with_option_on).warnings.at(0), "profile(record_shapes=True)");
}

TEST(ProfilerTrace, CountsLaunchesWithoutOperatorOrCall) {
  TraceBuilder trace;
  trace.steps(2).orphan("alone");
  const ImportedTable table = imported_trace(trace.text());
  ASSERT_EQ(table.warnings.size(), 3u);
  EXPECT_CONTAINS(table.warnings[0], "1 of 7 launches has no launching call");
  EXPECT_CONTAINS(table.warnings[1], "1 of 7 launches has no launching operator");
  EXPECT_CONTAINS(table.warnings[2], "1 launch outside the counted iterations is ignored");
}

TEST(ProfilerTrace, RefusesWhatItCannotCount) {
  EXPECT_CONTAINS(trace_refusal(R"({"schemaVersion": 1, "traceEvents": []})"), "no kernels");
  EXPECT_CONTAINS(trace_refusal(TraceBuilder().overlapping().steps(3).text()), "iterations must not overlap");
  TraceBuilder two;
  two.steps(2).on_device(1).steps(1);
  EXPECT_CONTAINS(trace_refusal(two.text()),
                  "the launches of GPU 0 form 2 iterations, but those of GPU 1 form 1 iteration; choose one "
                  "with --gpu N");
  ImportChoice choice;
  choice.gpu = 1;
  EXPECT_EQ(imported_trace(two.text(), choice).gpu, 1);
  choice.gpu = 5;
  EXPECT_CONTAINS(trace_refusal(two.text(), choice), "no kernels of device 5");
}

TEST(ProfilerTrace, RefusesDamagedFiles) {
  const std::string whole = TraceBuilder().steps(2).text();
  for (size_t size = 1; size + 1 < whole.size(); size += 7)
    EXPECT_CONTAINS(trace_refusal(whole.substr(0, size)), "t.json:") << size;
  EXPECT_CONTAINS(trace_refusal(whole + "x"), "the file contains text after the end of the trace");
  EXPECT_CONTAINS(trace_refusal(R"({"schemaVersion": )" + std::string(100000, '[')), "nested too deeply");
  EXPECT_CONTAINS(trace_refusal(R"({"traceEvents": [], "traceEvents": []})"), "is given twice");
  EXPECT_CONTAINS(trace_refusal(R"({"traceEvents": 5})"), "not an array");
}

TEST(ProfilerTrace, RefusesWrongFields) {
  const auto kernel = [](const std::string& fields) {
    return R"({"traceEvents": [{"ph": "X", "cat": "kernel", )" + fields + "}]}";
  };
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "k", "ts": 1, "dur": NaN)")),
                  "t.json:1: \"dur\" is not a time");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "k", "ts": 1, "dur": -1)")), "\"dur\" is negative");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "k", "ts": [], "dur": 1)")), "\"ts\" is not a time");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": 7, "ts": 1, "dur": 1)")), "\"name\" is not a text");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("ts": 1, "dur": 1)")), "has no \"name\"");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "k", "ts": 1, "dur": 1, "args": {"grid": [1, 2]})")),
                  "three whole");
  for (const char* bad : {"[0, 1, 1]", "[1, 1, 2147483648]"})
    EXPECT_CONTAINS(
        trace_refusal(kernel(fmt::format(R"("name": "k", "ts": 1, "dur": 1, "args": {{"block": {}}})", bad))),
        "t.json:1: \"block\" is not three whole numbers from 1");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "", "ts": 1, "dur": 1)")), "t.json:1: \"name\" is empty");
  EXPECT_CONTAINS(trace_refusal(kernel(R"("name": "k", "ts": 1, "ts": 2, "dur": 1)")),
                  "\"ts\" is given twice");
}

TEST(ProfilerTrace, AsksForTheWholeFileOnlyWhereItEndsTooEarly) {
  const std::string whole = TraceBuilder().steps(2).text();
  EXPECT_CONTAINS(trace_refusal(whole.substr(0, whole.size() - 100)), "copied completely");
  for (const auto& [from, to] : {std::pair{"\"dur\": 2.125", "\"dur\": -2"},
                                 {"\"device\": 0", "\"device\": 0, \"device\": 1"},
                                 {"\"device\": 0", "\"device\": []"}}) {
    std::string wrong = whole;
    wrong.replace(wrong.find(from), std::string(from).size(), to);
    EXPECT_EQ(trace_refusal(wrong).find("copied completely"), std::string::npos) << trace_refusal(wrong);
    EXPECT_CONTAINS(trace_refusal(wrong), "profiler.export_chrome_trace(FILE)");
  }
}

TEST(ProfilerTrace, TimesThatAreTooLargeAreDistinguished) {
  for (const char* ts : {"9300000000000000", "\"9220000000000000\"", "-20000000000000", "1e30"})
    EXPECT_CONTAINS(
        trace_refusal(fmt::format(
            R"({{"traceEvents": [{{"ph": "X", "cat": "kernel", "name": "k", "ts": {}, "dur": 1}}]}})", ts)),
        "too large for 64 bits in ns");
}

TEST(ProfilerTrace, ArgumentsTwiceMustBeTheSame) {
  const auto twice = [](const char* second) {
    return trace_refusal(
        fmt::format(R"({{"traceEvents": [{{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, )"
                    R"("args": {{"stream": 7}}, "args": {}}}]}})",
                    second));
  };
  EXPECT_CONTAINS(twice(R"({"bytes": 8})"), "t.json:1: \"args\" is given twice in one event");
  EXPECT_EQ(twice(R"({"stream": 7})"), "nothing was refused");
}

TEST(ProfilerTrace, WhatHasNoKernelsSaysWhatItHas) {
  EXPECT_CONTAINS(trace_refusal(R"({"traceEvents": []})"),
                  "this trace contains no kernels, and no operators");
  EXPECT_CONTAINS(
      trace_refusal(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, )"
                    R"("dur": 1, "args": {"External id": 1}}]})"),
      "this trace contains no kernels, only 1 operator of the host");
}

TEST(ProfilerTrace, RefusesEventsWhoseKindCannotBeRead) {
  const auto with = [](const std::string& fields) {
    return trace_refusal(R"({"traceEvents": [)"
                         "\n"
                         R"({"name": "k", "ts": 1, "dur": 1, )" +
                         fields + "}]}");
  };
  EXPECT_CONTAINS(with(R"("ph": "X", "cat": 3)"), "t.json:2: \"cat\" is not a text");
  EXPECT_CONTAINS(with(R"("ph": 3, "cat": "kernel")"), "t.json:2: \"ph\" is not a text");
  EXPECT_CONTAINS(with(R"("ph": "X", "cat": "kernel", "args": 5)"), "t.json:2: \"args\" is not an object");
  // Other contents of the trace are not checked.
  EXPECT_CONTAINS(with(R"("ph": "X", "cat": "python_function", "args": 5)"),
                  "this trace contains no kernels");
  EXPECT_CONTAINS(with(R"("ph": "M", "cat": 3)"), "this trace contains no kernels");
}

TEST(ProfilerTrace, KeepsLongAndEscapedNames) {
  const std::string name(10000, 'k');
  TraceBuilder trace;
  trace.launch(name + "\\u00e9\\n\\\"", "[1,1,1]");
  EXPECT_EQ(imported_trace(trace.text()).kernels[0].name, name + "\xC3\xA9\n\"");
}

}  // namespace
}  // namespace kjoule
