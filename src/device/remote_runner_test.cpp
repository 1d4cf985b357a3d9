#include "device/remote_runner.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(RunnerEnded, InItsOwnWordsOrHowItEnded) {
  EXPECT_EQ(runner_end_error("exit code 1", "kjoule-torch: torch sees no GPU; use --device cpu").line(),
            "torch sees no GPU; use --device cpu");
  EXPECT_EQ(runner_end_error("exit code 3", "no libc10.so").line(),
            "kjoule-torch ended (exit code 3): no libc10.so; kjoule doctor reports what this machine lacks");
  EXPECT_EQ(
      runner_end_error("killed by signal 9 (Killed)", "").line(),
      "kjoule-torch ended (killed by signal 9 (Killed)); kjoule doctor reports what this machine lacks");
}

/// Returns a RemoteRunner whose process is a shell script instead of kjoule-torch. In the script, `next`
/// reads any one request, and `greet` answers the greeting.
RemoteRunner scripted(const std::string& script) {
  constexpr const char* kCommands = R"(
fd=$1
next() { size=$(head -c 4 <&$fd | od -An -tu4); head -c $size <&$fd >/dev/null; }
greet() { next; printf '\x0d\0\0\0\xa2\x62id\x01\x66result\xf6' >&$fd; }
)";
  return RemoteRunner({"bash", "-c", kCommands + script, "shell", "{fd}"});
}

TEST(RemoteRunner, ThatEndsBeforeTheGreetingIsAnErrorWithItsLastLine) {
  RemoteRunner runner = scripted("echo 'a warning' >&2; echo 'no GPU today' >&2; exit 3");
  try {
    runner.start({});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "kjoule-torch ended (exit code 3): no GPU today");
    EXPECT_EQ(dynamic_cast<const DeviceError*>(&error), nullptr);
  }
}

TEST(RemoteRunner, ThatEndsDuringACallIsLostWithIt) {
  RemoteRunner runner = scripted("greet; next; echo 'it faults'; kill -9 $$");
  EXPECT_EQ(runner.start({}), nullptr);
  EXPECT_TRUE(runner.is_usable());
  try {
    runner.try_call(MemorySet{8});
    ADD_FAILURE() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.line(),
              "the process of kjoule-torch ended while it ran this (killed by signal 9 (Killed): it faults)");
    EXPECT_TRUE(error.lost);
  }
  EXPECT_FALSE(runner.is_usable());
}

TEST(RemoteRunner, ThatEndsAfterACallIsNotLostWithIt) {
  RemoteRunner runner =
      scripted(R"(greet; next; printf '\x15\0\0\0\xa3\x62id\x02\x64last\xf5\x66result\xf9\x3e\x00' >&$fd)");
  runner.start({});
  EXPECT_EQ(runner.try_call(OperatorCall{"aten::mm", nlohmann::json::array()}), 1.5);
  EXPECT_FALSE(runner.is_usable());
}

}  // namespace
}  // namespace kjoule
