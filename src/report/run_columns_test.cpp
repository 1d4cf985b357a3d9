#include "report/run_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

TEST(RunColumns, AreTheFieldsOfTheSchema) {
  const Reference reference(__FILE__);
  const auto kernel = reference.properties("run_report", "/$defs/kernel");
  expect_all_fields(observed_kernel_columns(), kernel);
  expect_descriptions(observed_kernel_columns(), kernel);
  const auto kind = reference.properties("run_report", "/$defs/kind");
  expect_all_fields(run_kind_columns(), kind);
  expect_descriptions(run_kind_columns(), kind);
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
