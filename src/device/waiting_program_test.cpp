#include "device/waiting_program.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

const std::vector<WaitingProgram> kTwo{{"server", 12}, {"other", 13}};

TEST(WaitingProgram, IsFoundInTheListOfSockets) {
  const std::string sockets =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 16 /run/dbus\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 17 " +
      socket_name({"server", 12}) +
      "\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 18 " +
      socket_name({"server", 12}) +
      "\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 19\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 20 " +
      socket_name({"other", 13}) + "\n";
  EXPECT_EQ(parse_waiting_programs(sockets), kTwo);
}

TEST(WaitingProgram, OfAnotherFormIsIgnored) {
  for (const char* path :
       {"@kjoule-waits/", "@kjoule-waits/server", "@kjoule-waits/server/", "@kjoule-waits//12",
        "@kjoule-waits/server/-12", "@kjoule-waits/server/12x", "@kjoule-waits/a\033b/12",
        "@kjoule-waits/server/99999999999999", "/kjoule-waits/server/12"})
    EXPECT_TRUE(parse_waiting_programs(std::string("0: 2 0 10000 1 1 17 ") + path + "\n").empty()) << path;
}

TEST(WaitingProgram, HasANameOfFewCharacters) {
  EXPECT_TRUE(can_name_program("llama-2_7b.v1"));
  EXPECT_FALSE(can_name_program(""));
  EXPECT_FALSE(can_name_program("a/b"));
  EXPECT_FALSE(can_name_program("a b"));
  EXPECT_FALSE(can_name_program(std::string(49, 'a')));
}

std::string error_of(const WantedProgram& wanted, const std::vector<WaitingProgram>& waiting) {
  try {
    select_program(waiting, wanted);
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

TEST(WaitingProgram, IsSelectedByNameOrProcess) {
  EXPECT_EQ(select_program(kTwo, {"server", 0}).pid, 12);
  EXPECT_EQ(select_program(kTwo, {"", 13}).name, "other");
  EXPECT_EQ(select_program({{"server", 12}, {"server", 14}}, {"server", 14}).pid, 14);
  EXPECT_EQ(select_programs({{"server", 12}, {"other", 13}, {"server", 14}}, {"server", 0}).size(), 2U);
}

TEST(WaitingProgram, ThatIsNotThereIsAnErrorWithThoseThatAre) {
  EXPECT_NE(error_of({"servr", 0}, kTwo).find("server (process 12), other (process 13)"), std::string::npos);
  EXPECT_NE(error_of({"server", 0}, {}).find("no running program that can be measured has the name server;"),
            std::string::npos);
  EXPECT_NE(error_of({"", 99}, {}).find("kjoule env -- COMMAND"), std::string::npos);
  EXPECT_NE(error_of({"server", 0}, {{"server", 12}, {"server", 14}}).find("--pid N"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
