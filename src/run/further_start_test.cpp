#include "run/further_start.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(FurtherStart, SearchesForWindowsAndKeepsTheProgramsOutput) {
  const TemporaryFolder folder;
  SubjectOptions first;
  first.injection.run_log = "/tmp/log";
  const ExpectedWindows windows{{{2, {}, {{7, false, 1}}, 3}}};
  const FurtherStart start(windows, RepeatedInput(-1), folder.path() / "log");
  const SubjectOptions options = start.options(first);
  EXPECT_EQ(read_windows(options.injection.windows), windows);
  EXPECT_EQ(options.injection.after, InjectionOptions::After::go_on);
  EXPECT_EQ(options.injection.run_log, "");
  EXPECT_EQ(options.streams.input, -1);
  EXPECT_GE(options.streams.output, 0);
}

TEST(FurtherStart, SaysThatItsLogCannotBeWritten) {
  EXPECT_THROW(FurtherStart({}, RepeatedInput(-1), "/none/log"), Error);
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

TEST(Hindrance, NamesWhatForbidsAFurtherStart) {
  EXPECT_EQ(hindrance({.seconds = 59}), "");
  EXPECT_NE(hindrance({.seconds = 61}).find("took 61 s"), std::string::npos);
  EXPECT_NE(hindrance({.other_processes = 1}).find("2 of the program's processes"), std::string::npos);
  EXPECT_NE(hindrance({.input_is_gone = true}).find("a pipe"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
