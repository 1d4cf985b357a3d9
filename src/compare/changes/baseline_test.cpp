#include "compare/changes/baseline.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

Baseline example() {
  Baseline baseline;
  baseline.title = "program on GPU";
  baseline.measured = "2026-01-02 03:04:05.678";
  baseline.kjoule = "0.1.0";
  baseline.device = {"GPU", "cuda", "GPU-1"};
  BaselineIteration& iteration = baseline.iterations.emplace_back();
  iteration.verdict = "adds up";
  iteration.whole_s = {3e-6, 1e-9};
  iteration.sum_s = {3.1e-6, 2e-9};
  iteration.whole_j = Interval{1e-3, 1e-5};
  iteration.whole_w = Interval{300, 3};
  iteration.kernels = {{"a", "<<<1>>>", 2, Interval{2e-6, 1e-9}, Interval{5e-4, 1e-5}}, {"b", "", 1, {}, {}}};
  iteration.launches = {0, 1, 0};
  baseline.layers = {{"conv", 1, Interval{1e-6, 1e-9}, {}}};
  return baseline;
}

class BaselineFile : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "base.json";

  /// Returns the error of reading the file after one text in it was replaced by another.
  std::string error_with(const std::string& text, const std::string& replacement) {
    write_baseline(file_, example());
    std::string changed = read_text(file_);
    const size_t at = changed.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    write_atomic(file_, changed.replace(at, text.size(), replacement));
    try {
      read_baseline(file_);
    } catch (const Error& error) {
      return error.line();
    }
    return "no error";
  }
};

TEST_F(BaselineFile, IsReadAsItWasWritten) {
  write_baseline(file_, example());
  EXPECT_TRUE(is_baseline(file_));
  const Baseline read = read_baseline(file_);
  EXPECT_EQ(read.title, "program on GPU");
  EXPECT_EQ(read.device.uuid, "GPU-1");
  ASSERT_EQ(read.iterations.size(), 1U);
  EXPECT_EQ(write_fields(read.iterations[0]), write_fields(example().iterations[0]));
  ASSERT_EQ(read.layers.size(), 1U);
  EXPECT_EQ(write_fields(read.layers[0]), write_fields(example().layers[0]));
}

TEST_F(BaselineFile, DamageIsNamed) {
  EXPECT_NE(error_with("0 1 0", "0 7 0")
                .find("\"launches\" contains the kernel number 7, but there are only 2 kernels"),
            std::string::npos);
  EXPECT_NE(error_with("0 1 0", "0 1").find("kernel 0 has the count 2, but occurs 1 times in \"launches\""),
            std::string::npos);
  EXPECT_NE(error_with("0 1 0", "0,1,0").find("launches: not a list of numbers"), std::string::npos);
  EXPECT_NE(error_with("\"version\": 1", "\"version\": 9").find("version 9, but this kjoule reads version 1"),
            std::string::npos);
  EXPECT_NE(error_with("kjoule-baseline", "something").find("neither a results folder nor a baseline"),
            std::string::npos);
  EXPECT_NE(error_with("\"verdict\"", "\"verdikt\"").find("iterations[0].verdict: missing"),
            std::string::npos);
  EXPECT_NE(error_with("\"iterations\": [{", "\"iterations\": [1, {").find("iterations[0]: not an object"),
            std::string::npos);
}

}  // namespace
}  // namespace kjoule
