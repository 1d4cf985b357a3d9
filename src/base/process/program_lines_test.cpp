#include "base/process/program_lines.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Lines = std::vector<std::string>;

/// Returns all lines that the program writes until it ends.
Lines all_lines(ProgramLines& program) {
  Lines all;
  while (!program.how_it_ended()) {
    for (std::string& line : program.read()) all.push_back(std::move(line));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return all;
}

TEST(ProgramLines, GivesWholeLinesInOrder) {
  ProgramLines program({"sh", "-c", "printf 'one\\ntw'; sleep 0.05; printf 'o\\nlast'; exit 3"});
  EXPECT_EQ(all_lines(program), (Lines{"one", "two", "last"}));
  EXPECT_EQ(program.how_it_ended(), "exit code 3");
  EXPECT_TRUE(program.read().empty());
}

TEST(ProgramLines, DoesNotWait) {
  ProgramLines program({"sleep", "60"});
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(program.read().empty());
  EXPECT_FALSE(program.how_it_ended());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST(ProgramLines, SaysWhatCannotBeStarted) {
  EXPECT_THROW(ProgramLines({"/none/program"}), Error);
}

TEST(RunForObjects, GivesObjectsAndKeepsTheLastOtherLine) {
  std::vector<int> numbers;
  const ObjectsEnd end = run_for_objects(
      {"sh", "-c", R"(echo '{"n": 1}'; echo 'first'; sleep 0.05; echo '[2]'; echo; echo '{"n": 3}'; exit 4)"},
      [&](const nlohmann::json& json) { numbers.push_back(json.at("n").get<int>()); });
  EXPECT_EQ(numbers, (std::vector<int>{1, 3}));
  EXPECT_EQ(end.how, "exit code 4");
  EXPECT_EQ(end.other, "[2]");
}

TEST(RunForObjects, WhatTakesAnObjectMayEndTheProgram) {
  EXPECT_THROW(run_for_objects({"sh", "-c", "echo '{}'; sleep 60"},
                               [](const nlohmann::json&) { throw Error("enough"); }),
               Error);
}

}  // namespace
}  // namespace kjoule
