#include "base/process/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kjoule {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(DurationText, IsRoundedUpAndNeverNegative) {
  EXPECT_EQ(duration_text(-3), "0 s");
  EXPECT_EQ(duration_text(11.2), "12 s");
  EXPECT_EQ(duration_text(59.5), "1 min 00 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

TEST(ProgressLines, HaveALineForTheFirstStageAndThenAtMostOneInTenSeconds) {
  std::ostringstream out;
  VirtualClock clock;
  const auto progress = progress_lines(out, clock);
  progress->stage("measuring the whole");
  EXPECT_EQ(out.str(), "measuring the whole\n");
  for (int second = 1; second <= 20; ++second) {
    clock.advance_ns(kSecond);
    progress->update(second / 40.0);
  }
  progress->finish();
  progress->stage("measuring kernels");
  EXPECT_EQ(
      out.str(),
      "measuring the whole\nmeasuring the whole: 25 %, 30 s left\nmeasuring the whole: 50 %, 20 s left\n")
      << "a stage that begins within 10 s of a line has none";
  clock.advance_ns(10 * kSecond);
  progress->update(0.5);
  EXPECT_TRUE(out.str().ends_with("20 s left\nmeasuring kernels: 50 %, 10 s left\n"));
}

/// Returns a function that writes the text of a bar to the stream as print_status() does.
std::function<void(std::string_view)> status_on(std::ostream& out) {
  return [&out](std::string_view text) { out << "\r\033[K" << text; };
}

TEST(ProgressBar, ShowsPercentAndTimeLeft) {
  std::ostringstream out;
  VirtualClock clock;
  const auto progress = progress_bar(status_on(out), clock, 80);
  progress->stage("recording");
  clock.advance_ns(3 * kSecond);
  progress->update(0.25);
  EXPECT_TRUE(out.str().ends_with("\r\033[Krecording [######..................] 25 %, 9 s left"))
      << out.str();
}

TEST(ProgressBar, IsNotRedrawnMoreThanTenTimesASecond) {
  std::ostringstream out;
  VirtualClock clock;
  const auto progress = progress_bar(status_on(out), clock, 80);
  progress->stage("recording");
  for (int i = 0; i < 1000; ++i) {
    clock.advance_ns(kSecond / 1000);
    progress->update(i / 1000.0);
  }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 11);
}

TEST(ProgressBar, IsWipedAtTheEnd) {
  std::ostringstream out;
  const VirtualClock clock;
  {
    const auto progress = progress_bar(status_on(out), clock, 80);
    progress->stage("recording");
  }
  EXPECT_TRUE(out.str().ends_with("\r\033[K"));
}

TEST(ProgressBar, NeverWraps) {
  std::ostringstream out;
  const VirtualClock clock;
  const auto progress = progress_bar(status_on(out), clock, 20);
  progress->stage("a title that is longer than the terminal is wide");
  const std::string text = out.str();
  EXPECT_LT(text.size() - text.rfind("\033[K") - 3, 20U);
}

TEST(Progress, SharesOutOfRangeAreTamed) {
  std::ostringstream out;
  VirtualClock clock;
  const auto progress = progress_lines(out, clock);
  progress->update(0.5);  // no stage under way
  progress->stage("s");
  for (const double done : {7.0, -7.0, std::nan("")}) {
    clock.advance_ns(11 * kSecond);
    progress->update(done);
  }
  EXPECT_EQ(out.str(), "s\ns: 100 %, 0 s left\ns: 0 %\n");
}

}  // namespace
}  // namespace kjoule
