#include "report/difference_columns.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "report/difference_files.hpp"
#include "report/difference_text.hpp"
#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

/// A measurement whose kernels are: a slower one, one that was not measured, and a new one.
Difference three_kernels() {
  Difference difference;
  IterationDifference& iteration = difference.iterations.emplace_back();
  iteration.whole_s = iteration.sum_s = {{100e-6, 1e-6}, {110e-6, 1e-6}, 0};
  const auto add = [&](KernelChangeKind kind, const char* name) -> KernelChange& {
    KernelChange& kernel = iteration.kernels.emplace_back();
    kernel.kind = kind;
    kernel.before = kernel.after = {{name, 3}};
    return kernel;
  };
  add(KernelChangeKind::same, "gemm").time_s = ValueChange{{4, 1e-6}, {4.5, 1e-6}, 0};
  add(KernelChangeKind::other_form, "unmeasured");
  KernelChange& added = add(KernelChangeKind::added, "copy");
  added.before.clear();
  added.time_s = ValueChange{{0, 0}, {3e-6, 2.5e-7}, 0};
  return difference;
}

TEST(DifferenceColumns, AreTheFieldsOfTheSchema) {
  for (const auto& [name, quantity] : {std::pair{"time", kTime}, {"energy", kEnergy}, {"power", kPower}}) {
    const auto properties =
        Reference(__FILE__).properties("difference", fmt::format("/$defs/{}/oneOf/1", name));
    const auto columns = change_columns(quantity);
    expect_all_fields(columns, properties);
    expect_descriptions(columns, properties);
    EXPECT_EQ(keys_in(Place::json, columns), keys_in(Place::csv, columns));
  }
  const auto kernel =
      Reference(__FILE__).properties("difference", "/properties/iterations/items/properties/kernels/items");
  expect_descriptions(changed_line_columns(), kernel);
}

TEST(DifferenceColumns, AreTheLinesOfTheReferencePage) {
  EXPECT_EQ(Reference(__FILE__).table_in_formats("| columns of `diff --csv`"),
            described_in_formats(changed_line_columns()));
}

TEST(DifferenceColumns, AreAlignedAndHaveADashForWhatWasNotMeasured) {
  const std::string text = difference_text(three_kernels(), {});
  for (const char* line :
       {"before us  after us       us  95 %\n",
        "  3 x gemm                            4000000   4500000  +500000  +- 2 us *\n",
        "  3 x unmeasured                            -         -        -  -\n",
        "  added                                  0.00      3.00    +3.00  +- 0.25 us *\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  const std::string markdown = difference_markdown(three_kernels(), {});
  for (const char* line : {"| | before, us | after, us | change, us | 95 % | |\n",
                           "| | before | after | change, % |", "argument | - | - | - | - | - |\n"})
    EXPECT_NE(markdown.find(line), std::string::npos) << line << markdown;
}

TEST(DifferenceColumns, HaveNoNumberForWhatWasNotMeasured) {
  const auto kernels = difference_json(three_kernels(), {}).at("iterations").at(0).at("kernels");
  EXPECT_TRUE(kernels.at(1).at("time_us").is_null());
  EXPECT_TRUE(kernels.at(0).at("energy_mj").is_null());
  EXPECT_DOUBLE_EQ(kernels.at(0).at("time_us").at("change").get<double>(), 500'000);
  const std::string csv = difference_csv(three_kernels());
  EXPECT_NE(csv.find(",kernel,other form,3 x unmeasured,3 x unmeasured,1,,,,,,,,,,"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",kernel,added,,3 x copy,1,0,0,3,0.25,3,0.25,,,yes,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace kjoule
