#include "base/process/fault.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace kjoule {
namespace {

TEST(FaultOf, KeepsAnError) {
  EXPECT_EQ(fault_of(Error("cause", "remedy")).line(), "cause; remedy");
}

TEST(FaultOf, SaysWhatHappenedWithoutTheTextsOfLibraries) {
  EXPECT_EQ(fault_of(std::bad_alloc()).line(),
            "out of memory; close other programs, or lift the limit (ulimit -v)");
  const auto too_long = std::make_error_code(std::errc::filename_too_long);
  EXPECT_EQ(fault_of(std::filesystem::filesystem_error("cannot get status", "a/b", too_long)).line(),
            "a/b: File name too long; check the name and its folder");
  const auto no_folder = std::make_error_code(std::errc::not_a_directory);
  EXPECT_EQ(fault_of(std::filesystem::filesystem_error("cannot get status", "a/b", no_folder)).line(),
            "a/b: is not a folder; give the path of a folder");
  EXPECT_EQ(
      fault_of(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "thread"))
          .line(),
      "the system refused a request: Resource temporarily unavailable; check the limits of this shell "
      "(ulimit -a) and repeat the command");
  EXPECT_EQ(fault_of(std::out_of_range("basic_string::substr")).line(),
            "unexpected exception std::out_of_range; this is a bug in kjoule; please report it with the "
            "command and its files");
}

}  // namespace
}  // namespace kjoule
