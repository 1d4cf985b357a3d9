#include "base/files/machine_load.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(BusyCores, CountsAllThatIsNotIdle) {
  const std::string before = "cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 1 1 1\n";
  // The difference is 40 ticks of user and 10 of steal (busy), 45 of idle and 5 of iowait (idle).
  EXPECT_NEAR(busy_cores(before, "cpu  140 0 50 1045 15 0 0 10 0 0\n", 2).value(), 1.0, 1e-9);
  EXPECT_NEAR(busy_cores(before, "cpu  100 0 50 1100 10 0 0 0 0 0\n", 2).value(), 0.0, 1e-9);
  EXPECT_FALSE(busy_cores(before, before, 2)) << "no time has passed";
  EXPECT_FALSE(busy_cores("", "cpu nonsense", 2));
}

TEST(LoadWarning, NamesCauseAndRemedyWhenThreadsFindNoCore) {
  const std::string warning = load_warning({.cores = 2, .average = 2.4, .busy_cores = 1.9}, 1);
  EXPECT_NE(warning.find("1.9 of 2 cores busy (load average 2.4)"), std::string::npos) << warning;
  EXPECT_NE(warning.find("--threads"), std::string::npos);
  EXPECT_NE(load_warning({.cores = 4, .average = 2.4, .busy_cores = {}}, 2), "")
      << "without a look at what runs the average decides";
}

TEST(LoadWarning, KeepsQuietOnAQuietMachine) {
  EXPECT_EQ(load_warning({.cores = 2, .average = 0.9, .busy_cores = {}}, 1), "");
  EXPECT_EQ(load_warning({.cores = 2, .average = 1.9, .busy_cores = 0.1}, 1), "")
      << "a build that has ended is still in the average";
  EXPECT_EQ(load_warning({.cores = 2, .average = 0.3, .busy_cores = 0.05}, 2), "") << "housekeeping";
  EXPECT_NE(load_warning({.cores = 2, .average = 0.5, .busy_cores = 0.5}, 2), "");
}

TEST(LoadJson, HoldsTheWarningOnlyWhereThereIsOne) {
  EXPECT_EQ(load_json({.cores = 2, .average = 0.25, .busy_cores = {}}, 1),
            nlohmann::json({{"cores", 2}, {"load_average", 0.25}, {"threads", 1}}));
  const auto busy = load_json({.cores = 2, .average = 3, .busy_cores = 2}, 1);
  EXPECT_EQ(busy.at("busy_cores"), 2);
  EXPECT_TRUE(busy.at("warnings").size() == 1);
}

TEST(MachineLoad, ReadsThisMachine) {
  const MachineLoad load = machine_load(1'000'000);
  EXPECT_GE(load.cores, 1U);
  EXPECT_GE(load.average, 0);
  ASSERT_TRUE(load.busy_cores) << "so many threads always give cause to look";
  EXPECT_LE(*load.busy_cores, load.cores);
}

}  // namespace
}  // namespace kjoule
