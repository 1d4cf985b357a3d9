#include "report/energy_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

TEST(EnergyColumns, AreDescribedInTheSchema) {
  const auto properties = Reference(__FILE__).properties("gpu_energy_report", "/$defs/kernel");
  for (const auto& column : logged_energy_columns()) {
    if (!column.is_in(Place::json)) continue;
    ASSERT_TRUE(properties.contains(column.key)) << column.key;
    if (!column.head.empty()) continue;  // the help explains it in its own words
    EXPECT_EQ(properties.at(column.key).at("description"), column.description());
  }
}

}  // namespace
}  // namespace kjoule
