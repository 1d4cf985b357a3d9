#include "report/run_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

template <class Row>
void expect_described(const std::vector<TableColumn<Row>>& columns, const nlohmann::json& properties) {
  for (const TableColumn<Row>& column : columns) {
    if (!column.is_in(Place::json)) continue;
    ASSERT_TRUE(properties.contains(column.key)) << column.key;
    EXPECT_EQ(properties.at(column.key).at("description"), column.description());
  }
  EXPECT_EQ(keys_in(Place::json, columns).size(), properties.size());
}

TEST(RunColumns, AreTheFieldsOfTheSchema) {
  const Reference reference(__FILE__);
  expect_described(observed_kernel_columns(), reference.properties("run_report", "/$defs/kernel"));
  expect_described(run_kind_columns(), reference.properties("run_report", "/$defs/kind"));
}

TEST(RunColumns, AreTheLinesOfTheReferencePage) {
  EXPECT_EQ(Reference(__FILE__).table_in_formats("| columns of `kernels --csv -- PROGRAM`"),
            described_in_formats(observed_kernel_columns()));
}

TEST(RunColumns, AreTheSameInBothKindsOfFiles) {
  EXPECT_EQ(keys_in(Place::csv, observed_kernel_columns()), keys_in(Place::json, observed_kernel_columns()));
}

}  // namespace
}  // namespace kjoule
