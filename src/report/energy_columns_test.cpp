#include "report/energy_columns.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kjoule {
namespace {

TEST(EnergyColumns, AreDescribedInTheSchema) {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  const auto schema =
      nlohmann::json::parse(std::ifstream(root / "docs/reference/schemas/gpu_energy_report.schema.json"));
  const auto& properties = schema.at("$defs").at("kernel").at("properties");
  for (const auto& column : logged_energy_columns()) {
    if (!column.is_in(Place::json)) continue;
    ASSERT_TRUE(properties.contains(column.key)) << column.key;
    if (!column.head.empty()) continue;  // the help explains it in its own words
    EXPECT_EQ(properties.at(column.key).at("description"), column.description());
  }
}

}  // namespace
}  // namespace kjoule
