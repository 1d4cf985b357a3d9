#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/expect_contains.hpp"
#include "importers/import.hpp"

namespace kjoule {
namespace {

/// Calls and kernels as kineto writes them; every call is of process 9 and takes 3 us.
class Events {
 public:
  Events& call(const std::string& name, int correlation, double at_us, double us = 3) {
    const char* category = name.starts_with("cuda") ? "cuda_runtime" : "cuda_driver";
    return add(fmt::format(R"("cat": "{}", "name": "{}", "pid": 9, "ts": {}, "dur": {}, )"
                           R"("args": {{"correlation": {}}})",
                           category, name, at_us, us, correlation));
  }
  Events& kernel(const std::string& name, int correlation, double at_us) {
    return add(fmt::format(R"("cat": "kernel", "name": "{}", "pid": 0, "ts": {}, "dur": 2, )"
                           R"("args": {{"device": 0, "stream": 7, "correlation": {}}})",
                           name, at_us, correlation));
  }
  /// Returns the kernels of the trace with their counts, or the error message.
  std::string imported() const {
    try {
      table_ = import_text(PaddedText::copy_of("{\"traceEvents\": [" + text_ + "]}"), {}, "t.json");
    } catch (const Error& error) {
      return error.line();
    }
    std::string kernels;
    for (const ImportedKernel& kernel : table_.kernels)
      kernels += fmt::format("{} {} ", kernel.launches, kernel.name);
    return kernels;
  }
  /// Returns the warnings of the last import.
  std::string warnings() const { return fmt::format("{}", fmt::join(table_.warnings, "; ")); }

 private:
  Events& add(const std::string& event) {
    text_ += fmt::format("{}{{\"ph\": \"X\", {}}}", text_.empty() ? "" : ",\n", event);
    return *this;
  }
  std::string text_;
  mutable ImportedTable table_;
};

TEST(LaunchLinks, TwoLaunchCallsOfOneCorrelationIdAreRefused) {
  const std::string refusal = Events()
                                  .call("cudaLaunchKernel", 5, 10)
                                  .kernel("first", 5, 100)
                                  .call("cudaLaunchKernelExC", 5, 20)
                                  .kernel("second", 5, 110)
                                  .imported();
  EXPECT_EQ(refusal,
            "t.json: two calls of process 9 have correlation id 5, cudaLaunchKernel and cudaLaunchKernelExC, "
            "10.000 us later: it is unknown which of them launched first; if the file was edited or contains "
            "several traces, import each trace as the profiler wrote it");
}

TEST(LaunchLinks, ACallThatWasWrittenTwiceIsRefused) {
  Events twice;
  for (int i = 0; i < 2; ++i) twice.call("cudaLaunchKernel", 5, 10).kernel("k", 5, 100);
  EXPECT_CONTAINS(twice.imported(), "two calls of process 9 have correlation id 5");
}

TEST(LaunchLinks, TheDriversCallWithinTheRuntimesMayHaveItsId) {
  EXPECT_EQ(Events()
                .call("cudaLaunchKernel", 5, 10)
                .call("cuLaunchKernel", 5, 11, 1)
                .kernel("k", 5, 100)
                .imported(),
            "1 k ");
}

TEST(LaunchLinks, CallsThatLaunchNothingMayRepeatIds) {
  EXPECT_EQ(Events()
                .call("cudaStreamIsCapturing", 0, 2)
                .call("cudaDeviceSynchronize", 0, 6)
                .call("cudaLaunchKernel", 5, 10)
                .kernel("k", 5, 100)
                .imported(),
            "1 k ");
}

TEST(LaunchLinks, AllKernelsOfAGraphHaveTheIdOfItsLaunch) {
  Events graph;
  graph.call("cudaGraphLaunch", 5, 10).kernel("a", 5, 100).kernel("b", 5, 110).kernel("a", 5, 120);
  EXPECT_EQ(graph.imported(), "2 a 1 b ");
  EXPECT_EQ(graph.warnings().find("correlation id"), std::string::npos) << graph.warnings();
}

TEST(LaunchLinks, TwoKernelsOfACallThatLaunchesOneAreReported) {
  Events events;
  events.call("cudaLaunchKernel", 5, 10).kernel("a", 5, 100).kernel("b", 5, 110);
  EXPECT_EQ(events.imported(), "1 a 1 b ");
  EXPECT_CONTAINS(events.warnings(), "1 launch has the correlation id of another one");
}

}  // namespace
}  // namespace kjoule
