#include "layers/pipeline_file.hpp"

#include <gtest/gtest.h>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "layers/layer_names.hpp"

namespace kjoule {
namespace {

TEST(FailedLayers, OfEqualNamesAreAllRead) {
  const TemporaryFolder folder;
  const std::string path = folder / "failed.jsonl";
  EXPECT_TRUE(read_failed_layers(path).empty());
  write_atomic(path, R"({"layer": "relu", "error": "first"}
{"layer": "conv", "error": "other"}
{"layer": "relu", "error": "second"}
)");
  const auto failed = read_failed_layers(path);
  ASSERT_EQ(failed.size(), 3u);
  EXPECT_EQ(failed[0].why, "first");
  EXPECT_EQ(failed[2].name, "relu");
  EXPECT_EQ(failed[2].why, "second");
}

TEST(LayerNames, AreNumberedIfTheyOccurAgain) {
  LayerNames names;
  EXPECT_EQ(names.distinct("relu"), "relu");
  EXPECT_EQ(names.distinct("relu (2)"), "relu (2)");
  EXPECT_EQ(names.distinct("relu"), "relu (3)");
  EXPECT_EQ(names.distinct("conv"), "conv");
}

}  // namespace
}  // namespace kjoule
