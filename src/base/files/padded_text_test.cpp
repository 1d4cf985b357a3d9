#include "base/files/padded_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

TEST(PaddedText, AFileThatAnotherProcessCutsOffIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const fs::path file = folder / "trace.json";
  write_atomic(file, std::string(100'000, '\n'));
  const auto cut_off = [&] {
    const PaddedText text = PaddedText::of_file(file, 1'000'000);
    fs::resize_file(file, 10);
    EXPECT_EQ(std::count(text.view().begin(), text.view().end(), '\n'), 100'000);
  };
  EXPECT_EXIT(cut_off(), testing::ExitedWithCode(1),
              "kjoule: .*trace.json: another process shortened the file while kjoule read it; repeat the "
              "command when the file is complete");
}

}  // namespace
}  // namespace kjoule
