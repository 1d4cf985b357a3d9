#include "base/process/signal_handler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace kjoule {
namespace {

constexpr auto kSoon = std::chrono::milliseconds(1);

/// Sends the signal to this process, and waits until `count` is `wanted`.
bool counts_to(const std::atomic<int>& count, int wanted) {
  kill(getpid(), SIGTERM);
  for (int i = 0; i < 5000 && count < wanted; ++i) std::this_thread::sleep_for(kSoon);
  return count == wanted;
}

TEST(SignalHandler, TheLastOneActs) {
  std::atomic<int> first = 0, second = 0;
  auto one = std::make_unique<SignalHandler>([&](int, bool) { ++first; });
  EXPECT_TRUE(counts_to(first, 1));
  auto other =
      std::make_unique<SignalHandler>([&](int signal, bool) { second += signal == SIGTERM ? 1 : 0; });
  EXPECT_TRUE(counts_to(second, 1));
  one.reset();  // not in the order in which they were made
  EXPECT_TRUE(counts_to(second, 2));
  EXPECT_EQ(first, 1);
  one = std::make_unique<SignalHandler>([&](int, bool) { ++first; });
  one->replace([&](int, bool) { first += 10; });
  EXPECT_TRUE(counts_to(first, 11));
  one.reset();
  EXPECT_TRUE(counts_to(second, 3));
}

TEST(UninterruptedStep, DelaysTheAction) {
  std::atomic<int> acted = 0;
  const SignalHandler handler([&](int, bool) { ++acted; });
  {
    const UninterruptedStep step;
    kill(getpid(), SIGTERM);
    const UninterruptedStep nested;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(acted, 0);
  }
  const UninterruptedStep after;
  EXPECT_EQ(acted, 1) << "a step that begins after a signal waits for its action";
}

}  // namespace
}  // namespace kjoule
