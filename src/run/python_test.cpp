#include "run/python.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

TEST(InterpreterOf, IsThatOfTheEnvironmentAroundTorch) {
  const TemporaryFolder folder;
  const fs::path torch = folder / "lib/python3.11/site-packages/torch";
  fs::create_directories(torch);
  fs::create_directories(folder / "bin");
  write_atomic(folder / "bin/python3", "");
  EXPECT_EQ(interpreter_of(torch), "") << "a folder without Python code has no interpreter";
  write_atomic(torch / "__init__.py", "");
  EXPECT_EQ(interpreter_of(torch), (folder / "bin/python3").string());
  fs::remove(folder / "bin/python3");
  EXPECT_EQ(interpreter_of(torch), "");
  EXPECT_EQ(interpreter_of(""), "");
}

TEST(WithoutEmptyEntries, KeepsTheOthers) {
  EXPECT_EQ(without_empty_entries("/a:/b"), "/a:/b");
  for (const char* path : {":/a", "/a:", "::/a::", "/a"})
    EXPECT_EQ(without_empty_entries(path), "/a") << path;
  for (const char* path : {"", ":", "::"}) EXPECT_EQ(without_empty_entries(path), "") << path;
}

}  // namespace
}  // namespace kjoule
