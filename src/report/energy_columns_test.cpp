#include "report/energy_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

TEST(EnergyColumns, AreDescribedInTheSchema) {
  const auto properties = Reference(__FILE__).properties("gpu_energy_report", "/$defs/kernel");
  expect_fields(logged_energy_columns(), properties);
  expect_descriptions(without_head(logged_energy_columns()), properties);
}

}  // namespace
}  // namespace kjoule
