#include "report/layer_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

TEST(LayerColumns, AreTheFieldsOfTheSchema) {
  const auto properties = Reference(__FILE__).properties("layers", "/$defs/layer");
  size_t fields = 0;
  for (const auto& column : layer_columns()) {
    if (!column.is_in(Place::json)) continue;
    ++fields;
    ASSERT_TRUE(properties.contains(column.key)) << column.key;
    if (!column.head.empty()) continue;  // the help explains it in its own words
    EXPECT_EQ(properties.at(column.key).at("description"), column.description());
  }
  EXPECT_EQ(fields, properties.size());
}

}  // namespace
}  // namespace kjoule
