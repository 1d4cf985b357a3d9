#include "report/layer_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

TEST(LayerColumns, AreTheFieldsOfTheSchema) {
  const auto properties = Reference(__FILE__).properties("layers", "/$defs/layer");
  expect_all_fields(layer_columns(), properties);
  expect_descriptions(without_head(layer_columns()), properties);
}

}  // namespace
}  // namespace kjoule
