#include "layers/range_layers.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

/// A recording of launches that are given as "signature@outer/inner".
struct Recorded {
  Recording recording;
  Comparison comparison;

  explicit Recorded(const std::vector<std::string>& launches) {
    for (const std::string& text : launches) {
      const size_t at = text.find('@');
      Launch launch;
      launch.name = launch.signature = text.substr(0, at);
      std::vector<std::string> ranges;
      std::string rest = text.substr(at + 1);
      while (!rest.empty()) {
        const size_t slash = std::min(rest.find('/'), rest.size());
        ranges.push_back(rest.substr(0, slash));
        rest = rest.substr(std::min(slash + 1, rest.size()));
      }
      if (!ranges.empty()) launch.detail["ranges"] = ranges;
      recording.launches.push_back(launch);
      add(launch.signature);
    }
  }

  void add(const std::string& signature) {
    for (KernelResult& kernel : comparison.kernels)
      if (kernel.signature == signature) {
        ++kernel.count;
        kernel.in_context_s->value += 1e-3;
        return;
      }
    KernelResult kernel;
    kernel.name = kernel.signature = signature;
    kernel.count = 1;
    kernel.in_context_s = Interval{1e-3, 1e-5};
    comparison.kernels.push_back(kernel);
  }

  NetworkResult layers(const std::string& range = "step") const {
    return layers_of_ranges("program", range, recording, comparison);
  }
};

TEST(RangeLayers, AreTheOutermostRangesWithinTheIteration) {
  const NetworkResult result =
      Recorded({"a@step/conv/inner", "b@step/conv", "c@step/norm", "a@step/conv", "b@step/conv", "d@step"})
          .layers();
  ASSERT_EQ(result.layers.size(), 3u);
  EXPECT_EQ(result.layers[0].name, "conv");
  EXPECT_EQ(result.layers[0].count, 2);
  EXPECT_EQ(result.layers[0].launches, 2u);
  EXPECT_NEAR(result.layers[0].each_s->value, 2e-3, 1e-12);
  EXPECT_EQ(result.layers[1].name, "norm");
  EXPECT_EQ(result.layers[2].name, "outside of ranges");
  EXPECT_NEAR(result.latency_s(), 6e-3, 1e-12);
}

TEST(RangeLayers, HaveNoLaunchesOfTheLeadAndTail) {
  Recorded recorded({"a@step/conv", "b@step/norm", "b@step/norm"});
  Launch other = recorded.recording.launches.front();
  other.signature = "not measured";
  recorded.recording.launches.insert(recorded.recording.launches.begin(), {other, other});
  recorded.recording.launches.push_back(other);
  recorded.recording.edges = {2, 1};
  const NetworkResult result = recorded.layers();
  ASSERT_EQ(result.layers.size(), 2u);
  EXPECT_EQ(result.layers[0].count, 1);
  EXPECT_EQ(result.layers[1].count, 2);
  EXPECT_NEAR(result.latency_s(), 3e-3, 1e-12);
}

TEST(RangeLayers, OfOneNameThatLaunchOtherKernelsAreLayersOfTheirOwn) {
  const NetworkResult result = Recorded({"a@step/conv", "b@step/norm", "c@step/conv"}).layers();
  ASSERT_EQ(result.layers.size(), 3u);
  EXPECT_EQ(result.layers[2].name, "conv (2)");
}

TEST(RangeLayers, RightAfterEachOtherAreCounted) {
  const NetworkResult result =
      Recorded({"a@step/blur", "b@step/blur", "a@step/blur", "b@step/blur"}).layers();
  ASSERT_EQ(result.layers.size(), 1u);
  EXPECT_EQ(result.layers[0].count, 2);
  EXPECT_EQ(result.layers[0].launches, 2u);
}

TEST(RangeLayers, WithoutARangeOfTheIterationTheOutermostCount) {
  const NetworkResult result = Recorded({"a@conv/inner", "b@norm"}).layers("");
  ASSERT_EQ(result.layers.size(), 2u);
  EXPECT_EQ(result.layers[0].name, "conv");
}

TEST(RangeLayers, WithoutRangesTheErrorNamesTheRemedy) {
  try {
    Recorded({"a@step", "b@step"}).layers();
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("within step; mark each layer with nvtxRangePush"), std::string::npos)
        << error.line();
  }
}

TEST(RangeLayers, AKernelWithoutATimeIsItsLayersError) {
  Recorded recorded({"a@step/conv", "b@step/norm"});
  recorded.comparison.kernels[1].in_context_s.reset();
  recorded.comparison.kernels[1].error = "faults";
  const NetworkResult result = recorded.layers();
  EXPECT_EQ(result.layers[1].error, "b: faults");
  EXPECT_FALSE(result.complete());
}

}  // namespace
}  // namespace kjoule
