#include "device/injection_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"

namespace kjoule {
namespace {

InjectionOptions everything() {
  InjectionOptions options;
  options.socket = "@kjoule-1-2";
  options.after = InjectionOptions::After::run_on;
  options.nvtx_range = "forward pass";
  options.iteration_launches = LaunchSpan{5, 9};
  options.loop_s = 0.25;
  options.skip_iterations = 3;
  options.timed_iterations = 110;
  options.gpu = 1;
  options.rank = 0;
  return options;
}

TEST(InjectionOptions, SurviveTheEnvironment) {
  for (const InjectionOptions& options : {InjectionOptions(), everything()})
    EXPECT_EQ(InjectionOptions::parse(options.to_environment()), options);
  for (const auto& [name, value] : everything().to_environment()) setenv(name.c_str(), value.c_str(), 1);
  EXPECT_EQ(InjectionOptions::from_environment(), everything());
  // Variables that an outer kjoule or the user's shell has set are not inherited.
  for (const auto& [name, value] : InjectionOptions().to_environment())
    setenv(name.c_str(), value.c_str(), 1);
  EXPECT_EQ(InjectionOptions::from_environment(), std::nullopt);
}

TEST(InjectionOptions, AreRefusedWhenNotUnderstood) {
  EXPECT_THROW(InjectionOptions::parse({{"KJOULE_GPU", "first"}}), Error);
  EXPECT_THROW(InjectionOptions::parse({{"KJOULE_AFTER_RECORDING", "explode"}}), Error);
  for (const char* bad : {"", "5", "5..", "..5", "5..5", "9..5", "-1..5", "5..9x", "1.5..9"})
    EXPECT_THROW(parse_launch_span(bad), Error) << bad;
  EXPECT_EQ(parse_launch_span("0..1"), (LaunchSpan{0, 1}));
}

TEST(InjectionOptions, RankIsThatOfTheProcess) {
  InjectionOptions options;
  unsetenv("RANK");
  setenv("LOCAL_RANK", "2", 1);
  EXPECT_TRUE(is_measured_rank(options)) << "nothing was asked for";
  options.rank = 2;
  EXPECT_TRUE(is_measured_rank(options));
  setenv("RANK", "10", 1);
  EXPECT_FALSE(is_measured_rank(options)) << "RANK counts over all machines";
  unsetenv("RANK");
  unsetenv("LOCAL_RANK");
  EXPECT_FALSE(is_measured_rank(options));
}

}  // namespace
}  // namespace kjoule
