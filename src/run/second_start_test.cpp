#include "run/second_start.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

namespace kjoule {
namespace {

ChosenPart loop_of(uint64_t first, uint64_t end, uint64_t preceding) {
  ChosenPart part;
  part.facts.is_loop = true;
  part.facts.first = first;
  part.facts.end = end;
  part.preceding = preceding;
  part.launches = {{1, {"a"}}, {1, {"b"}}};
  return part;
}

Recording recording_of_launches(const std::vector<std::string>& names) {
  Recording recording;
  for (const std::string& name : names) {
    Launch launch;
    launch.name = name;
    recording.launches.push_back(launch);
  }
  return recording;
}

TEST(SecondStart, TheIterationsBeforeTheMeasuredOneAreTimed) {
  const TemporaryFolder folder;
  SubjectOptions first;
  first.injection.run_log = "/tmp/log";
  const SecondStart start(loop_of(100, 102, 5), RepeatedInput(-1), folder.path() / "log");
  const SubjectOptions options = start.options(first);
  EXPECT_EQ(options.injection.iteration_launches, (LaunchSpan{90, 92}));
  EXPECT_EQ(options.injection.skip_iterations, 5);
  EXPECT_EQ(options.injection.run_log, "");
  EXPECT_EQ(options.streams.input, -1);
  EXPECT_GE(options.streams.output, 0);
}

TEST(SecondStart, RefusesOtherLaunches) {
  const TemporaryFolder folder;
  const SecondStart start(loop_of(100, 102, 0), RepeatedInput(-1), folder.path() / "log");
  EXPECT_NO_THROW(start.check(recording_of_launches({"a", "b"})));
  try {
    start.check(recording_of_launches({"a", "c"}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("launch 101 is not that of the first start"), std::string::npos);
  }
}

TEST(SecondStart, SaysThatItsLogCannotBeWritten) {
  EXPECT_THROW(SecondStart(loop_of(0, 2, 0), RepeatedInput(-1), "/none/log"), Error);
}

TEST(RepeatedInput, AFileIsReadAgainFromWhereItWas) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "input") << "0123456789";
  const int file = open((folder.path() / "input").c_str(), O_RDONLY);
  std::array<char, 4> text{};
  ASSERT_EQ(read(file, text.data(), 2), 2);
  const RepeatedInput input(file);
  EXPECT_FALSE(input.is_gone());
  ASSERT_EQ(read(file, text.data(), 4), 4);
  EXPECT_EQ(input.again(), file);
  ASSERT_EQ(read(file, text.data(), 4), 4);
  EXPECT_EQ(text[0], '2');
  close(file);
}

TEST(RepeatedInput, WhatComesFromAPipeIsGone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_TRUE(RepeatedInput(ends[0]).is_gone());
  for (const int end : ends) close(end);
  const int nothing = open("/dev/null", O_RDONLY);
  EXPECT_FALSE(RepeatedInput(nothing).is_gone());
  EXPECT_EQ(RepeatedInput(nothing).again(), -1);
  close(nothing);
}

TEST(Hindrance, NamesWhatForbidsASecondStart) {
  EXPECT_EQ(hindrance({.seconds = 59}), "");
  EXPECT_NE(hindrance({.seconds = 61}).find("took 61 s"), std::string::npos);
  EXPECT_NE(hindrance({.other_processes = 1}).find("2 of its processes"), std::string::npos);
  EXPECT_NE(hindrance({.part_s = 2.7}).find("this takes 2.7 s of GPU time"), std::string::npos);
  EXPECT_NE(hindrance({.input_is_gone = true}).find("a pipe"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
